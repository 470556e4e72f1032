use super::*;
use proptest::prelude::*;

fn physical(gbps_hundredths: u64) -> PhysicalLayer {
    PhysicalLayer {
        lane_bps: Rate::from_bps(gbps_hundredths * 10_000_000),
        ..PhysicalLayer::default()
    }
}

fn at(ps: u64) -> Time {
    Time::from_ps(ps)
}

#[test]
fn documented_times_at_504_gbps() {
    let lanes = Lanes::new(&PhysicalLayer::default());
    // 4,096 B are 4,368 B on the link: eight transfers of 546 B, each 8,661.17 ps rounded: 69.288 ns.
    assert_eq!(lanes.time_for(4_096), Span::from_ps(69_288));
    // A read request of 64 B is 98 B: 1,554.57 ps. A doorbell of 92 B is 126 B: 1,998.73 ps.
    assert_eq!(lanes.time_for(64), Span::from_ps(1_555));
    assert_eq!(lanes.time_for(92), Span::from_ps(1_999));
    // No payload: one transfer of 34 B, 539.34 ps.
    assert_eq!(lanes.time_for(0), Span::from_ps(539));
    // 513 B: a full transfer and one of 1 + 34 B, 8,661 + 555 ps.
    assert_eq!(lanes.time_for(513), Span::from_ps(8_661 + 555));
}

#[test]
fn pcie_3_lanes_carry_118_gbps_of_payload() {
    let lanes = Lanes::new(&physical(788));
    let gbps = 4_096.0 * 8.0 / (lanes.time_for(4_096).ps() as f64 / 1_000.0);
    assert!((gbps - 118.2).abs() < 0.05, "{gbps}");
}

#[test]
fn a_write_waits_until_the_buffer_holds_it_whole() {
    let transaction = TransactionLayer {
        tx_data_buffer_size: Bytes(5_000),
        ..TransactionLayer::default()
    };
    let mut lanes = BufferedLanes::new(&PhysicalLayer::default(), &transaction);
    assert_eq!(lanes.submit(at(0), 4_096), (at(0), at(69_288)));
    // 4,096 of 5,000 B are taken. Room for 4,096 more comes when 3,192 B have left: with the seventh transfer, which
    // goes on the link after six others of 8,661 ps.
    assert_eq!(lanes.submit(at(0), 4_096), (at(6 * 8_661), at(2 * 69_288)));
    // The third waits for the seventh transfer of the second.
    assert_eq!(
        lanes.submit(at(0), 4_096),
        (at(69_288 + 6 * 8_661), at(3 * 69_288))
    );
    // Long after, the buffer is empty.
    assert_eq!(lanes.submit(at(1_000_000), 4_096), (at(1_000_000), at(1_069_288)));
}

#[test]
fn the_header_buffer_bounds_too() {
    // Nine headers: a second write of eight transfers waits until seven of the first have left.
    let transaction = TransactionLayer {
        tx_header_buffer_size: Bytes(9 * 34),
        ..TransactionLayer::default()
    };
    let mut lanes = BufferedLanes::new(&PhysicalLayer::default(), &transaction);
    assert_eq!(lanes.submit(at(0), 4_096).0, at(0));
    assert_eq!(lanes.submit(at(0), 4_096).0, at(6 * 8_661));
}

#[test]
fn a_doorbell_goes_ahead_of_an_answer_whose_request_is_under_way() {
    let mut lanes = HostLanes::new(&PhysicalLayer::default());
    lanes.request(at(10_000), 4_096, 'a');
    assert_eq!(lanes.next_arrival(), Some(at(79_288)));
    lanes.doorbell(
        at(9_000),
        92,
        FromHost::Doorbell {
            requester: 0,
            size: 1,
        },
    );
    assert_eq!(lanes.next_arrival(), Some(at(10_999)));
    assert_eq!(
        lanes.arrival(at(10_999)),
        Some(FromHost::Doorbell {
            requester: 0,
            size: 1
        })
    );
    // The link is free at 10,999, after the request came in at 10,000.
    assert_eq!(lanes.next_arrival(), Some(at(10_999 + 69_288)));
    assert_eq!(lanes.arrival(at(79_288)), None);
    assert_eq!(lanes.arrival(at(10_999 + 69_288)), Some(FromHost::Payload('a')));
    assert_eq!(lanes.next_arrival(), None);
}

/// The buffer, transfer by transfer: (accepted, end) of each message.
fn by_transfers(data: u64, headers: u64, messages: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let lanes = Lanes::new(&PhysicalLayer::default());
    let mut leaves: Vec<(u64, u64)> = Vec::new(); // when a transfer goes on the link, its payload
    let (mut free, mut accepted, mut result) = (0u64, 0u64, Vec::new());
    for &(now, payload) in messages {
        let count = transfers(payload);
        let mut instants: Vec<u64> = leaves
            .iter()
            .map(|l| l.0)
            .filter(|&t| t > now.max(accepted))
            .collect();
        instants.insert(0, now.max(accepted));
        accepted = *instants
            .iter()
            .find(|&&t| {
                let inside = leaves.iter().filter(|l| l.0 > t);
                let (held, bytes) = inside.fold((0, 0), |(n, b), l| (n + 1, b + l.1));
                bytes + payload <= data && (held + count) * 34 <= headers
            })
            .expect("an empty buffer holds a message");
        free = free.max(now);
        for transfer in 0..count {
            let bytes = TRANSFER_PAYLOAD.min(payload - transfer * TRANSFER_PAYLOAD);
            leaves.push((free, bytes));
            free += lanes.rate.time_for(Bytes(bytes + TRANSFER_OVERHEAD)).ps();
        }
        result.push((accepted, free));
    }
    result
}

proptest! {
    #[test]
    fn acceptance_matches_a_model_of_single_transfers(
        data in 2_000u64..20_000,
        headers in 4u64..60,
        steps in prop::collection::vec((0u64..80_000, 0u64..2_000), 1..60),
    ) {
        let transaction = TransactionLayer {
            tx_data_buffer_size: Bytes(data),
            tx_header_buffer_size: Bytes(headers * 34),
            ..TransactionLayer::default()
        };
        let mut lanes = BufferedLanes::new(&PhysicalLayer::default(), &transaction);
        let mut now = 0;
        let messages: Vec<(u64, u64)> = steps.iter().map(|&(gap, payload)| { now += gap; (now, payload) }).collect();
        let expected = by_transfers(data, headers * 34, &messages);
        for (&(now, payload), &(accepted, end)) in messages.iter().zip(&expected) {
            prop_assert_eq!(lanes.submit(at(now), payload), (at(accepted), at(end)));
        }
    }
}
