//! What an interface can hold.

use super::handles::MOST;
use crate::constants::{PTL_COHERENT_ATOMICS, PTL_TARGET_BIND_INACCESSIBLE, PTL_TOTAL_DATA_ORDERING};
use crate::types::Limits;

/// Most objects of a kind.
const MANY: i32 = 1 << 19;
const _: () = assert!((MANY as u32) < MOST);

/// Most bytes of a message: 4 GiB.
const LARGEST_MESSAGE: u64 = 1 << 32;

/// Most bytes of an atomic operation.
const LARGEST_ATOMIC: u64 = 4096;

/// What an interface gives at most, and what it has when nothing else is asked for.
///
/// Memory descriptors with `PTL_MD_VOLATILE` are honoured up to what the NIC takes by programmed I/O: 408 B with matching,
/// 416 B without. All data is ordered whatever its size, for messages of a pair arrive in order.
pub(super) fn most(matching: bool) -> Limits {
    Limits {
        max_entries: MANY,
        max_unexpected_headers: MANY,
        max_mds: MANY,
        max_cts: MANY,
        max_eqs: MANY,
        max_pt_index: 255,
        max_iovecs: 1 << 16,
        max_list_size: MANY,
        max_triggered_ops: 1 << 14,
        max_msg_size: LARGEST_MESSAGE,
        max_atomic_size: LARGEST_ATOMIC,
        max_fetch_atomic_size: LARGEST_ATOMIC,
        max_waw_ordered_size: LARGEST_MESSAGE,
        max_war_ordered_size: LARGEST_MESSAGE,
        max_volatile_size: if matching { 408 } else { 416 },
        features: PTL_TARGET_BIND_INACCESSIBLE | PTL_TOTAL_DATA_ORDERING | PTL_COHERENT_ATOMICS,
    }
}

/// What an interface gives whose program desires `desired`: that, but nothing above [`most`], and the ordered sizes not
/// below what the header demands (64 B for a write after a write, 8 B for a write after a read). Features are what they are.
///
/// A limit of 0 or less is a wish that the program did not make, as in a structure that was filled with zeros and then set in
/// part: it gets the most.
pub(super) fn actual(desired: Option<&Limits>, matching: bool) -> Limits {
    let most = most(matching);
    let Some(desired) = desired else {
        return most;
    };
    let count = |desired: i32, most: i32| if desired <= 0 { most } else { desired.min(most) };
    let size = |desired: u64, most: u64| if desired == 0 { most } else { desired.min(most) };
    Limits {
        max_entries: count(desired.max_entries, most.max_entries),
        max_unexpected_headers: count(desired.max_unexpected_headers, most.max_unexpected_headers),
        max_mds: count(desired.max_mds, most.max_mds),
        max_cts: count(desired.max_cts, most.max_cts),
        max_eqs: count(desired.max_eqs, most.max_eqs),
        max_pt_index: count(desired.max_pt_index, most.max_pt_index),
        max_iovecs: count(desired.max_iovecs, most.max_iovecs),
        max_list_size: count(desired.max_list_size, most.max_list_size),
        max_triggered_ops: count(desired.max_triggered_ops, most.max_triggered_ops),
        max_msg_size: size(desired.max_msg_size, most.max_msg_size),
        max_atomic_size: size(desired.max_atomic_size, most.max_atomic_size),
        max_fetch_atomic_size: size(desired.max_fetch_atomic_size, most.max_fetch_atomic_size),
        max_waw_ordered_size: size(desired.max_waw_ordered_size, most.max_waw_ordered_size).max(64),
        max_war_ordered_size: size(desired.max_war_ordered_size, most.max_war_ordered_size).max(8),
        max_volatile_size: size(desired.max_volatile_size, most.max_volatile_size),
        features: most.features,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_desired_is_given_up_to_the_most() {
        let most = most(true);
        assert!(most.max_pt_index >= 63, "the header demands 63");
        let mut desired = most;
        desired.max_entries = 4;
        desired.max_eqs = i32::MAX;
        desired.max_msg_size = u64::MAX;
        desired.max_volatile_size = 8;
        desired.max_waw_ordered_size = 1;
        desired.max_war_ordered_size = 1;
        desired.features = 0;
        let actual = actual(Some(&desired), true);
        assert_eq!(actual.max_entries, 4);
        assert_eq!(actual.max_eqs, most.max_eqs);
        assert_eq!(actual.max_msg_size, most.max_msg_size);
        assert_eq!(actual.max_volatile_size, 8);
        assert_eq!(
            (actual.max_waw_ordered_size, actual.max_war_ordered_size),
            (64, 8)
        );
        assert_eq!(actual.features, most.features);
    }

    #[test]
    fn what_is_not_desired_is_the_most() {
        assert_eq!(actual(None, false), most(false));
        // A program that sets the limits it cares for in a structure full of zeros.
        let desired = Limits {
            max_entries: 0,
            max_unexpected_headers: 0,
            max_mds: -1,
            max_cts: 0,
            max_eqs: 0,
            max_pt_index: 3,
            max_iovecs: 0,
            max_list_size: 0,
            max_triggered_ops: 0,
            max_msg_size: 0,
            max_atomic_size: 0,
            max_fetch_atomic_size: 0,
            max_waw_ordered_size: 0,
            max_war_ordered_size: 0,
            max_volatile_size: 0,
            features: 0,
        };
        let wanted = Limits {
            max_pt_index: 3,
            ..most(true)
        };
        assert_eq!(actual(Some(&desired), true), wanted);
        assert_eq!(
            (most(true).max_volatile_size, most(false).max_volatile_size),
            (408, 416)
        );
    }
}
