//! Process identifiers in use on a node.

use crate::types::Code;
use std::collections::BTreeSet;

/// The process identifiers in use on one node.
#[derive(Clone, Debug, Default)]
pub struct Pids {
    used: BTreeSet<u32>,
}

impl Pids {
    /// The first identifier given to a process that leaves the choice to the node, as S4BXI counts them.
    pub const FIRST: u32 = 2048;

    /// Takes `pid`, or with `None` the lowest free one from [`Pids::FIRST`] on.
    ///
    /// # Errors
    ///
    /// [`Code::PidInUse`] when another process has it.
    pub fn take(&mut self, pid: Option<u32>) -> Result<u32, Code> {
        let pid = match pid {
            Some(pid) => pid,
            None => (Self::FIRST..)
                .find(|pid| !self.used.contains(pid))
                .ok_or(Code::NoSpace)?,
        };
        if self.used.insert(pid) {
            Ok(pid)
        } else {
            Err(Code::PidInUse)
        }
    }

    /// Gives `pid` back.
    pub fn release(&mut self, pid: u32) {
        self.used.remove(&pid);
    }
}
