//! Crashes of programs, and loops that call nothing: what stops the thread and lets the run loop tell of it.

use crate::coroutine::End;
use corosensei::trap::{CoroutineTrapHandler, TrapHandlerRegs};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::time::Duration;
use std::{io, mem, ptr};

/// Signals by which the machine tells of a crash.
const CRASHES: [c_int; 5] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
];

/// Bytes of the stack on which handlers run.
const HANDLER_STACK: usize = 64 << 10;

/// How often within the time that a thread may run without a call it is looked at.
const LOOKS: u32 = 10;

/// Why a thread was stopped, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap {
    /// What happened
    pub kind: TrapKind,
    /// Address of the code
    pub code: usize,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrapKind {
    /// A signal of the machine, with the address that it is about
    Signal(c_int, usize),
    /// The stack is used up
    StackOverflow,
    /// No call for too long
    Endless,
}

/// What a handler needs to stop a thread.
#[derive(Clone, Copy)]
pub struct Guarded {
    pub handler: CoroutineTrapHandler<End>,
    pub guard_start: usize,
    pub guard_end: usize,
}

thread_local! {
    /// The thread of a program that runs
    static WATCHED: Cell<Option<Guarded>> = const { Cell::new(None) };
    /// How often threads went on
    static RESUMED: Cell<u64> = const { Cell::new(0) };
    /// What [`RESUMED`] was at the last look, and how many looks in a row it has been so
    static SEEN: Cell<(u64, u32)> = const { Cell::new((0, 0)) };
}

/// The end of a program's thread that was stopped, for the case that the host cannot go on after it.
#[derive(Clone, Copy)]
struct Stopped {
    rank: u32,
    code: c_int,
}

thread_local! {
    static STOPPED: Cell<Option<Stopped>> = const { Cell::new(None) };
}

impl Stopped {
    /// Ends the host with what is known, when a crash has left memory of the host in disorder as well. For handlers: nothing
    /// is allocated.
    fn end_host(self) -> ! {
        let mut text = [0u8; 128];
        let length = {
            let mut rest = &mut text[..];
            let message = "crashed, and left the simulation unable to go on";
            // More than fits would be cut.
            let _ = io::Write::write_fmt(
                &mut rest,
                format_args!("packetloom: rank {} {message}\n", self.rank),
            );
            128 - rest.len()
        };
        // SAFETY: both may be called in handlers.
        unsafe {
            libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), length);
            libc::_exit(self.code)
        }
    }
}

impl Guarded {
    /// Stops the thread by signals from now on, until the returned value is dropped.
    pub fn watch(self) -> Watched {
        RESUMED.set(RESUMED.get().wrapping_add(1));
        WATCHED.set(Some(self));
        Watched
    }
}

/// A thread runs.
pub struct Watched;

impl Drop for Watched {
    fn drop(&mut self) {
        WATCHED.set(None);
    }
}

/// Handlers, their stack and the timer, in place until dropped. Of the thread of the system that made them.
pub struct Handlers {
    before: Vec<(c_int, libc::sigaction)>,
    stack_before: libc::stack_t,
    stack: Box<[u8]>,
    timer: Option<libc::timer_t>,
}

impl Handlers {
    /// Puts them in place; a thread that runs for `longest` without a call is stopped.
    ///
    /// # Errors
    ///
    /// When the system refuses the timer.
    pub fn install(longest: Duration) -> io::Result<Self> {
        let mut stack = vec![0; HANDLER_STACK].into_boxed_slice();
        let new = libc::stack_t {
            ss_sp: stack.as_mut_ptr().cast(),
            ss_flags: 0,
            ss_size: stack.len(),
        };
        // SAFETY: plain data, for which zeroes are a value; the kernel fills it.
        let mut stack_before = unsafe { mem::zeroed() };
        // SAFETY: the stack lives until the one before is put back.
        if unsafe { libc::sigaltstack(&raw const new, &raw mut stack_before) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let mut handlers = Self {
            before: Vec::new(),
            stack_before,
            stack,
            timer: None,
        };
        for signal in CRASHES {
            handlers.set(signal, on_crash);
        }
        handlers.set(look_signal(), on_look);
        handlers.start_timer(longest)?;
        SEEN.set((RESUMED.get(), 0));
        STOPPED.set(None);
        Ok(handlers)
    }

    fn set(&mut self, signal: c_int, handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)) {
        // SAFETY: plain data, for which zeroes are a value.
        let (mut new, mut old): (libc::sigaction, libc::sigaction) =
            unsafe { (mem::zeroed(), mem::zeroed()) };
        new.sa_sigaction = handler as usize;
        new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        // SAFETY: the handler does only what handlers may, see there.
        unsafe { libc::sigaction(signal, &raw const new, &raw mut old) };
        self.before.push((signal, old));
    }

