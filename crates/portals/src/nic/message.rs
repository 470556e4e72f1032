//! What crosses the wire between two NICs.

use super::surroundings::Kind;
use crate::{Completion, Header, Operation, Outcome, Payload};
use std::sync::Arc;

/// A virtual network: requests and responses travel apart, and so do services and computations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vn(u8);

impl Vn {
    /// How many there are.
    pub const COUNT: usize = 4;

    /// The network of requests.
    pub fn request(service: bool) -> Self {
        Self(u8::from(!service))
    }

    /// The network of responses to requests on this one.
    pub fn response(self) -> Self {
        Self(self.0 | 2)
    }

    /// By S4BXI's number: 0 service request, 1 compute request, 2 service response, 3 compute response.
    pub fn from_number(number: u8) -> Option<Self> {
        (number < 4).then_some(Self(number))
    }

    /// S4BXI's number.
    pub fn number(self) -> u8 {
        self.0
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Names an operation at its initiator until it is closed.
pub type OperationId = slotmap::DefaultKey;

/// A message's place in the order of all messages from one node to another on one virtual network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Sequence {
    /// Its number, from 0
    pub number: u64,
    /// All messages below this number are done with: acknowledged or given up
    pub floor: u64,
}

/// What a message is.
#[derive(Clone, Debug)]
pub enum Body {
    /// An operation asked for, with its payload
    Request(Arc<Header>, Payload),
    /// A Portals acknowledgement
    Ack(Outcome),
    /// A reply with its payload
    Reply(Outcome, Payload),
    /// The end-to-end acknowledgement of the message with this number on this virtual network
    E2eAck {
        /// Network of what is acknowledged
        vn: Vn,
        /// Number of what is acknowledged
        number: u64,
        /// How the request ended, if one is acknowledged
        outcome: Outcome,
    },
}

/// A message between two NICs.
#[derive(Clone, Debug)]
pub struct Message {
    /// What it is
    pub body: Body,
    /// The node that sends it
    pub from: u32,
    /// The node it goes to
    pub to: u32,
    /// The virtual network it travels on
    pub vn: Vn,
    /// Its place in the order; end-to-end acknowledgements have none
    pub sequence: Sequence,
    /// The operation it belongs to, at the operation's initiator
    pub operation: OperationId,
    /// The operation's kind, which a reply's time and log depend on
    pub fetches: bool,
    /// The sender waits for an end-to-end acknowledgement
    pub e2e: bool,
    /// How often it was sent before
    pub retries: u32,
    /// Process identifiers at the sender and at the target, for flow control
    pub pids: (u32, u32),
    /// The payload came with the command or was written by the process: no DMA
    pub carried: bool,
    /// It holds a place in its interface's command queue until a transmitter takes it
    pub commanded: bool,
    /// Flow control counts it as under way
    pub credited: bool,
    /// Of a reply: what its sender does when it has left, with the process's place there
    pub completion: Option<(u32, Completion)>,
}

impl Message {
    /// The same message without the bytes it carries.
    pub(super) fn without_payload(&self) -> Self {
        let body = match &self.body {
            Body::Request(header, _) => Body::Request(Arc::clone(header), Payload::new()),
            Body::Reply(outcome, _) => Body::Reply(*outcome, Payload::new()),
            other @ (Body::Ack(_) | Body::E2eAck { .. }) => other.clone(),
        };
        Self { body, ..*self }
    }

    /// As the log of operations knows it.
    pub fn kind(&self) -> Kind {
        match &self.body {
            Body::Request(header, _) => match header.operation {
                Operation::Put => Kind::Put,
                Operation::Get => Kind::Get,
                Operation::Atomic { .. } => Kind::Atomic,
                Operation::FetchAtomic { .. } | Operation::Swap { .. } => Kind::FetchAtomic,
            },
            Body::Ack(_) => Kind::PortalsAck,
            Body::Reply(..) if self.fetches => Kind::FetchAtomicResponse,
            Body::Reply(..) => Kind::GetResponse,
            Body::E2eAck { .. } => Kind::E2eAck,
        }
    }
}
