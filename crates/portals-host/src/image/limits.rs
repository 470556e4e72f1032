//! How many images the machine can hold.

use super::file::File;
use std::fs;

/// Bytes of thread-local storage that the loader of glibc can give to libraries loaded later whose variables are in the
/// part that cannot grow: measured, 420 copies with 4 bytes each.
const FIXED_THREAD_LOCAL: usize = 420 * 4;

/// Mappings of a thread: its stack and the guard below.
const MAPPINGS_OF_A_THREAD: u64 = 2;

/// Mappings that the host and libraries for all processes may still need.
const RESERVED: u64 = 1_000;

/// How many processes fit by thread-local storage in the part that cannot grow; none: without limit.
pub fn by_thread_local<'a>(files: impl Iterator<Item = &'a File>) -> Option<usize> {
    let each: usize = files
        .filter_map(|file| file.thread_local.as_ref())
        .filter(|of| of.fixed && of.size > 0)
        .map(|of| of.size.next_multiple_of(of.align))
        .sum();
    (each > 0).then(|| FIXED_THREAD_LOCAL / each)
}

/// How many processes fit by the number of mappings that the system allows (`vm.max_map_count`), with that number; none:
/// the system does not tell.
pub fn by_mappings<'a>(files: impl Iterator<Item = &'a File>) -> Option<(u64, u64)> {
    let allowed: u64 = fs::read_to_string("/proc/sys/vm/max_map_count")
        .ok()?
        .trim()
        .parse()
        .ok()?;
    let used = fs::read_to_string("/proc/self/maps").ok()?.lines().count() as u64;
    let each = files.map(|file| file.mappings).sum::<u64>() + MAPPINGS_OF_A_THREAD;
    Some((allowed.saturating_sub(used + RESERVED) / each, allowed))
}

#[cfg(test)]
mod tests {
    use super::super::file::ThreadLocal;
    use super::*;

    fn file(size: usize, fixed: bool) -> File {
        File {
            bytes: Vec::new(),
            needed: Vec::new(),
            start: Default::default(),
            end: Default::default(),
            thread_local: Some(ThreadLocal {
                address: 0,
                initial: 0,
                size,
                align: 4,
                fixed,
            }),
            imports: Vec::new(),
            required: Default::default(),
            defined: Default::default(),
            read_only: None,
            mappings: 7,
        }
    }

    #[test]
    fn fixed_thread_local_storage_holds_420_copies_of_four_bytes() {
        assert_eq!(by_thread_local([file(4, true)].iter()), Some(420));
        assert_eq!(
            by_thread_local([file(4, true), file(6, true)].iter()),
            Some(420 * 4 / (4 + 8))
        );
        assert_eq!(by_thread_local([file(4, false)].iter()), None);
    }

    #[test]
    fn mappings_bound_the_processes() {
        let (processes, allowed) = by_mappings([file(4, false)].iter()).unwrap();
        assert!(processes <= allowed / 9, "each takes 7 and 2 for its stack");
        assert!(processes > 0);
    }
}
