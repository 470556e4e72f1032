//! The memory of a simulated process, seen from outside.

/// Reads and writes a process's memory by address. Whoever implements it makes sure that a wrong address is reported as
/// the process's fault.
pub trait Memory {
    /// Copies from `address` on.
    fn read(&self, address: u64, into: &mut [u8]);

    /// Copies to `address` on.
    fn write(&mut self, address: u64, from: &[u8]);
}
