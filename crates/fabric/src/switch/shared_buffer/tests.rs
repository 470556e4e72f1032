use super::*;
use crate::switch::layout::tests::layout;
use proptest::prelude::*;

const ADMITTED: Admission = Admission {
    admitted: true,
    pause: false,
};

/// A packet arrives and is queued for `egress`; whether it got there.
fn pass(buffer: &mut SharedBuffer, ingress: u16, egress: u16, class: u8, bytes: u64) -> bool {
    if !buffer.arrive(ingress, class, Bytes(bytes)).admitted {
        return false;
    }
    let queued = buffer.queue(egress, class, Bytes(bytes));
    if !queued {
        buffer.discard(ingress, class, Bytes(bytes));
    }
    buffer.check();
    queued
}

/// The documented pause example: packets of 4,000 B on one port, nothing draining.
#[test]
fn pause_at_176_headroom_to_240_drop_at_241() {
    let mut buffer = SharedBuffer::new(layout(|_| {}, 128), 128);
    for packet in 1..=241 {
        let expected = Admission {
            admitted: packet <= 240,
            pause: packet == 176,
        };
        assert_eq!(buffer.arrive(5, 0, Bytes(4_000)), expected, "packet {packet}");
        if packet <= 240 {
            assert!(
                buffer.queue(9, 0, Bytes(4_000)),
                "lossless classes have no egress limit"
            );
        }
    }
    assert_eq!(buffer.port_bytes(5, 0), (704_000, 256_000));
    assert_eq!(buffer.queue_bytes(9, 0), 960_000);
    buffer.check();
    // The release example: headroom is empty after departure 64, the port resumes at departure 165.
    for departure in 1..=165 {
        assert_eq!(
            buffer.depart(5, 9, 0, Bytes(4_000)),
            departure == 165,
            "departure {departure}"
        );
        assert_eq!(
            buffer.port_bytes(5, 0).1 == 0,
            departure >= 64,
            "departure {departure}"
        );
    }
    assert_eq!(buffer.port_bytes(5, 0), (300_000, 0));
    buffer.check();
}

#[test]
fn without_a_band_the_port_resumes_at_65_and_pauses_again() {
    let mut buffer = SharedBuffer::new(layout(|a| a.static_pool_xon_threshold = Bytes(700_000), 128), 128);
    for _ in 1..=240 {
        pass(&mut buffer, 0, 1, 0, 4_000);
    }
    for departure in 1..=65 {
        assert_eq!(
            buffer.depart(0, 1, 0, Bytes(4_000)),
            departure == 65,
            "departure {departure}"
        );
    }
    assert_eq!(
        buffer.arrive(0, 0, Bytes(4_000)),
        Admission {
            admitted: true,
            pause: true
        }
    );
}

#[test]
fn a_full_pool_drops_and_still_pauses() {
    let change = |a: &mut crate::switch::attributes::SharedBufferManager| {
        a.total_shared_buffer_size = Bytes(1_000_000);
        a.static_pool_xoff_threshold = Bytes(3_000);
        a.head_room_per_port_limit = Bytes(48_000);
    };
    let mut buffer = SharedBuffer::new(layout(change, 2), 2);
    // Pool 1 is a tenth of 1,000,000 - 2 x 48,000 B. Port 1 fills nearly all of it with one big packet. A port whose first
    // packet is dropped pauses its sender, but is not paused: no release would ever end that.
    assert_eq!(buffer.layout().pools[1], 90_400);
    assert!(pass(&mut buffer, 1, 0, 1, 89_600));
    let dropped = Admission {
        admitted: false,
        pause: true,
    };
    assert_eq!(buffer.arrive(0, 1, Bytes(4_000)), dropped);
    assert!(!buffer.paused(0, 1));
    // One that holds something is, and its own release ends it.
    assert!(pass(&mut buffer, 0, 1, 1, 800));
    assert_eq!(buffer.arrive(0, 1, Bytes(4_000)), dropped);
    assert!(buffer.paused(0, 1));
    assert!(buffer.depart(0, 1, 1, Bytes(800)));
    buffer.check();
}

/// Fills `queues` lossy queues of class 2 (pool 0) in turn until none takes a packet; bytes in each.
fn level_off(alpha: f64, queues: u16) -> (u64, Vec<u64>) {
    let mut buffer = SharedBuffer::new(layout(|a| a.lossy_alpha = alpha, 128), 128);
    let mut taken = true;
    while taken {
        // Each queue is fed from a port of its own, so that no ingress limit is met.
        let passed = (0..queues).filter(|&queue| pass(&mut buffer, 64 + queue, queue, 2, 4_136));
        taken = passed.count() > 0;
    }
    buffer.check();
    (
        buffer.layout().pools[0],
        (0..queues).map(|queue| buffer.queue_bytes(queue, 0)).collect(),
    )
}

