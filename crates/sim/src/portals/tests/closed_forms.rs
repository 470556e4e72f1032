//! Closed forms of the model, in nanoseconds, on the star: a wire of 1000 ns and 11.1 / 1.05 GB/s, PCI of 250 ns and 11.1 GB/s.

use super::programs::*;
use super::script::{Run, Step, deployment, run, star, step};
use crate::portals::Options;
use packetloom_portals::constants::*;
use packetloom_portals::{Ack, Call, Operation, Return};

const PAIR: [u32; 2] = [1, 2];
const WIRE: f64 = 11.1 / 1.05;
const PCI: f64 = 250.0;
/// A command of 64 B, and an event of 96 B, over PCI.
const COMMAND: f64 = PCI + 64.0 / 11.1;
const EVENT: f64 = PCI + 96.0 / 11.1;

/// So many bytes on the wire, with what preparing them takes.
fn wire(bytes: u64) -> f64 {
    2.0 + 1000.0 + bytes as f64 / WIRE
}

fn near(what: &str, ours: f64, expected: f64) {
    assert!(
        (ours - expected).abs() < 1e-3,
        "{what}: {ours} instead of {expected}"
    );
}

/// The first node runs `steps` behind the set-up, the second waits for so many events.
fn pair(set_up: SetUp, e2e: bool, pci: bool, options: &Options, steps: Vec<Step>, events: usize) -> Run {
    let mut sender = set_up.steps();
    // What the second node's last command has under way is over.
    sender.push(sleep(1e-6));
    sender.extend(steps);
    let mut receiver = set_up.steps();
    receiver.extend((0..events).map(|_| wait(TABLE_QUEUE)));
    let run = run(
        &star(&PAIR),
        &deployment(&PAIR, e2e, pci),
        options,
        &[sender, receiver],
    );
    assert!(run.finished, "{:?}", run.waits);
    run
}

/// When the set-up was over at the first node.
fn begin(run: &Run) -> f64 {
    // Ten calls, the sleep, and the return that starts the program.
    run.seen[0].returns[11].0 * 1e9
}

/// From the begin to an event, by its place among those a node has taken.
fn until(run: &Run, rank: usize, event: usize) -> f64 {
    run.seen[rank].events[event].0 * 1e9 - begin(run)
}

const NO_SEND: SetUp = SetUp {
    matching: false,
    md_options: PTL_MD_EVENT_SEND_DISABLE,
    entry_options: 0,
};

#[test]
fn isolated_operations_without_pci() {
    for e2e in [true, false] {
        for bytes in [8_u64, 64, 1024, 65_536] {
            for (name, operation, ack, expected) in [
                ("put", Operation::Put, Ack::Full, wire(bytes) + wire(32) + PCI),
                ("get", Operation::Get, Ack::None, wire(64) + wire(bytes) + PCI),
            ] {
                let steps = vec![Ask::new(operation, bytes, ack, 2).step(), wait(MD_QUEUE)];
                let run = pair(NO_SEND, e2e, false, &Options::default(), steps, 1);
                near(
                    &format!("{name} {bytes} B, e2e {e2e}"),
                    until(&run, 0, 0),
                    expected,
                );
            }
        }
        for bytes in [8, 64, 2048] {
            for (name, operation, ack, expected) in [
                ("atomic", SUM, Ack::Full, wire(bytes) + wire(32) + PCI),
                ("fetch", FETCH, Ack::None, 2.0 * wire(bytes) + PCI),
            ] {
                let steps = vec![Ask::new(operation, bytes, ack, 2).step(), wait(MD_QUEUE)];
                let run = pair(NO_SEND, e2e, false, &Options::default(), steps, 1);
                near(
                    &format!("{name} {bytes} B, e2e {e2e}"),
                    until(&run, 0, 0),
                    expected,
                );
            }
        }
        for bytes in [0, 8, 64] {
            let steps = vec![put(bytes, Ack::None, 2), wait(MD_QUEUE)];
            let run = pair(SetUp::default(), e2e, false, &Options::default(), steps, 1);
            near("SEND of a put without ACK", until(&run, 0, 0), 202.0 + PCI);
        }
    }
}

