//! Which segment goes next (RFC 6675, section 4, NextSeg; RFC 9293, section 3.8.6.2.1).

use super::{CongestionState, Sender};
use crate::congestion::Algorithm;
use crate::ranges::Run;
use packetloom_des::Time;

/// What may be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Choice {
    /// The next lost segment, or one that may be lost.
    Repeat,
    /// The last segment in flight.
    Rescue,
    /// So many bytes for the first time.
    New(u64),
    /// So many bytes although the window has no room for them.
    Probe(u64),
}

impl Sender {
    /// Whether there is nothing to be sent, whatever the windows are: all that is written was sent, and nothing is repaired.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.written == self.board.nxt() && !self.board.has_lost() && self.state != CongestionState::Recovery
    }

    /// Whether data may be sent now.
    #[inline]
    pub fn has_data(&self) -> bool {
        self.choose().is_some()
    }

    #[inline]
    fn allowance(&self) -> u64 {
        match self.state {
            CongestionState::Recovery => self.prr.allowance(),
            _ => self.congestion.window().saturating_sub(self.board.pipe()),
        }
    }

    #[inline]
    fn choose(&self) -> Option<Choice> {
        if self.board.has_lost() {
            let length = self.board.next_run().map_or(0, Run::length);
            return (self.forced || length <= self.allowance()).then_some(Choice::Repeat);
        }
        let waiting = self.written - self.board.nxt();
        if waiting > 0 {
            // A full segment, or all there is (Nagle's algorithm is off), or a good part of what the peer can hold.
            let full = waiting.min(self.mss);
            let usable = self.window.edge().saturating_sub(self.board.nxt());
            if usable >= full || usable >= self.window.half().max(1) {
                let length = full.min(usable);
                return (length <= self.allowance()).then_some(Choice::New(length));
            }
            if self.probe_due {
                return Some(Choice::Probe(full.min(usable.max(1))));
            }
        }
        if self.state == CongestionState::Recovery {
            return self.choose_doubtful();
        }
        None
    }

    /// Nothing is known to be lost, and nothing new may be sent: what may be lost goes (NextSeg rules 3 and 4).
    #[cold]
    fn choose_doubtful(&self) -> Option<Choice> {
        if self.prr.allowance() < self.mss {
            return None;
        }
        if self.board.has_gap() {
            return Some(Choice::Repeat);
        }
        (self.board.una() > self.rescue_after && self.board.has_tail()).then_some(Choice::Rescue)
    }

    /// Takes the data that goes next.
    #[inline]
    pub fn next_data(&mut self, now: Time) -> Option<Run> {
        let choice = self.choose()?;
        let run = match choice {
            Choice::New(length) => {
                if self.board.is_empty() {
                    self.begin_flight(now);
                }
                self.board.push(now, length)
            }
            _ => self.next_unusual(now, choice),
        };
        if self.deadline == Time::NEVER {
            self.deadline = now
                + if self.probing {
                    self.probe_interval()
                } else {
                    self.round_trip.timeout()
                };
        }
        if self.state == CongestionState::Recovery {
            self.prr.sent(run.length());
        }
        self.counts.sent_bytes += run.length();
        self.last_sent = now;
        let (window, pipe) = (self.congestion.window(), self.board.pipe());
        // In slow start a window half used counts as well: it grows fast enough to be ahead of the sender.
        self.window_limited =
            pipe + self.mss > window || 2 * pipe >= window && window < self.congestion.slow_start_threshold();
        self.check_window();
        Some(run)
    }

    /// Data is about to go with nothing in flight: after a time of silence the window is that of a start (RFC 5681,
    /// section 4.1).
    #[inline]
    fn begin_flight(&mut self, now: Time) {
        // It may have run for a shut window.
        self.deadline = Time::NEVER;
        self.probe_due = false;
        if now.since(self.last_sent) > self.round_trip.timeout() {
            self.congestion.restarted();
        }
    }

    #[cold]
    fn next_unusual(&mut self, now: Time, choice: Choice) -> Run {
        match choice {
            Choice::Repeat => {
                self.forced = false;
                self.counts.segments_resent += 1;
                let run = self.board.repeat_next(now);
                if run.start == self.board.una() && !self.probing {
                    // The first one gets its full time again.
                    self.deadline = now + self.round_trip.timeout();
                }
                run
            }
            Choice::Rescue => {
                self.rescue_after = self.recovery_point;
                self.counts.segments_resent += 1;
                self.board.repeat_last(now)
            }
            Choice::New(length) | Choice::Probe(length) => {
                self.probe_due = false;
                self.probing = true;
                self.deadline = Time::NEVER;
                self.board.push(now, length)
            }
        }
    }
}
