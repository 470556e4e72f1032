//! The calls that cost a command to the NIC.

use super::handles::Kind;
use super::{Library, interface};
use crate::call::{Command, Return};
use crate::constants::{PTL_IFACE_DEFAULT, PTL_PID_ANY};
use crate::memory::Memory;
use crate::notices::Notices;
use crate::pids::Pids;
use crate::types::{Code, Handle, Limits, Process};

impl Library {
    /// Carries a command out. What it returns goes to the program once the notices are issued.
    pub fn command(
        &mut self,
        command: &Command,
        pids: &mut Pids,
        memory: &mut impl Memory,
    ) -> (Return, Notices) {
        // No command reads or writes what its arguments point to: those are read before it, and data moves with messages.
        let _ = memory;
        let mut notices = Notices::default();
        let result = self.carry_out(command, pids, &mut notices);
        self.settle(&mut notices);
        (result.unwrap_or_else(Return::Failed), notices)
    }

    fn carry_out(
        &mut self,
        command: &Command,
        pids: &mut Pids,
        notices: &mut Notices,
    ) -> Result<Return, Code> {
        match *command {
            Command::NiInit {
                iface,
                options,
                pid,
                ref desired,
            } => self
                .open(iface, options, pid, desired.as_ref(), pids)
                .map(|(ni, limits)| Return::Interface(ni, limits)),
            Command::NiFini(ni) => self.close(ni, pids).map(|()| Return::Done),
            Command::PtAlloc {
                ni,
                options,
                eq,
                requested,
            } => self
                .interface_mut(ni)?
                .allocate_index(options, eq, requested)
                .map(Return::Index),
            Command::PtFree(ni, index) => self.interface_mut(ni)?.free_index(index).map(|()| Return::Done),
            Command::PtEnable(ni, index) => {
                let interface = self.interface_mut(ni)?;
                interface.enable_index(index, true).map(|()| Return::Done)
            }
            Command::PtDisable(ni, index) => {
                let interface = self.interface_mut(ni)?;
                interface.enable_index(index, false).map(|()| Return::Done)
            }
            Command::EqAlloc(ni, count) => self.interface_mut(ni)?.allocate_queue(count).map(Return::Handle),
            Command::EqFree(eq) => {
                let (interface, key) = self.find_mut(eq, Kind::Queue)?;
                interface.free_queue(key).map(|()| Return::Done)
            }
            Command::CtAlloc(ni) => self.interface_mut(ni)?.allocate_counter().map(Return::Handle),
            Command::CtFree(ct) => {
                let (interface, key) = self.find_mut(ct, Kind::Counter)?;
                let actions = interface.free_counter(key)?;
                self.forget(actions);
                Ok(Return::Done)
            }
            Command::CtCancelTriggered(ct) => {
                let (interface, key) = self.find_mut(ct, Kind::Counter)?;
                let actions = interface.cancel_triggered(key)?;
                self.forget(actions);
                Ok(Return::Done)
            }
            Command::MdBind(ni, ref spec) => self.interface_mut(ni)?.bind(spec).map(Return::Handle),
            Command::MdRelease(md) => {
                let (interface, key) = self.find_mut(md, Kind::Descriptor)?;
                interface.release(key).map(|()| Return::Done)
            }
            Command::Append {
                ni,
                pt_index,
                ref entry,
                list,
                user_ptr,
                non_matching,
            } => self
                .interface_mut(ni)?
                .append(pt_index, entry, list, user_ptr, non_matching, notices)
                .map(Return::Handle),
            Command::Unlink(entry) => {
                let (interface, _) = self.find_mut(entry, Kind::Entry)?;
                interface.unlink(entry).map(|()| Return::Done)
            }
            Command::Search {
                ni,
                pt_index,
                ref entry,
                mode,
                user_ptr,
                non_matching,
            } => self
                .interface_mut(ni)?
                .search(pt_index, entry, mode, user_ptr, non_matching, notices)
                .map(|()| Return::Done),
        }
    }

    /// `PtlNIInit`. The first interface takes the process identifier; the others share it, and another one asked for then
    /// is not valid. For an interface that is there already, identifier and limits are not looked at.
    fn open(
        &mut self,
        iface: u32,
        options: u32,
        pid: u32,
        desired: Option<&Limits>,
        pids: &mut Pids,
    ) -> Result<(Handle, Limits), Code> {
        self.initialised()?;
        if iface != PTL_IFACE_DEFAULT && iface != 0 {
            return Err(Code::ArgInvalid);
        }
        let number = usize::from(interface::number(options)?);
        if self.interfaces[number].references == 0 {
            if pid > PTL_PID_ANY {
                return Err(Code::ArgInvalid);
            }
            let wanted = (pid != PTL_PID_ANY).then_some(pid);
            let pid = match self.pid {
                Some(own) if wanted.is_some_and(|wanted| wanted != own) => return Err(Code::ArgInvalid),
                Some(own) => own,
                None => pids.take(wanted)?,
            };
            self.pid = Some(pid);
            let process = Process {
                nid: self.place.nid,
                pid,
            };
            self.interfaces[number].open(desired, process, self.place.jid);
        } else {
            self.interfaces[number].references += 1;
        }
        let interface = &self.interfaces[number];
        Ok((interface.handle(), interface.limits))
    }

    /// `PtlNIFini`. With the last interface the process identifier is free again.
    fn close(&mut self, ni: Handle, pids: &mut Pids) -> Result<(), Code> {
        let interface = self.interface_mut(ni)?;
        interface.references -= 1;
        if interface.references == 0 {
            let actions = interface.cancel_all();
            interface.close();
            self.forget(actions);
        }
        if self.interfaces.iter().all(|interface| interface.references == 0) {
            self.release_pid(pids);
        }
        Ok(())
    }
}