    fn start_timer(&mut self, longest: Duration) -> io::Result<()> {
        // SAFETY: plain data, for which zeroes are a value; gettid has no preconditions.
        let mut event: libc::sigevent = unsafe { mem::zeroed() };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = look_signal();
        // SAFETY: as above.
        event.sigev_notify_thread_id = unsafe { libc::gettid() };
        let mut timer = ptr::null_mut();
        // SAFETY: all three are valid for the call.
        if unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer) } != 0 {
            return Err(io::Error::last_os_error());
        }
        self.timer = Some(timer);
        let each = (longest / LOOKS).max(Duration::from_millis(1));
        let each = libc::timespec {
            tv_sec: each.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: each.subsec_nanos().into(),
        };
        let times = libc::itimerspec {
            it_interval: each,
            it_value: each,
        };
        // SAFETY: the timer was just made.
        if unsafe { libc::timer_settime(timer, 0, &raw const times, ptr::null_mut()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}

impl Drop for Handlers {
    fn drop(&mut self) {
        // SAFETY: the timer, the handlers and the stack before are put back as they were found, the timer first.
        unsafe {
            if let Some(timer) = self.timer {
                libc::timer_delete(timer);
            }
            for (signal, before) in &self.before {
                libc::sigaction(*signal, before, ptr::null_mut());
            }
            libc::sigaltstack(&raw const self.stack_before, ptr::null_mut());
        }
        debug_assert_eq!(self.stack.len(), HANDLER_STACK);
    }
}

/// The signal of the timer: one that programs do not use.
fn look_signal() -> c_int {
    libc::SIGRTMAX() - 3
}

/// A crash: of the copy of memory for Portals, of a program's thread, or of the host itself.
///
/// Reads and writes only thread-local cells without destructors, the interrupted thread's registers and its stack.
extern "C" fn on_crash(signal: c_int, information: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system gives both for a handler with SA_SIGINFO.
    let (context, address) = unsafe {
        (
            &mut *context.cast::<libc::ucontext_t>(),
            (*information).si_addr() as usize,
        )
    };
    if crate::memory::recover(context) {
        return;
    }
    let code = code_address(context);
    let Some(guarded) = WATCHED.get() else {
        if let Some(stopped) = STOPPED.get() {
            stopped.end_host();
        }
        // The host's own: as if there were no handler; the instruction is tried again and ends the host.
        // SAFETY: sets the default.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        if signal == libc::SIGABRT {
            // SAFETY: raise may be called in handlers.
            unsafe { libc::raise(signal) };
        }
        return;
    };
    let overflow = signal == libc::SIGSEGV && (guarded.guard_start..guarded.guard_end).contains(&address);
    let kind = if overflow {
        TrapKind::StackOverflow
    } else {
        TrapKind::Signal(signal, address)
    };
    stop(guarded, context, Trap { kind, code });
}

/// The timer: has a thread run on since the last looks?
extern "C" fn on_look(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    let (seen, looks) = SEEN.get();
    let Some(guarded) = WATCHED.get() else {
        // After a crash the host has little to do; when it does not come to an end, a lock of the crashed program is held.
        match STOPPED.get() {
            Some(stopped) if looks + 1 >= LOOKS => stopped.end_host(),
            Some(_) => SEEN.set((seen, looks + 1)),
            None => SEEN.set((RESUMED.get(), 0)),
        }
        return;
    };
    if seen != RESUMED.get() {
        SEEN.set((RESUMED.get(), 0));
    } else if looks + 1 < LOOKS {
        SEEN.set((seen, looks + 1));
    } else {
        // SAFETY: the system gives it for a handler with SA_SIGINFO.
        let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
        let code = code_address(context);
        stop(
            guarded,
            context,
            Trap {
                kind: TrapKind::Endless,
                code,
            },
        );
    }
}

