//! Runs against traces of S4BXI, operation by operation: when each transfer over PCI and each message began and ended.

use super::script::{Run, Step, deployment, run, star, step};
use crate::portals::Options;
use packetloom_portals::constants::*;
use packetloom_portals::{
    Ack, Call, Command, EntrySpec, Handle, MatchList, MdSpec, Move, Operation, RawProcess, Region,
};

const ONE_PUT: &str = include_str!("one-put.csv");
const OPERATIONS: &str = include_str!("operations.csv");

/// A trace: what its title says, and its rows.
struct Trace<'a> {
    title: &'a str,
    rows: Vec<[f64; 5]>,
}

fn traces(text: &str) -> Vec<Trace<'_>> {
    let mut traces = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with("operation_type")) {
        if let Some(title) = line.strip_prefix("# ") {
            traces.push(Trace {
                title,
                rows: Vec::new(),
            });
        } else {
            traces.last_mut().expect("a title first").rows.push(row(line));
        }
    }
    traces
}

fn row(line: &str) -> [f64; 5] {
    let cells: Vec<f64> = line
        .split(',')
        .map(|cell| cell.parse().expect("a number"))
        .collect();
    cells.try_into().expect("five cells")
}

fn logged(run: &Run) -> Vec<[f64; 5]> {
    run.log.lines().skip(1).map(row).collect()
}

/// Equal to the last digit that the trace has: nine, of which the last may be rounded the other way.
fn assert_rows(title: &str, ours: &[[f64; 5]], theirs: &[[f64; 5]]) {
    for (at, (our, their)) in ours.iter().zip(theirs).enumerate() {
        let same = our[..3] == their[..3]
            && our[3..]
                .iter()
                .zip(&their[3..])
                .all(|(our, their)| (our - their).abs() < 2e-14);
        assert!(same, "{title}, row {at}: {our:?} instead of {their:?}");
    }
    assert_eq!(ours.len(), theirs.len(), "{title}: rows");
}

const PEER: RawProcess = RawProcess {
    nid_or_rank: 1,
    pid: 2048,
};

fn md(eq: Handle, options: u32, length: u64) -> MdSpec {
    MdSpec {
        region: Region::Run { start: 0, length },
        options,
        eq,
        ct: Handle(PTL_CT_NONE),
    }
}

fn set_up(matching: bool, mds: usize, md_options: u32) -> Vec<Step> {
    let command = |command: fn(&super::script::Seen) -> Command| {
        step(move |seen| Call::Command(Box::new(command(seen))))
    };
    let mut steps = vec![
        step(|_| Call::Init),
        step(move |_| {
            Call::Command(Box::new(Command::NiInit {
                iface: PTL_IFACE_DEFAULT,
                options: PTL_NI_PHYSICAL
                    | if matching {
                        PTL_NI_MATCHING
                    } else {
                        PTL_NI_NO_MATCHING
                    },
                pid: PTL_PID_ANY,
                desired: None,
            }))
        }),
        step(|_| Call::Barrier),
        command(|seen| Command::EqAlloc(seen.handles[0], 64)),
        command(|seen| Command::EqAlloc(seen.handles[0], 64)),
        command(|seen| Command::PtAlloc {
            ni: seen.handles[0],
            options: 0,
            eq: seen.handles[2],
            requested: 0,
        }),
    ];
    for _ in 0..mds {
        steps.push(step(move |seen| {
            Call::Command(Box::new(Command::MdBind(
                seen.handles[0],
                md(seen.handles[1], md_options, 1 << 20),
            )))
        }));
    }
    steps.push(step(move |seen| {
        Call::Command(Box::new(Command::Append {
            ni: seen.handles[0],
            pt_index: 0,
            entry: EntrySpec {
                region: Region::Run {
                    start: 2 << 20,
                    length: 1 << 20,
                },
                ct: Handle(PTL_CT_NONE),
                min_free: 0,
                uid: PTL_UID_ANY,
                options: PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE,
                match_id: RawProcess {
                    nid_or_rank: PTL_NID_ANY,
                    pid: PTL_PID_ANY,
                },
                match_bits: 7,
                ignore_bits: 0,
            },
            list: MatchList::Priority,
            user_ptr: 0,
            non_matching: !matching,
        }))
    }));
    steps.push(step(|_| Call::Barrier));
    steps
}

