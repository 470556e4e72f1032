//! Two processes whose messages arrive at once: what the NIC does, without its time.

use crate::constants::*;
use crate::library::{Library, Place};
use crate::{
    Ack, Code, Command, Counter, EntrySpec, Event, Handle, Header, Limits, MatchList, MdSpec, Memory, Move,
    NiFail, Notices, Operation, Outcome, Payload, Pids, Process, RawProcess, Receipt, Region, Respond,
    Return, SearchMode,
};

use proptest::test_runner::{Config as ProptestConfig, RngSeed};

/// Bytes from address 0 on.
#[derive(Clone, Debug, PartialEq)]
pub struct Bytes(pub Vec<u8>);

impl Memory for Bytes {
    fn read(&self, address: u64, into: &mut [u8]) {
        let start = address as usize;
        into.copy_from_slice(&self.0[start..start + into.len()]);
    }

    fn write(&mut self, address: u64, from: &[u8]) {
        let start = address as usize;
        self.0[start..start + from.len()].copy_from_slice(from);
    }
}

/// A process with one interface, a queue for each of its sides, and 1,024 bytes.
pub struct Peer {
    pub library: Library,
    pub memory: Bytes,
    pub ni: Handle,
    /// For its memory descriptors.
    pub eq: Handle,
    /// For its portal table.
    pub table_eq: Handle,
    pub pids: Pids,
}

pub const MATCHING: u32 = PTL_NI_MATCHING | PTL_NI_PHYSICAL;
pub const PLAIN: u32 = PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL;
/// No handle.
pub const NO_EQ: Handle = Handle(PTL_EQ_NONE);
pub const NO_CT: Handle = Handle(PTL_CT_NONE);

pub fn place(nid: u32) -> Place {
    Place {
        nid,
        uid: 1000,
        jid: 7,
    }
}

impl Peer {
    pub fn new(nid: u32, options: u32) -> Self {
        Self::with_limits(nid, options, None)
    }

    pub fn with_limits(nid: u32, options: u32, desired: Option<Limits>) -> Self {
        let mut peer = Self::before_init(nid);
        peer.library.init();
        let init = Command::NiInit {
            iface: PTL_IFACE_DEFAULT,
            options,
            pid: PTL_PID_ANY,
            desired,
        };
        let (Return::Interface(ni, _), _) = peer.run(&init) else {
            panic!("no interface")
        };
        peer.ni = ni;
        peer.eq = peer.handle(&Command::EqAlloc(ni, 64));
        peer.table_eq = peer.handle(&Command::EqAlloc(ni, 64));
        peer
    }

    pub fn before_init(nid: u32) -> Self {
        Self {
            library: Library::new(place(nid)),
            memory: Bytes(vec![0; 1024]),
            ni: Handle(PTL_INVALID_HANDLE),
            eq: Handle(PTL_INVALID_HANDLE),
            table_eq: Handle(PTL_INVALID_HANDLE),
            pids: Pids::default(),
        }
    }

    /// Carries a command out and delivers what follows.
    pub fn run(&mut self, command: &Command) -> (Return, Notices) {
        let (result, notices) = self.library.command(command, &mut self.pids, &mut self.memory);
        self.issue(&notices);
        (result, notices)
    }

    pub fn handle(&mut self, command: &Command) -> Handle {
        match self.run(command).0 {
            Return::Handle(handle) => handle,
            other => panic!("{command:?} gave {other:?}"),
        }
    }

    pub fn code(&mut self, command: &Command) -> Code {
        match self.run(command).0 {
            Return::Failed(code) => code,
            other => panic!("{command:?} gave {other:?}"),
        }
    }

    pub fn done(&mut self, command: &Command) {
        assert_eq!(self.run(command).0, Return::Done, "{command:?}");
    }

    pub fn issue(&mut self, notices: &Notices) {
        for (queue, event) in &notices.events {
            assert!(self.library.deliver(*queue, *event));
        }
    }

    pub fn table(&mut self, options: u32) -> u32 {
        let (ni, eq) = (self.ni, self.table_eq);
        let command = Command::PtAlloc {
            ni,
            options,
            eq,
            requested: PTL_PT_ANY,
        };
        match self.run(&command).0 {
            Return::Index(index) => index,
            other => panic!("{other:?}"),
        }
    }

    pub fn md(&mut self, start: u64, length: u64, options: u32, ct: Handle) -> Handle {
        let spec = MdSpec {
            region: Region::Run { start, length },
            options,
            eq: self.eq,
            ct,
        };
        self.handle(&Command::MdBind(self.ni, spec))
    }

    pub fn ct(&mut self) -> Handle {
        self.handle(&Command::CtAlloc(self.ni))
    }

    pub fn append(&mut self, pt_index: u32, entry: EntrySpec, list: MatchList, user_ptr: u64) -> Handle {
        let command = self.append_command(pt_index, entry, list, user_ptr);
        self.handle(&command)
    }

