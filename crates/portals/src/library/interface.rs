//! One of the four interfaces of a process, with all that belongs to it.

use super::counters::CountingEvent;
use super::descriptors::Descriptor;
use super::handles::{Key, Kind, Slab, parts};
use super::limits;
use super::matching::Entry;
use super::queues::Queue;
use super::table::PortalEntry;
use super::target::Fetch;
use crate::constants::{
    PTL_NI_INIT_OPTIONS_MASK, PTL_NI_LOGICAL, PTL_NI_MATCHING, PTL_NI_NO_MATCHING, PTL_NI_PHYSICAL,
    PTL_RANK_ANY, PTL_SR_LAST,
};
use crate::types::{Code, Handle, Limits, Process, RawProcess};

/// Of the number that a header carries: the interface matches.
const MATCHING: u8 = 1;
/// Of the number that a header carries: the interface is logical.
const LOGICAL: u8 = 2;

#[derive(Debug)]
pub(super) struct Interface {
    /// Which of the four.
    pub(super) number: u8,
    /// Calls of `PtlNIInit` less calls of `PtlNIFini`.
    pub(super) references: u32,
    pub(super) limits: Limits,
    /// Status registers, by their index.
    pub(super) registers: [i32; PTL_SR_LAST as usize],
    /// The process whose interface it is.
    pub(super) process: Process,
    /// Its job.
    pub(super) jid: u32,
    map: Option<Box<[Process]>>,
    rank: u32,
    /// Calls of `PtlStartBundle` less calls of `PtlEndBundle`.
    pub(super) bundles: u32,
    pub(super) table: Vec<Option<PortalEntry>>,
    pub(super) descriptors: Slab<Descriptor>,
    pub(super) queues: Slab<Queue>,
    pub(super) counters: Slab<CountingEvent>,
    pub(super) entries: Slab<Entry>,
    pub(super) fetches: Slab<Fetch>,
    /// Unexpected headers in all lists.
    pub(super) unexpected: usize,
    /// Triggered operations that wait.
    pub(super) triggered: usize,
}

/// The number of the interface that `PtlNIInit`'s options ask for: each pair of opposites has to be there once.
pub(super) fn number(options: u32) -> Result<u8, Code> {
    if options & !PTL_NI_INIT_OPTIONS_MASK != 0 {
        return Err(Code::ArgInvalid);
    }
    let one = |yes: u32, no: u32, bit: u8| match (options & yes != 0, options & no != 0) {
        (true, false) => Ok(bit),
        (false, true) => Ok(0),
        _ => Err(Code::ArgInvalid),
    };
    Ok(one(PTL_NI_MATCHING, PTL_NI_NO_MATCHING, MATCHING)? | one(PTL_NI_LOGICAL, PTL_NI_PHYSICAL, LOGICAL)?)
}

impl Interface {
    /// An interface before `PtlNIInit`.
    pub(super) fn new(number: u8) -> Self {
        Self {
            number,
            references: 0,
            limits: limits::most(number & MATCHING != 0),
            registers: [0; PTL_SR_LAST as usize],
            process: Process { nid: 0, pid: 0 },
            jid: 0,
            map: None,
            rank: PTL_RANK_ANY,
            bundles: 0,
            table: Vec::new(),
            descriptors: Slab::new(),
            queues: Slab::new(),
            counters: Slab::new(),
            entries: Slab::new(),
            fetches: Slab::new(),
            unexpected: 0,
            triggered: 0,
        }
    }

    /// The last `PtlNIFini`: all that belongs to the interface goes. What is still under way finds nothing any more, even
    /// when the interface is there again.
    pub(super) fn close(&mut self) {
        self.references = 0;
        self.registers = [0; PTL_SR_LAST as usize];
        self.map = None;
        self.rank = PTL_RANK_ANY;
        self.bundles = 0;
        self.table.clear();
        self.descriptors.clear();
        self.queues.clear();
        self.counters.clear();
        self.entries.clear();
        self.fetches.clear();
        self.unexpected = 0;
        self.triggered = 0;
    }

    /// `PtlNIInit` after that.
    pub(super) fn open(&mut self, desired: Option<&Limits>, process: Process, jid: u32) {
        self.references = 1;
        self.limits = limits::actual(desired, self.is_matching());
        self.process = process;
        self.jid = jid;
        self.table.clear();
        self.table
            .resize_with(self.limits.max_pt_index as usize + 1, || None);
    }

    pub(super) fn handle(&self) -> Handle {
        Key::ONLY.handle(Kind::Interface, self.number)
    }

    pub(super) fn is_matching(&self) -> bool {
        self.number & MATCHING != 0
    }

    pub(super) fn is_logical(&self) -> bool {
        self.number & LOGICAL != 0
    }

    /// The key of a handle that is of this interface and of that kind; whether there is such an object is not asked.
    pub(super) fn key(&self, handle: Handle, kind: Kind) -> Result<Key, Code> {
        match parts(handle) {
            Some(parts) if parts.kind == kind && parts.interface == self.number => Ok(parts.key),
            _ => Err(Code::ArgInvalid),
        }
    }

    /// `PtlSetMap`: an empty map, or one for a physical interface, is not valid; a later one takes the place of the first.
    pub(super) fn set_map(&mut self, map: &[Process]) -> Result<(), Code> {
        if !self.is_logical() || map.is_empty() {
            return Err(Code::ArgInvalid);
        }
        self.rank = map
            .iter()
            .position(|process| *process == self.process)
            .map_or(PTL_RANK_ANY, |rank| rank as u32);
        self.map = Some(map.into());
        Ok(())
    }

    /// `PtlGetMap`.
    pub(super) fn map(&self) -> Result<&[Process], Code> {
        self.map.as_deref().ok_or(Code::ArgInvalid)
    }

    /// Who this process is for others on this interface. On a logical one the rank is known once there is a map; a
    /// process that the map leaves out is `PTL_RANK_ANY`.
    pub(super) fn id(&self) -> Result<RawProcess, Code> {
        if self.is_logical() {
            self.map()?;
        }
        Ok(self.initiator_id())
    }

    /// Who this process is in messages.
    pub(super) fn initiator_id(&self) -> RawProcess {
        if self.is_logical() {
            RawProcess {
                nid_or_rank: self.rank,
                pid: 0,
            }
        } else {
            RawProcess {
                nid_or_rank: self.process.nid,
                pid: self.process.pid,
            }
        }
    }
}
