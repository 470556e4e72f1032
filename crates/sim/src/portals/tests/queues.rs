//! Queues and order in a NIC: what waits for what.

use super::programs::*;
use super::script::{Run, Step, deployment, run, star, step};
use crate::portals::Options;
use packetloom_portals::constants::*;
use packetloom_portals::{Ack, Call, Code, Command, NiFail, Operation, Return};

const PAIR: [u32; 2] = [1, 2];

fn tagged(tag: u64, bytes: u64, nid: u32) -> Step {
    Ask {
        tag,
        at: tag * 8,
        ..Ask::new(Operation::Put, bytes, Ack::Full, nid)
    }
    .step()
}

fn tags(run: &Run, rank: usize) -> Vec<u64> {
    run.seen[rank]
        .events
        .iter()
        .map(|(_, event)| event.hdr_data)
        .collect()
}

#[test]
fn sixteen_commands_wait_and_no_more() {
    let burst: Vec<Step> = (0..20).map(|n| tagged(n, 8, 2)).collect();
    let mut sender = SetUp::default().steps();
    let first = sender.len();
    sender.extend(burst);
    sender.push(command(|seen| Command::NiFini(seen.handles[0])));
    let run = run(
        &star(&PAIR),
        &deployment(&PAIR, true, false),
        &Options::default(),
        &[sender, SetUp::default().steps()],
    );
    assert!(run.finished);
    let at = |call: usize| run.seen[0].returns[first + call].0;
    // The transmitter takes the first at once, 16 wait; it takes another every 202 ns.
    let begin = at(0);
    for put in 1..=20 {
        let waits = f64::from(u32::try_from(put).expect("small").saturating_sub(17)) * 202e-9;
        assert!(
            (at(put) - begin - waits).abs() < 1e-12,
            "{put}: {}",
            at(put) - begin
        );
    }
    // PtlNIFini waits until the last is taken: the twentieth, after 19 others.
    assert!(
        (at(21) - begin - 19.0 * 202e-9).abs() < 1e-12,
        "{}",
        at(21) - begin
    );
}

#[test]
fn a_full_command_queue_says_try_again() {
    let mut sender = SetUp::default().steps();
    let first = sender.len() + 1;
    sender.extend((0..19).map(|_| step(|seen| Ask::new(Operation::Put, 8, Ack::Full, 2).call(seen, true))));
    sender.push(sleep(203e-9));
    sender.push(step(|seen| {
        Ask::new(Operation::Put, 8, Ack::Full, 2).call(seen, true)
    }));
    let run = run(
        &star(&PAIR),
        &deployment(&PAIR, true, false),
        &Options::default(),
        &[sender, SetUp::default().steps()],
    );
    assert!(run.finished);
    let returns: Vec<&Return> = run.seen[0].returns[first..].iter().map(|at| &at.1).collect();
    assert!(returns[..17].iter().all(|value| **value == Return::Done));
    assert_eq!(
        returns[17..19],
        [&Return::Failed(Code::TryAgain), &Return::Failed(Code::TryAgain)]
    );
    assert_eq!(returns[20], &Return::Done);
}

#[test]
fn a_receiver_writes_a_payload_before_it_takes_another_message() {
    let nids = [1, 2, 3];
    let sender = || {
        let mut steps = SetUp::default().steps();
        steps.extend([put(65_536, Ack::Full, 3), wait(MD_QUEUE), wait(MD_QUEUE)]);
        steps
    };
    let mut receiver = SetUp::default().steps();
    receiver.extend([wait(TABLE_QUEUE), wait(TABLE_QUEUE), sleep(20e-6)]);
    let run = run(
        &star(&nids),
        &deployment(&nids, true, true),
        &Options::default(),
        &[sender(), sender(), receiver],
    );
    assert!(run.finished);
    let (writes, events) = (run.rows(11, 3), run.rows(12, 3));
    assert_eq!((writes.len(), events.len()), (2, 2));
    // Both arrive together, sharing the last link; the second is taken at the end of the first one's write.
    assert!((events[1].0 - writes[0].1).abs() < 0.01, "{writes:?} {events:?}");
}

