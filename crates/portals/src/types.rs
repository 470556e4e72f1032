//! Identifiers, handles, codes, and the structures of the interface, as the public header `portals4.h` has them.
//!
//! Numbers that programs see (codes, options, kinds of events, operators, types) stand in `constants`.

use smallvec::SmallVec;

/// A process as the network knows it: its node and its process identifier there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Process {
    /// Node identifier
    pub nid: u32,
    /// Process identifier on the node
    pub pid: u32,
}

/// A `ptl_process_t` as a program wrote it: node and process identifiers on a physical interface; on a logical one the
/// first number is a rank and the second is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RawProcess {
    /// Node identifier, or rank
    pub nid_or_rank: u32,
    /// Process identifier
    pub pid: u32,
}

/// What names an object of one process: a small integer, the same on every rank for the same sequence of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub u32);

/// A return code other than success, by the name it has in the header (`PTL_ARG_INVALID`, …); `constants` has the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the header's codes")]
pub enum Code {
    ArgInvalid,
    CtNoneReached,
    EqDropped,
    EqEmpty,
    Fail,
    Ignored,
    InUse,
    Interrupted,
    ListTooLong,
    NoInit,
    NoSpace,
    PidInUse,
    PtFull,
    PtEqNeeded,
    PtInUse,
    SizeInvalid,
    TryAgain,
    Aborted,
}

/// How an operation ended, as `ni_fail_type` tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "the names of the header's constants")]
pub enum NiFail {
    #[default]
    Ok,
    Undeliverable,
    PtDisabled,
    Dropped,
    PermViolation,
    OpViolation,
    Segv,
    NoMatch,
    TargetInvalid,
}

/// `ptl_ni_limits_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the header's fields")]
pub struct Limits {
    pub max_entries: i32,
    pub max_unexpected_headers: i32,
    pub max_mds: i32,
    pub max_cts: i32,
    pub max_eqs: i32,
    pub max_pt_index: i32,
    pub max_iovecs: i32,
    pub max_list_size: i32,
    pub max_triggered_ops: i32,
    pub max_msg_size: u64,
    pub max_atomic_size: u64,
    pub max_fetch_atomic_size: u64,
    pub max_waw_ordered_size: u64,
    pub max_war_ordered_size: u64,
    pub max_volatile_size: u64,
    pub features: u32,
}

/// Memory of one process: a run of bytes, or several that count as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Region {
    /// From an address on, so many bytes
    Run {
        /// Address of the first byte
        start: u64,
        /// Bytes
        length: u64,
    },
    /// Runs of (address, bytes), one behind the other
    Vector(Box<[(u64, u64)]>),
}

impl Region {
    /// Bytes in all.
    pub fn length(&self) -> u64 {
        match self {
            Self::Run { length, .. } => *length,
            Self::Vector(runs) => runs.iter().fold(0, |sum: u64, run| sum.saturating_add(run.1)),
        }
    }

    /// The runs that `length` bytes from `offset` on lie in; what lies past the end is left out.
    pub fn slice(&self, offset: u64, length: u64) -> SmallVec<[(u64, u64); 2]> {
        let mut runs = SmallVec::new();
        let (mut skip, mut left) = (offset, length);
        let mut take = |start: u64, size: u64| {
            let skipped = skip.min(size);
            skip -= skipped;
            let taken = left.min(size - skipped);
            left -= taken;
            if taken > 0 {
                runs.push((start.wrapping_add(skipped), taken));
            }
        };
        match self {
            Self::Run { start, length } => take(*start, *length),
            Self::Vector(vector) => vector.iter().for_each(|&(start, size)| take(start, size)),
        }
        runs
    }
}

/// `ptl_md_t` with its region read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MdSpec {
    /// The memory
    pub region: Region,
    /// `PTL_MD_…` options
    pub options: u32,
    /// Event queue, or the handle that stands for none
    pub eq: Handle,
    /// Counting event, or the handle that stands for none
    pub ct: Handle,
}

/// `ptl_me_t` with its region read; of a `ptl_le_t` the fields for matching are 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntrySpec {
    /// The memory
    pub region: Region,
    /// Counting event, or the handle that stands for none
    pub ct: Handle,
    /// Free bytes below which the entry unlinks, 0: never for this reason
    pub min_free: u64,
    /// User identifier that may use the entry, or the wildcard
    pub uid: u32,
    /// `PTL_ME_…` and `PTL_LE_…` options
    pub options: u32,
    /// Whose requests match
    pub match_id: RawProcess,
    /// Bits to match
    pub match_bits: u64,
    /// Bits that need not match
    pub ignore_bits: u64,
}

/// On which list of a portal table entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "the names of the header's constants")]
pub enum MatchList {
    #[default]
    Priority,
    Overflow,
}

/// What a search does with what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the header's constants")]
pub enum SearchMode {
    Only,
    Delete,
}

/// `ptl_event_t`; what does not belong to its kind is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "the names of the header's fields")]
pub struct Event {
    /// `PTL_EVENT_…`, see `constants`
    pub kind: u32,
    pub start: u64,
    pub user_ptr: u64,
    pub hdr_data: u64,
    pub match_bits: u64,
    pub rlength: u64,
    pub mlength: u64,
    pub remote_offset: u64,
    pub uid: u32,
    pub initiator: RawProcess,
    pub list: MatchList,
    pub pt_index: u32,
    pub fail: NiFail,
    pub atomic_operation: u32,
    pub atomic_type: u32,
}

/// `ptl_ct_event_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "the names of the header's fields")]
pub struct Counter {
    pub success: u64,
    pub failure: u64,
}