/// One way of a put with PCI: command, wire, and the event.
fn one_way(bytes: u64, matching: bool, md_options: u32) -> f64 {
    let set_up = SetUp {
        matching,
        md_options: PTL_MD_EVENT_SEND_DISABLE | md_options,
        entry_options: 0,
    };
    let run = pair(
        set_up,
        true,
        true,
        &Options::default(),
        vec![put(bytes, Ack::Full, 2), wait(MD_QUEUE)],
        1,
    );
    until(&run, 1, 0)
}

fn by_dma(bytes: u64) -> f64 {
    COMMAND + first_packet(bytes)
}

fn first_packet(bytes: u64) -> f64 {
    if bytes >= 512 {
        232.508
    } else {
        200.0 + bytes as f64 / 15.75
    }
}

#[test]
fn a_put_with_pci_goes_inline_or_by_dma() {
    let inline = |bytes| COMMAND + wire(bytes) + EVENT + PCI;
    for bytes in [1, 8, 16] {
        near("inline", one_way(bytes, false, 0), inline(bytes));
    }
    near("inline, matching", one_way(8, true, 0), inline(8));
    // The header of a matching put has 8 B more, so DMA begins earlier.
    for (bytes, matching) in [
        (17, false),
        (64, false),
        (1024, false),
        (9, true),
        (16, true),
        (1024, true),
    ] {
        near(
            &format!("{bytes} B, matching {matching}"),
            one_way(bytes, matching, 0),
            inline(bytes) + by_dma(bytes),
        );
    }
}

#[test]
fn pio_is_for_volatile_puts_up_to_a_size() {
    for (matching, most) in [(false, 416), (true, 408)] {
        let (pio, dma) = (
            one_way(most, matching, PTL_MD_VOLATILE),
            one_way(most, matching, 0),
        );
        // 200 ns and what the command waits for the payload beside it, instead of a request and a first packet: the
        // payload still has 400 B / 11.1 GB/s of PCI to itself when the command starts, so only the 200 ns are added.
        assert!((dma - pio - 251.0).abs() < 32.0, "{dma} {pio}");
        assert_eq!(
            one_way(most + 1, matching, PTL_MD_VOLATILE),
            one_way(most + 1, matching, 0)
        );
        let inline = if matching { 8 } else { 16 };
        assert_eq!(
            one_way(inline, matching, PTL_MD_VOLATILE),
            one_way(inline, matching, 0)
        );
    }
}

#[test]
fn dma_without_commands_over_pci() {
    let text = deployment(&PAIR, true, true).replace(
        "\"model_pci\" value=\"true\"",
        "\"model_pci_commands\" value=\"false\"",
    );
    for bytes in [8, 1024] {
        let mut sender = NO_SEND.steps();
        sender.extend([sleep(1e-6), put(bytes, Ack::Full, 2), wait(MD_QUEUE)]);
        let mut receiver = NO_SEND.steps();
        receiver.push(wait(TABLE_QUEUE));
        let run = run(&star(&PAIR), &text, &Options::default(), &[sender, receiver]);
        assert!(run.finished);
        let dma = if bytes > 16 { by_dma(bytes) } else { 0.0 };
        near("one way", until(&run, 1, 0), dma + wire(bytes) + PCI);
        assert!(run.rows(12, 2).is_empty(), "no event crosses PCI");
        assert_eq!(run.rows(11, 2).len(), 1, "but the payload does");
        assert_eq!(run.rows(9, 1).len(), usize::from(bytes > 16));
    }
}