#[test]
fn a_transmitter_holds_until_its_dma_ends() {
    let mut sender = SetUp::default().steps();
    sender.extend([tagged(0, 65_536, 2), tagged(1, 65_536, 2)]);
    sender.extend((0..4).map(|_| wait(MD_QUEUE)));
    let run = run(
        &star(&PAIR),
        &deployment(&PAIR, true, true),
        &Options::default(),
        &[sender, SetUp::default().steps()],
    );
    assert!(run.finished);
    let (payloads, requests) = (run.rows(9, 1), run.rows(10, 1));
    assert!(
        (requests[1].0 - payloads[0].1 - 2.0).abs() < 0.01,
        "{payloads:?} {requests:?}"
    );
}

#[test]
fn several_units_of_a_network_work_in_parallel() {
    let one = deployment(&PAIR, true, false);
    let more = one.replace(
        "<actor host=\"m2_NIC\" function=\"nic_e2e\"/>",
        "<actor host=\"m2_NIC\" function=\"nic_e2e\"/><actor host=\"m2_NIC\" function=\"nic_initiator\"><prop id=\"VN\" value=\"3\"/></actor>",
    );
    let end = |deployment: &str| {
        let mut sender = SetUp {
            md_options: PTL_MD_EVENT_SEND_DISABLE,
            ..SetUp::default()
        }
        .steps();
        sender.extend((0..16).map(|n| tagged(n, 8, 2)));
        sender.extend((0..16).map(|_| wait(MD_QUEUE)));
        let run = run(
            &star(&PAIR),
            deployment,
            &Options::default(),
            &[sender, SetUp::default().steps()],
        );
        assert!(run.finished);
        let acks = run.rows(1, 2);
        assert_eq!(acks.len(), 16);
        acks[15].1 - acks[0].1
    };
    // One sends an acknowledgement each 1205.03 ns; two share them.
    let (alone, two) = (end(&one), end(&more));
    assert!(
        (alone - 15.0 * (1202.0 + 32.0 * 1.05 / 11.1)).abs() < 0.1,
        "{alone}"
    );
    assert!(
        (two - 7.0 * (1202.0 + 32.0 * 1.05 / 11.1) - 202.0).abs() < 5.0,
        "{two}"
    );
}

#[test]
fn order_holds_though_a_small_message_overtakes_a_big_one_on_the_wire() {
    for e2e in [true, false] {
        let mut sender = SetUp::default().steps();
        sender.extend([tagged(1, 1 << 20, 2), tagged(2, 8, 2)]);
        sender.extend((0..4).map(|_| wait(MD_QUEUE)));
        let mut receiver = SetUp::default().steps();
        receiver.extend([wait(TABLE_QUEUE), wait(TABLE_QUEUE)]);
        let run = run(
            &star(&PAIR),
            &deployment(&PAIR, e2e, false),
            &Options::default(),
            &[sender, receiver],
        );
        assert!(run.finished);
        let puts = run.rows(3, 1);
        assert!(
            puts[0].0 > puts[1].0 && puts[0].1 < puts[1].1,
            "the second to start is there first: {puts:?}"
        );
        assert_eq!(tags(&run, 1), [1, 2]);
        assert!(run.seen[1].events[1].0 * 1e9 >= puts[1].1);
    }
}

#[test]
fn flow_control_lets_one_go_at_a_time_and_keeps_the_order() {
    for by_process in [false, true] {
        let mut options = Options::default();
        if by_process {
            options.nic.max_in_flight_to_process = 1;
        } else {
            options.nic.max_in_flight_to_target = 1;
        }
        let nids = [1, 2, 3];
        let mut sender = SetUp::default().steps();
        sender.extend((0..10).map(|n| tagged(n, 8, 2)));
        sender.push(tagged(50, 8, 3));
        // Between: posted while those before wait.
        sender.extend((10..20).map(|n| tagged(n, 8, 2)));
        sender.extend((0..42).map(|_| wait(MD_QUEUE)));
        let mut receiver = SetUp::default().steps();
        receiver.extend((0..20).map(|_| wait(TABLE_QUEUE)));
        let run = run(
            &star(&nids),
            &deployment(&nids, true, false),
            &options,
            &[sender, receiver, SetUp::default().steps()],
        );
        assert!(run.finished, "{:?}", run.waits);
        assert_eq!(tags(&run, 1), (0..20).collect::<Vec<_>>());
        let text: Vec<&str> = run
            .log
            .lines()
            .filter(|line| line.starts_with("3,1,2,"))
            .collect();
        assert_eq!(text.len(), 20);
        let times: Vec<(f64, f64)> = text
            .iter()
            .map(|line| {
                let mut cells = line
                    .split(',')
                    .skip(3)
                    .map(|cell| cell.parse::<f64>().expect("a number"));
                (cells.next().expect("start"), cells.next().expect("end"))
            })
            .collect();
        // The next one starts when the acknowledgement is here: 2005 ns at least after the one before.
        assert!(
            times.windows(2).all(|two| two[1].0 - two[0].0 > 2.0e-6),
            "{times:?}"
        );
    }
}