    pub fn append_command(&self, pt_index: u32, entry: EntrySpec, list: MatchList, user_ptr: u64) -> Command {
        Command::Append {
            ni: self.ni,
            pt_index,
            entry,
            list,
            user_ptr,
            non_matching: self.library.is_matching(self.ni) == Some(false),
        }
    }

    pub fn search(&mut self, pt_index: u32, entry: EntrySpec, mode: SearchMode, user_ptr: u64) {
        let command = Command::Search {
            ni: self.ni,
            pt_index,
            entry,
            mode,
            user_ptr,
            non_matching: self.library.is_matching(self.ni) == Some(false),
        };
        self.done(&command);
    }

    pub fn process(&self) -> Process {
        self.library.physical_id(self.ni).expect("an interface is there")
    }

    /// All events of a queue.
    pub fn events(&mut self, eq: Handle) -> Vec<Event> {
        std::iter::from_fn(|| self.library.take_event(eq).expect("the queue is there"))
            .map(|(event, _)| event)
            .collect()
    }

    /// All kinds of events at the initiator's side.
    pub fn kinds(&mut self) -> Vec<u32> {
        let eq = self.eq;
        self.events(eq).iter().map(|event| event.kind).collect()
    }

    /// All kinds of events at the target's side.
    pub fn table_kinds(&mut self) -> Vec<u32> {
        let eq = self.table_eq;
        self.events(eq).iter().map(|event| event.kind).collect()
    }

    pub fn counts(&self, ct: Handle) -> (u64, u64) {
        let Counter { success, failure } = self.library.counter(ct).expect("the counting event is there");
        (success, failure)
    }

    pub fn status(&self) -> [i32; 3] {
        [0, 1, 2].map(|register| {
            self.library
                .status(self.ni, register)
                .expect("registers are there")
        })
    }
}

/// An entry of a run of memory that lets everything in.
pub fn entry(start: u64, length: u64, options: u32) -> EntrySpec {
    EntrySpec {
        region: Region::Run { start, length },
        ct: NO_CT,
        min_free: 0,
        uid: PTL_UID_ANY,
        options,
        match_id: RawProcess {
            nid_or_rank: PTL_NID_ANY,
            pid: PTL_PID_ANY,
        },
        match_bits: 0,
        ignore_bits: 0,
    }
}

/// A data movement without extras.
pub fn movement(operation: Operation, md: Handle, length: u64, to: Process, pt_index: u32) -> Move {
    Move {
        operation,
        md,
        local_offset: 0,
        length,
        ack: Ack::None,
        target: RawProcess {
            nid_or_rank: to.nid,
            pid: to.pid,
        },
        pt_index,
        match_bits: 0,
        remote_offset: 0,
        user_ptr: 11,
        hdr_data: 22,
        get_md: md,
        get_local_offset: 0,
    }
}

/// What a whole operation came to.
pub struct Seen {
    pub header: Header,
    pub receipt: Receipt,
}

/// Carries an operation through both ends, in the order in which the NIC does.
pub fn carry(from: &mut Peer, to: &mut Peer, operation: &Move) -> Seen {
    let header = from.library.prepare(operation).expect("good arguments");
    carry_header(from, to, header)
}

/// The same for one that a counting event launched.
pub fn carry_header(from: &mut Peer, to: &mut Peer, header: Header) -> Seen {
    let mut payload: Payload = from.library.outgoing(&header, &from.memory);
    let ok = Outcome::default();
    let notices = from.library.sent(&header, &ok);
    from.issue(&notices);
    let receipt = to.library.receive(&header, &mut payload, &mut to.memory);
    to.issue(&receipt.now);
    match &receipt.respond {
        Respond::Nothing => {}
        Respond::Ack => {
            let notices = from.library.acknowledged(&header, &receipt.outcome);
            from.issue(&notices);
        }
        Respond::Reply(bytes) => {
            let notices = from
                .library
                .replied(&header, &receipt.outcome, bytes, &mut from.memory);
            from.issue(&notices);
        }
    }
    if let Some(completion) = receipt.later {
        let notices = to.library.fetched(completion);
        to.issue(&notices);
    }
    from.library.closed(&header);
    Seen { header, receipt }
}

/// An outcome with that failure.
pub fn failed(fail: NiFail) -> Outcome {
    Outcome {
        fail,
        ..Outcome::default()
    }
}

/// The same cases every time, so many; with `PROPTEST_CASES` new ones, that many.
pub fn cases(number: u32) -> ProptestConfig {
    let told = std::env::var_os("PROPTEST_CASES").is_some();
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: if told { default.cases } else { number },
        rng_seed: if told { default.rng_seed } else { RngSeed::Fixed(1) },
        failure_persistence: None,
        ..default
    }
}
