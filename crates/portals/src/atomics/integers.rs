//! Operators on integers.

use super::number::Number;
use super::*;

/// Arithmetic of integers.
pub trait Integer: Number + Ord {
    /// 0 or 1, as C has it
    fn truth(value: bool) -> Self;
    /// Whether C takes it for true
    fn is_true(self) -> bool;
    /// Sum, wrapped
    fn plus(self, other: Self) -> Self;
    /// Product, wrapped
    fn times(self, other: Self) -> Self;
    /// Bitwise and
    fn and(self, other: Self) -> Self;
    /// Bitwise or
    fn or(self, other: Self) -> Self;
    /// Bitwise exclusive or
    fn xor(self, other: Self) -> Self;
}

macro_rules! integer {
    ($($type:ty),*) => { $(
        impl Integer for $type {
            fn truth(value: bool) -> Self {
                Self::from(value)
            }

            fn is_true(self) -> bool {
                self != 0
            }

            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            fn and(self, other: Self) -> Self {
                self & other
            }

            fn or(self, other: Self) -> Self {
                self | other
            }

            fn xor(self, other: Self) -> Self {
                self ^ other
            }
        }
    )* };
}

integer!(i8, u8, i16, u16, i32, u32, i64, u64);

/// See [`super::apply`].
pub fn apply<T: Integer>(operator: u32, target: &mut [u8], operand: &[u8], swap_operand: &[u8; 32]) {
    let given = T::read(swap_operand);
    match operator {
        MIN => each::<T>(target, operand, |target, operand| target.min(operand)),
        MAX => each::<T>(target, operand, |target, operand| target.max(operand)),
        SUM => each(target, operand, T::plus),
        PROD => each(target, operand, T::times),
        LOR => each::<T>(target, operand, |a, b| T::truth(a.is_true() || b.is_true())),
        LAND => each::<T>(target, operand, |a, b| T::truth(a.is_true() && b.is_true())),
        LXOR => each::<T>(target, operand, |a, b| T::truth(a.is_true() != b.is_true())),
        BOR => each(target, operand, T::or),
        BAND => each(target, operand, T::and),
        BXOR => each(target, operand, T::xor),
        SWAP => target.copy_from_slice(operand),
        CSWAP => swap_if::<T>(target, operand, |target| given == target),
        CSWAP_NE => swap_if::<T>(target, operand, |target| given != target),
        CSWAP_LE => swap_if::<T>(target, operand, |target| given <= target),
        CSWAP_LT => swap_if::<T>(target, operand, |target| given < target),
        CSWAP_GE => swap_if::<T>(target, operand, |target| given >= target),
        CSWAP_GT => swap_if::<T>(target, operand, |target| given > target),
        // The bits that differ, where the mask has a 1, are turned round.
        MSWAP => each::<T>(target, operand, |target, operand| {
            target.xor(target.xor(operand).and(given))
        }),
        _ => {}
    }
}