#[test]
fn a_node_that_is_not_there_fails_and_holds_no_credit() {
    let mut options = Options::default();
    options.nic.max_in_flight_to_target = 1;
    for options in [Options::default(), options] {
        let mut sender = SetUp::default().steps();
        for _ in 0..3 {
            sender.extend([put(8, Ack::Full, 77), wait(MD_QUEUE), wait(MD_QUEUE)]);
        }
        let run = run(
            &star(&PAIR),
            &deployment(&PAIR, true, true),
            &options,
            &[sender, SetUp::default().steps()],
        );
        assert!(run.finished, "{:?}", run.waits);
        let acks: Vec<NiFail> = run.seen[0]
            .events
            .iter()
            .filter(|(_, event)| event.kind == PTL_EVENT_ACK)
            .map(|(_, event)| event.fail)
            .collect();
        assert_eq!(acks, [NiFail::TargetInvalid; 3]);
    }
}

#[test]
fn the_end_to_end_unit_keeps_8192_messages() {
    let mut options = Options::default();
    options.nic.retry_timeout = 1e6;
    let mut sender = SetUp {
        md_options: PTL_MD_EVENT_SEND_DISABLE,
        ..SetUp::default()
    }
    .steps();
    sender.extend((0..8200).map(|_| put(8, Ack::Full, 2)));
    sender.push(wait(MD_QUEUE));
    sender.push(sleep(1.0));
    let run = run(
        &star(&PAIR).replace("500ns", "5ms"),
        &deployment(&PAIR, true, false),
        &options,
        &[sender, SetUp::default().steps()],
    );
    assert!(run.finished, "{:?}", run.waits);
    // They leave every 202 ns, 8192 of them before the first acknowledgement; then one for each of these, which come every
    // 10 ms.
    let puts = run.rows(3, 1);
    let early = puts.iter().filter(|row| row.0 - puts[0].0 < 10e6).count();
    assert_eq!(early, 8192);
    assert!((puts[8192].0 - puts[0].0 - 20e6).abs() < 1e3, "{:?}", puts[8192]);
    assert!(
        (puts[8193].0 - puts[8192].0 - 10e6).abs() < 1e3,
        "{:?}",
        puts[8193]
    );
}

#[test]
fn services_travel_on_networks_of_their_own() {
    let text = deployment(&PAIR, true, true)
        .replace("\"VN\" value=\"1\"", "\"VN\" value=\"0\"")
        .replace("\"VN\" value=\"3\"", "\"VN\" value=\"2\"")
        .replace(
            "<prop id=\"model_pci\"",
            "<prop id=\"service_mode\" value=\"true\"/><prop id=\"model_pci\"",
        );
    let mut sender = SetUp::default().steps();
    sender.extend([tagged(5, 1024, 2), wait(MD_QUEUE), wait(MD_QUEUE)]);
    let run = run(
        &star(&PAIR),
        &text,
        &Options::default(),
        &[sender, SetUp::default().steps()],
    );
    assert!(run.finished, "{:?}", run.waits);
    assert_eq!(run.rows(3, 1).len(), 1);
}

#[test]
fn processes_of_one_node_and_messages_to_oneself() {
    let text = deployment(&[1], true, true).replacen(
        "<actor host=\"m1_NIC\"",
        "<actor host=\"m1\" function=\"user_app\"/><actor host=\"m1_NIC\"",
        1,
    );
    let to = |pid, tag| {
        Ask {
            pid,
            tag,
            at: 8 * tag,
            ..Ask::new(Operation::Put, 8, Ack::Full, 1)
        }
        .step()
    };
    let mut first = SetUp::default().steps();
    first.extend([to(2049, 3), to(2048, 4), wait(TABLE_QUEUE)]);
    first.extend((0..4).map(|_| wait(MD_QUEUE)));
    let mut second = SetUp::default().steps();
    second.push(wait(TABLE_QUEUE));
    let run = run(&star(&[1]), &text, &Options::default(), &[first, second]);
    assert!(run.finished, "{:?}", run.waits);
    assert_eq!(run.seen[0].events[0].1.hdr_data, 4);
    assert_eq!(run.seen[1].events[0].1.hdr_data, 3);
    assert_eq!(run.seen[1].events[0].1.initiator.pid, 2048);
    // The loopback has no latency: a message takes as good as no time.
    let puts = run.rows(3, 1);
    assert!(puts.iter().all(|row| row.1 - row.0 < 1.001), "{puts:?}");
}

