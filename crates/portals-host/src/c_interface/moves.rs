//! Data movement: at once, without waiting for a place (`NB`), and triggered.

use super::numbers::{ack_of, number};
use super::pointers::In;
use super::types::CProcess;
use super::{plain, triggered};
use crate::current;
use packetloom_portals::{Ack, Call, Code, Handle, Move, Operation, Trigger, atomics};
use std::ffi::{c_int, c_uint};

/// Starts an operation; `None`: its arguments are wrong.
fn start(operation: Option<Move>, try_only: bool) -> c_int {
    match operation {
        Some(operation) => plain(current::call(Call::Move {
            operation: Box::new(operation),
            try_only,
        })),
        None => number(Code::ArgInvalid),
    }
}

/// Registers an operation for when a counting event reaches a threshold; `None`: its arguments are wrong.
fn trigger(operation: Option<Move>, ct: u32, threshold: u64) -> c_int {
    match operation {
        Some(operation) => triggered::register(Trigger::Move(operation), ct, threshold),
        None => number(Code::ArgInvalid),
    }
}

/// The operation of a swap; `None`: it needs an operand and has none.
fn swap(operand: In<u8>, operator: c_uint, datatype: c_uint) -> Option<Operation> {
    let mut bytes = [0; 32];
    if atomics::is_single(operator)
        && let Some(size) = atomics::size_of(datatype)
    {
        bytes[..size].copy_from_slice(&operand.list(size)?);
    }
    Some(Operation::Swap {
        operator,
        datatype,
        operand: bytes,
    })
}

/// The four functions of an operation: plain, `NB`, triggered, triggered and `NB`; with their parameters and what makes the
/// operation of them.
macro_rules! operation {
    ($plain:ident $nb:ident $triggered:ident $triggered_nb:ident ($($name:ident: $type:ty),* $(,)?) $make:expr) => {
        #[unsafe(no_mangle)]
        pub extern "C" fn $plain($($name: $type),*) -> c_int {
            start($make, false)
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $nb($($name: $type),*) -> c_int {
            start($make, true)
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $triggered($($name: $type,)* trig_ct_handle: u32, threshold: u64) -> c_int {
            trigger($make, trig_ct_handle, threshold)
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $triggered_nb($($name: $type,)* trig_ct_handle: u32, threshold: u64) -> c_int {
            trigger($make, trig_ct_handle, threshold)
        }
    };
}

operation! {
    PtlPut PtlPutNB PtlTriggeredPut PtlTriggeredPutNB
    (
        md_handle: u32,
        local_offset: u64,
        length: u64,
        ack_req: c_uint,
        target_id: CProcess,
        pt_index: u32,
        match_bits: u64,
        remote_offset: u64,
        user_ptr: u64,
        hdr_data: u64,
    )
    ack_of(ack_req).map(|ack| Move {
        operation: Operation::Put,
        md: Handle(md_handle),
        local_offset,
        length,
        ack,
        target: target_id.into(),
        pt_index,
        match_bits,
        remote_offset,
        user_ptr,
        hdr_data,
        get_md: NO_MD,
        get_local_offset: 0,
    })
}

operation! {
    PtlGet PtlGetNB PtlTriggeredGet PtlTriggeredGetNB
    (
        md_handle: u32,
        local_offset: u64,
        length: u64,
        target_id: CProcess,
        pt_index: u32,
        match_bits: u64,
        remote_offset: u64,
        user_ptr: u64,
    )
    Some(Move {
        operation: Operation::Get,
        md: Handle(md_handle),
        local_offset,
        length,
        ack: Ack::None,
        target: target_id.into(),
        pt_index,
        match_bits,
        remote_offset,
        user_ptr,
        hdr_data: 0,
        get_md: NO_MD,
        get_local_offset: 0,
    })
}

operation! {
    PtlAtomic PtlAtomicNB PtlTriggeredAtomic PtlTriggeredAtomicNB
    (
        md_handle: u32,
        local_offset: u64,
        length: u64,
        ack_req: c_uint,
        target_id: CProcess,
        pt_index: u32,
        match_bits: u64,
        remote_offset: u64,
        user_ptr: u64,
        hdr_data: u64,
        operator: c_uint,
        datatype: c_uint,
    )
    ack_of(ack_req).map(|ack| Move {
        operation: Operation::Atomic { operator, datatype },
        md: Handle(md_handle),
        local_offset,
        length,
        ack,
        target: target_id.into(),
        pt_index,
        match_bits,
        remote_offset,
        user_ptr,
        hdr_data,
        get_md: NO_MD,
        get_local_offset: 0,
    })
}

operation! {
    PtlFetchAtomic PtlFetchAtomicNB PtlTriggeredFetchAtomic PtlTriggeredFetchAtomicNB
    (
        get_md_handle: u32,
        local_get_offset: u64,
        put_md_handle: u32,
        local_put_offset: u64,
        length: u64,
        target_id: CProcess,
        pt_index: u32,
        match_bits: u64,
        remote_offset: u64,
        user_ptr: u64,
        hdr_data: u64,
        operator: c_uint,
        datatype: c_uint,
    )
    Some(Move {
        operation: Operation::FetchAtomic { operator, datatype },
        md: Handle(put_md_handle),
        local_offset: local_put_offset,
        length,
        ack: Ack::None,
        target: target_id.into(),
        pt_index,
        match_bits,
        remote_offset,
        user_ptr,
        hdr_data,
        get_md: Handle(get_md_handle),
        get_local_offset: local_get_offset,
    })
}

operation! {
    PtlSwap PtlSwapNB PtlTriggeredSwap PtlTriggeredSwapNB
    (
        get_md_handle: u32,
        local_get_offset: u64,
        put_md_handle: u32,
        local_put_offset: u64,
        length: u64,
        target_id: CProcess,
        pt_index: u32,
        match_bits: u64,
        remote_offset: u64,
        user_ptr: u64,
        hdr_data: u64,
        operand: In<u8>,
        operator: c_uint,
        datatype: c_uint,
    )
    swap(operand, operator, datatype).map(|operation| Move {
        operation,
        md: Handle(put_md_handle),
        local_offset: local_put_offset,
        length,
        ack: Ack::None,
        target: target_id.into(),
        pt_index,
        match_bits,
        remote_offset,
        user_ptr,
        hdr_data,
        get_md: Handle(get_md_handle),
        get_local_offset: local_get_offset,
    })
}

/// `PTL_INVALID_HANDLE`
const NO_MD: Handle = Handle(0xffff_ffff);

#[cfg(test)]
mod tests {
    use super::*;

    /// `PTL_SWAP` reads no operand; `PTL_CSWAP` (11) on `PTL_INT16_T` (2) reads 2 bytes, and needs them.
    #[test]
    fn operands_are_read_where_the_operator_has_one() {
        let bytes = [1_u8, 2, 3];
        let operand_of = |operator, pointer| swap(In(pointer), operator, 2);
        let swap_of = |operator, first: [u8; 2]| {
            let mut operand = [0; 32];
            operand[..2].copy_from_slice(&first);
            Some(Operation::Swap {
                operator,
                datatype: 2,
                operand,
            })
        };
        assert_eq!(operand_of(10, std::ptr::null()), swap_of(10, [0, 0]));
        assert_eq!(operand_of(11, bytes.as_ptr()), swap_of(11, [1, 2]));
        assert_eq!(operand_of(11, std::ptr::null()), None);
    }
}
