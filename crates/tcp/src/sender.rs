//! The sending half: what waits, what may go, and what acknowledgements mean.

mod recovery;
mod timer;
mod transmit;

pub use recovery::{CongestionState, Entered};

use crate::congestion::{Acknowledged, Algorithm, Congestion};
use crate::prr::Prr;
use crate::ranges::Run;
use crate::rtt::RoundTrip;
use crate::scoreboard::{Reported, Scoreboard};
use crate::segment::SackBlock;
use crate::sequence::Origin;
use crate::settings::Settings;
use crate::window::PeerWindow;
use packetloom_des::{Span, Time};
use serde::{Deserialize, Serialize};

/// The sending half of a connection. Offsets are of its own stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Sender {
    /// The byte after the last one that the application has written.
    written: u64,
    board: Scoreboard,
    window: PeerWindow,
    congestion: Congestion,
    round_trip: RoundTrip,
    /// When the retransmission timer goes off, or that of zero-window probes.
    deadline: Time,
    /// When data was last sent.
    last_sent: Time,
    mss: u64,
    buffer: u64,
    origin: Origin,
    state: CongestionState,
    /// Whether the congestion window was what kept this end from sending more when it last sent.
    window_limited: bool,
    /// Whether the first lost segment goes whatever the window says: the fast retransmit.
    forced: bool,
    /// RescueRxt: the one rescue retransmission of an episode may go when more than this is acknowledged.
    rescue_after: u64,
    /// Whether data may go although it does not fit the peer's window: a probe is due.
    probe_due: bool,
    /// Whether the segment in flight is a probe.
    probing: bool,
    /// Doublings of the probes' interval.
    probe_back_off: u8,
    /// Duplicate acknowledgements since `una` moved last.
    duplicates: u32,
    /// RecoveryPoint: an episode of repair is over when all before it is acknowledged.
    recovery_point: u64,
    /// SND.NXT when the first duplicate acknowledgement came: what was sent later is limited transmit's.
    limited_from: u64,
    /// SND.UNA when the retransmission timer went off last.
    timed_out_at: Option<u64>,
    prr: Prr,
    pub counts: Counts,
}

/// What the sending half has counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub sent_bytes: u64,
    pub segments_resent: u64,
    pub with_sack: u64,
    pub duplicates: u64,
    pub timeouts: u64,
    pub fast_retransmits: u64,
    pub entered: Entered,
}

/// An acknowledgement, with offsets in place of sequence numbers.
pub(crate) struct Ack<'a> {
    /// The next byte the peer expects.
    pub number: u64,
    /// Offset of its segment in the peer's stream.
    pub sequence: u64,
    pub window: u16,
    pub blocks: &'a [SackBlock],
    /// Whether the segment carries data.
    pub data: bool,
}

/// Congestion control that begins with a window of `segments`.
fn congestion(settings: &Settings, mss: u64, segments: u32) -> Congestion {
    let window = segments as u64 * mss;
    Congestion::new(settings.congestion, mss, window, settings.hystart)
        .with_fast_convergence(settings.fast_convergence)
}

impl Sender {
    pub fn new(settings: &Settings, initial: u32) -> Self {
        let mss = settings.mss as u64;
        Sender {
            written: 0,
            board: Scoreboard::default(),
            window: PeerWindow::default(),
            congestion: congestion(settings, mss, settings.initial_window),
            round_trip: RoundTrip::new(settings),
            deadline: Time::NEVER,
            last_sent: Time::ZERO,
            mss,
            buffer: settings.send_buffer,
            origin: Origin::after_syn(initial),
            state: CongestionState::Open,
            window_limited: false,
            forced: false,
            rescue_after: 0,
            probe_due: false,
            probing: false,
            probe_back_off: 0,
            duplicates: 0,
            recovery_point: 0,
            limited_from: 0,
            timed_out_at: None,
            prr: Prr::default(),
            counts: Counts::default(),
        }
    }

    /// The handshake is over: `mss` is agreed on, `window` is the peer's first, and `round_trip` what the handshake took if
    /// its segment was sent once. When its timer has gone off (`syn_lost`), the first window is one segment (RFC 5681,
    /// section 3.1), and the first timeout three seconds (RFC 6298, rule 5.7).
    pub fn begin(
        &mut self,
        now: Time,
        settings: &Settings,
        mss: u32,
        window: PeerWindow,
        round_trip: Option<Span>,
        syn_lost: bool,
    ) {
        self.mss = mss as u64;
        self.window = window;
        self.last_sent = now;
        self.deadline = Time::NEVER;
        self.counts.entered.count(CongestionState::Open);
        if let Some(sample) = round_trip {
            self.round_trip.sample(sample);
        }
        let mut segments = settings.initial_window;
        if syn_lost {
            self.round_trip.established_after_timeout();
            segments = 1;
        }
        self.congestion = congestion(settings, self.mss, segments);
        self.watch_window(now);
    }

    #[inline]
    pub fn una(&self) -> u64 {
        self.board.una()
    }

    #[inline]
    pub fn nxt(&self) -> u64 {
        self.board.nxt()
    }

    #[inline]
    pub fn pipe(&self) -> u64 {
        self.board.pipe()
    }

    #[inline]
    pub fn on_wire(&self, offset: u64) -> u32 {
        self.origin.on_wire(offset)
    }

    /// Offset of an acknowledgement number.
    #[inline]
    pub fn locate(&self, wire: u32) -> i64 {
        self.origin.locate(wire, self.board.una())
    }

