//! A run: the processes of a program, from their start to the last one's end.

use crate::coroutine::{End, Request, Step, Thread};
use crate::crash::{self, Handlers, Trap, TrapKind};
use crate::host::{self, Arguments, Process};
use crate::image::{LoadError, Program};
use crate::kernel::{Ended, Kernel, Next};
use crate::output::Output;
use crate::report::{Failure, Fault, ProcessEnd, Report, Waiting};
use crate::stdio::Streams;
use crate::{cpu, current, intercept, memory, switch};
use packetloom_portals::{Call, Return, ThreadId};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What a process is started with.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Its name, `argv[0]`
    pub name: String,
    /// What follows
    pub arguments: Vec<String>,
}

/// How programs are run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bytes of each thread's stack
    pub stack_size: usize,
    /// Seconds of simulated time for each second that the machine spends in the program between its calls; 0: none. Above 0
    /// runs are not repeatable.
    pub cpu_factor: f64,
    /// How long a thread may run without any call, in the machine's time
    pub longest_without_call: Duration,
    /// Set from elsewhere, it ends the run at the next call of a program
    pub interrupt: Arc<AtomicBool>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            stack_size: 256 << 10,
            cpu_factor: 0.0,
            longest_without_call: Duration::from_secs(10),
            interrupt: Arc::default(),
        }
    }
}

/// Why a run cannot start, or breaks off without a process being at fault.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each says what it is")]
pub enum RunError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("another run is under way on this thread")]
    Nested,
    #[error("an argument contains a zero byte: {0:?}")]
    Argument(String),
    #[error("the system refuses what {what} needs: {error}")]
    System { what: &'static str, error: io::Error },
    #[error("{0}")]
    Machine(String),
    #[error("output cannot be shown: {0}")]
    Output(io::Error),
}

/// Held by the run that is under way: the streams, signals and working folder that it exchanges are the whole program's.
static ONE: Mutex<()> = Mutex::new(());

thread_local! {
    static UNDER_WAY: Cell<bool> = const { Cell::new(false) };
}

/// A run that is ready to start: all images are loaded. One at a time: a second one waits until the first is over.
pub struct Run {
    options: Options,
    /// By process and number
    threads: Vec<Vec<Option<Thread>>>,
    /// Calls that come after the time that the program itself took
    held: BTreeMap<ThreadId, Call>,
    report: Report,
    _own: Own,
}

