//! The retransmission timer (RFC 6298, section 5), which is also that of zero-window probes (RFC 9293, section 3.8.6.1).

use super::Sender;
use packetloom_des::{Span, Time};

impl Sender {
    /// The timer's time has come, if it is not too early.
    pub fn expired(&mut self, now: Time) {
        if now < self.deadline {
            return;
        }
        // It starts again when something is sent.
        self.deadline = Time::NEVER;
        if self.board.is_empty() {
            self.probe_due = self.is_stuck();
        } else if self.probing && self.board.nxt() > self.window.edge() {
            // No loss: the peer has no room for the probe. It goes again.
            self.probe_back_off = (self.probe_back_off + 1).min(63);
            self.board.begin_anew();
            self.board.mark_first_lost();
        } else {
            self.lose_all(now);
        }
    }

    /// Whether the peer's window takes too little: less than a full segment and less than half of the most it has offered.
    /// Then only a probe may go.
    fn is_stuck(&self) -> bool {
        let usable = self.window.edge().saturating_sub(self.board.nxt());
        usable < self.mss && usable < self.window.half().max(1)
    }

    /// Starts the timer when the window is shut and nothing is in flight whose acknowledgement could open it. It need not be
    /// known whether data waits: when the timer goes off, a probe may go as soon as there is some.
    #[inline]
    pub(super) fn watch_window(&mut self, now: Time) {
        if self.board.is_empty() && self.is_stuck() {
            if self.deadline == Time::NEVER && !self.probe_due {
                self.deadline = now + self.probe_interval();
            }
        } else if self.probe_due {
            self.probe_due = false;
        }
    }

    /// The window's edge, or `una`, has moved.
    #[inline]
    pub(super) fn window_moved(&mut self, now: Time, old_edge: u64) {
        if self.window.edge() > old_edge && (self.probing || self.probe_back_off > 0) {
            self.window_opened();
        }
        if self.board.is_empty() {
            self.probing = false;
            if !self.is_stuck() {
                // A timer that ran for the shut window is not needed any more.
                self.deadline = Time::NEVER;
            }
            self.watch_window(now);
        }
    }

    #[cold]
    fn window_opened(&mut self) {
        self.probe_back_off = 0;
        if self.probing && !self.board.is_empty() && self.board.nxt() <= self.window.edge() {
            // The probe did not find room: it goes again now.
            self.probing = false;
            self.board.begin_anew();
            self.board.mark_first_lost();
        }
    }

    /// The time to the next probe.
    pub(super) fn probe_interval(&self) -> Span {
        let doubled = self
            .round_trip
            .timeout()
            .ps()
            .checked_shl(self.probe_back_off as u32);
        let most = self.round_trip.most();
        doubled
            .filter(|&ps| ps >> self.probe_back_off == self.round_trip.timeout().ps())
            .map_or(most, |ps| Span::from_ps(ps).min(most))
    }
}
