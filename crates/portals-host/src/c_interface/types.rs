//! The structures of `portals4.h` as they lie in memory.

use super::numbers;
use super::pointers::In;
use packetloom_portals::{Counter, EntrySpec, Event, Handle, Limits, MdSpec, Process, RawProcess, Region};
use std::ffi::{c_int, c_uint};

/// More elements than any interface allows an array of `ptl_iovec_t` to have: no more are looked at.
const MAX_IOVECS_READ: u64 = 1 << 20;

/// All processes of a run are one job.
pub const JOB: u32 = 1;

/// `ptl_process_t`: the union's first number is the rank as well.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct CProcess {
    pub nid_or_rank: u32,
    pub pid: u32,
}

impl From<RawProcess> for CProcess {
    fn from(process: RawProcess) -> Self {
        Self {
            nid_or_rank: process.nid_or_rank,
            pid: process.pid,
        }
    }
}

impl From<CProcess> for RawProcess {
    fn from(process: CProcess) -> Self {
        Self {
            nid_or_rank: process.nid_or_rank,
            pid: process.pid,
        }
    }
}

impl From<Process> for CProcess {
    fn from(process: Process) -> Self {
        Self {
            nid_or_rank: process.nid,
            pid: process.pid,
        }
    }
}

/// `ptl_md_t`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CMd {
    pub start: u64,
    pub length: u64,
    pub options: c_uint,
    pub eq_handle: u32,
    pub ct_handle: u32,
}

impl CMd {
    /// `None`: the array of runs cannot be read.
    pub fn spec(&self) -> Option<MdSpec> {
        Some(MdSpec {
            region: region(self.start, self.length, self.options)?,
            options: self.options,
            eq: Handle(self.eq_handle),
            ct: Handle(self.ct_handle),
        })
    }
}

/// `ptl_iovec_t`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CIovec {
    pub iov_base: u64,
    pub iov_len: u64,
}

/// The memory that `start`, `length` and `PTL_IOVEC` describe.
fn region(start: u64, length: u64, options: c_uint) -> Option<Region> {
    if options & numbers::IOVEC == 0 {
        return Some(Region::Run { start, length });
    }
    if length > MAX_IOVECS_READ {
        return None;
    }
    let runs = In(start as *const CIovec).list(length as usize)?;
    Some(Region::Vector(
        runs.iter().map(|run| (run.iov_base, run.iov_len)).collect(),
    ))
}

/// `ptl_le_t`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CLe {
    pub start: u64,
    pub length: u64,
    pub ct_handle: u32,
    pub uid: u32,
    pub options: c_uint,
}

impl CLe {
    /// `None`: the array of runs cannot be read. `own_uid` is the caller's user.
    pub fn spec(&self, own_uid: u32) -> Option<EntrySpec> {
        let (uid, options) = allowed_user(self.uid, self.options, own_uid);
        Some(EntrySpec {
            region: region(self.start, self.length, self.options)?,
            ct: Handle(self.ct_handle),
            min_free: 0,
            uid,
            options,
            match_id: RawProcess::default(),
            match_bits: 0,
            ignore_bits: 0,
        })
    }
}

/// `ptl_me_t`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CMe {
    pub start: u64,
    pub length: u64,
    pub ct_handle: u32,
    pub uid: u32,
    pub options: c_uint,
    pub match_id: CProcess,
    pub match_bits: u64,
    pub ignore_bits: u64,
    pub min_free: u64,
}

impl CMe {
    /// `None`: the array of runs cannot be read. `own_uid` is the caller's user.
    pub fn spec(&self, own_uid: u32) -> Option<EntrySpec> {
        let (uid, options) = allowed_user(self.uid, self.options, own_uid);
        Some(EntrySpec {
            region: region(self.start, self.length, self.options)?,
            ct: Handle(self.ct_handle),
            min_free: self.min_free,
            uid,
            options,
            match_id: self.match_id.into(),
            match_bits: self.match_bits,
            ignore_bits: self.ignore_bits,
        })
    }
}

/// User and options of an entry that may name a job, as early variants of the interface allow: the one job there is, or any,
/// stands for any user, and another for a user that nobody is.
fn allowed_user(uid_or_jid: u32, options: c_uint, own_uid: u32) -> (u32, c_uint) {
    if options & numbers::AUTH_USE_JID == 0 {
        return (uid_or_jid, options);
    }
    let uid = if uid_or_jid == numbers::ANY || uid_or_jid == JOB {
        numbers::ANY
    } else {
        own_uid ^ 1
    };
    (uid, options & !numbers::AUTH_USE_JID)
}

/// `ptl_ni_limits_t`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CLimits {
    pub max_entries: c_int,
    pub max_unexpected_headers: c_int,
    pub max_mds: c_int,
    pub max_cts: c_int,
    pub max_eqs: c_int,
    pub max_pt_index: c_int,
    pub max_iovecs: c_int,
    pub max_list_size: c_int,
    pub max_triggered_ops: c_int,
    pub max_msg_size: u64,
    pub max_atomic_size: u64,
    pub max_fetch_atomic_size: u64,
    pub max_waw_ordered_size: u64,
    pub max_war_ordered_size: u64,
    pub max_volatile_size: u64,
    pub features: c_uint,
}

macro_rules! same_fields {
    ($($field:ident),* $(,)?) => {
        impl From<CLimits> for Limits {
            fn from(limits: CLimits) -> Self {
                Self { $($field: limits.$field),* }
            }
        }

        impl From<Limits> for CLimits {
            fn from(limits: Limits) -> Self {
                Self { $($field: limits.$field),* }
            }
        }
    };
}

same_fields!(
    max_entries,
    max_unexpected_headers,
    max_mds,
    max_cts,
    max_eqs,
    max_pt_index,
    max_iovecs,
    max_list_size,
    max_triggered_ops,
    max_msg_size,
    max_atomic_size,
    max_fetch_atomic_size,
    max_waw_ordered_size,
    max_war_ordered_size,
    max_volatile_size,
    features,
);

/// `ptl_ct_event_t`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CCounter {
    pub success: u64,
    pub failure: u64,
}

impl From<Counter> for CCounter {
    fn from(counter: Counter) -> Self {
        Self {
            success: counter.success,
            failure: counter.failure,
        }
    }
}

impl From<CCounter> for Counter {
    fn from(counter: CCounter) -> Self {
        Self {
            success: counter.success,
            failure: counter.failure,
        }
    }
}

/// `ptl_event_t`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CEvent {
    pub start: u64,
    pub user_ptr: u64,
    pub hdr_data: u64,
    pub match_bits: u64,
    pub rlength: u64,
    pub mlength: u64,
    pub remote_offset: u64,
    pub uid: u32,
    pub jid: u32,
    pub initiator: CProcess,
    pub kind: c_uint,
    pub ptl_list: c_uint,
    pub pt_index: u32,
    pub ni_fail_type: c_uint,
    pub atomic_operation: c_uint,
    pub atomic_type: c_uint,
}

impl From<&Event> for CEvent {
    fn from(event: &Event) -> Self {
        Self {
            start: event.start,
            user_ptr: event.user_ptr,
            hdr_data: event.hdr_data,
            match_bits: event.match_bits,
            rlength: event.rlength,
            mlength: event.mlength,
            remote_offset: event.remote_offset,
            uid: event.uid,
            jid: JOB,
            initiator: event.initiator.into(),
            kind: event.kind,
            ptl_list: numbers::list(event.list),
            pt_index: event.pt_index,
            ni_fail_type: numbers::failure(event.fail),
            atomic_operation: event.atomic_operation,
            atomic_type: event.atomic_type,
        }
    }
}
