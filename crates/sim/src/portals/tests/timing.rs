//! Times from end to end: S4BXI's measurements, and closed forms of the model.

use super::script::{Step, deployment, run, star, step};
use crate::portals::Options;
use packetloom_portals::constants::*;
use packetloom_portals::{
    Ack, Call, Command, EntrySpec, Handle, MatchList, MdSpec, Move, Operation, RawProcess, Region,
};

const ROUNDS: usize = 100;

fn command(command: impl Fn(&super::script::Seen) -> Command + 'static) -> Step {
    step(move |seen| Call::Command(Box::new(command(seen))))
}

fn region(start: u64) -> Region {
    Region::Run {
        start,
        length: 1 << 20,
    }
}

/// Handles: 0 the interface, 1 the descriptor's queue, 2 the table's queue, 3 the descriptor.
fn set_up(md_options: u32) -> Vec<Step> {
    vec![
        step(|_| Call::Init),
        command(|_| Command::NiInit {
            iface: PTL_IFACE_DEFAULT,
            options: PTL_NI_PHYSICAL | PTL_NI_NO_MATCHING,
            pid: PTL_PID_ANY,
            desired: None,
        }),
        command(|seen| Command::EqAlloc(seen.handles[0], 1024)),
        command(|seen| Command::EqAlloc(seen.handles[0], 1024)),
        command(|seen| Command::PtAlloc {
            ni: seen.handles[0],
            options: 0,
            eq: seen.handles[2],
            requested: 0,
        }),
        command(move |seen| {
            Command::MdBind(
                seen.handles[0],
                MdSpec {
                    region: region(0),
                    options: md_options,
                    eq: seen.handles[1],
                    ct: Handle(PTL_CT_NONE),
                },
            )
        }),
        command(|seen| Command::Append {
            ni: seen.handles[0],
            pt_index: 0,
            entry: EntrySpec {
                region: region(2 << 20),
                ct: Handle(PTL_CT_NONE),
                min_free: 0,
                uid: PTL_UID_ANY,
                options: PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE,
                match_id: RawProcess::default(),
                match_bits: 0,
                ignore_bits: 0,
            },
            list: MatchList::Priority,
            user_ptr: 0,
            non_matching: true,
        }),
        step(|_| Call::Barrier),
    ]
}

fn put(bytes: u64, ack: Ack, nid: u32) -> Step {
    step(move |seen| Call::Move {
        operation: Box::new(Move {
            operation: Operation::Put,
            md: seen.handles[3],
            local_offset: 0,
            length: bytes,
            ack,
            target: RawProcess {
                nid_or_rank: nid,
                pid: 2048,
            },
            pt_index: 0,
            match_bits: 0,
            remote_offset: 0,
            user_ptr: 0,
            hdr_data: 0,
            get_md: seen.handles[3],
            get_local_offset: 0,
        }),
        try_only: false,
    })
}

fn wait(queue: usize) -> Step {
    step(move |seen| Call::EqWait(seen.handles[queue]))
}

/// One way in nanoseconds: half a ping-pong of 100 puts with ACK.
fn one_way(bytes: u64, e2e: bool, pci: bool) -> f64 {
    let mut ping = set_up(PTL_MD_EVENT_SEND_DISABLE);
    let mut pong = set_up(PTL_MD_EVENT_SEND_DISABLE);
    let first = ping.len();
    for _ in 0..ROUNDS {
        ping.extend([put(bytes, Ack::Full, 2), wait(2)]);
        pong.extend([wait(2), put(bytes, Ack::Full, 1)]);
    }
    let nids = [1, 2];
    let run = run(
        &star(&nids),
        &deployment(&nids, e2e, pci),
        &Options::default(),
        &[ping, pong],
    );
    assert!(run.finished);
    let start = run.seen[0].returns[first].0;
    let end = run.seen[0].returns[first + 2 * ROUNDS].0;
    (end - start) * 1e9 / (2 * ROUNDS) as f64
}

#[test]
fn one_way_times_are_s4bxis() {
    let sizes = [8, 1 << 10, 64 << 10, 1 << 20];
    let with_pci = [1767.2, 2357.3, 8462.6, 101_452.8];
    let without = [1252.8, 1348.9, 7454.4, 100_444.6];
    for (at, bytes) in sizes.into_iter().enumerate() {
        for (pci, expected) in [(true, with_pci[at]), (false, without[at])] {
            let ours = one_way(bytes, true, pci);
            assert!(
                (ours - expected).abs() <= 0.1,
                "{bytes} B, PCI {pci}: {ours} ns instead of {expected}"
            );
            let ours = one_way(bytes, false, pci);
            assert!(
                (ours - expected).abs() <= 9.0,
                "{bytes} B, PCI {pci}, no e2e: {ours} ns instead of {expected}"
            );
        }
    }
}

#[test]
fn a_barrier_with_latency_is_released_that_much_after_the_last_arrival() {
    // The second program comes 3 us later than the first; both go on 1.5 us after that.
    let program = |late: f64| vec![step(move |_| Call::Sleep(1e-6 + late)), step(|_| Call::Barrier)];
    let nids = [1, 2];
    let options = Options {
        barrier_latency: 1.5e-6,
        ..Options::default()
    };
    let run = run(
        &star(&nids),
        &deployment(&nids, true, true),
        &options,
        &[program(0.0), program(3e-6)],
    );
    assert!(run.finished);
    for seen in &run.seen {
        assert!((seen.returns[2].0 - 5.5e-6).abs() < 1e-15);
    }
}
