//! A connection: both halves, the handshake before them, and the segments in between.

mod handshake;

use crate::receiver::Receiver;
use crate::report::Counters;
use crate::segment::{Flags, Options, Segment};
use crate::sender::{Ack, Sender};
use crate::settings::Settings;
use handshake::Handshake;
use packetloom_des::Time;
use serde::{Deserialize, Serialize};

/// The state of a connection (RFC 9293, section 3.3.2). Connections are not closed, so there are no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum State {
    /// Not opened yet.
    Closed,
    /// Waits for a SYN.
    Listen,
    /// Has sent a SYN, or is about to, and waits for the peer's.
    SynSent,
    /// Has got a SYN and waits for the acknowledgement of its own.
    SynReceived,
    /// Data flows.
    Established,
}

impl State {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            State::Closed => "CLOSED",
            State::Listen => "LISTEN",
            State::SynSent => "SYN_SENT",
            State::SynReceived => "SYN_RCVD",
            State::Established => "ESTABLISHED",
        }
    }
}

/// A timer of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Timer {
    /// Retransmission: of data, of the handshake, and of zero-window probes.
    Retransmit,
    /// The acknowledgement that waits for more.
    DelayedAck,
}

/// What a segment has brought.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Received {
    /// Whether the connection is established by it.
    pub established: bool,
    /// Bytes that it made readable.
    pub delivered: u64,
    /// Bytes of the send buffer that it has freed.
    pub freed: u64,
}

/// One end of a connection.
///
/// It has no clock and sends nothing: its owner hands in segments as they arrive ([`Connection::handle`]), takes out those
/// that may go ([`Connection::transmit`]) as long as there are some and the network takes them, and tells when a deadline
/// has come ([`Connection::expired`]). Deadlines only move; whoever keeps the timers looks at them after each call, or when a timer
/// goes off: a call too early does nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Connection {
    pub(crate) state: State,
    pub(crate) counters: Counters,
    pub(crate) receiver: Receiver,
    pub(crate) sender: Sender,
    /// Apart, since only the handshake needs it.
    handshake: Box<Handshake>,
}

impl Connection {
    /// The end that opens the connection; `isn` is the sequence number of its SYN. It is closed until [`Connection::open`].
    pub fn client(settings: &Settings, isn: u32) -> Self {
        Self::new(settings, isn, State::Closed)
    }

    /// The end that waits for a SYN; `isn` is the sequence number of its own.
    pub fn server(settings: &Settings, isn: u32) -> Self {
        Self::new(settings, isn, State::Listen)
    }

    fn new(settings: &Settings, isn: u32, state: State) -> Self {
        Connection {
            state,
            counters: Counters::default(),
            receiver: Receiver::new(settings),
            sender: Sender::new(settings, isn),
            handshake: Box::new(Handshake::new(settings, isn)),
        }
    }

    /// Opens the connection: the SYN is the next segment to be sent. Does nothing where it is open or listens.
    pub fn open(&mut self, _now: Time) {
        if self.state == State::Closed {
            self.state = State::SynSent;
            self.handshake.due();
        }
    }

    /// The state.
    pub fn state(&self) -> State {
        self.state
    }

    /// Room of the send buffer in bytes.
    #[inline]
    pub fn room(&self) -> u64 {
        self.sender.room()
    }

    /// The application writes: as many of `bytes` as fit in the send buffer are taken, and their number is returned. It may
    /// do so before the connection is established.
    #[inline]
    pub fn write(&mut self, bytes: u64) -> u64 {
        self.sender.write(bytes)
    }

    /// Bytes that the application may read.
    #[inline]
    pub fn readable(&self) -> u64 {
        self.receiver.readable()
    }

    /// Bytes received in order since the start.
    #[inline]
    pub fn delivered(&self) -> u64 {
        self.receiver.delivered()
    }

    /// The application reads `bytes`, of those readable. It may make a window update due.
    #[inline]
    pub fn read(&mut self, _now: Time, bytes: u64) {
        self.receiver.read(bytes);
    }

    /// A segment has come.
    #[inline]
    pub fn handle(&mut self, now: Time, segment: &Segment) -> Received {
        if self.expects(segment) {
            self.counters.received_bytes += segment.payload as u64;
            self.sender.acknowledge_expected(self.receiver.delivered());
            let delivered = self.receiver.take_next(now, segment.payload);
            self.receiver.check();
            return Received {
                delivered,
                ..Received::default()
            };
        }
        self.handle_any(now, segment)
    }