#[test]
fn one_acknowledgement_per_wire_and_202_ns() {
    let mut steps: Vec<Step> = (0..10).map(|_| put(8, Ack::Full, 2)).collect();
    steps.extend((0..10).map(|_| wait(MD_QUEUE)));
    let run = pair(NO_SEND, true, false, &Options::default(), steps, 10);
    let acks = run.rows(1, 2);
    assert_eq!(acks.len(), 10);
    for two in acks.windows(2) {
        // 2 ns, 1000 ns and 32 B on the wire, 200 ns.
        assert!((two[1].1 - two[0].1 - (wire(32) + 200.0)).abs() < 0.01, "{two:?}");
    }
    // Transmitters of puts are busy for 2 + 200 ns.
    for two in run.rows(3, 1).windows(2) {
        assert!((two[1].0 - two[0].0 - 202.0).abs() < 0.01, "{two:?}");
    }
}

#[test]
fn quick_acknowledgements_take_no_message() {
    let mut options = Options::default();
    options.nic.quick_acks = true;
    for e2e in [true, false] {
        for bytes in [8, 1024] {
            let steps = vec![put(bytes, Ack::Full, 2), wait(MD_QUEUE)];
            let run = pair(NO_SEND, e2e, false, &options, steps, 1);
            near("ACK", until(&run, 0, 0), wire(bytes) + PCI);
            assert!(run.rows(0, 1).is_empty() && run.rows(0, 2).is_empty() && run.rows(1, 2).is_empty());
        }
    }
}

#[test]
fn events_of_fetching_operations_at_the_target() {
    for (operation, bytes, request) in [(Operation::Get, 1024, 64), (FETCH, 1024, 1024)] {
        let ask = || vec![Ask::new(operation, bytes, Ack::None, 2).step(), wait(MD_QUEUE)];
        let run = |e2e, pci| pair(NO_SEND, e2e, pci, &Options::default(), ask(), 1);
        let there = wire(request);
        near(
            "at the E2E ACK",
            until(&run(true, false), 1, 0),
            there + wire(bytes) + wire(32) + PCI,
        );
        near(
            "300 ns after the response starts",
            until(&run(false, false), 1, 0),
            there + 2.0 + 300.0 + PCI,
        );
        let run = run(false, true);
        let read = run.rows(9, 2).last().copied().expect("a DMA read");
        near(
            "at the end of the DMA read",
            until(&run, 1, 0) + begin(&run),
            read.1 + EVENT + PCI,
        );
    }
}

#[test]
fn polls_in_a_series_cost_10_ns() {
    let poll = || step(|_| Call::Poll);
    let look = || step(|seen| Call::EqGet(seen.handles[MD_QUEUE]));
    let count = || step(|seen| Call::CtGet(seen.handles[MD_COUNTER]));
    let steps = vec![
        poll(),                                                                  // free
        poll(),                                                                  // 10
        count(),                                                                 // 20
        look(),                                                                  // 30
        sleep(100e-9),              // 130, and the series is over
        count(),                    // free
        poll(),                     // 140
        sleep(100e-9),              // 240
        look(),                     // 250: 10 ns before the look, also as the first
        look(),                     // 260
        step(|_| Call::Sleep(0.0)), // 270
        step(|seen| Call::CtPoll(vec![(seen.handles[MD_COUNTER], 1)], Some(0))), // 280
        step(|seen| Call::CtWait(seen.handles[MD_COUNTER], 0)), // 290
        step(|seen| Call::CtWait(seen.handles[MD_COUNTER], 0)), // 300
    ];
    let count = steps.len();
    let run = pair(SetUp::default(), true, false, &Options::default(), steps, 0);
    let begin = begin(&run);
    let times: Vec<f64> = run.seen[0].returns[12..12 + count]
        .iter()
        .map(|at| (at.0 * 1e9 - begin).round())
        .collect();
    assert_eq!(
        times,
        [
            0.0, 10.0, 20.0, 30.0, 130.0, 130.0, 140.0, 240.0, 250.0, 260.0, 270.0, 280.0, 290.0, 300.0
        ]
    );
    assert!(matches!(run.seen[0].returns[12].1, Return::Done));
}
