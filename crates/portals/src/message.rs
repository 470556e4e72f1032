//! What crosses the network: a request's header with its payload, and how it ended.

use crate::types::{Handle, MatchList, NiFail, Process, RawProcess};
use smallvec::SmallVec;

/// Bytes that a message owns.
pub type Payload = SmallVec<[u8; 32]>;

/// Which acknowledgement an initiator asks for: `ptl_ack_req_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the header's constants")]
pub enum Ack {
    None,
    Full,
    Counting,
    OperationCompleted,
}

/// What a request does at its target.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names of the interface's functions")]
pub enum Operation {
    Put,
    Get,
    /// Operator and type are `PTL_…` numbers, checked when the request was made.
    Atomic {
        operator: u32,
        datatype: u32,
    },
    FetchAtomic {
        operator: u32,
        datatype: u32,
    },
    /// The operand of conditional and masked swaps, in the first bytes.
    Swap {
        operator: u32,
        datatype: u32,
        operand: [u8; 32],
    },
}

/// One request: what the target needs to carry it out, and what the initiator needs to complete it.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// What to do
    pub operation: Operation,
    /// Who asks, as the network knows it
    pub initiator: Process,
    /// Who asks, as the target's events and matching see it: a rank on a logical interface
    pub initiator_id: RawProcess,
    /// The initiator's user
    pub uid: u32,
    /// Whom
    pub target: Process,
    /// Which of the target's interfaces: 1 if it matches, and 2 more if it is logical
    pub interface: u8,
    /// Index into the target's portal table
    pub pt_index: u32,
    /// Match bits
    pub match_bits: u64,
    /// Bytes asked for
    pub length: u64,
    /// Offset into the target's memory
    pub remote_offset: u64,
    /// Out-of-band data
    pub hdr_data: u64,
    /// Acknowledgement asked for
    pub ack: Ack,
    /// The initiator's memory: what is sent; for a get, where the reply goes
    pub md: Handle,
    /// Offset there
    pub local_offset: u64,
    /// For fetching operations: where the reply goes
    pub get_md: Handle,
    /// Offset there
    pub get_local_offset: u64,
    /// The initiator's pointer for its events
    pub user_ptr: u64,
}

/// How a request ended at its target: what acknowledgement or reply tell the initiator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Success, or why not
    pub fail: NiFail,
    /// Bytes that were moved
    pub mlength: u64,
    /// Offset at which they were
    pub remote_offset: u64,
    /// On which list the entry was
    pub list: MatchList,
}

impl Header {
    /// Whether the interface matches.
    pub fn is_matching(&self) -> bool {
        self.interface & 1 == 1
    }
}