    /// Offset of a segment without data: the next byte, but never beyond the window, where the peer would not look at it.
    #[inline]
    pub fn ack_offset(&self) -> u64 {
        self.nxt().min(self.window.edge().max(self.una()))
    }

    pub fn congestion(&self) -> &Congestion {
        &self.congestion
    }

    /// What may be in flight now: the window, and while a loss is repaired what PRR lets go beyond what is there.
    pub fn inflated_window(&self) -> u64 {
        match self.state {
            CongestionState::Recovery => self.board.pipe() + self.prr.allowance(),
            _ => self.congestion.window(),
        }
    }

    pub fn round_trip(&self) -> &RoundTrip {
        &self.round_trip
    }

    pub fn state(&self) -> CongestionState {
        self.state
    }

    /// The window that the peer offers, beyond what is acknowledged.
    pub fn peer_window(&self) -> u64 {
        self.window.edge().saturating_sub(self.una())
    }

    #[inline]
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// Room of the send buffer.
    #[inline]
    pub fn room(&self) -> u64 {
        self.buffer - (self.written - self.una())
    }

    /// Takes what fits.
    #[inline]
    pub fn write(&mut self, bytes: u64) -> u64 {
        let taken = bytes.min(self.room());
        self.written += taken;
        taken
    }

    /// Whether an acknowledgement that comes with data says nothing but that nothing has changed: it acknowledges `una`, as
    /// the one before it did, the window's edge stays, and no loss is suspected.
    #[inline]
    pub fn expects(&self, number: u32, window: u16) -> bool {
        number == self.on_wire(self.board.una())
            && self.state == CongestionState::Open
            && self.board.in_order()
            && self.window.stays(self.board.una(), window)
    }

    /// Takes what came with an acknowledgement that was [expected](Self::expects): its segment's offset in the peer's stream.
    #[inline]
    pub fn acknowledge_expected(&mut self, sequence: u64) {
        self.window.renew(sequence);
    }

    /// Takes an acknowledgement between `una` and `nxt`. Returns the bytes of the send buffer that it has freed.
    #[inline]
    pub fn acknowledge(&mut self, now: Time, ack: &Ack) -> u64 {
        let before = self.board.pipe();
        let old_edge = self.window.edge();
        let moved = self.window.update(ack.sequence, ack.number, ack.window);
        let advances = ack.number > self.board.una();
        if !advances && ack.blocks.is_empty() && self.board.in_order() {
            // Nothing of this stream, or an ordinary duplicate.
            if !ack.data && !moved && !self.board.is_empty() {
                self.counts.duplicates += 1;
            }
        }
        let mut reported = Reported::default();
        if !ack.blocks.is_empty() {
            self.counts.with_sack += 1;
            reported = self.report(ack.blocks);
        }
        let mut freed = 0;
        let mut delivered = reported.bytes;
        if advances {
            let retired = self.board.retire(ack.number);
            freed = retired.bytes;
            delivered += retired.delivered;
            self.duplicates = 0;
            let newest = match retired.sent {
                Some((oldest, newest)) => {
                    self.round_trip.sample(now.since(oldest));
                    Some(newest)
                }
                None => {
                    self.sample_reported(now, &reported);
                    reported.sent
                }
            };
            self.deadline = if self.board.is_empty() {
                Time::NEVER
            } else {
                now + self.round_trip.timeout()
            };
            if self.state != CongestionState::Recovery {
                self.congestion.acknowledged(&Acknowledged {
                    now,
                    bytes: freed,
                    in_flight: before,
                    window_limited: self.window_limited,
                    round_trip: newest.map(|sent| now.since(sent)),
                    smoothed: self.round_trip.smoothed(),
                    acknowledged: self.board.una(),
                    sent: self.board.nxt(),
                });
            }
        } else if reported.bytes > 0 {
            self.sample_reported(now, &reported);
        }
        if self.state != CongestionState::Open || !self.board.in_order() {
            self.judge(now, delivered, reported.bytes > 0);
        }
        if moved || advances {
            self.window_moved(now, old_edge);
        }
        self.check_window();
        freed
    }

    fn sample_reported(&mut self, now: Time, reported: &Reported) {
        if let Some(sent) = reported.sent {
            self.round_trip.sample(now.since(sent));
        }
    }

    /// Takes SACK blocks in (RFC 6675, Update).
    #[cold]
    fn report(&mut self, blocks: &[SackBlock]) -> Reported {
        let mut reported = Reported::default();
        let una = self.board.una();
        for block in blocks {
            let (start, end) = (
                self.origin.locate(block.start, una),
                self.origin.locate(block.end, una),
            );
            // What is acknowledged already says nothing new.
            if start >= 0 && end > start {
                let run = Run {
                    start: start as u64,
                    end: end as u64,
                };
                self.board.report(run, &mut reported);
            }
        }
        reported
    }

    /// Never more in flight than the peer has room for, but for the byte of a probe.
    #[inline]
    fn check_window(&self) {
        debug_assert!(self.board.nxt() <= self.written, "{self:?}");
        debug_assert!(
            self.board.nxt() <= self.window.highest() + self.probing as u64,
            "{self:?}"
        );
    }

    /// Counts everything anew. For tests.
    pub fn check(&self) {
        self.board.check();
        self.check_window();
        assert!(self.written - self.una() <= self.buffer);
        assert!(
            self.board.is_empty() || self.deadline != Time::NEVER || self.board.has_lost(),
            "{self:?}"
        );
    }
}

#[cfg(test)]
mod tests;
