//! Steps that many programs have.

use super::script::{Seen, Step, step};
use packetloom_portals::constants::*;
use packetloom_portals::{
    Ack, Call, Command, EntrySpec, Handle, MatchList, MdSpec, Move, Operation, RawProcess, Region,
};

/// Handles after `set_up`: the interface, the descriptor's queue and the table's, the descriptor's counter and the entry's,
/// the descriptor.
pub const MD_QUEUE: usize = 1;
pub const TABLE_QUEUE: usize = 2;
pub const MD_COUNTER: usize = 3;
pub const ENTRY_COUNTER: usize = 4;
const MD: usize = 5;
/// Where the entry's memory begins, and how large it and the descriptor's are.
pub const ENTRY: u64 = 2 << 20;
const LENGTH: u64 = 2 << 20;

pub const SUM: Operation = Operation::Atomic {
    operator: PTL_SUM,
    datatype: PTL_UINT64_T,
};
pub const FETCH: Operation = Operation::FetchAtomic {
    operator: PTL_SUM,
    datatype: PTL_UINT64_T,
};

pub fn command(command: impl Fn(&Seen) -> Command + 'static) -> Step {
    step(move |seen| Call::Command(Box::new(command(seen))))
}

/// What a program sets up.
#[derive(Clone, Copy, Default)]
pub struct SetUp {
    pub matching: bool,
    pub md_options: u32,
    pub entry_options: u32,
}

impl SetUp {
    /// The calls up to and with a barrier.
    pub fn steps(self) -> Vec<Step> {
        let Self {
            matching,
            md_options,
            entry_options,
        } = self;
        vec![
            step(|_| Call::Init),
            command(move |_| Command::NiInit {
                iface: PTL_IFACE_DEFAULT,
                options: PTL_NI_PHYSICAL
                    | if matching {
                        PTL_NI_MATCHING
                    } else {
                        PTL_NI_NO_MATCHING
                    },
                pid: PTL_PID_ANY,
                desired: None,
            }),
            command(|seen| Command::EqAlloc(seen.handles[0], 1 << 16)),
            command(|seen| Command::EqAlloc(seen.handles[0], 1 << 16)),
            command(|seen| Command::CtAlloc(seen.handles[0])),
            command(|seen| Command::CtAlloc(seen.handles[0])),
            command(|seen| Command::PtAlloc {
                ni: seen.handles[0],
                options: 0,
                eq: seen.handles[TABLE_QUEUE],
                requested: 0,
            }),
            command(move |seen| {
                Command::MdBind(
                    seen.handles[0],
                    MdSpec {
                        region: Region::Run {
                            start: 0,
                            length: LENGTH,
                        },
                        options: md_options,
                        eq: seen.handles[MD_QUEUE],
                        ct: seen.handles[MD_COUNTER],
                    },
                )
            }),
            command(move |seen| Command::Append {
                ni: seen.handles[0],
                pt_index: 0,
                entry: EntrySpec {
                    region: Region::Run {
                        start: ENTRY,
                        length: LENGTH,
                    },
                    ct: seen.handles[ENTRY_COUNTER],
                    min_free: 0,
                    uid: PTL_UID_ANY,
                    options: PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE | entry_options,
                    match_id: RawProcess {
                        nid_or_rank: PTL_NID_ANY,
                        pid: PTL_PID_ANY,
                    },
                    match_bits: 0,
                    ignore_bits: 0,
                },
                list: MatchList::Priority,
                user_ptr: 0,
                non_matching: !matching,
            }),
            step(|_| Call::Barrier),
        ]
    }
}

/// An operation: local and remote offsets are `at`, and its events carry `tag`.
#[derive(Clone, Copy)]
pub struct Ask {
    pub operation: Operation,
    pub bytes: u64,
    pub ack: Ack,
    pub nid: u32,
    pub pid: u32,
    pub at: u64,
    pub tag: u64,
}

impl Ask {
    pub fn new(operation: Operation, bytes: u64, ack: Ack, nid: u32) -> Self {
        Self {
            operation,
            bytes,
            ack,
            nid,
            pid: 2048,
            at: 0,
            tag: 0,
        }
    }

    pub fn call(self, seen: &Seen, try_only: bool) -> Call {
        let md: Handle = seen.handles[MD];
        Call::Move {
            operation: Box::new(Move {
                operation: self.operation,
                md,
                local_offset: self.at,
                length: self.bytes,
                ack: self.ack,
                target: RawProcess {
                    nid_or_rank: self.nid,
                    pid: self.pid,
                },
                pt_index: 0,
                match_bits: 0,
                remote_offset: self.at,
                user_ptr: self.tag,
                hdr_data: self.tag,
                get_md: md,
                get_local_offset: self.at,
            }),
            try_only,
        }
    }

    pub fn step(self) -> Step {
        step(move |seen| self.call(seen, false))
    }
}

pub fn put(bytes: u64, ack: Ack, nid: u32) -> Step {
    Ask::new(Operation::Put, bytes, ack, nid).step()
}

pub fn wait(queue: usize) -> Step {
    step(move |seen| Call::EqWait(seen.handles[queue]))
}

pub fn sleep(seconds: f64) -> Step {
    step(move |_| Call::Sleep(seconds))
}

/// A star with a profile of up (1) and down (0) for the wire of some nodes.
pub fn failing(nids: &[u32], profiles: &[(u32, String)]) -> String {
    let mut text = super::script::star(nids);
    let end = text.len() - "</platform>".len();
    text.truncate(end);
    for (nid, profile) in profiles {
        text.push_str(&format!(
            "<trace id=\"t{nid}\" periodicity=\"-1\">{profile}</trace>\
             <trace_connect kind=\"LINK_AVAIL\" trace=\"t{nid}\" element=\"w{nid}\"/>"
        ));
    }
    text.push_str("</platform>");
    text
}