/// The right to run: given back, with all processes, when dropped.
struct Own(#[allow(dead_code, reason = "held")] MutexGuard<'static, ()>);

impl Drop for Own {
    fn drop(&mut self) {
        switch::restore_own();
        // Taken out first: unloading runs code that may ask for the host.
        let processes = host::with(|host| std::mem::take(&mut host.processes));
        drop(processes);
        host::with(|host| host.output = crate::output::Collector::new());
        UNDER_WAY.set(false);
    }
}

impl Run {
    /// Loads the program once for each launch; ranks are their numbers. No code of it runs yet.
    ///
    /// # Errors
    ///
    /// When the program cannot be loaded so often.
    pub fn new(program: &Path, launches: &[Launch], options: Options) -> Result<Self, RunError> {
        if UNDER_WAY.replace(true) {
            return Err(RunError::Nested);
        }
        // A run that panicked has given back all that it held.
        let own = Own(ONE.lock().unwrap_or_else(PoisonError::into_inner));
        let mut program = Program::open(program, launches.len(), intercept::instead)?;
        if program.needs(CPLUSPLUS) {
            intercept::load_cplusplus().map_err(|error| RunError::System {
                what: "output of C++",
                error,
            })?;
        }
        for (rank, launch) in launches.iter().enumerate() {
            let image = program.load(intercept::instead)?;
            let texts: Result<Vec<CString>, _> = std::iter::once(&launch.name)
                .chain(&launch.arguments)
                .map(|text| argument(text))
                .collect();
            let streams = Streams::new(rank as u32).map_err(|error| RunError::System {
                what: "a process's output",
                error,
            })?;
            let process = Process::new(image, Arguments::new(texts?), streams);
            host::with(|host| host.processes.push(process));
        }
        let report = Report {
            ends: vec![None; launches.len()],
            ..Report::default()
        };
        Ok(Self {
            options,
            threads: launches.iter().map(|_| Vec::new()).collect(),
            held: BTreeMap::new(),
            report,
            _own: own,
        })
    }

    /// Runs all processes until the kernel says that it is over, or one breaks down.
    ///
    /// # Errors
    ///
    /// When the system refuses what the run needs, or output cannot be shown. What processes do wrong stands in the report.
    pub fn run(mut self, kernel: &mut impl Kernel, output: &mut impl Output) -> Result<Report, RunError> {
        let handlers =
            Handlers::install(self.options.longest_without_call).map_err(|error| RunError::System {
                what: "watching over programs",
                error,
            })?;
        switch::find_exceptions();
        crate::keyval::reset();
        for rank in 0..self.report.ends.len() as u32 {
            let name = CString::new(kernel.host_name(rank)).unwrap_or_default();
            host::with(|host| host.process(rank).host_name = name);
        }
        let mut shown = kernel.now();
        while !self.report.stopped() {
            if self.options.interrupt.load(Ordering::Relaxed) {
                self.report.interrupted = true;
                flush_begun_lines();
                break;
            }
            let next = kernel.next();
            let now = kernel.now();
            if now > shown {
                flush(output, shown)?;
                shown = now;
            }
            match next {
                Next::Resume(thread, with) => self.resume(kernel, thread, with)?,
                Next::Finished => break,
                Next::Deadlock => {
                    self.report.deadlock = Some(self.waiting(kernel));
                    flush_begun_lines();
                    break;
                }
                Next::Broken(reason) => {
                    flush(output, shown)?;
                    return Err(RunError::Machine(reason));
                }
            }
            self.look_for_refused(kernel);
        }
        // Before output, which may take as long as its reader likes.
        drop(handlers);
        flush(output, shown)?;
        output.finish().map_err(RunError::Output)?;
        Ok(std::mem::take(&mut self.report))
    }

    /// Lets a thread go on until it waits or ends.
    fn resume(&mut self, kernel: &mut impl Kernel, thread: ThreadId, with: Return) -> Result<(), RunError> {
        let mut with = with;
        if !self.held.is_empty()
            && let Some(call) = self.held.remove(&thread)
        {
            match kernel.call(thread, call) {
                Some(returned) => with = returned,
                None => return Ok(()),
            }
        }
        let stack_size = self.options.stack_size;
        let of_process = &mut self.threads[thread.process as usize];
        let number = thread.thread as usize;
        if of_process.len() <= number {
            of_process.resize_with(number + 1, || None);
        }
        let coroutine = match &mut of_process[number] {
            Some(there) => there,
            place => {
                let started = Thread::new(thread, stack_size);
                let started = started.map_err(|error| RunError::System {
                    what: "a thread's stack",
                    error,
                })?;
                place.insert(started)
            }
        };
        loop {
            host::set_current(Some(thread));
            host::with(|host| switch::enter(host, thread));
            let clock = (self.options.cpu_factor > 0.0).then(cpu::thread_time);
            let step = {
                let _lent = current::lend(kernel);
                coroutine.resume(with)
            };
            let spent = clock.map(|start| (cpu::thread_time() - start) * self.options.cpu_factor);
            host::with(|host| switch::leave(host, thread));
            host::set_current(None);
            match step {
                Step::Asks(Request::Call(call)) => {
                    let returned = match spent.filter(|spent| *spent >= cpu::THRESHOLD) {
                        None => kernel.call(thread, call),
                        Some(spent) => match kernel.call(thread, Call::Sleep(spent)) {
                            None => {
                                self.held.insert(thread, call);
                                None
                            }
                            Some(_) => kernel.call(thread, call),
                        },
                    };
                    match returned {
                        Some(returned) if memory::none_refused() => with = returned,
                        Some(_) | None => return Ok(()),
                    }
                }
                Step::Asks(Request::Exit(code)) => {
                    self.end(kernel, thread.process, ProcessEnd::Exited(code & 0xff));
                    return Ok(());
                }
                Step::Asks(Request::Killed { signal, message }) => {
                    self.fail(kernel, thread.process, Fault::Killed { signal, message });
                    return Ok(());
                }
                Step::Asks(Request::ThreadEnd) | Step::Ended(End::Returned) => {
                    self.threads[thread.process as usize][number] = None;
                    kernel.thread_ended(thread);
                    return Ok(());
                }
                Step::Ended(End::Trapped(trap)) => {
                    self.fail(kernel, thread.process, fault(trap));
                    return Ok(());
                }
            }
        }
    }

    /// A process has ended by itself.
    fn end(&mut self, kernel: &mut impl Kernel, process: u32, end: ProcessEnd) {
        self.report.ends[process as usize] = Some(end);
        let code = end.code();
        if code != 0 {
            self.report.failures.push(Failure {
                rank: process,
                host: kernel.host_name(process).to_owned(),
                time: kernel.now(),
                fault: Fault::ExitCode(code),
            });
        }
        // Stacks and images stay until the run is over: messages under way may still reach buffers there, as long as the
        // kernel keeps the process's Portals objects.
        host::with(|host| {
            host.process(process)
                .threads
                .iter_mut()
                .for_each(|thread| thread.ended = true)
        });
        self.held.retain(|thread, _| thread.process != process);
        kernel.process_ended(process, Ended { code });
    }

    /// A process has broken down: the run is over, since it may have left memory of all in disorder.
    fn fail(&mut self, kernel: &impl Kernel, process: u32, fault: Fault) {
        let signal = fault.signal();
        self.report.ends[process as usize] = Some(signal.map_or(ProcessEnd::Stopped, ProcessEnd::Killed));
        let host = kernel.host_name(process).to_owned();
        self.report.failures.push(Failure {
            rank: process,
            host,
            time: kernel.now(),
            fault,
        });
        self.report.broken = true;
    }

    /// Whether a process gave Portals an address that is not its own.
    fn look_for_refused(&mut self, kernel: &impl Kernel) {
        if let Some(refused) = memory::take_refused() {
            self.fail(kernel, refused.rank, Fault::Address(refused.address));
        }
    }

    /// What each process that has not ended waits for.
    fn waiting(&self, kernel: &impl Kernel) -> Vec<Waiting> {
        let mut all = Vec::new();
        let started = self.threads.iter().enumerate().flat_map(|(process, threads)| {
            let there = threads.iter().enumerate().filter(|(_, thread)| thread.is_some());
            there.map(move |(number, _)| ThreadId {
                process: process as u32,
                thread: number as u32,
            })
        });
        for thread in started {
            let (ended, hidden, known) = host::with(|host| {
                let of = host.thread(thread);
                (of.ended, of.hidden, of.waits_for)
            });
            if ended || hidden {
                continue;
            }
            let call = known.map(str::to_owned).or_else(|| kernel.waits_for(thread));
            all.push(Waiting {
                rank: thread.process,
                thread: thread.thread,
                host: kernel.host_name(thread.process).to_owned(),
                call: call.unwrap_or_else(|| "nothing that is known".to_owned()),
            });
        }
        all
    }
}

/// The C++ library, of which all processes share one copy.
pub const CPLUSPLUS: &str = "libstdc++.so.6";

/// A text as C takes it.
fn argument(text: &str) -> Result<CString, RunError> {
    CString::new(text).map_err(|_| RunError::Argument(text.to_owned()))
}

/// Shows what was printed until `time`.
fn flush(output: &mut impl Output, time: f64) -> Result<(), RunError> {
    host::with(|host| {
        if host.output.is_empty() {
            Ok(())
        } else {
            host.output.flush(output, time)
        }
    })
    .map_err(RunError::Output)
}

/// Has the lines that processes have begun shown too: nothing will end them.
fn flush_begun_lines() {
    switch::restore_own();
    for rank in 0.. {
        let next = host::with(|host| {
            host.processes
                .get(rank)
                .map(|process| process.streams.stdio.output)
        });
        let Some(stream) = next else { break };
        crate::stdio::flush_stream(stream);
    }
}

/// What a trap tells.
fn fault(trap: Trap) -> Fault {
    let place = crash::code_place(trap.code);
    match trap.kind {
        TrapKind::Signal(signal, address) => Fault::Crashed {
            signal,
            address,
            place,
        },
        TrapKind::StackOverflow => Fault::StackOverflow { place },
        TrapKind::Endless => Fault::Endless { place },
    }
}
