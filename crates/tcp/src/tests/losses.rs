//! Transfers over clean and bad links.

use super::pair::{CLIENT, Pair, SERVER};
use packetloom_des::Span;

#[test]
fn a_transfer_over_a_clean_link() {
    let mut pair = Pair::usual();
    pair.open();
    pair.write(CLIENT, 10_000_000);
    pair.write(SERVER, 3_000);
    pair.run(100_000);
    pair.assert_done();
    assert_eq!(
        (pair.delivered(CLIENT), pair.delivered(SERVER)),
        (10_000_000, 3_000)
    );
    let report = pair.ends[CLIENT].report();
    assert_eq!((report.timeouts, report.fast_retransmits), (0, 0));
    assert_eq!(report.sent_bytes, 10_000_000, "nothing twice");
    assert!(report.smoothed_round_trip.expect("samples") > Span::from_us(100));
}