/// One busy port levels off at a / (1 + a) of its pool, N equal ports at a / (1 + aN) each.
#[test]
fn lossy_queues_level_off() {
    for (alpha, queues) in [(1.0, 1), (0.5, 1), (8.0, 1), (1.0, 4), (0.25, 16)] {
        let (pool, held) = level_off(alpha, queues);
        let level = alpha / (1.0 + alpha * queues as f64) * pool as f64;
        for bytes in held {
            // Within a packet, times what the free space reacts to it.
            assert!(
                (bytes as f64 - level).abs() < 4_136.0 * (1.0 + alpha),
                "{alpha} x {queues}: {bytes} is not {level}"
            );
        }
    }
}

#[test]
fn fixed_lossy_limits() {
    let held = |enable| {
        let change = |a: &mut crate::switch::attributes::SharedBufferManager| {
            a.lossy_alpha = 0.0;
            a.queue_drop_threshold_enable = enable;
        };
        let mut buffer = SharedBuffer::new(layout(change, 128), 128);
        while pass(&mut buffer, 0, 1, 2, 1_000) {}
        buffer.queue_bytes(1, 0)
    };
    // The pool divided by the ports, 1,569,600 B; 5 x 300,000 B.
    assert_eq!((held(false), held(true)), (1_569_000, 1_500_000));
}

#[test]
fn a_lossy_class_is_never_paused_and_fills_the_pool_at_ingress() {
    let mut buffer = SharedBuffer::new(layout(|a| a.lossy_alpha = 1e9, 128), 128);
    let pool = buffer.layout().pools[0];
    let mut arrived = 0;
    while buffer.arrive(3, 2, Bytes(9_000)) == ADMITTED {
        arrived += 9_000;
    }
    assert_eq!(arrived, pool / 9_000 * 9_000);
    assert!(!buffer.paused(3, 0));
}

/// Lossy bytes count against the Xoff of a lossless class in the same pool, and a pause they bring about ends with them.
#[test]
fn mixed_pool() {
    let mut buffer = SharedBuffer::new(layout(|_| {}, 128), 128);
    for _ in 0..175 {
        assert!(pass(&mut buffer, 0, 1, 2, 4_000));
    }
    assert_eq!(
        buffer.arrive(0, 0, Bytes(4_000)),
        Admission {
            admitted: true,
            pause: true
        }
    );
    assert!(buffer.queue(1, 0, Bytes(4_000)));
    // Lossy packets still go to the pool; lossless ones to the headroom.
    assert!(pass(&mut buffer, 0, 1, 2, 4_000));
    assert!(pass(&mut buffer, 0, 1, 0, 4_000));
    assert_eq!(buffer.port_bytes(0, 0), (708_000, 4_000));
    // The lossless packets leave: headroom empty, occupancy 704,000 B, above Xon.
    assert!(!buffer.depart(0, 1, 0, Bytes(4_000)));
    assert!(!buffer.depart(0, 1, 0, Bytes(4_000)));
    assert_eq!(buffer.port_bytes(0, 0), (704_000, 0));
    // 101 of the lossy ones later the port is at 300,000 B and resumes: no lossless packet is left to do it.
    for departure in 1..=101 {
        assert_eq!(
            buffer.depart(0, 1, 2, Bytes(4_000)),
            departure == 101,
            "departure {departure}"
        );
    }
    buffer.check();
}

proptest! {
    /// Whatever arrives, is dropped and leaves, the books balance, no pool is over its size, and a port is paused only while
    /// it holds something.
    #[test]
    fn books_balance(
        alpha in prop_oneof![Just(0.0), Just(0.5), Just(4.0)],
        steps in prop::collection::vec((0u16..4, 0u16..4, 0u8..4, 46u64..9_200, any::<bool>()), 1..400),
    ) {
        let change = |a: &mut crate::switch::attributes::SharedBufferManager| {
            a.total_shared_buffer_size = Bytes(400_000);
            a.head_room_per_port_limit = Bytes(20_000);
            a.static_pool_xoff_threshold = Bytes(50_000);
            a.static_pool_xon_threshold = Bytes(20_000);
            a.lossy_alpha = alpha;
        };
        let mut buffer = SharedBuffer::new(layout(change, 4), 4);
        let mut inside = Vec::new();
        for (ingress, egress, class, bytes, leave) in steps {
            if leave && !inside.is_empty() {
                let (ingress, egress, class, bytes) = inside.remove(0);
                buffer.depart(ingress, egress, class, Bytes(bytes));
                buffer.check();
            } else if pass(&mut buffer, ingress, egress, class, bytes) {
                inside.push((ingress, egress, class, bytes));
            }
        }
        let held: u64 = inside.iter().map(|packet| packet.3).sum();
        prop_assert_eq!(buffer.bytes_held(), held);
        for (ingress, egress, class, bytes) in inside {
            buffer.depart(ingress, egress, class, Bytes(bytes));
        }
        buffer.check();
        prop_assert_eq!(buffer.bytes_held(), 0);
        for port in 0..4 {
            for pool in 0..2 {
                prop_assert!(!buffer.paused(port, pool), "port {} waits for ever", port);
            }
        }
    }
}
