//! What goes over one direction of the host link, for its record.

use super::{TRANSFER_OVERHEAD, transfers};
use packetloom_des::{Rate, Ring, Span, Time};
use serde::{Deserialize, Serialize};

/// Totals of one direction since the start of the run. A message counts, with all that it has gone through, when its last
/// byte has passed the link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneStats {
    /// Messages.
    pub messages: u64,
    /// Transfers they moved in.
    pub transfers: u64,
    /// Payload in bytes.
    pub payload: u64,
    /// Messages that found the link busy.
    pub waits: u64,
    /// How long messages have waited for the link.
    pub waited: Span,
    /// Messages that found no room in the transmit buffer.
    pub stalls: u64,
    /// How long messages have waited for that room; part of the wait for the link.
    pub stalled: Span,
}

impl LaneStats {
    /// Bytes on the link: payload and the overhead of the transfers.
    pub fn link_bytes(&self) -> u64 {
        self.payload + self.transfers * TRANSFER_OVERHEAD
    }
}

/// What a report on one direction says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneReport {
    /// Totals since the start of the run.
    pub totals: LaneStats,
    /// For how long the link has been busy since the start of the run.
    pub busy: Span,
    /// The longest wait for the link, of the messages that passed since the last report.
    pub longest_wait: Span,
    /// The longest wait for room in the transmit buffer, of the messages that passed since the last report.
    pub longest_stall: Span,
    /// Most payload in the transmit buffer as one of these messages was taken in, itself included, in bytes.
    pub most_buffered: u64,
    /// Size of the transmit buffer's part for payload, in bytes; 0 where it holds nothing back.
    pub buffer: u64,
    /// Messages that have not passed yet.
    pub pending: u64,
    /// Their payload in bytes.
    pub pending_payload: u64,
    /// The link's rate.
    pub rate: Rate,
}

/// A message on its way.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Sent {
    end: Time,
    payload: u64,
    waited: Span,
    stalled: Span,
    buffered: u64,
}

/// What one direction of the link keeps for its record. It exists only where the record is wanted.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Traffic {
    /// Messages that are not known to have passed, oldest first.
    under_way: Ring<Sent>,
    /// Time on the link of all messages so far, passed or not.
    scheduled: Span,
    totals: LaneStats,
    longest_wait: Span,
    longest_stall: Span,
    most_buffered: u64,
}

impl Traffic {
    /// A message that is ready at `ready` has the link from `start` to `end`.
    #[inline]
    pub fn send(&mut self, ready: Time, start: Time, end: Time, payload: u64) {
        // `ready` is the present or past, so this keeps no more than what is under way.
        self.pass(ready);
        self.scheduled += end.since(start);
        self.under_way.push_back(Sent {
            end,
            payload,
            waited: start.since(ready),
            stalled: Span::ZERO,
            buffered: 0,
        });
    }

    /// The newest message waited for `stalled` until the transmit buffer had room, which then held `bytes` with it.
    #[inline]
    pub fn buffered(&mut self, stalled: Span, bytes: u64) {
        if let Some(newest) = self.under_way.back_mut() {
            (newest.stalled, newest.buffered) = (stalled, bytes);
        }
    }

    /// Counts what has passed before `now`.
    #[inline]
    fn pass(&mut self, now: Time) {
        while let Some(oldest) = self.under_way.front() {
            if oldest.end >= now {
                break;
            }
            let totals = &mut self.totals;
            totals.messages += 1;
            totals.transfers += transfers(oldest.payload);
            totals.payload += oldest.payload;
            if oldest.waited > Span::ZERO {
                totals.waits += 1;
                totals.waited += oldest.waited;
                self.longest_wait = self.longest_wait.max(oldest.waited);
            }
            if oldest.stalled > Span::ZERO {
                totals.stalls += 1;
                totals.stalled += oldest.stalled;
                self.longest_stall = self.longest_stall.max(oldest.stalled);
            }
            self.most_buffered = self.most_buffered.max(oldest.buffered);
            self.under_way.drop_front();
        }
    }