    /// Whether a segment is what comes next in a stream of data: the next bytes, and an acknowledgement that says what the one
    /// before it said. Most segments of a long transfer are, and need little done; what [`handle_any`](Self::handle_any)
    /// does with one comes to the same.
    #[inline]
    fn expects(&self, segment: &Segment) -> bool {
        self.state == State::Established
            && segment.flags == Flags::ACK
            && segment.payload > 0
            && segment.options == Options::None
            && self.receiver.expects(segment.sequence, segment.payload)
            && self.sender.expects(segment.acknowledgement, segment.window)
    }

    /// A segment has come, whatever it is.
    fn handle_any(&mut self, now: Time, segment: &Segment) -> Received {
        const UNUSUAL: u8 = Flags::SYN.0 | Flags::RST.0 | Flags::ACK.0;
        let opens = self.state != State::Established;
        if opens || segment.flags.0 & UNUSUAL != Flags::ACK.0 {
            // Only the handshake's last segment goes on, since it may carry data.
            if !self.handle_unusual(now, segment) {
                return Received {
                    established: opens && self.state == State::Established,
                    ..Received::default()
                };
            }
        }
        self.counters.received_bytes += segment.payload as u64;
        let start = self.receiver.locate(segment.sequence);
        let number = self.sender.locate(segment.acknowledgement);
        if !self.receiver.acceptable(start, segment.payload) || number > self.sender.nxt() as i64 {
            // Answered and dropped (RFC 9293, section 3.10.7.4), but for one without data that is merely old: its
            // acknowledgement counts. While both windows are shut and each end has a probe under way, the numbers of
            // acknowledgements may lag behind, and ends that dropped them would answer each other for ever.
            self.receiver.owe();
            if segment.payload > 0 || self.receiver.is_beyond(start) || number > self.sender.nxt() as i64 {
                return Received {
                    established: opens,
                    ..Received::default()
                };
            }
        }
        let mut freed = 0;
        // An acknowledgement overtaken by another one says nothing.
        if number >= self.sender.una() as i64 {
            let ack = Ack {
                number: number as u64,
                sequence: start.max(0) as u64,
                window: segment.window,
                blocks: segment.options.sack(),
                data: segment.payload > 0,
            };
            freed = self.sender.acknowledge(now, &ack);
        }
        let delivered = if segment.payload > 0 {
            self.receiver.take(now, start, segment.payload)
        } else {
            0
        };
        self.receiver.check();
        Received {
            established: opens,
            delivered,
            freed,
        }
    }

    /// Whether there is a segment to be sent now.
    #[inline]
    pub fn wants_transmit(&self, _now: Time) -> bool {
        if self.state == State::Established {
            self.receiver.owes() || !self.sender.is_idle() && self.sender.has_data()
        } else {
            self.handshake.is_due()
        }
    }

    /// The next segment that may go now.
    #[inline]
    pub fn transmit(&mut self, now: Time) -> Option<Segment> {
        if self.state != State::Established {
            return self.transmit_handshake(now);
        }
        if self.sender.is_idle() && !self.receiver.owes() {
            return None;
        }
        self.transmit_next(now)
    }

    fn transmit_next(&mut self, now: Time) -> Option<Segment> {
        let (offset, payload) = match self.sender.next_data(now) {
            Some(run) => (run.start, run.length() as u32),
            None if self.receiver.owes() => (self.sender.ack_offset(), 0),
            None => return None,
        };
        self.counters.segments_sent += 1;
        Some(Segment {
            sequence: self.sender.on_wire(offset),
            acknowledgement: self.receiver.acknowledgement(),
            window: self.receiver.acknowledge(),
            flags: Flags::ACK,
            payload,
            options: self.receiver.options(),
        })
    }

    /// When a timer goes off; [`Time::NEVER`] when it does not run.
    #[inline]
    pub fn deadline(&self, timer: Timer) -> Time {
        match timer {
            Timer::Retransmit if self.state == State::Established => self.sender.deadline(),
            Timer::Retransmit => self.handshake.deadline(),
            Timer::DelayedAck => self.receiver.deadline(),
        }
    }

    /// A timer goes off. Does nothing before its deadline.
    pub fn expired(&mut self, now: Time, timer: Timer) {
        match timer {
            Timer::Retransmit if self.state == State::Established => self.sender.expired(now),
            Timer::Retransmit => self.handshake_expired(now),
            Timer::DelayedAck => self.receiver.expired(now),
        }
    }

    /// Panics where what is counted as it changes differs from what is counted anew. For tests.
    pub fn check(&self) {
        self.sender.check();
        self.receiver.check();
    }
}

#[cfg(test)]
mod tests;