#[test]
fn barriers_starts_and_delays() {
    let text = "<platform version=\"4.1\">\
        <actor host=\"m1\" function=\"user_app\" start_time=\"0.5\"/>\
        <actor host=\"m2\" function=\"user_app\"><prop id=\"delay_start\" value=\"0.25\"/></actor></platform>";
    let run = run(
        &star(&PAIR),
        text,
        &Options::default(),
        &[
            vec![sleep(1.0), step(|_| Call::Barrier)],
            vec![step(|_| Call::Barrier)],
        ],
    );
    assert!(run.finished);
    // All begin when the last has come; the second waits further; the barrier opens at the last arrival.
    let times = |rank: usize| run.seen[rank].returns.iter().map(|at| at.0).collect::<Vec<_>>();
    assert_eq!(times(0), [0.5, 1.5, 1.5, 1.5]);
    assert_eq!(times(1), [0.75, 1.5, 1.5]);
}

#[test]
fn computations_share_the_cores_of_a_host() {
    let platform = star(&[1]).replace(
        "<host id=\"m1\" speed=\"1Gf\"/>",
        "<host id=\"m1\" speed=\"1Gf\" core=\"2\"/>",
    );
    let text = format!(
        "<platform version=\"4.1\">{}</platform>",
        "<actor host=\"m1\" function=\"user_app\"/>".repeat(4)
    );
    let at_once = |count: usize, log: bool| {
        let programs: Vec<Vec<Step>> = (0..4)
            .map(|rank| {
                if rank < count {
                    vec![step(|_| Call::Compute(1e6))]
                } else {
                    Vec::new()
                }
            })
            .collect();
        let options = Options {
            log_computation: log,
            ..Options::default()
        };
        let run = run(&platform, &text, &options, &programs);
        assert!(run.finished);
        (run.end, run.rows(14, 1).len())
    };
    // 10^6 operations at 10^9 a second: 1 ms on a core; four on two cores take twice as long.
    for (count, expected) in [(1, 1e-3), (2, 1e-3), (4, 2e-3)] {
        let (end, rows) = at_once(count, true);
        assert!((end - expected).abs() < 1e-9, "{count}: {end}");
        assert_eq!(rows, count);
    }
    assert_eq!(at_once(4, false).1, 0, "S4BXI_LOG_COMPUTATION");
}

#[test]
fn payload_is_copied_as_far_as_options_say() {
    let with = |options: Options, text: &str| {
        let mut sender = SetUp::default().steps();
        sender.extend([put(16, Ack::Full, 2), wait(MD_QUEUE), wait(MD_QUEUE)]);
        let memories = vec![super::script::Bytes::new(), super::script::Bytes::new()];
        memories[0].set(0, 7);
        memories[0].set(8, 8);
        memories[1].set(ENTRY, 1);
        memories[1].set(ENTRY + 8, 2);
        let run = super::script::run_in(
            &star(&PAIR),
            text,
            &options,
            &[sender, SetUp::default().steps()],
            memories,
        );
        assert!(run.finished);
        (run.memories[1].number(ENTRY), run.memories[1].number(ENTRY + 8))
    };
    let text = deployment(&PAIR, true, true);
    assert_eq!(with(Options::default(), &text), (7, 8));
    let some = Options {
        most_copied: Some(8),
        ..Options::default()
    };
    assert_eq!(with(some, &text), (7, 2));
    let none = Options {
        real_memory: false,
        ..Options::default()
    };
    assert_eq!(with(none, &text), (1, 2));
    let property = |value: &str| {
        text.replace(
            "<prop id=\"model_pci\"",
            &format!("<prop id=\"use_real_memory\" value=\"{value}\"/><prop id=\"model_pci\""),
        )
    };
    assert_eq!(with(Options::default(), &property("false")), (1, 2));
    assert_eq!(with(Options::default(), &property("true")), (7, 8));
}
