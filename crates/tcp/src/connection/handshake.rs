//! The three-way handshake (RFC 9293, section 3.5).

use super::{Connection, State};
use crate::receiver::syn_window;
use crate::segment::{Flags, Options, Segment};
use crate::settings::Settings;
use crate::window::PeerWindow;
use packetloom_des::{Span, Time};
use serde::{Deserialize, Serialize};

/// Largest payload for a peer that does not name one (RFC 9293, section 3.7.1).
const DEFAULT_MSS: u32 = 536;

/// What the handshake needs to know.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Handshake {
    settings: Settings,
    isn: u32,
    /// Whether the SYN, or SYN-ACK, is to be sent.
    due: bool,
    /// How often the timer has gone off.
    timeouts: u32,
    /// How often it was sent.
    times_sent: u32,
    /// When it was sent last.
    sent_at: Time,
    deadline: Time,
    timeout: Span,
    /// The peer's window and MSS, once its SYN has come.
    window: PeerWindow,
    mss: u32,
    /// Whether the peer's SYN has options for SACK and window scaling; a SYN-ACK has only what the SYN had.
    sack: bool,
    scale: bool,
}

impl Handshake {
    pub fn new(settings: &Settings, isn: u32) -> Self {
        Handshake {
            settings: *settings,
            isn,
            due: false,
            timeouts: 0,
            times_sent: 0,
            sent_at: Time::ZERO,
            deadline: Time::NEVER,
            timeout: Span::ZERO,
            window: PeerWindow::default(),
            mss: DEFAULT_MSS,
            sack: true,
            scale: true,
        }
    }

    pub fn due(&mut self) {
        self.due = true;
    }

    #[inline]
    pub fn is_due(&self) -> bool {
        self.due
    }

    pub fn deadline(&self) -> Time {
        self.deadline
    }
}

impl Connection {
    /// A segment that comes before the connection is established, or has a SYN or RST, or no ACK. Returns whether its
    /// acknowledgement and data are to be looked at.
    #[cold]
    pub(super) fn handle_unusual(&mut self, now: Time, segment: &Segment) -> bool {
        let [syn, ack, rst] = [Flags::SYN, Flags::ACK, Flags::RST].map(|flag| segment.flags.contains(flag));
        if rst {
            // Nobody here sends one.
            return false;
        }
        let acknowledges_syn = ack && segment.acknowledgement == self.handshake.isn.wrapping_add(1);
        match self.state {
            State::Listen if syn && !ack => {
                self.take_syn(segment);
                self.state = State::SynReceived;
                self.handshake.due = true;
                false
            }
            State::SynSent if syn && acknowledges_syn => {
                self.take_syn(segment);
                self.establish(now);
                self.receiver.owe();
                false
            }
            // The SYN-ACK was lost: it goes again at once.
            State::SynReceived if syn && !ack => {
                self.handshake.due = true;
                false
            }
            State::SynReceived if !syn && ack => {
                // It may acknowledge no more than the SYN, since nothing else was sent.
                if acknowledges_syn {
                    self.establish(now);
                }
                acknowledges_syn
            }
            // The peer has not heard that the connection stands (RFC 9293, section 3.10.7.4: a challenge ACK).
            State::Established if syn => {
                self.receiver.owe();
                false
            }
            _ => false,
        }
    }

    /// The peer's SYN: what was not offered by both ends is not used.
    fn take_syn(&mut self, segment: &Segment) {
        let (mss, sack, scale) = match segment.options {
            Options::Syn {
                mss,
                sack_permitted,
                window_scale,
            } => ((mss as u32).max(1), sack_permitted, window_scale),
            _ => (DEFAULT_MSS, false, None),
        };
        self.handshake.mss = mss.min(self.handshake.settings.mss);
        self.handshake.sack = sack;
        self.handshake.scale = scale.is_some();
        let own_scale = scale.map_or(0, |_| self.handshake.settings.window_scale());
        self.receiver
            .begin(segment.sequence, own_scale, sack, self.handshake.mss);
        // A shift above 14 counts as 14 (RFC 7323, section 2.3).
        self.handshake.window = PeerWindow::of_syn(segment.window, scale.unwrap_or(0).min(14));
    }

    fn establish(&mut self, now: Time) {
        self.state = State::Established;
        let handshake = &self.handshake;
        // Karn's rule holds for the handshake too. Only a timeout means that a SYN was lost.
        let sample = (handshake.times_sent == 1).then(|| now.since(handshake.sent_at));
        self.sender.begin(
            now,
            &handshake.settings,
            handshake.mss,
            handshake.window,
            sample,
            handshake.timeouts > 0,
        );
    }

    /// The SYN or SYN-ACK, if it is to be sent.
    #[cold]
    pub(super) fn transmit_handshake(&mut self, now: Time) -> Option<Segment> {
        if !self.handshake.due {
            return None;
        }
        let answers = self.state == State::SynReceived;
        let handshake = &mut self.handshake;
        handshake.due = false;
        handshake.times_sent += 1;
        handshake.sent_at = now;
        if handshake.timeout == Span::ZERO {
            handshake.timeout = handshake.settings.rto_initial;
        }
        if handshake.deadline == Time::NEVER {
            handshake.deadline = now + handshake.timeout;
        }
        self.counters.segments_sent += 1;
        self.sender.counts.segments_resent += u64::from(handshake.times_sent > 1);
        Some(Segment {
            sequence: handshake.isn,
            acknowledgement: if answers {
                self.receiver.acknowledgement()
            } else {
                0
            },
            window: syn_window(&handshake.settings),
            flags: if answers {
                Flags::SYN | Flags::ACK
            } else {
                Flags::SYN
            },
            payload: 0,
            options: Options::Syn {
                mss: handshake.settings.mss.min(u16::MAX as u32) as u16,
                sack_permitted: handshake.sack,
                window_scale: handshake.scale.then(|| handshake.settings.window_scale()),
            },
        })
    }

    /// The handshake's timer goes off: it is sent again, after twice the time from then on (RFC 6298, section 5).
    pub(super) fn handshake_expired(&mut self, now: Time) {
        let handshake = &mut self.handshake;
        if now < handshake.deadline {
            return;
        }
        handshake.deadline = Time::NEVER;
        handshake.timeout = (handshake.timeout * 2).min(handshake.settings.rto_max);
        handshake.timeouts += 1;
        handshake.due = true;
        self.sender.counts.timeouts += 1;
    }
}

#[cfg(test)]
mod tests;
