//! From duplicate acknowledgements to repair and back (RFC 6675, section 5; RFC 6937).

use super::Sender;
use crate::congestion::Algorithm;
use crate::prr::Prr;
use crate::scoreboard::DUPLICATES;
use packetloom_des::Time;
use serde::{Deserialize, Serialize};

/// What the sender makes of the acknowledgements it gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum CongestionState {
    /// Nothing unusual.
    Open,
    /// Segments were reported beyond one that is missing, too few to call it lost.
    Disorder,
    /// The window is reduced for another reason than a loss. This end never does, since it is not ECN-capable.
    Cwr,
    /// A loss is repaired after a fast retransmit.
    Recovery,
    /// The retransmission timer has gone off.
    Loss,
}

impl CongestionState {
    /// All states, in the order of the columns of `tcp-stats`.
    pub const ALL: [CongestionState; 5] = [
        CongestionState::Open,
        CongestionState::Disorder,
        CongestionState::Cwr,
        CongestionState::Recovery,
        CongestionState::Loss,
    ];

    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            CongestionState::Open => "OPEN",
            CongestionState::Disorder => "DISORDER",
            CongestionState::Cwr => "CWR",
            CongestionState::Recovery => "RECOVERY",
            CongestionState::Loss => "LOSS",
        }
    }
}

/// How often each state was entered; the state at the start counts as entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Entered([u64; 5]);

impl Entered {
    /// How often `state` was entered.
    pub fn times(&self, state: CongestionState) -> u64 {
        self.0[state as usize]
    }

    pub(super) fn count(&mut self, state: CongestionState) {
        self.0[state as usize] += 1;
    }
}

impl Sender {
    pub(super) fn enter(&mut self, state: CongestionState) {
        if self.state != state {
            self.state = state;
            self.counts.entered.count(state);
        }
    }

    /// Follows an acknowledgement that comes while not all is well. `delivered` bytes of it are news, and some of them
    /// were reported by SACK blocks if `duplicate` (RFC 6675, section 2).
    #[cold]
    pub(super) fn judge(&mut self, now: Time, delivered: u64, duplicate: bool) {
        if duplicate {
            self.counts.duplicates += 1;
            if self.duplicates == 0 {
                self.limited_from = self.board.nxt();
            }
            self.duplicates += 1;
        }
        match self.state {
            CongestionState::Recovery if self.board.una() < self.recovery_point => {
                let lost = self.board.lost_below(self.mss);
                self.board.mark_lost(lost);
            }
            CongestionState::Loss if self.board.una() < self.recovery_point => return,
            CongestionState::Recovery | CongestionState::Loss => {
                // The episode is over. What was sent since is looked at anew.
                self.board.end_episode();
                self.forced = false;
                self.limited_from = self.board.nxt();
                self.settle(now);
            }
            _ => self.settle(now),
        }
        if self.state == CongestionState::Recovery {
            let threshold = self.congestion.slow_start_threshold();
            self.prr
                .acknowledged(delivered, self.board.pipe(), threshold, self.mss);
        }
    }

    /// Outside of repair: is all well, is it disorder, or a loss?
    fn settle(&mut self, now: Time) {
        if self.board.in_order() {
            self.enter(CongestionState::Open);
            return;
        }
        if self.state == CongestionState::Open {
            // A probe may have been sent again, and that is no repair.
            self.board.begin_anew();
        }
        let lost = self.board.lost_below(self.mss);
        if lost > self.board.una() || self.duplicates >= DUPLICATES {
            self.begin_recovery(now, lost);
        } else {
            self.enter(CongestionState::Disorder);
        }
    }

    /// RFC 6675, section 5, step 4.
    fn begin_recovery(&mut self, now: Time, lost: u64) {
        self.state = CongestionState::Recovery;
        self.counts.entered.count(CongestionState::Recovery);
        self.counts.fast_retransmits += 1;
        self.recovery_point = self.board.nxt();
        // Without what limited transmit has sent (RFC 5681, section 3.2, step 2).
        let sent_before = self.limited_from.clamp(self.board.una(), self.board.nxt());
        let flight = match sent_before - self.board.una() {
            0 => self.board.flight(),
            flight => flight,
        };
        self.congestion.lost(now, flight);
        self.prr = Prr::new(self.board.flight());
        self.board.mark_lost(lost);
        self.board.mark_first_lost();
        // If the episode before has sent it again already, that is its fast retransmit. The window is smaller all the same, since
        // it was lost after the last time (RFC 5681, section 4.3).
        self.forced = !self.board.first_repeated();
        // The end of the fast retransmit (step 4.3): what is in flight beyond it may well arrive.
        self.rescue_after = self.board.first_end();
    }

    /// RFC 6298, rules 5.4 to 5.6; RFC 5681, section 3.1; RFC 6675, section 5.1.
    pub(super) fn lose_all(&mut self, now: Time) {
        let una = self.board.una();
        let again = self.timed_out_at == Some(una);
        self.timed_out_at = Some(una);
        self.counts.timeouts += 1;
        // While a loss is repaired new data goes for what SACK reports, so that more can be outstanding than the window ever
        // allowed at once; a lost repetition must lower the threshold again (RFC 5681, section 4.3).
        let flight = match self.state {
            CongestionState::Recovery => self.board.flight().min(self.congestion.window()),
            _ => self.board.flight(),
        };
        self.congestion.timed_out(now, flight, again);
        self.round_trip.back_off();
        self.board.lose_all();
        self.recovery_point = self.board.nxt();
        self.duplicates = 0;
        self.forced = false;
        self.probing = false;
        self.enter(CongestionState::Loss);
    }
}
