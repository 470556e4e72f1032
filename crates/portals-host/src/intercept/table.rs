//! The table: which function of this crate stands for which of the C library.

use super::{clock, files, process, random};
use crate::threads::{c11, condition, keys, lifetime, lock, mutex, semaphore};

/// A name, and the function that stands for it.
type Entry = (&'static str, Function);

/// A function of any shape: only its address is used.
#[derive(Clone, Copy)]
struct Function(*const ());

// SAFETY: an address of code, which never changes.
unsafe impl Sync for Function {}

/// Time, and waiting for it.
static TIME: &[Entry] = &[
    ("gettimeofday", Function(clock::gettimeofday as *const ())),
    ("clock_gettime", Function(clock::clock_gettime as *const ())),
    ("clock_getres", Function(clock::clock_getres as *const ())),
    ("timespec_get", Function(clock::timespec_get as *const ())),
    ("time", Function(clock::time as *const ())),
    ("clock", Function(clock::clock as *const ())),
    ("times", Function(clock::times as *const ())),
    ("getrusage", Function(clock::getrusage as *const ())),
    ("sched_yield", Function(clock::sched_yield as *const ())),
    ("pthread_yield", Function(clock::sched_yield as *const ())),
    ("sleep", Function(clock::sleep as *const ())),
    ("usleep", Function(clock::usleep as *const ())),
    ("nanosleep", Function(clock::nanosleep as *const ())),
    ("clock_nanosleep", Function(clock::clock_nanosleep as *const ())),
    ("pause", Function(clock::pause as *const ())),
    ("alarm", Function(process::alarm as *const ())),
    ("setitimer", Function(process::setitimer as *const ())),
    ("getitimer", Function(process::getitimer as *const ())),
    ("timer_create", Function(process::no_timers as *const ())),
    ("timerfd_create", Function(process::no_timers as *const ())),
    ("poll", Function(files::poll as *const ())),
    ("__poll_chk", Function(files::poll as *const ())),
    ("select", Function(files::select as *const ())),
];

/// Who a process is, how it ends, and state that would otherwise be one for all processes.
static PROCESSES: &[Entry] = &[
    ("getpid", Function(process::getpid as *const ())),
    ("getppid", Function(process::getppid as *const ())),
    ("gettid", Function(process::gettid as *const ())),
    ("gethostname", Function(process::gethostname as *const ())),
    ("__gethostname_chk", Function(process::gethostname as *const ())),
    ("uname", Function(process::uname as *const ())),
    ("exit", Function(process::exit as *const ())),
    ("_exit", Function(process::exit_at_once as *const ())),
    ("_Exit", Function(process::exit_at_once as *const ())),
    ("quick_exit", Function(process::quick_exit as *const ())),
    ("abort", Function(process::abort as *const ())),
    ("__assert_fail", Function(process::assert_fail as *const ())),
    (
        "__assert_perror_fail",
        Function(process::assert_perror_fail as *const ()),
    ),
    ("__cxa_atexit", Function(process::at_exit as *const ())),
    (
        "__cxa_at_quick_exit",
        Function(process::at_quick_exit as *const ()),
    ),
    ("__cxa_finalize", Function(process::finalize as *const ())),
    ("on_exit", Function(process::on_exit as *const ())),
    (
        "__cxa_thread_atexit",
        Function(lifetime::at_thread_exit as *const ()),
    ),
    (
        "__cxa_thread_atexit_impl",
        Function(lifetime::at_thread_exit as *const ()),
    ),
    ("raise", Function(process::raise as *const ())),
    ("kill", Function(process::kill as *const ())),
    ("signal", Function(process::signal as *const ())),
    ("bsd_signal", Function(process::signal as *const ())),
    ("__sysv_signal", Function(process::signal as *const ())),
    ("sigaction", Function(process::sigaction as *const ())),
    ("sigprocmask", Function(process::signal_mask as *const ())),
    ("sigsuspend", Function(process::sigsuspend as *const ())),
    ("fork", Function(process::no_processes as *const ())),
    ("vfork", Function(process::no_processes as *const ())),
    ("_Fork", Function(process::no_processes as *const ())),
    ("system", Function(process::no_processes as *const ())),
    ("execl", Function(process::no_processes as *const ())),
    ("execle", Function(process::no_processes as *const ())),
    ("execlp", Function(process::no_processes as *const ())),
    ("execv", Function(process::no_processes as *const ())),
    ("execve", Function(process::no_processes as *const ())),
    ("execvp", Function(process::no_processes as *const ())),
    ("execvpe", Function(process::no_processes as *const ())),
    ("fexecve", Function(process::no_processes as *const ())),
    ("wait", Function(process::no_processes as *const ())),
    ("waitpid", Function(process::no_processes as *const ())),
    ("daemon", Function(process::no_processes as *const ())),
    ("popen", Function(process::no_pipe as *const ())),
    ("posix_spawn", Function(process::no_spawn as *const ())),
    ("posix_spawnp", Function(process::no_spawn as *const ())),
    ("fclose", Function(files::fclose as *const ())),
    ("fileno", Function(files::fileno as *const ())),
    ("write", Function(files::write as *const ())),
    ("read", Function(files::read as *const ())),
    ("__read_chk", Function(files::read as *const ())),
    ("getopt", Function(files::get_option as *const ())),
    ("getopt_long", Function(files::get_option_long as *const ())),
    (
        "getopt_long_only",
        Function(files::get_option_long_only as *const ()),
    ),
    ("strtok", Function(files::strtok as *const ())),
    ("rand", Function(random::rand as *const ())),
    ("srand", Function(random::srandom as *const ())),
    ("random", Function(random::random as *const ())),
    ("srandom", Function(random::srandom as *const ())),
    ("drand48", Function(random::drand48 as *const ())),
    ("lrand48", Function(random::lrand48 as *const ())),
    ("mrand48", Function(random::mrand48 as *const ())),
    ("srand48", Function(random::srand48 as *const ())),
    (
        "_ZNSt8ios_base15sync_with_stdioEb",
        Function(files::sync_with_stdio as *const ()),
    ),
];

/// Threads, and what they have of their own.
static THREADS: &[Entry] = &[
    ("pthread_create", Function(lifetime::create as *const ())),
    ("pthread_join", Function(lifetime::join as *const ())),
    ("pthread_tryjoin_np", Function(lifetime::try_join as *const ())),
    ("pthread_detach", Function(lifetime::detach as *const ())),
    ("pthread_exit", Function(lifetime::exit as *const ())),
    ("pthread_self", Function(lifetime::this as *const ())),
    ("pthread_equal", Function(lifetime::equal as *const ())),
    ("pthread_cancel", Function(lifetime::cancel as *const ())),
    (
        "pthread_setcancelstate",
        Function(lifetime::set_cancel as *const ()),
    ),
    (
        "pthread_setcanceltype",
        Function(lifetime::set_cancel as *const ()),
    ),
    ("pthread_testcancel", Function(lifetime::test_cancel as *const ())),
    ("pthread_kill", Function(lifetime::kill as *const ())),
    ("pthread_sigmask", Function(process::signal_mask as *const ())),
    ("pthread_setname_np", Function(lifetime::accept as *const ())),
    ("pthread_setaffinity_np", Function(lifetime::accept as *const ())),
    ("pthread_setschedparam", Function(lifetime::accept as *const ())),
    (
        "__pthread_register_cancel",
        Function(lifetime::register_clean_up as *const ()),
    ),
    (
        "__pthread_unregister_cancel",
        Function(lifetime::unregister_clean_up as *const ()),
    ),
    (
        "__pthread_unwind_next",
        Function(lifetime::unwind_next as *const ()),
    ),
    ("pthread_once", Function(keys::once as *const ())),
    ("pthread_key_create", Function(keys::create as *const ())),
    ("pthread_key_delete", Function(keys::delete as *const ())),
    ("pthread_getspecific", Function(keys::get as *const ())),
    ("pthread_setspecific", Function(keys::set as *const ())),
];

/// What threads wait at.
static OBJECTS: &[Entry] = &[
    ("pthread_mutex_lock", Function(mutex::lock as *const ())),
    ("pthread_mutex_trylock", Function(mutex::try_lock as *const ())),
    (
        "pthread_mutex_timedlock",
        Function(mutex::timed_lock as *const ()),
    ),
    (
        "pthread_mutex_clocklock",
        Function(mutex::clock_lock as *const ()),
    ),
    ("pthread_mutex_unlock", Function(mutex::unlock as *const ())),
    ("pthread_mutex_destroy", Function(mutex::destroy as *const ())),
    ("pthread_cond_init", Function(condition::init as *const ())),
    ("pthread_cond_destroy", Function(condition::destroy as *const ())),
    (
        "pthread_cond_wait",
        Function(condition::wait_for_ever as *const ()),
    ),
    (
        "pthread_cond_timedwait",
        Function(condition::timed_wait as *const ()),
    ),
    (
        "pthread_cond_clockwait",
        Function(condition::clock_wait as *const ()),
    ),
    ("pthread_cond_signal", Function(condition::signal as *const ())),
    (
        "pthread_cond_broadcast",
        Function(condition::broadcast as *const ()),
    ),
    ("pthread_rwlock_init", Function(lock::init as *const ())),
    ("pthread_rwlock_destroy", Function(lock::destroy as *const ())),
    ("pthread_rwlock_rdlock", Function(lock::read as *const ())),
    ("pthread_rwlock_wrlock", Function(lock::write as *const ())),
    ("pthread_rwlock_tryrdlock", Function(lock::try_read as *const ())),
    ("pthread_rwlock_trywrlock", Function(lock::try_write as *const ())),
    (
        "pthread_rwlock_timedrdlock",
        Function(lock::timed_read as *const ()),
    ),
    (
        "pthread_rwlock_timedwrlock",
        Function(lock::timed_write as *const ()),
    ),
    ("pthread_rwlock_unlock", Function(lock::unlock as *const ())),
    ("pthread_spin_init", Function(lock::spin_init as *const ())),
    ("pthread_spin_destroy", Function(lock::spin_destroy as *const ())),
    ("pthread_spin_lock", Function(lock::spin_lock as *const ())),
    ("pthread_spin_trylock", Function(lock::spin_try_lock as *const ())),
    ("pthread_spin_unlock", Function(lock::spin_unlock as *const ())),
    (
        "pthread_barrier_init",
        Function(semaphore::barrier_init as *const ()),
    ),
    (
        "pthread_barrier_destroy",
        Function(semaphore::barrier_destroy as *const ()),
    ),
    (
        "pthread_barrier_wait",
        Function(semaphore::barrier_wait as *const ()),
    ),
    ("sem_init", Function(semaphore::init as *const ())),
    ("sem_destroy", Function(semaphore::destroy as *const ())),
    ("sem_wait", Function(semaphore::wait_for_ever as *const ())),
    ("sem_trywait", Function(semaphore::try_wait as *const ())),
    ("sem_timedwait", Function(semaphore::timed_wait as *const ())),
    ("sem_clockwait", Function(semaphore::clock_wait as *const ())),
    ("sem_post", Function(semaphore::post as *const ())),
    ("sem_getvalue", Function(semaphore::value as *const ())),
    ("sem_open", Function(process::no_named_semaphores as *const ())),
];

/// Threads of the C language.
static C11: &[Entry] = &[
    ("thrd_create", Function(c11::create as *const ())),
    ("thrd_join", Function(c11::join as *const ())),
    ("thrd_detach", Function(c11::detach as *const ())),
    ("thrd_exit", Function(c11::exit as *const ())),
    ("thrd_sleep", Function(c11::sleep as *const ())),
    ("thrd_yield", Function(clock::thread_yield as *const ())),
    ("thrd_current", Function(lifetime::this as *const ())),
    ("thrd_equal", Function(lifetime::equal as *const ())),
    ("mtx_init", Function(c11::mutex_init as *const ())),
    ("mtx_lock", Function(c11::mutex_lock as *const ())),
    ("mtx_timedlock", Function(c11::mutex_timed_lock as *const ())),
    ("mtx_trylock", Function(c11::mutex_try_lock as *const ())),
    ("mtx_unlock", Function(c11::mutex_unlock as *const ())),
    ("mtx_destroy", Function(c11::destroy as *const ())),
    ("cnd_init", Function(c11::condition_init as *const ())),
    ("cnd_wait", Function(c11::condition_wait as *const ())),
    ("cnd_timedwait", Function(c11::condition_timed_wait as *const ())),
    ("cnd_signal", Function(condition::signal as *const ())),
    ("cnd_broadcast", Function(condition::broadcast as *const ())),
    ("cnd_destroy", Function(c11::destroy as *const ())),
    ("call_once", Function(c11::call_once as *const ())),
    ("tss_create", Function(keys::create as *const ())),
    ("tss_get", Function(keys::get as *const ())),
    ("tss_set", Function(c11::set_value as *const ())),
    ("tss_delete", Function(keys::delete as *const ())),
];

/// What the C++ library, which all processes share, shall call instead too: its threads and clocks.
const OF_CPLUSPLUS: &[&str] = &[
    "clock_gettime",
    "gettimeofday",
    "time",
    "sleep",
    "usleep",
    "nanosleep",
    "clock_nanosleep",
    "pthread_create",
    "pthread_join",
    "pthread_detach",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_cond_wait",
    "pthread_cond_clockwait",
    "pthread_cond_timedwait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
];

/// What stands for a function that programs call by this name.
pub fn instead(name: &str) -> Option<usize> {
    let entries = [TIME, PROCESSES, THREADS, OBJECTS, C11].into_iter().flatten();
    entries
        .into_iter()
        .find(|(of, _)| *of == name)
        .map(|(_, function)| function.0 as usize)
}

/// What stands for a function that the C++ library calls by this name.
pub fn shared_instead(name: &str) -> Option<usize> {
    OF_CPLUSPLUS.contains(&name).then(|| instead(name)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_stands_twice() {
        let names: Vec<_> = [TIME, PROCESSES, THREADS, OBJECTS, C11]
            .into_iter()
            .flatten()
            .map(|of| of.0)
            .collect();
        let once: BTreeSet<_> = names.iter().collect();
        assert_eq!(once.len(), names.len());
    }

    #[test]
    fn functions_are_found_by_name_and_others_are_not() {
        assert_eq!(instead("sleep"), Some(clock::sleep as *const () as usize));
        assert_eq!(instead("strlen"), None);
        assert_eq!(shared_instead("getpid"), None);
        assert!(OF_CPLUSPLUS.iter().all(|name| instead(name).is_some()));
    }
}
