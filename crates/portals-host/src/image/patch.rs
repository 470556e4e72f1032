//! Entries of an image's tables of addresses that lead elsewhere.

use super::file::File;
use crate::stack::page_size;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_void};
use std::ops::Range;

/// What is written over what in each copy of a file.
#[derive(Clone, Debug, Default)]
pub struct Patches {
    /// Where, from the start of the image, and the address that goes there
    entries: Vec<(u64, usize)>,
    /// Memory that is read-only by then, from the start of the image
    read_only: Option<Range<u64>>,
}

impl Patches {
    /// Of the symbols that `file` takes from others and that `instead` has something for; those in `own` are the program's
    /// own and stay.
    pub fn of(file: &File, own: &BTreeSet<String>, instead: impl Fn(&str) -> Option<usize>) -> Self {
        let entries: Vec<(u64, usize)> = file
            .imports
            .iter()
            .filter(|import| !own.contains(&import.name))
            .filter_map(|import| instead(&import.name).map(|address| (import.slot, address)))
            .collect();
        let read_only = file
            .read_only
            .clone()
            .map(|range| {
                let page = page_size() as u64;
                range.start / page * page..range.end / page * page
            })
            .filter(|range| entries.iter().any(|(slot, _)| range.contains(slot)));
        Self { entries, read_only }
    }

    /// Writes them into the image at `base`.
    ///
    /// # Errors
    ///
    /// When the system does not let read-only memory be written.
    ///
    /// # Safety
    ///
    /// A copy of the file that these patches were made of is loaded at `base`, and none of its code runs.
    pub unsafe fn apply(&self, base: usize) -> std::io::Result<()> {
        let protect = |rights| match &self.read_only {
            Some(range) => {
                let start = (base + range.start as usize) as *mut c_void;
                // SAFETY: the range is the part of the image that the loader made read-only by its header.
                match unsafe { libc::mprotect(start, (range.end - range.start) as usize, rights) } {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            }
            None => Ok(()),
        };
        protect(libc::PROT_READ | libc::PROT_WRITE)?;
        for (slot, address) in &self.entries {
            let place = (base + *slot as usize) as *mut usize;
            // SAFETY: the file's relocations name this place as one that holds an address; it is in a writable segment,
            // or in the part just made writable.
            unsafe { place.write_unaligned(*address) };
        }
        protect(libc::PROT_READ)
    }
}

/// Patches a library that all processes share, if it is loaded: the name is that under which others need it.
///
/// # Safety
///
/// None of the library's code runs, and what `instead` gives behaves like the library's own choice when no process runs.
pub unsafe fn patch_shared(name: &CStr, instead: impl Fn(&str) -> Option<usize>) {
    // SAFETY: nothing is loaded by this; the handle is given back below.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    if handle.is_null() {
        return;
    }
    // SAFETY: the handle is valid.
    let (base, path) = unsafe { super::loaded::place_of(handle) };
    let file = std::fs::read(std::ffi::OsStr::new(&*path.to_string_lossy())).ok();
    if let Some(file) = file.and_then(|bytes| File::parse(bytes).ok()) {
        let patches = Patches::of(&file, &BTreeSet::new(), instead);
        // SAFETY: the file is the one loaded at `base`; the rest is the caller's promise. A failure leaves the library as it
        // is.
        let _ = unsafe { patches.apply(base) };
    }
    // SAFETY: taken above.
    unsafe { libc::dlclose(handle) };
}

/// A C string; what comes after a zero byte is cut.
pub fn c_string(text: &[u8]) -> CString {
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
    CString::new(&text[..end]).expect("cut at the first zero byte")
}
