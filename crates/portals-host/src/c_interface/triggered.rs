//! Triggered changes of counting events; triggered data movement stands with the plain one.

use super::plain;
use super::types::CCounter;
use crate::current;
use packetloom_portals::{Call, Handle, Trigger};
use std::ffi::c_int;

/// Registers an operation for when a counting event reaches a threshold.
pub fn register(operation: Trigger, ct: u32, threshold: u64) -> c_int {
    plain(current::call(Call::Triggered {
        operation: Box::new(operation),
        ct: Handle(ct),
        threshold,
    }))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlTriggeredCTInc(
    ct_handle: u32,
    increment: CCounter,
    trig_ct_handle: u32,
    threshold: u64,
) -> c_int {
    let operation = Trigger::CtInc(Handle(ct_handle), increment.into());
    register(operation, trig_ct_handle, threshold)
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlTriggeredCTSet(
    ct_handle: u32,
    new_ct: CCounter,
    trig_ct_handle: u32,
    threshold: u64,
) -> c_int {
    let operation = Trigger::CtSet(Handle(ct_handle), new_ct.into());
    register(operation, trig_ct_handle, threshold)
}