fn operation(operation: Operation, ack: Ack, length: u64) -> Step {
    step(move |seen| Call::Move {
        operation: Box::new(Move {
            operation,
            md: seen.handles[3],
            local_offset: 0,
            length,
            ack,
            target: PEER,
            pt_index: 0,
            match_bits: 7,
            remote_offset: 0,
            user_ptr: 0,
            hdr_data: 0,
            get_md: *seen.handles.get(4).unwrap_or(&seen.handles[3]),
            get_local_offset: 0,
        }),
        try_only: false,
    })
}

fn wait(queue: usize) -> Step {
    step(move |seen| Call::EqWait(seen.handles[queue]))
}

#[test]
fn one_put_as_in_the_traces() {
    let traces = traces(ONE_PUT);
    assert_eq!(traces.len(), 4);
    for trace in traces {
        let bytes: u64 = trace
            .title
            .split(' ')
            .nth(3)
            .and_then(|n| n.parse().ok())
            .expect("a size");
        let program = |initiator: bool| {
            let mut steps = set_up(false, 1, PTL_MD_EVENT_SEND_DISABLE);
            if initiator {
                steps.push(operation(Operation::Put, Ack::Full, bytes));
                steps.push(wait(1));
            } else {
                steps.push(wait(2));
            }
            steps
        };
        let nids = [42, 1];
        let run = run(
            &star(&nids),
            &deployment(&nids, true, true),
            &Options::default(),
            &[program(true), program(false)],
        );
        assert!(run.finished);
        assert_rows(trace.title, &logged(&run), &trace.rows);
    }
}

#[test]
fn single_operations_as_in_the_traces() {
    let traces = traces(OPERATIONS);
    assert_eq!(
        traces.len(),
        60,
        "five operations, three sizes, with and without e2e and PCI"
    );
    for trace in traces {
        let mut words = trace.title.split(' ');
        let (name, bytes) = (words.next().expect("a name"), words.next().expect("a size"));
        let bytes: u64 = bytes.parse().expect("a size");
        let e2e = trace.title.contains("e2e=1");
        let pci = trace.title.contains("model_pci=true");
        // There S4BXI never issues SEND and stops; here SEND comes, so there is an event more.
        let hangs = trace.title.contains("rc=134");
        let (sum, int64) = (PTL_SUM, PTL_INT64_T);
        let atomic = Operation::Atomic {
            operator: sum,
            datatype: int64,
        };
        let fetch = Operation::FetchAtomic {
            operator: sum,
            datatype: int64,
        };
        let (kind, ack, events) = match name {
            "put" => (Operation::Put, Ack::Full, 2),
            "putna" => (Operation::Put, Ack::None, 1),
            "get" => (Operation::Get, Ack::None, 1),
            "atomic" => (atomic, Ack::Full, 2),
            "fetch" => (fetch, Ack::None, 2),
            other => panic!("{other}"),
        };
        let program = |initiator: bool| {
            let mut steps = set_up(true, 2, 0);
            if initiator {
                steps.push(operation(kind, ack, bytes));
                steps.extend((0..events).map(|_| wait(1)));
            } else {
                steps.push(wait(2));
            }
            steps.push(step(|_| Call::Barrier));
            steps.push(step(|_| Call::Sleep(50e-6)));
            steps.push(step(|_| Call::Barrier));
            steps
        };
        let nids = [42, 1];
        let run = run(
            &star(&nids),
            &deployment(&nids, e2e, pci),
            &Options::default(),
            &[program(true), program(false)],
        );
        assert!(run.finished, "{}", trace.title);
        let mut ours = logged(&run);
        if hangs && pci {
            let before = ours.len();
            ours.retain(|row| !(row[0] == 12.0 && row[1] == 42.0));
            assert_eq!(ours.len(), before - 1, "SEND");
        }
        assert_rows(trace.title, &ours, &trace.rows);
    }
}
