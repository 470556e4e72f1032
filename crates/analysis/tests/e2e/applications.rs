//! Requests and latency.

use crate::lab::{Lab, between, completion, ends, ms, name, run, transaction};
use packetloom_analysis::summary::{State, WindowSource};
use packetloom_records::{PerfRow, RunApplication, RunEnd, RunFile};

/// Connection 1 completes 4 writes in the recording window, at both of its ends too, connection 2 one; two more complete
/// outside.
fn lab() -> Lab {
    let lab = Lab::new();
    let (one, two) = (name(1), name(2));
    lab.rows(
        0,
        &[
            completion(&one, ms(4), 900),
            completion(&one, ms(5), 100),
            completion(&one, ms(6), 200),
            completion(&two, ms(6), 500),
            completion(&one, ms(6) + 1, 300),
            completion(&one, ms(7), 400),
            completion(&one, ms(7) + 1, 800),
        ],
    );
    lab
}

#[test]
fn figures_are_those_of_the_recording_window() {
    let lab = lab();
    lab.run(&run());
    let summary = lab.summary();
    assert_eq!(
        (summary.simulation.as_str(), summary.state),
        ("t", State::Finished)
    );
    assert_eq!(
        (summary.simulated_seconds, summary.stop_seconds),
        (0.008, Some(0.008))
    );
    assert_eq!(summary.window.source, WindowSource::RecordingWindow);
    assert_eq!(summary.window.seconds.from_seconds, 0.005);
    assert_eq!(summary.window.seconds.to_seconds, 0.007);

    let [rdma] = &summary.applications[..] else {
        panic!("one application")
    };
    assert_eq!(rdma.name, "Rdma", "as the document calls it");
    assert_eq!((rdma.pairs, rdma.completed, rdma.recorded), (2, 7, 5));
    // 5 x 250,000 B x 8 / 2 ms = 5 Gbps: 4 of the one pair, 1 of the other.
    assert_eq!(rdma.goodput_gbps, Some(5.0));
    let pair = rdma.goodput_per_pair_gbps.as_ref().expect("sizes are known");
    assert_eq!((pair.min, pair.mean, pair.max), (1.0, 2.5, 4.0));
    // (4 + 1)^2 / (2 x (16 + 1)).
    assert_eq!(rdma.fairness, Some(25.0 / 34.0));
    let latency = rdma.latency_us.as_ref().expect("five latencies");
    assert_eq!((latency.min, latency.mean, latency.max), (100.0, 300.0, 500.0));
    assert!((latency.p50 - 300.0).abs() <= 0.3, "{latency:?}");
    assert_eq!(latency.p999, 500.0);

    let [first, second] = &summary.slowest[..] else {
        panic!("two connections")
    };
    assert_eq!(
        (first.instance.as_str(), first.latency_mean_us),
        (&*name(2), 500.0)
    );
    assert_eq!((second.latency_mean_us, second.latency_max_us), (250.0, 400.0));
    assert_eq!(
        (second.recorded, second.goodput_gbps, &second.host),
        (4, Some(4.0), &None)
    );
    assert_eq!(summary.notes, Vec::<String>::new());
    assert!(summary.utilization.is_empty() && summary.requests.is_none() && summary.machine.is_none());
}

#[test]
fn without_the_file_of_the_run_they_are_of_all_there_is() {
    let summary = lab().summary();
    assert_eq!((summary.state, summary.stop_seconds), (State::Unknown, None));
    assert_eq!(summary.window.source, WindowSource::WholeRun);
    // The first was posted at 4 ms - 900 us, the last completed 1 ps after 7 ms.
    assert_eq!(summary.window.seconds.from_seconds, 0.0031);
    assert_eq!(summary.simulated_seconds, 0.007000000001);
    let [group] = &summary.applications[..] else {
        panic!("one application")
    };
    assert_eq!(
        (group.name.as_str(), group.pairs, group.recorded),
        ("RdmaInitiator", 2, 7)
    );
    assert!(
        summary.notes[0].contains("t-run.json is not there"),
        "{:?}",
        summary.notes
    );
}

#[test]
fn a_window_that_is_asked_for_wins() {
    let lab = lab();
    lab.run(&run());
    let summary = lab.try_summary(&between(6, 6)).expect("a summary");
    assert_eq!(summary.window.source, WindowSource::Given);
    assert_eq!(summary.applications[0].recorded, 2);
    assert_eq!(
        summary.applications[0].goodput_gbps,
        Some(0.0),
        "a window without a length has no rate"
    );
    let error = lab.try_summary(&between(6, 5)).expect_err("backwards");
    assert!(error.is_input());
    assert_eq!(
        error.to_string(),
        "the window ends at 0.005 s, before it starts at 0.006 s; give a --to that is not below --from"
    );
}

#[test]
fn pairs_that_got_nothing_done_are_told() {
    let lab = lab();
    lab.run(&RunFile {
        applications: run()
            .applications
            .into_iter()
            .map(|mut application| {
                application.pairs = 3;
                application.connections = 3;
                application
            })
            .collect(),
        ..run()
    });
    let quiet = name(3);
    lab.rows(0, &ends(&quiet, 13, 23));
    let summary = lab.summary();
    let rdma = &summary.applications[0];
    let pair = rdma.goodput_per_pair_gbps.as_ref().expect("sizes are known");
    assert_eq!((rdma.pairs, rdma.silent_pairs, pair.min), (3, 1, 0.0));
    assert_eq!(
        summary.notes,
        ["1 of 3 pairs of Rdma completed no request in the window: latency says nothing of them"]
    );
}

