//! Stacks of simulated threads.

use corosensei::stack::valgrind::ValgrindStackRegistration;
use corosensei::stack::{STACK_ALIGNMENT, Stack, StackPointer};
use std::io;
use std::mem::ManuallyDrop;
use std::ops::Range;

/// Bytes below a stack that nothing may touch: wide, so that a function with a large frame hits it too. It takes addresses and
/// no memory.
const GUARD: usize = 64 << 20;

/// The smallest stack that is made, bytes: what `printf` of a floating-point number and a signal handler need.
pub const SMALLEST: usize = 16 << 10;

/// A stack with a guard below it. Pages are taken from the machine when they are first used.
pub struct GuardedStack {
    top: StackPointer,
    mapped: usize,
    valgrind: ManuallyDrop<ValgrindStackRegistration>,
}

impl GuardedStack {
    /// A stack of `size` bytes, rounded up to whole pages, at least [`SMALLEST`].
    ///
    /// # Errors
    ///
    /// When the machine gives no more memory or mappings.
    pub fn new(size: usize) -> io::Result<Self> {
        let page = page_size();
        let usable = size.max(SMALLEST).next_multiple_of(page);
        let mapped = usable + GUARD;
        let flags = libc::MAP_ANONYMOUS | libc::MAP_PRIVATE | libc::MAP_NORESERVE | libc::MAP_STACK;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let bottom = unsafe { libc::mmap(std::ptr::null_mut(), mapped, libc::PROT_NONE, flags, -1, 0) };
        if bottom == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let top = bottom as usize + mapped;
        let stack = Self {
            top: StackPointer::new(top).expect("a mapping ends above address 0"),
            mapped,
            valgrind: ManuallyDrop::new(ValgrindStackRegistration::new(bottom.cast(), mapped)),
        };
        debug_assert_eq!(top % STACK_ALIGNMENT, 0);
        // SAFETY: the range is the upper part of the mapping just made.
        let made =
            unsafe { libc::mprotect(bottom.byte_add(GUARD), usable, libc::PROT_READ | libc::PROT_WRITE) };
        if made != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(stack)
    }

    /// The addresses of the guard.
    pub fn guard(&self) -> Range<usize> {
        let bottom = self.top.get() - self.mapped;
        bottom..bottom + GUARD
    }
}

impl Drop for GuardedStack {
    fn drop(&mut self) {
        // SAFETY: dropped here and nowhere else; the mapping is this stack's own, and a stack is dropped when nothing
        // runs on it any more.
        unsafe {
            ManuallyDrop::drop(&mut self.valgrind);
            libc::munmap((self.top.get() - self.mapped) as *mut libc::c_void, self.mapped);
        }
    }
}

// SAFETY: below the usable part lies a guard that cannot be accessed, and there are at least SMALLEST usable bytes; both
// ends are page-aligned.
unsafe impl Stack for GuardedStack {
    fn base(&self) -> StackPointer {
        self.top
    }

    fn limit(&self) -> StackPointer {
        StackPointer::new(self.top.get() - self.mapped).expect("no mapping is at address 0")
    }
}

/// Bytes of a page of memory.
pub fn page_size() -> usize {
    // SAFETY: sysconf has no preconditions.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).expect("the page size is known on every machine")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_rounded_up_to_pages_and_guarded_below() {
        let stack = GuardedStack::new(100_000).unwrap();
        let usable = stack.base().get() - stack.guard().end;
        assert_eq!(usable, 100_000usize.next_multiple_of(page_size()));
        assert_eq!(stack.guard().len(), 64 << 20);
        assert_eq!(stack.guard().start, stack.limit().get());
    }

    #[test]
    fn the_smallest_stack_has_sixteen_kibibytes() {
        let stack = GuardedStack::new(1).unwrap();
        assert_eq!(stack.base().get() - stack.guard().end, 16 << 10);
    }

    #[test]
    fn a_thousand_stacks_fit_beside_each_other() {
        let stacks: Vec<_> = (0..1_000)
            .map(|_| GuardedStack::new(256 << 10).unwrap())
            .collect();
        for stack in &stacks {
            let last = stack.base().get() - 8;
            // SAFETY: the highest word of a stack on which nothing runs.
            unsafe { (last as *mut u64).write(1) };
        }
    }
}
