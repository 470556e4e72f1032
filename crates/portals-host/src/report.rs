//! What came of a run.

use crate::crash::signal_name;
use std::fmt;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    /// With an exit code, 0 to 255
    Exited(i32),
    /// By a signal
    Killed(i32),
    /// It was stopped for something that is no signal
    Stopped,
}

impl ProcessEnd {
    /// The exit code: that of the process, 128 and the signal's number, or 1.
    pub fn code(self) -> i32 {
        match self {
            Self::Exited(code) => code,
            Self::Killed(signal) => 128 + signal,
            Self::Stopped => 1,
        }
    }
}

/// What went wrong in a process.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each says what it is")]
pub enum Fault {
    /// It ended with an exit code other than 0
    ExitCode(i32),
    /// It was ended by a signal that it sent itself, as `abort` does
    Killed { signal: i32, message: Option<String> },
    /// The machine refused what it did
    Crashed {
        signal: i32,
        address: usize,
        place: String,
    },
    /// It used more stack than it has
    StackOverflow { place: String },
    /// It ran too long without any call
    Endless { place: String },
    /// It gave Portals an address that it does not own
    Address(u64),
}

impl Fault {
    /// The signal that ended the process, if there was one.
    pub fn signal(&self) -> Option<i32> {
        match self {
            Self::Killed { signal, .. } | Self::Crashed { signal, .. } => Some(*signal),
            Self::StackOverflow { .. } | Self::Address(_) => Some(libc::SIGSEGV),
            Self::ExitCode(_) | Self::Endless { .. } => None,
        }
    }

    /// The exit code that it makes.
    pub fn code(&self) -> i32 {
        match self {
            Self::ExitCode(code) => *code,
            _ => self.signal().map_or(1, |signal| 128 + signal),
        }
    }
}

/// A process that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Its rank
    pub rank: u32,
    /// Its simulated host
    pub host: String,
    /// When, seconds
    pub time: f64,
    /// Why
    pub fault: Fault,
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "rank {} on {} ", self.rank, self.host)?;
        match &self.fault {
            Fault::ExitCode(code) => write!(out, "ended with exit code {code}")?,
            Fault::Killed {
                signal,
                message: None,
            } => write!(out, "was ended: {}", signal_name(*signal))?,
            Fault::Killed {
                signal,
                message: Some(message),
            } => {
                write!(out, "was ended: {}: {message}", signal_name(*signal))?;
            }
            Fault::Crashed {
                signal,
                address,
                place,
            } => {
                write!(out, "crashed: {}", signal_name(*signal))?;
                if *signal == libc::SIGSEGV || *signal == libc::SIGBUS {
                    write!(out, ", address {address:#x},")?;
                }
                write!(out, " at {place}")?;
            }
            Fault::StackOverflow { place } => {
                write!(out, "crashed: stack overflow at {place}; --stack-size gives more")?;
            }
            Fault::Endless { place } => {
                write!(
                    out,
                    "runs without end at {place}: a loop that calls nothing cannot let simulated time pass; call a clock or sched_yield in it"
                )?;
            }
            Fault::Address(address) => {
                write!(out, "gave Portals an address it does not own ({address:#x})")?;
            }
        }
        write!(out, ", at {:.9} s", self.time)
    }
}

/// A thread that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its process
    pub rank: u32,
    /// Its number there; 0 runs `main`
    pub thread: u32,
    /// Its simulated host
    pub host: String,
    /// The call that does not return
    pub call: String,
}

impl fmt::Display for Waiting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "rank {} on {}", self.rank, self.host)?;
        if self.thread != 0 {
            write!(out, ", thread {},", self.thread)?;
        }
        write!(out, " waits in {}", self.call)
    }
}

/// What came of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// How each process ended, by rank; none: it had not when the run was over
    pub ends: Vec<Option<ProcessEnd>>,
    /// What went wrong, in the order of time
    pub failures: Vec<Failure>,
    /// All processes that were left waited for ever: these threads
    pub deadlock: Option<Vec<Waiting>>,
    /// The run was ended from outside, see [`crate::Options::interrupt`]
    pub interrupted: bool,
    /// The run was broken off
    pub(crate) broken: bool,
}

impl Report {
    /// Whether the run was broken off by a crash or a loop without end.
    pub fn stopped(&self) -> bool {
        self.broken
    }

    /// The exit code of the run: that of the process that failed first, else 1 after a deadlock, else 0.
    pub fn exit_code(&self) -> i32 {
        match (self.failures.first(), &self.deadlock) {
            (Some(failure), _) => failure.fault.code(),
            (None, Some(_)) => 1,
            (None, None) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(fault: Fault) -> Failure {
        Failure {
            rank: 3,
            host: "node7".to_owned(),
            time: 0.5,
            fault,
        }
    }

    #[test]
    fn the_first_failure_gives_the_exit_code() {
        let mut report = Report::default();
        assert_eq!(report.exit_code(), 0);
        report.deadlock = Some(Vec::new());
        assert_eq!(report.exit_code(), 1);
        report.failures.push(failure(Fault::Killed {
            signal: libc::SIGABRT,
            message: None,
        }));
        report.failures.push(failure(Fault::ExitCode(7)));
        assert_eq!(report.exit_code(), 128 + 6);
    }

    #[test]
    fn failures_say_who_where_what_and_when() {
        let text = failure(Fault::Crashed {
            signal: libc::SIGSEGV,
            address: 16,
            place: "main+0x4".to_owned(),
        })
        .to_string();
        let expected = "rank 3 on node7 crashed: segmentation fault (SIGSEGV), address 0x10, at main+0x4, at 0.500000000 s";
        assert_eq!(text, expected);
        let text = failure(Fault::ExitCode(7)).to_string();
        assert_eq!(text, "rank 3 on node7 ended with exit code 7, at 0.500000000 s");
    }
}
