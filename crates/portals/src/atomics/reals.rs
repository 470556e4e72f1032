//! Operators on reals and complex numbers.

use super::number::{Arithmetic, Number};
use super::*;
use std::cmp::Ordering;

/// See [`super::apply`].
pub fn apply<T: Arithmetic>(operator: u32, target: &mut [u8], operand: &[u8], swap_operand: &[u8; 32]) {
    let given = T::read(swap_operand);
    match operator {
        MIN => swap_towards::<T>(target, operand, Ordering::Less),
        MAX => swap_towards::<T>(target, operand, Ordering::Greater),
        SUM => each(target, operand, T::plus),
        PROD => each(target, operand, T::times),
        SWAP => target.copy_from_slice(operand),
        CSWAP => swap_if::<T>(target, operand, |target| {
            given.order(target) == Some(Ordering::Equal)
        }),
        CSWAP_NE => swap_if::<T>(target, operand, |target| {
            given.order(target) != Some(Ordering::Equal)
        }),
        CSWAP_LE => swap_if::<T>(target, operand, |target| {
            given.order(target).is_some_and(Ordering::is_le)
        }),
        CSWAP_LT => swap_if::<T>(target, operand, |target| {
            given.order(target).is_some_and(Ordering::is_lt)
        }),
        CSWAP_GE => swap_if::<T>(target, operand, |target| {
            given.order(target).is_some_and(Ordering::is_ge)
        }),
        CSWAP_GT => swap_if::<T>(target, operand, |target| {
            given.order(target).is_some_and(Ordering::is_gt)
        }),
        _ => {}
    }
}

/// Replaces each element of `target` to which that of `operand` is in `order`.
fn swap_towards<T: Arithmetic>(target: &mut [u8], operand: &[u8], order: Ordering) {
    each::<T>(target, operand, |target, operand| {
        if operand.order(target) == Some(order) {
            operand
        } else {
            target
        }
    });
}

/// Real part and imaginary part.
#[derive(Clone, Copy, Debug)]
pub struct Complex<T>(T, T);

impl<T: Arithmetic> Number for Complex<T> {
    const SIZE: usize = 2 * T::SIZE;

    fn read(bytes: &[u8]) -> Self {
        Self(T::read(bytes), T::read(&bytes[T::SIZE..]))
    }

    fn write(self, bytes: &mut [u8]) {
        self.0.write(bytes);
        self.1.write(&mut bytes[T::SIZE..]);
    }
}

impl<T: Arithmetic> Complex<T> {
    fn plus(self, other: Self) -> Self {
        Self(self.0.plus(other.0), self.1.plus(other.1))
    }

    fn times(self, other: Self) -> Self {
        Self(
            self.0.times(other.0).minus(self.1.times(other.1)),
            self.0.times(other.1).plus(self.1.times(other.0)),
        )
    }

    fn equals(self, other: Self) -> bool {
        self.0.order(other.0) == Some(Ordering::Equal) && self.1.order(other.1) == Some(Ordering::Equal)
    }
}

/// See [`super::apply`].
pub fn apply_complex<T: Arithmetic>(
    operator: u32,
    target: &mut [u8],
    operand: &[u8],
    swap_operand: &[u8; 32],
) {
    let given = Complex::<T>::read(swap_operand);
    match operator {
        SUM => each(target, operand, Complex::<T>::plus),
        PROD => each(target, operand, Complex::<T>::times),
        SWAP => target.copy_from_slice(operand),
        CSWAP => swap_if::<Complex<T>>(target, operand, |target| given.equals(target)),
        CSWAP_NE => swap_if::<Complex<T>>(target, operand, |target| !given.equals(target)),
        _ => {}
    }
}