    /// What has passed before `now` on a link of `rate` that is idle from `free` on; the next interval starts.
    pub fn report(&mut self, now: Time, rate: Rate, free: Time) -> LaneReport {
        self.pass(now);
        // What is under way was ready by now, so the link is busy without a gap from now to `free`.
        let ahead = if free > now { free.since(now) } else { Span::ZERO };
        LaneReport {
            totals: self.totals,
            busy: self.scheduled - ahead,
            longest_wait: std::mem::take(&mut self.longest_wait),
            longest_stall: std::mem::take(&mut self.longest_stall),
            most_buffered: std::mem::take(&mut self.most_buffered),
            buffer: 0,
            pending: self.under_way.len() as u64,
            pending_payload: self.under_way.iter().map(|sent| sent.payload).sum(),
            rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BufferedLanes, FromHost, HostLanes};
    use crate::roce::attributes::{PhysicalLayer, TransactionLayer};
    use packetloom_des::{Bytes, Span, Time};

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    fn ps(ps: u64) -> Span {
        Span::from_ps(ps)
    }

    #[test]
    fn nothing_is_kept_unless_asked_for() {
        let mut lanes = BufferedLanes::new(&PhysicalLayer::default(), &TransactionLayer::default());
        lanes.submit(at(0), 4_096);
        assert_eq!(lanes.report(at(100_000)), None);
    }

    #[test]
    fn messages_count_when_they_have_passed_and_busy_time_to_the_instant() {
        let mut lanes = BufferedLanes::new(&PhysicalLayer::default(), &TransactionLayer::default());
        lanes.observe();
        // Three full writes at once: 69,288 ps each, so the third passes at 207,864 ps.
        for _ in 0..3 {
            lanes.submit(at(0), 4_096);
        }
        let first = lanes.report(at(100_000)).expect("asked for");
        let totals = first.totals;
        assert_eq!(
            (
                totals.messages,
                totals.transfers,
                totals.payload,
                totals.link_bytes()
            ),
            (1, 8, 4_096, 4_368)
        );
        assert_eq!((totals.waits, first.longest_wait), (0, Span::ZERO));
        assert_eq!(
            (first.busy, first.pending, first.pending_payload),
            (ps(100_000), 2, 8_192)
        );
        let second = lanes.report(at(300_000)).expect("asked for");
        // The second and third waited for one and two messages before them.
        assert_eq!((second.totals.messages, second.totals.waits), (3, 2));
        assert_eq!(
            (second.totals.waited, second.longest_wait),
            (ps(3 * 69_288), ps(2 * 69_288))
        );
        assert_eq!((second.busy, second.pending), (ps(207_864), 0));
        // 256 KB hold all three: the first transfer of the first leaves at once, as the message comes.
        assert_eq!(second.totals.stalls, 0);
        assert_eq!((second.most_buffered, second.buffer), (3 * 4_096 - 512, 256_000));
        let third = lanes.report(at(400_000)).expect("asked for");
        assert_eq!(
            (third.longest_wait, third.most_buffered, third.busy),
            (Span::ZERO, 0, ps(207_864))
        );
    }

    #[test]
    fn a_full_transmit_buffer_is_told() {
        let transaction = TransactionLayer {
            tx_data_buffer_size: Bytes(5_000),
            ..TransactionLayer::default()
        };
        let mut lanes = BufferedLanes::new(&PhysicalLayer::default(), &transaction);
        lanes.observe();
        lanes.submit(at(0), 4_096);
        // Room comes when the seventh transfer goes on the link, after six others of 8,661 ps; 512 B of the first are left
        // in the buffer then.
        lanes.submit(at(0), 4_096);
        let report = lanes.report(at(1_000_000)).expect("asked for");
        assert_eq!((report.totals.stalls, report.totals.stalled), (1, ps(6 * 8_661)));
        assert_eq!(
            (report.longest_stall, report.most_buffered),
            (ps(6 * 8_661), 512 + 4_096)
        );
    }

    #[test]
    fn the_host_s_answers_and_doorbells() {
        let mut lanes = HostLanes::new(&PhysicalLayer::default());
        lanes.observe();
        lanes.request(at(10_000), 4_096, 'a');
        lanes.doorbell(
            at(9_000),
            92,
            FromHost::Doorbell {
                requester: 0,
                size: 1,
            },
        );
        // The doorbell has the link from 9,000 to 10,999 ps, so the answer waits for 999 ps; it is under way at 50,000.
        let report = lanes.report(at(50_000)).expect("asked for");
        assert_eq!((report.totals.messages, report.totals.payload), (1, 92));
        assert_eq!((report.pending_payload, report.busy), (4_096, ps(50_000 - 9_000)));
        let report = lanes.report(at(80_287)).expect("asked for");
        assert_eq!(
            report.totals.messages, 1,
            "it passes at 10,999 + 69,288 ps: not before"
        );
        let report = lanes.report(at(80_288)).expect("asked for");
        assert_eq!((report.totals.messages, report.pending), (2, 0));
        assert_eq!((report.totals.waited, report.longest_wait), (ps(999), ps(999)));
        assert_eq!(report.busy, ps(1_999 + 69_288));
        assert_eq!((report.buffer, report.most_buffered), (0, 0));
    }
}
