//! Memory that processes share.

use super::pointers::In;
use crate::keyval;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_shared_malloc(size: usize, file: In<c_char>, line: c_int) -> *mut c_void {
    let place = (file.text().unwrap_or_default(), line, size);
    keyval::with(|run| run.shared.take(place)).map_or(null_mut(), |address| address as *mut c_void)
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_shared_free(data: *mut c_void) {
    let ours = keyval::with(|run| run.shared.give_back(data as usize));
    if !ours {
        // SAFETY: `free` is that of the C library which gave the memory to the program (`S4BXI_PARTIAL_SHARED_MALLOC`); a
        // pointer to something else is the program's fault, as with `free` itself.
        unsafe { free(data) }
    }
}

// SAFETY: as the C library declares it.
unsafe extern "C" {
    fn free(data: *mut c_void);
}
