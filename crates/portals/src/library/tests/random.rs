//! Random sequences of calls and messages, at the library and at its model.

use super::model::{Asked, MOST_HEADERS, Model};
use super::world::{MATCHING, NO_CT, PLAIN, Peer, cases};
use crate::constants::*;
use crate::library::limits;
use crate::{
    Ack, Code, Command, EntrySpec, Event, Handle, Header, Limits, MatchList, Operation, Payload, Process,
    RawProcess, Region, Respond, Return, SearchMode,
};
use proptest::prelude::*;
use std::collections::VecDeque;

#[derive(Clone, Debug)]
enum Step {
    Append(EntrySpec, MatchList),
    /// The entry appended so many appends ago.
    Unlink(usize),
    Search(EntrySpec, SearchMode),
    Message(Asked),
    /// The oldest reply leaves.
    Finish,
    Enable,
}

fn spec() -> impl Strategy<Value = EntrySpec> {
    let mostly = |option: u32, weight: f64| {
        proptest::bool::weighted(weight).prop_map(move |is| if is { option } else { 0 })
    };
    let rights = (mostly(PTL_ME_OP_PUT, 0.9), mostly(PTL_ME_OP_GET, 0.9));
    let life = (
        mostly(PTL_ME_USE_ONCE, 0.4),
        mostly(PTL_ME_MANAGE_LOCAL, 0.3),
        mostly(PTL_ME_NO_TRUNCATE, 0.2),
        mostly(PTL_ME_UNEXPECTED_HDR_DISABLE, 0.1),
    );
    let told = (
        mostly(PTL_ME_EVENT_LINK_DISABLE, 0.3),
        mostly(PTL_ME_EVENT_COMM_DISABLE, 0.1),
        mostly(PTL_ME_EVENT_FLOWCTRL_DISABLE, 0.2),
        mostly(PTL_ME_EVENT_SUCCESS_DISABLE, 0.1),
        mostly(PTL_ME_EVENT_OVER_DISABLE, 0.1),
        mostly(PTL_ME_EVENT_UNLINK_DISABLE, 0.2),
    );
    let counted = (
        mostly(PTL_ME_EVENT_CT_COMM, 0.5),
        mostly(PTL_ME_EVENT_CT_OVERFLOW, 0.5),
        mostly(PTL_ME_EVENT_CT_BYTES, 0.3),
    );
    let wanted = (
        0_u64..4,
        prop_oneof![Just(0_u64), Just(1), Just(3), Just(!0)],
        prop_oneof![3 => Just(PTL_NID_ANY), 1 => 1_u32..3],
        prop_oneof![3 => Just(PTL_PID_ANY), 1 => 5_u32..7],
        prop_oneof![8 => Just(PTL_UID_ANY), 1 => Just(1000_u32)],
    );
    let memory = (0_u64..200, 0_u64..24, 0_u64..10);
    (rights, life, told, counted, wanted, memory).prop_map(
        |(a, b, c, d, wanted, (start, length, min_free))| {
            let options =
                a.0 | a.1 | b.0 | b.1 | b.2 | b.3 | c.0 | c.1 | c.2 | c.3 | c.4 | c.5 | d.0 | d.1 | d.2;
            EntrySpec {
                region: Region::Run { start, length },
                ct: NO_CT,
                min_free,
                uid: wanted.4,
                options,
                match_id: RawProcess {
                    nid_or_rank: wanted.2,
                    pid: wanted.3,
                },
                match_bits: wanted.0,
                ignore_bits: wanted.1,
            }
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let list = prop_oneof![Just(MatchList::Priority), Just(MatchList::Overflow)];
    let mode = prop_oneof![Just(SearchMode::Only), Just(SearchMode::Delete)];
    let atomic = Operation::Atomic {
        operator: PTL_SUM,
        datatype: PTL_UINT8_T,
    };
    let operation = prop_oneof![3 => Just(Operation::Put), 2 => Just(Operation::Get), 1 => Just(atomic)];
    let asked = (
        operation,
        1_u32..3,
        5_u32..7,
        1000_u32..1002,
        0_u64..4,
        0_u64..24,
        0_u64..12,
    );
    let message = asked.prop_map(|(operation, nid_or_rank, pid, uid, bits, length, offset)| {
        Step::Message(Asked {
            operation,
            initiator: RawProcess { nid_or_rank, pid },
            uid,
            bits,
            length,
            offset,
        })
    });
    prop_oneof![
        4 => (spec(), list).prop_map(|(spec, list)| Step::Append(spec, list)),
        1 => (0_usize..6).prop_map(Step::Unlink),
        1 => (spec(), mode).prop_map(|(spec, mode)| Step::Search(spec, mode)),
        8 => message,
        2 => Just(Step::Finish),
        1 => Just(Step::Enable),
    ]
}

fn header(asked: &Asked, matching: bool, hdr_data: u64) -> Header {
    let nobody = Process { nid: 0, pid: 0 };
    Header {
        operation: asked.operation,
        initiator: nobody,
        initiator_id: asked.initiator,
        uid: asked.uid,
        target: nobody,
        interface: u8::from(matching),
        pt_index: 0,
        match_bits: asked.bits,
        length: asked.length,
        remote_offset: asked.offset,
        hdr_data,
        ack: Ack::None,
        md: Handle(0),
        local_offset: 0,
        get_md: Handle(0),
        get_local_offset: 0,
        user_ptr: 0,
    }
}

/// The library of the target, and what it has told so far.
struct Real {
    peer: Peer,
    ct: Handle,
    handles: Vec<Handle>,
    underway: VecDeque<crate::Completion>,
    events: Vec<Event>,
}

impl Real {
    fn new(matching: bool, flow_control: bool) -> Self {
        let desired = Limits {
            max_unexpected_headers: MOST_HEADERS as i32,
            ..limits::most(matching)
        };
        let options = if matching { MATCHING } else { PLAIN };
        let mut peer = Peer::with_limits(9, options, Some(desired));
        peer.table_eq = peer.handle(&Command::EqAlloc(peer.ni, 10_000));
        assert_eq!(peer.table(if flow_control { PTL_PT_FLOWCTRL } else { 0 }), 0);
        for (place, byte) in peer.memory.0.iter_mut().enumerate() {
            *byte = place as u8;
        }
        let ct = peer.ct();
        Self {
            peer,
            ct,
            handles: Vec::new(),
            underway: VecDeque::new(),
            events: Vec::new(),
        }
    }

    /// An entry's spec with the counting event, and without what a list entry lacks.
    fn own(&self, spec: &EntrySpec, matching: bool) -> EntrySpec {
        let mut spec = spec.clone();
        spec.ct = self.ct;
        if !matching {
            spec.options &= PTL_LE_APPEND_OPTIONS_MASK;
        }
        spec
    }

    fn events(&mut self) -> &[Event] {
        let new = self.peer.events(self.peer.table_eq);
        self.events.extend(new);
        &self.events
    }
}

proptest! {
    #![proptest_config(cases(1500))]
    #[test]
    fn the_library_does_what_the_model_does(
        matching in proptest::bool::weighted(0.8),
        flow_control in any::<bool>(),
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let mut real = Real::new(matching, flow_control);
        let mut model = Model::new(matching, flow_control, real.peer.memory.0.clone());
        for (number, step) in (0_u64..).zip(steps) {
            match step {
                Step::Append(spec, list) => {
                    let spec = real.own(&spec, matching);
                    let id = real.handles.len() as u64;
                    real.handles.push(real.peer.append(0, spec.clone(), list, id));
                    model.append(id, spec, list);
                }
                Step::Unlink(ago) => {
                    let Some(id) = real.handles.len().checked_sub(ago + 1) else { continue };
                    let expected = match model.unlink(id as u64) {
                        None => Return::Failed(Code::ArgInvalid),
                        Some(false) => Return::Failed(Code::InUse),
                        Some(true) => Return::Done,
                    };
                    prop_assert_eq!(real.peer.run(&Command::Unlink(real.handles[id])).0, expected);
                }
                Step::Search(spec, mode) => {
                    let spec = real.own(&spec, matching);
                    real.peer.search(0, spec.clone(), mode, 1000 + number);
                    model.search(1000 + number, spec, mode);
                }
                Step::Message(asked) => {
                    let header = header(&asked, matching, number);
                    let mut payload: Payload = (0..asked.length).map(|place| (number + place) as u8).collect();
                    let (outcome, fetched) = model.receive(&asked, &payload, number);
                    let peer = &mut real.peer;
                    let receipt = peer.library.receive(&header, &mut payload, &mut peer.memory);
                    peer.issue(&receipt.now);
                    prop_assert_eq!(receipt.outcome, outcome);
                    let expected = match asked.operation {
                        Operation::Get => Respond::Reply(Payload::from_vec(fetched)),
                        _ => Respond::Nothing,
                    };
                    prop_assert_eq!(receipt.respond, expected);
                    real.underway.extend(receipt.later);
                }
                Step::Finish => {
                    if let Some(completion) = real.underway.pop_front() {
                        let notices = real.peer.library.fetched(completion);
                        real.peer.issue(&notices);
                    }
                    model.finish();
                }
                Step::Enable => {
                    real.peer.done(&Command::PtEnable(real.peer.ni, 0));
                    model.enabled = true;
                }
            }
            prop_assert_eq!(real.events(), &model.events[..]);
            prop_assert_eq!(real.peer.counts(real.ct), model.count);
            prop_assert_eq!(real.peer.status(), model.registers);
        }
        prop_assert_eq!(&real.peer.memory.0, &model.memory);
    }
}
