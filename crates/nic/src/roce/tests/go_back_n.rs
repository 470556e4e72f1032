//! Go-back-N under any losses, repetitions and delays: each byte is written once and in order, and all work is done once
//! the link is clean.

use super::super::attributes::{QueueScheduling, RoceNicAttributes};
use super::super::*;
use super::channel::{Case, Fate, Work, World};
use crate::pcie::{TRANSFER_OVERHEAD, transfers};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use std::cell::Cell;

/// Far more than any case needs.
const EVENTS: u64 = 1_000_000;

/// Any power of two is as likely: `low` to `high`.
fn about(low: u64, high: u64) -> impl Strategy<Value = u64> + Clone {
    let (from, to) = (low.max(1).ilog2(), high.ilog2());
    (from..=to, any::<u64>()).prop_map(move |(bits, noise)| {
        let value = (1u64 << bits) + (noise & ((1u64 << bits) - 1));
        value.clamp(low, high)
    })
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        6 => Just(Fate::Passes),
        2 => Just(Fate::IsLost),
        1 => about(1, 20_000_000).prop_map(Fate::ComesTwice),
        1 => about(1, 20_000_000).prop_map(Fate::ComesLate),
    ]
}

/// A message of a few packets: none, an exact multiple, or anything.
fn size(mss: u64) -> impl Strategy<Value = u64> {
    prop_oneof![
        1 => Just(0),
        2 => (1..30u64).prop_map(move |packets| packets * mss),
        4 => 0..=30 * mss,
        3 => about(1, 8 * mss),
    ]
}

fn work(mss: u64) -> impl Strategy<Value = Work> {
    let sizes = prop::collection::vec(size(mss), 1..5);
    (0usize..2, 0..2_000_000u64, 1usize..4, sizes).prop_map(|(side, start, pending, sizes)| Work {
        side,
        start,
        pending,
        sizes,
    })
}

prop_compose! {
    fn attributes(mss: u64)(
        coalescing in any::<bool>(),
        ack_threshold in 0u64..40,
        ack_delay in about(0, 50_000_000),
        timeout in about(300_000, 100_000_000),
        lane_gbps in prop_oneof![3 => Just(31u64), 1 => 1u64..31],
        room in [about(0, 400_000), about(0, 400_000), about(0, 100_000)],
        scheduling in 0usize..3,
        pfc in any::<bool>(),
    ) -> RoceNicAttributes {
        let mut attributes = RoceNicAttributes::default();
        attributes.scala_roce_qp_manager.mss = Bytes(mss);
        let transport = &mut attributes.transport_processing_layers.roce_transport_layer;
        transport.ack_coalescing_enabled = coalescing;
        transport.ack_threshold = ack_threshold;
        transport.ack_delay = Span::from_ps(ack_delay);
        transport.retransmit_timeout = Span::from_ps(timeout);
        let network = &mut attributes.network_interface;
        // Halves for data and control, each of at least one packet.
        let halves = [0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let least = 2 * (mss + 58).max(126);
        network.egress_buffer_manager.total_buffer_size = Bytes(least + room[0]);
        network.egress_buffer_manager.pool_allocation_vector = halves;
        network.egress_buffer_manager.queue_scheduling_type = [
            QueueScheduling::StrictPriority,
            QueueScheduling::RoundRobin,
            QueueScheduling::WeightedRoundRobin,
        ][scheduling];
        network.ingress_buffer_manager.total_buffer_size = Bytes(least + room[1]);
        network.ingress_buffer_manager.pool_allocation_vector = halves;
        network.ingress_buffer_manager.pfc_enable_vector = [u64::from(pfc); 8];
        let pcie = &mut attributes.host_interface.nic_side.pcie_gen3.nic_device_layer.nic_pcie_interface;
        pcie.physical_layer.lane_bps = Rate::from_gbps(lane_gbps);
        pcie.transaction_layer.tx_data_buffer_size = Bytes(mss.max(64) + room[2]);
        pcie.transaction_layer.tx_header_buffer_size = Bytes(transfers(mss) * TRANSFER_OVERHEAD + room[2] / 10);
        attributes
    }
}

fn case(quiet: bool) -> impl Strategy<Value = Case> {
    let mss = prop_oneof![4 => Just(4_096u64), 2 => about(1, 9_216), 1 => Just(1)];
    let wrap = prop_oneof![1 => Just(0), 1 => 1u32..120];
    let fates = move || prop::collection::vec(fate(), 0..if quiet { 1 } else { 300 });
    (mss, wrap).prop_flat_map(move |(mss, before_wrap)| {
        (
            attributes(mss),
            prop::collection::vec(work(mss), 1..5),
            [fates(), fates()],
            about(1_000, 5_000_000),
            prop_oneof![Just(400u64), 10u64..400],
        )
            .prop_map(move |(attributes, work, fates, delay, gbps)| Case {
                attributes,
                rate: Rate::from_gbps(gbps),
                delay: Span::from_ps(delay),
                first_psn: (PSN_MODULUS as u32 - before_wrap) % PSN_MODULUS as u32,
                work,
                fates,
            })
    })
}

/// How many cases a test had, and how many of them did what it is about.
#[derive(Default)]
struct Tally {
    cases: Cell<u32>,
    hits: Cell<u32>,
}

impl Tally {
    fn add(&self, hit: bool) {
        self.cases.set(self.cases.get() + 1);
        self.hits.set(self.hits.get() + u32::from(hit));
    }
}

/// Runs as many cases as proptest is told to, drawn anew; 400 that are always the same if it is not.
fn check(strategy: impl Strategy<Value = Case>, test: impl Fn(Case) -> bool) -> Tally {
    let told = std::env::var_os("PROPTEST_CASES").is_some();
    let default = ProptestConfig::default();
    let config = ProptestConfig {
        cases: if told { default.cases } else { 400 },
        rng_seed: if told {
            RngSeed::Random
        } else {
            RngSeed::Fixed(18_760)
        },
        failure_persistence: None,
        ..default
    };
    let tally = Tally::default();
    let mut runner = TestRunner::new(config);
    let result = runner.run(&strategy, |case| {
        tally.add(test(case));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    tally
}

#[test]
fn every_byte_is_written_once_and_in_order_whatever_the_link_does() {
    let tally = check(case(false), |case| {
        let mut world = World::new(&case);
        world.run(EVENTS);
        world.disturbed > 0 && world.retransmissions() > 0
    });
    assert!(
        tally.hits.get() * 2 > tally.cases.get(),
        "{} of {} cases had to send again",
        tally.hits.get(),
        tally.cases.get()
    );
}

/// With a link that loses nothing, a pool that holds everything and a timer beyond the run, nothing is sent twice.
#[test]
fn a_clean_link_needs_no_retransmission() {
    check(case(true), |mut case| {
        case.fates = Default::default();
        let attributes = &mut case.attributes;
        attributes
            .transport_processing_layers
            .roce_transport_layer
            .retransmit_timeout = Span::from_ms(1_000);
        attributes
            .network_interface
            .ingress_buffer_manager
            .total_buffer_size = Bytes(64_000_000);
        let mut world = World::new(&case);
        world.run(EVENTS);
        assert_eq!(world.retransmissions(), 0);
        true
    });
}