#[test]
fn applications_are_told_apart_by_the_numbers_of_their_connections() {
    let lab = lab();
    let mut two = run();
    two.applications[0].connections = 1;
    two.applications[0].pairs = 1;
    two.applications.push(two.applications[0].clone());
    two.applications[1].name = "More".to_owned();
    two.applications[1].first_connection = 2;
    lab.run(&two);
    let recorded: Vec<_> = lab
        .summary()
        .applications
        .iter()
        .map(|application| (application.name.clone(), application.recorded))
        .collect();
    assert_eq!(recorded, [("Rdma".to_owned(), 4), ("More".to_owned(), 1)]);
}

#[test]
fn hosts_are_named_where_the_report_of_applications_is_there() {
    let lab = lab();
    let (one, two) = (name(1), name(2));
    lab.rows(0, &[ends(&one, 10, 20), ends(&two, 10, 21)].concat());
    let slowest = lab.summary().slowest;
    assert_eq!(slowest[0].host.as_deref(), Some("the client"));
    assert_eq!(slowest[0].peer_host.as_deref(), Some("the server"));
}

#[test]
fn shards_add_up() {
    let lab = lab();
    lab.run(&run());
    let two = name(2);
    lab.rows(1, &[completion(&two, ms(6), 500), completion(&two, ms(7), 500)]);
    let summary = lab.summary();
    assert_eq!(summary.shards, 2);
    assert_eq!(
        (
            summary.applications[0].completed,
            summary.applications[0].recorded
        ),
        (9, 7)
    );
}

#[test]
fn a_run_that_did_not_come_to_its_end_says_so() {
    let lab = lab();
    let mut interrupted = run();
    interrupted.ended = Some(RunEnd {
        simulated_ps: ms(6),
        interrupted: true,
    });
    lab.run(&interrupted);
    let summary = lab.summary();
    assert_eq!(
        (summary.state, summary.simulated_seconds),
        (State::Interrupted, 0.006)
    );
    assert_eq!(
        summary.window.seconds.to_seconds, 0.006,
        "no further than it came"
    );

    lab.run(&RunFile { ended: None, ..run() });
    let summary = lab.summary();
    assert_eq!(summary.state, State::Unfinished);
    assert_eq!(
        summary.simulated_seconds, 0.007000000001,
        "as far as there are rows"
    );

    lab.run(&RunFile {
        recording_window_ps: (ms(100), ms(200)),
        ended: None,
        ..run()
    });
    let summary = lab.summary();
    assert_eq!(summary.applications[0].recorded, 0);
    assert!(summary.applications[0].latency_us.is_none());
    let told =
        "the records end at 0.007000000001 s, before the window starts at 0.1 s: there is nothing in it";
    assert_eq!(summary.notes[0], told);
}

/// A traffic generator with one connection.
fn generator(model: Option<&str>) -> RunApplication {
    RunApplication {
        name: "Generator".to_owned(),
        model: model.map(str::to_owned),
        pairs: 1,
        first_connection: 1,
        connections: 1,
    }
}

#[test]
fn a_generator_without_a_transaction_has_no_goodput_either() {
    let goodput = |model: Option<&str>, names: &[&str]| {
        let lab = Lab::new();
        lab.rows::<PerfRow<'_>>(0, &[]);
        let ends: Vec<_> = names.iter().flat_map(|name| ends(name, 10, 20)).collect();
        lab.rows(0, &ends);
        lab.run(&RunFile {
            applications: vec![generator(model)],
            ..run()
        });
        let application = lab.summary().applications.remove(0);
        assert_eq!((application.completed, application.silent_pairs), (0, 1));
        assert_eq!(
            application.goodput_gbps.is_some(),
            application.goodput_per_pair_gbps.is_some()
        );
        application.goodput_gbps
    };
    // The file of the run tells, or the name of the client.
    assert_eq!(goodput(Some("ScalaTrafficGeneratorApplication"), &[]), None);
    assert_eq!(
        goodput(None, &["TrafficGeneratorClient-P:0-R:0-S:1-R:0-C:0-1"]),
        None
    );
    assert_eq!(goodput(Some("ScalaRdmaApplication"), &[&name(1)]), Some(0.0));
}

#[test]
fn transactions_have_a_latency_but_no_goodput() {
    let lab = Lab::new();
    let name = "TrafficGeneratorClient-P:0-R:0-S:1-R:0-C:0-1";
    // Latencies of 1 to 4 us in the window from 5 to 7 ms.
    let rows: Vec<PerfRow<'_>> = (1..=4)
        .map(|us| transaction(name, ms(5) + us * 1_000_000, us))
        .collect();
    lab.rows(0, &rows);
    let mut file = run();
    file.applications[0] = generator(Some("ScalaTrafficGeneratorApplication"));
    lab.run(&file);
    let summary = lab.summary();
    let [generator] = &summary.applications[..] else {
        panic!("one application")
    };
    assert_eq!(generator.name, "Generator");
    assert_eq!(
        (generator.pairs, generator.completed, generator.recorded),
        (1, 4, 4)
    );
    assert_eq!(
        (generator.goodput_gbps, &generator.goodput_per_pair_gbps),
        (None, &None)
    );
    let latency = generator.latency_us.as_ref().expect("four latencies");
    assert_eq!((latency.min, latency.mean, latency.max), (1.0, 2.5, 4.0));
    let [slowest] = &summary.slowest[..] else {
        panic!("one connection")
    };
    assert_eq!((slowest.goodput_gbps, slowest.latency_mean_us), (None, 2.5));
}