/// Makes the interrupted thread end with `trap` once the handler returns.
fn stop(guarded: Guarded, context: &mut libc::ucontext_t, trap: Trap) {
    WATCHED.set(None);
    let code = match trap.kind {
        TrapKind::Signal(signal, _) => 128 + signal,
        TrapKind::StackOverflow => 128 + libc::SIGSEGV,
        TrapKind::Endless => 1,
    };
    let rank = crate::host::current().map_or(0, |thread| thread.process);
    STOPPED.set(Some(Stopped { rank, code }));
    SEEN.set((RESUMED.get(), 0));
    // SAFETY: the coroutine runs on this thread and was interrupted, nothing of it goes on; the registers are set as asked
    // for. The stack pointer may lie below the guard when a function has a large frame, which does not matter: the stack is
    // used from its top.
    let registers = unsafe { guarded.handler.setup_trap_handler(move || End::Trapped(trap)) };
    set_registers(context, &registers);
}

#[cfg(target_arch = "x86_64")]
fn code_address(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.gregs[libc::REG_RIP as usize] as usize
}

#[cfg(target_arch = "x86_64")]
fn set_registers(context: &mut libc::ucontext_t, registers: &TrapHandlerRegs) {
    let all = &mut context.uc_mcontext.gregs;
    all[libc::REG_RIP as usize] = registers.rip as i64;
    all[libc::REG_RSP as usize] = registers.rsp as i64;
    all[libc::REG_RBP as usize] = registers.rbp as i64;
    all[libc::REG_RDI as usize] = registers.rdi as i64;
    all[libc::REG_RSI as usize] = registers.rsi as i64;
}

#[cfg(target_arch = "aarch64")]
fn code_address(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.pc as usize
}

#[cfg(target_arch = "aarch64")]
fn set_registers(context: &mut libc::ucontext_t, registers: &TrapHandlerRegs) {
    let all = &mut context.uc_mcontext;
    all.pc = registers.pc;
    all.sp = registers.sp;
    all.regs[0] = registers.x0;
    all.regs[1] = registers.x1;
    all.regs[29] = registers.x29;
    all.regs[30] = registers.lr;
}

/// The name of a signal.
pub fn signal_name(signal: c_int) -> String {
    let name = match signal {
        libc::SIGSEGV => "segmentation fault (SIGSEGV)",
        libc::SIGBUS => "bus error (SIGBUS)",
        libc::SIGFPE => "arithmetic error (SIGFPE)",
        libc::SIGILL => "illegal instruction (SIGILL)",
        libc::SIGABRT => "aborted (SIGABRT)",
        libc::SIGALRM => "alarm (SIGALRM)",
        libc::SIGTERM => "terminated (SIGTERM)",
        libc::SIGKILL => "killed (SIGKILL)",
        libc::SIGINT => "interrupted (SIGINT)",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}

/// Where in a program an address of code is, in a way that is the same in each run: the function and the distance from its
/// start, or else the place in the file, which `addr2line -e FILE` turns into a line.
pub fn code_place(address: usize) -> String {
    // SAFETY: plain data, for which zeroes are a value; dladdr takes any address.
    let mut found: libc::Dl_info = unsafe { mem::zeroed() };
    // SAFETY: as above.
    if unsafe { libc::dladdr(address as *const c_void, &raw mut found) } == 0 {
        return format!("{address:#x}, where no code is");
    }
    let name = |text: *const c_char| {
        // SAFETY: a name that the loader gave, which lives as long as its library is loaded.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    };
    if let Some(function) = name(found.dli_sname) {
        return format!("{function}+{:#x}", address - found.dli_saddr as usize);
    }
    let file = name(found.dli_fname).unwrap_or_default();
    let file = match file.rsplit_once('/') {
        // Libraries of the system have the names by which they are known, private copies have none.
        Some((_, name)) if name.contains(".so") => name.to_owned(),
        _ => "the program".to_owned(),
    };
    format!("offset {:#x} of {file}", address - found.dli_fbase as usize)
}
