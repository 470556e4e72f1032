//! Why a command did not do what it was asked, and the exit code that says so.

use crate::output::complain;
use std::process::ExitCode;

/// Why a command ends without success.
#[derive(Debug)]
pub enum Failure {
    /// The input is wrong; one problem a line, each with what would be right.
    Input(String),
    /// The machine failed: disk, permissions, memory.
    Machine(String),
    /// The user interrupted it; what there was is already told.
    Interrupted,
    /// It is already told, with input to blame.
    Told,
    /// A program that it ran ended with this exit code, and has told why itself.
    Child(u8),
}

impl Failure {
    /// Prints it to standard error, each problem on a line of its own.
    pub fn tell(&self) {
        if let Failure::Input(problems) | Failure::Machine(problems) = self {
            for problem in problems.lines() {
                complain(&format!("error: {problem}"));
            }
        }
    }

    /// The exit code.
    pub fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::Machine(_) => 1,
            Failure::Input(_) | Failure::Told => 2,
            Failure::Interrupted => 130,
            Failure::Child(code) => *code,
        })
    }
}
