//! The receiving end of a queue pair: order, acknowledgements and their coalescing.

use super::psn;
use super::requester::Peer;
use packetloom_des::LazyTimer;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// How far a connection's set-up has come at the responder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ResponderState {
    /// No request has come.
    Closed,
    /// The response is sent, and sent again until the initiator is heard of.
    Responding,
    /// The acknowledgement, or data, has come.
    Open,
}

/// What an arriving data packet is to its queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The packet expected.
    InOrder,
    /// Received before.
    Duplicate,
    /// The first packet after a gap: one NAK goes out.
    Gap,
    /// Another packet behind a gap.
    BehindGap,
}

/// The receiving end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Responder {
    pub peer: Peer,
    pub state: ResponderState,
    expected: i64,
    /// A NAK is out and the gap not yet filled.
    nak_sent: bool,
    /// Packets that wait for an acknowledgement.
    held: u64,
    /// Payload received in order, in bytes.
    delivered: u64,
    /// Acknowledgement timer, and before that the timer of the connection response.
    pub timer: LazyTimer,
}

impl Responder {
    pub fn new(peer: Peer, first_psn: u32) -> Self {
        Responder {
            peer,
            state: ResponderState::Closed,
            expected: first_psn as i64,
            nak_sent: false,
            held: 0,
            delivered: 0,
            timer: LazyTimer::default(),
        }
    }

    /// Payload received in order so far, in bytes.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Takes the PSN and the payload of a data packet.
    #[inline]
    pub fn take(&mut self, wire: u32, payload: u32) -> Arrival {
        let psn = psn::near(wire, self.expected);
        match psn.cmp(&self.expected) {
            Ordering::Equal => {
                self.expected += 1;
                self.delivered += payload as u64;
                self.nak_sent = false;
                Arrival::InOrder
            }
            Ordering::Less => Arrival::Duplicate,
            Ordering::Greater if self.nak_sent => Arrival::BehindGap,
            Ordering::Greater => {
                self.nak_sent = true;
                // The NAK acknowledges what was held.
                self.held = 0;
                Arrival::Gap
            }
        }
    }

    /// The PSN a NAK names: the one expected.
    pub fn expected_on_wire(&self) -> u32 {
        psn::on_wire(self.expected)
    }

    /// The PSN an ACK names: the highest received in order.
    pub fn received_on_wire(&self) -> u32 {
        psn::on_wire(self.expected - 1)
    }

    /// Holds the acknowledgement of one packet, if fewer than `threshold` are held and it is not `solicited`. Returns whether
    /// it is held; else an ACK is due, which acknowledges all.
    #[inline]
    pub fn hold(&mut self, solicited: bool, threshold: u64) -> bool {
        let hold = !solicited && self.held < threshold;
        self.held = if hold { self.held + 1 } else { 0 };
        hold
    }

    /// Takes what is held; returns whether there was something.
    pub fn take_held(&mut self) -> bool {
        std::mem::take(&mut self.held) > 0
    }
}
