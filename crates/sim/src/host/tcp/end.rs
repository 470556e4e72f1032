//! One end of a connection at its host: the endpoint, where its segments go, and its timers.

use packetloom_des::{Context, LazyTimer, Time};
use packetloom_fabric::frame::tcp::{TcpHeader, TcpOptions};
use packetloom_fabric::frame::{Frame, HostId};
use packetloom_nic::ethernet::{EthernetNic, FIRST_HOST_SLOT};
use packetloom_tcp::segment::{Flags, Options, SackBlock, Segment};
use packetloom_tcp::{Connection, Received, Timer};
use serde::{Deserialize, Serialize};

/// Port of the first server on a host; the others follow.
pub const FIRST_SERVER_PORT: u16 = 5_000;
/// Port of the first client on a host; the others follow.
pub const FIRST_CLIENT_PORT: u16 = 49_152;
/// Timer slots of a connection.
pub(super) const TIMERS: u32 = 3;

/// Where a connection's segments go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// The host at the other end.
    pub host: HostId,
    /// CRC-32 of the five-tuple of what is sent.
    pub flow: u32,
    /// The port here.
    pub source_port: u16,
    /// The port there.
    pub destination_port: u16,
}

/// One end of a connection.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct End {
    connection: Connection,
    peer: Peer,
    /// It waits for room in the NIC.
    waits: bool,
    retransmit: LazyTimer,
    delayed_ack: LazyTimer,
}

impl End {
    pub fn new(connection: Connection, peer: Peer) -> Self {
        End {
            connection,
            peer,
            waits: false,
            retransmit: LazyTimer::default(),
            delayed_ack: LazyTimer::default(),
        }
    }

    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    pub fn open(&mut self, now: Time) {
        self.connection.open(now);
    }

    /// Hands a segment to the endpoint. The application reads at once.
    #[inline]
    pub fn receive(&mut self, now: Time, segment: &Segment) -> Received {
        let received = self.connection.handle(now, segment);
        if received.delivered > 0 {
            self.connection.read(now, received.delivered);
        }
        received
    }

    /// Puts into the send buffer what `feed` has for the room there is.
    #[inline]
    pub fn fill(&mut self, feed: impl FnOnce(u64) -> u64) {
        let bytes = feed(self.connection.room());
        if bytes > 0 {
            let written = self.connection.write(bytes);
            debug_assert_eq!(written, bytes, "there is room for what was fed");
        }
    }

    /// Takes the event of a timer. Returns whether the timer went off; the endpoint has been told then.
    pub fn expired<C: Context>(&mut self, timer: Timer, slot: u32, count: u16, context: &mut C) -> bool {
        let lazy = match timer {
            Timer::Retransmit => &mut self.retransmit,
            Timer::DelayedAck => &mut self.delayed_ack,
        };
        let due = lazy.due(slot, count, context);
        if due {
            self.connection.expired(context.now(), timer);
        }
        due
    }

    /// Queues what may be sent now as far as the NIC has room; for the rest it waits for its turn.
    #[inline]
    pub fn push<C: Context<Message = Frame>>(
        &mut self,
        number: u32,
        host: HostId,
        nic: &mut EthernetNic,
        context: &mut C,
    ) {
        while !self.waits {
            if nic.anyone_waits() || !nic.has_room(context) {
                self.wait_if_wanted(number, nic, context);
                break;
            }
            let Some(segment) = self.connection.transmit(context.now()) else {
                break;
            };
            nic.queue(self.frame(host, &segment), context);
        }
        self.set_timers(number, context);
    }

    /// Sends one segment in its turn, and waits again if there is more.
    pub fn take_turn<C: Context<Message = Frame>>(
        &mut self,
        number: u32,
        host: HostId,
        nic: &mut EthernetNic,
        context: &mut C,
    ) {
        self.waits = false;
        // What it waited with may have become needless.
        if let Some(segment) = self.connection.transmit(context.now()) {
            nic.queue(self.frame(host, &segment), context);
            self.wait_if_wanted(number, nic, context);
            self.set_timers(number, context);
        }
    }

    fn wait_if_wanted<C: Context<Message = Frame>>(
        &mut self,
        number: u32,
        nic: &mut EthernetNic,
        context: &mut C,
    ) {
        if self.connection.wants_transmit(context.now()) {
            self.waits = true;
            nic.wait(number, context);
        }
    }

    #[inline]
    fn set_timers<C: Context>(&mut self, number: u32, context: &mut C) {
        let slot = FIRST_HOST_SLOT + number * TIMERS;
        let retransmit = self.connection.deadline(Timer::Retransmit);
        let delayed_ack = self.connection.deadline(Timer::DelayedAck);
        set(
            &mut self.retransmit,
            slot + super::RETRANSMIT,
            retransmit,
            context,
        );
        set(
            &mut self.delayed_ack,
            slot + super::DELAYED_ACK,
            delayed_ack,
            context,
        );
    }

    #[inline]
    fn frame(&self, host: HostId, segment: &Segment) -> Frame {
        let header = TcpHeader {
            source_port: self.peer.source_port,
            destination_port: self.peer.destination_port,
            sequence: segment.sequence,
            acknowledgement: segment.acknowledgement,
            flags: segment.flags.0,
            window: segment.window,
            options: match segment.options {
                Options::None => TcpOptions::None,
                Options::Syn {
                    mss,
                    sack_permitted,
                    window_scale,
                } => TcpOptions::Syn {
                    mss,
                    sack_permitted,
                    window_scale,
                },
                Options::Sack { blocks, count } => TcpOptions::Sack {
                    blocks: blocks.map(|block| (block.start, block.end)),
                    count,
                },
            },
        };
        let frame = Frame::tcp(host, self.peer.host, self.peer.flow, header, segment.payload);
        debug_assert_eq!(frame.size as u32, segment.wire_size());
        frame
    }
}

/// Sets a timer, or stops it if its deadline is never.
#[inline]
pub(super) fn set<C: Context>(timer: &mut LazyTimer, slot: u32, at: Time, context: &mut C) {
    if at == Time::NEVER {
        timer.stop();
    } else {
        timer.set(slot, at, context);
    }
}

/// The port a frame is for, and its segment.
#[inline]
pub(super) fn segment(frame: &Frame) -> (u16, Segment) {
    let header = frame.tcp_header();
    let options = match header.options {
        TcpOptions::None => Options::None,
        TcpOptions::Syn {
            mss,
            sack_permitted,
            window_scale,
        } => Options::Syn {
            mss,
            sack_permitted,
            window_scale,
        },
        TcpOptions::Sack { blocks, count } => Options::Sack {
            blocks: blocks.map(|(start, end)| SackBlock { start, end }),
            count,
        },
    };
    let segment = Segment {
        sequence: header.sequence,
        acknowledgement: header.acknowledgement,
        window: header.window,
        flags: Flags(header.flags),
        payload: frame.payload as u32,
        options,
    };
    (header.destination_port, segment)
}
