//! Atomic operations: what the operators of `ptl_op_t` do to elements of the types of `ptl_datatype_t`.
//!
//! - Integers wrap as two's complement does.
//! - Reals follow IEEE 754, rounded to the nearest, ties to even, at the precision of their type. A comparison with NaN is
//!   false but for "not equal": `PTL_MIN` and `PTL_MAX` then leave the target as it is, as `PTL_CSWAP_LE` and its like do.
//! - A complex product is (ac - bd) + (ad + bc)i; infinities among its parts get no further treatment.
//! - `long double` is the 80-bit format in 16 bytes; the 6 bytes that carry nothing stay what they are at the target, unless a plain
//!   swap replaces all 16.
//! - A conditional swap compares the operand given to `PtlSwap` with the target: `PTL_CSWAP_LE` swaps when operand is less
//!   than or equal to target. `PTL_MSWAP` replaces those bits of the target that are 1 in the operand.

mod integers;
mod number;
mod reals;

use number::{Number, X87};

// Numbers of `ptl_op_t`.
const MIN: u32 = 0;
const MAX: u32 = 1;
const SUM: u32 = 2;
const PROD: u32 = 3;
const LOR: u32 = 4;
const LAND: u32 = 5;
const BOR: u32 = 6;
const BAND: u32 = 7;
const LXOR: u32 = 8;
const BXOR: u32 = 9;
const SWAP: u32 = 10;
const CSWAP: u32 = 11;
const CSWAP_NE: u32 = 12;
const CSWAP_LE: u32 = 13;
const CSWAP_LT: u32 = 14;
const CSWAP_GE: u32 = 15;
const CSWAP_GT: u32 = 16;
const MSWAP: u32 = 17;

// Numbers of `ptl_datatype_t`.
const INT8: u32 = 0;
const UINT8: u32 = 1;
const INT16: u32 = 2;
const UINT16: u32 = 3;
const INT32: u32 = 4;
const UINT32: u32 = 5;
const FLOAT: u32 = 6;
const INT64: u32 = 7;
const UINT64: u32 = 8;
const DOUBLE: u32 = 9;
const FLOAT_COMPLEX: u32 = 10;
const DOUBLE_COMPLEX: u32 = 11;
const LONG_DOUBLE: u32 = 12;
const LONG_DOUBLE_COMPLEX: u32 = 13;

/// Bytes of one element of the type with this number in `ptl_datatype_t`; `None`: there is none.
pub fn size_of(datatype: u32) -> Option<usize> {
    Some(match datatype {
        INT8 | UINT8 => 1,
        INT16 | UINT16 => 2,
        INT32 | UINT32 | FLOAT => 4,
        INT64 | UINT64 | DOUBLE | FLOAT_COMPLEX => 8,
        DOUBLE_COMPLEX | LONG_DOUBLE => 16,
        LONG_DOUBLE_COMPLEX => 32,
        _ => return None,
    })
}

/// Whether operator and type exist, go together, and belong to the function called: with `swap`, `PtlSwap`, else
/// `PtlAtomic` or `PtlFetchAtomic` (`fetching`), which take the same.
///
/// Minimum, maximum and swaps on an order are for all types but complex ones; sum, product, and swaps on equality or none
/// for all; logical and bitwise operators and `PTL_MSWAP` for integers.
pub fn is_valid(operator: u32, datatype: u32, fetching: bool, swap: bool) -> bool {
    let (real, complex) = match datatype {
        INT8 | UINT8 | INT16 | UINT16 | INT32 | UINT32 | INT64 | UINT64 => (false, false),
        FLOAT | DOUBLE | LONG_DOUBLE => (true, false),
        FLOAT_COMPLEX | DOUBLE_COMPLEX | LONG_DOUBLE_COMPLEX => (false, true),
        _ => return false,
    };
    let (takes_type, swaps) = match operator {
        MIN | MAX => (!complex, false),
        SUM | PROD => (true, false),
        LOR | LAND | LXOR | BOR | BAND | BXOR => (!real && !complex, false),
        SWAP | CSWAP | CSWAP_NE => (true, true),
        CSWAP_LE | CSWAP_LT | CSWAP_GE | CSWAP_GT => (!complex, true),
        MSWAP => (!real && !complex, true),
        _ => return false,
    };
    // A swap always fetches.
    takes_type && swaps == swap && (fetching || !swap)
}

/// Whether the operator takes one element only: all swaps but the plain one.
pub fn is_single(operator: u32) -> bool {
    (CSWAP..=MSWAP).contains(&operator)
}

/// Carries `operator` out on each element of `target`, in place, with the element of `operand` at the same place.
///
/// `swap_operand` holds the operand of conditional and masked swaps in its first bytes. Bytes past the last whole element
/// that both have stay. What [`is_valid`] refuses changes nothing.
pub fn apply(operator: u32, datatype: u32, target: &mut [u8], operand: &[u8], swap_operand: &[u8; 32]) {
    let Some(size) = size_of(datatype) else {
        return;
    };
    let whole = target.len().min(operand.len()) / size * size;
    let (target, operand) = (&mut target[..whole], &operand[..whole]);
    match datatype {
        INT8 => integers::apply::<i8>(operator, target, operand, swap_operand),
        UINT8 => integers::apply::<u8>(operator, target, operand, swap_operand),
        INT16 => integers::apply::<i16>(operator, target, operand, swap_operand),
        UINT16 => integers::apply::<u16>(operator, target, operand, swap_operand),
        INT32 => integers::apply::<i32>(operator, target, operand, swap_operand),
        UINT32 => integers::apply::<u32>(operator, target, operand, swap_operand),
        INT64 => integers::apply::<i64>(operator, target, operand, swap_operand),
        UINT64 => integers::apply::<u64>(operator, target, operand, swap_operand),
        FLOAT => reals::apply::<f32>(operator, target, operand, swap_operand),
        DOUBLE => reals::apply::<f64>(operator, target, operand, swap_operand),
        LONG_DOUBLE => reals::apply::<X87>(operator, target, operand, swap_operand),
        FLOAT_COMPLEX => reals::apply_complex::<f32>(operator, target, operand, swap_operand),
        DOUBLE_COMPLEX => reals::apply_complex::<f64>(operator, target, operand, swap_operand),
        LONG_DOUBLE_COMPLEX => reals::apply_complex::<X87>(operator, target, operand, swap_operand),
        _ => {}
    }
}

/// Sets each element of `target` to what `combine` makes of it and of that of `operand`.
fn each<T: Number>(target: &mut [u8], operand: &[u8], combine: impl Fn(T, T) -> T) {
    for (target, operand) in target
        .chunks_exact_mut(T::SIZE)
        .zip(operand.chunks_exact(T::SIZE))
    {
        combine(T::read(target), T::read(operand)).write(target);
    }
}

/// Copies each element of `operand` for whose place `condition` holds, given the element of `target` there.
fn swap_if<T: Number>(target: &mut [u8], operand: &[u8], condition: impl Fn(T) -> bool) {
    for (target, operand) in target
        .chunks_exact_mut(T::SIZE)
        .zip(operand.chunks_exact(T::SIZE))
    {
        if condition(T::read(target)) {
            T::read(operand).write(target);
        }
    }
}

#[cfg(test)]
mod tests;
