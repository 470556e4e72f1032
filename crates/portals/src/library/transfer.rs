//! Bytes between messages and a process's memory.

use super::atomics;
use crate::memory::Memory;
use crate::message::{Operation, Payload};

/// Runs of (address, bytes).
type Runs = [(u64, u64)];

/// Does what an operation does at its target with the `length` bytes in `runs`, and gives what it fetches.
///
/// Of atomic operations whole elements are done; bytes that are left over stay as they are.
pub(super) fn transfer(
    operation: &Operation,
    runs: &Runs,
    length: u64,
    payload: &[u8],
    memory: &mut impl Memory,
) -> Payload {
    let (operator, datatype, operand) = match operation {
        Operation::Put => {
            write(runs, payload, memory);
            return Payload::new();
        }
        Operation::Get => return read(runs, memory),
        Operation::Atomic { operator, datatype } | Operation::FetchAtomic { operator, datatype } => {
            (*operator, *datatype, &[0; 32])
        }
        Operation::Swap {
            operator,
            datatype,
            operand,
        } => (*operator, *datatype, operand),
    };
    let mut target = read(runs, memory);
    let before = if matches!(operation, Operation::Atomic { .. }) {
        Payload::new()
    } else {
        target.clone()
    };
    let element = atomics::size_of(datatype).unwrap_or(1);
    let whole = length as usize / element * element;
    let whole = whole.min(payload.len()).min(target.len());
    atomics::apply(
        operator,
        datatype,
        &mut target[..whole],
        &payload[..whole],
        operand,
    );
    write(runs, &target, memory);
    before
}

/// What lies in `runs`.
pub(super) fn read(runs: &Runs, memory: &impl Memory) -> Payload {
    let length = runs.iter().map(|run| run.1 as usize).sum();
    let mut bytes = Payload::new();
    bytes.resize(length, 0);
    let mut place = 0;
    for &(address, size) in runs {
        let end = place + size as usize;
        memory.read(address, &mut bytes[place..end]);
        place = end;
    }
    bytes
}

/// Writes the first bytes into `runs`, as far as both reach.
pub(super) fn write(runs: &Runs, bytes: &[u8], memory: &mut impl Memory) {
    let mut rest = bytes;
    for &(address, size) in runs {
        let (now, later) = rest.split_at(rest.len().min(size as usize));
        if !now.is_empty() {
            memory.write(address, now);
        }
        rest = later;
    }
}
