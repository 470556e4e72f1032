//! The memory of hosted processes, as Portals reads and writes it.

use packetloom_portals::Memory;
use std::cell::Cell;

thread_local! {
    /// The first access since the last look that the machine refused: whose, and where
    static REFUSED: Cell<Option<Refused>> = const { Cell::new(None) };
}

/// An address that a process gave Portals, and that it does not own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The process's rank
    pub rank: u32,
    /// The first address of the access
    pub address: u64,
}

/// The memory of one process. All processes of a run share one address space, so an address is read as it is: it must have
/// come from a program, as those in Portals calls do.
///
/// An address that cannot be read or written is the process's fault: reading gives zeroes, writing does nothing, and the
/// run ends with a message that names the rank.
#[derive(Clone, Copy, Debug)]
pub struct ProcessMemory {
    rank: u32,
}

impl ProcessMemory {
    /// Of the process of a rank.
    pub fn new(rank: u32) -> Self {
        Self { rank }
    }

    fn refuse(self, address: u64) {
        if REFUSED.get().is_none() {
            REFUSED.set(Some(Refused {
                rank: self.rank,
                address,
            }));
        }
    }
}

impl Memory for ProcessMemory {
    fn read(&self, address: u64, into: &mut [u8]) {
        // SAFETY: the destination is a slice of ours; what cannot be read is noticed.
        if !unsafe { copy(into.as_mut_ptr(), address as *const u8, into.len()) } {
            into.fill(0);
            self.refuse(address);
        }
    }

    fn write(&mut self, address: u64, from: &[u8]) {
        // SAFETY: the source is a slice of ours; what cannot be written is noticed. The program gave the address to Portals
        // for being written to, so that it is not memory of the host.
        if !unsafe { copy(address as *mut u8, from.as_ptr(), from.len()) } {
            self.refuse(address);
        }
    }
}

/// The first refused access since the last look, if there was one.
pub fn take_refused() -> Option<Refused> {
    REFUSED.take()
}

/// Whether no access was refused since the last look.
pub fn none_refused() -> bool {
    REFUSED.get().is_none()
}

/// Copies `count` bytes; false: one of the addresses cannot be accessed, and some bytes may have been copied.
///
/// # Safety
///
/// The bytes that can be written belong to nobody else.
#[cfg(target_arch = "x86_64")]
unsafe fn copy(to: *mut u8, from: *const u8, count: usize) -> bool {
    // SAFETY: `copy_bytes` copies as said; a fault in it comes to `recover`.
    unsafe { copy_bytes(to, from, count) == 0 }
}

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".text",
    ".globl packetloom_copy_bytes",
    ".hidden packetloom_copy_bytes",
    ".type packetloom_copy_bytes, @function",
    "packetloom_copy_bytes:",
    "mov rcx, rdx",
    ".globl packetloom_copy_instruction",
    ".hidden packetloom_copy_instruction",
    "packetloom_copy_instruction:",
    "rep movsb",
    "xor eax, eax",
    "ret",
    ".globl packetloom_copy_refused",
    ".hidden packetloom_copy_refused",
    "packetloom_copy_refused:",
    "mov eax, 1",
    "ret",
    ".size packetloom_copy_bytes, . - packetloom_copy_bytes",
);

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    #[link_name = "packetloom_copy_bytes"]
    fn copy_bytes(to: *mut u8, from: *const u8, count: usize) -> i32;
    #[link_name = "packetloom_copy_instruction"]
    fn copy_instruction();
    #[link_name = "packetloom_copy_refused"]
    fn copy_refused();
}

/// When the interrupted instruction is the one that copies, lets it go on as refused. For signal handlers.
#[cfg(target_arch = "x86_64")]
pub fn recover(context: &mut libc::ucontext_t) -> bool {
    let place = &mut context.uc_mcontext.gregs[libc::REG_RIP as usize];
    let at_copy = *place == copy_instruction as *const () as i64;
    if at_copy {
        *place = copy_refused as *const () as i64;
    }
    at_copy
}

/// Copies `count` bytes; false: one of the addresses cannot be accessed.
///
/// # Safety
///
/// The bytes that can be written belong to nobody else.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn copy(to: *mut u8, from: *const u8, count: usize) -> bool {
    let local = libc::iovec {
        iov_base: to.cast(),
        iov_len: count,
    };
    let remote = libc::iovec {
        iov_base: from.cast_mut().cast(),
        iov_len: count,
    };
    // SAFETY: the system checks all addresses itself; getpid has no preconditions.
    let copied =
        unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    usize::try_from(copied) == Ok(count)
}

/// Nothing to recover: the system checks addresses.
#[cfg(not(target_arch = "x86_64"))]
pub fn recover(_: &mut libc::ucontext_t) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crash::Handlers;
    use std::time::Duration;

    #[test]
    fn bytes_are_copied_both_ways() {
        let mut there = *b"abcdef";
        let mut memory = ProcessMemory::new(3);
        let mut here = [0; 3];
        memory.read(there.as_ptr() as u64 + 1, &mut here);
        assert_eq!(&here, b"bcd");
        memory.write(there.as_mut_ptr() as u64 + 2, b"xyz");
        assert_eq!(&there, b"abxyzf");
        assert_eq!(take_refused(), None);
    }

    #[test]
    fn an_address_that_is_nobodys_is_the_processs_fault() {
        let _handlers = Handlers::install(Duration::from_secs(10)).unwrap();
        let mut memory = ProcessMemory::new(3);
        let mut here = [7; 4];
        memory.read(16, &mut here);
        assert_eq!(here, [0; 4]);
        memory.write(32, b"x");
        assert_eq!(take_refused(), Some(Refused { rank: 3, address: 16 }));
        assert_eq!(take_refused(), None);
    }
}
