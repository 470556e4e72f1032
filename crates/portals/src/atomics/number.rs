//! Numbers as they lie in memory, in the order of bytes of the simulated machine: little-endian.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::X87DoubleExtended;
use std::cmp::Ordering;

/// An element of a type, read from and written to memory.
pub trait Number: Copy {
    /// Bytes in memory
    const SIZE: usize;

    /// From the first `SIZE` bytes.
    fn read(bytes: &[u8]) -> Self;

    /// To the first `SIZE` bytes.
    fn write(self, bytes: &mut [u8]);
}

macro_rules! native {
    ($($type:ty),*) => { $(
        impl Number for $type {
            const SIZE: usize = size_of::<$type>();

            fn read(bytes: &[u8]) -> Self {
                let mut own = [0; Self::SIZE];
                own.copy_from_slice(&bytes[..Self::SIZE]);
                Self::from_le_bytes(own)
            }

            fn write(self, bytes: &mut [u8]) {
                bytes[..Self::SIZE].copy_from_slice(&self.to_le_bytes());
            }
        }
    )* };
}

native!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);

/// `long double`: sign and exponent in 16 bits, 64 bits of significand whose first is written out; 10 bytes of 16.
#[derive(Clone, Copy, Debug)]
pub struct X87(X87DoubleExtended);

/// Bytes of an [`X87`] that carry something.
const X87_BYTES: usize = 10;

impl Number for X87 {
    const SIZE: usize = 16;

    fn read(bytes: &[u8]) -> Self {
        let mut own = [0; 16];
        own[..X87_BYTES].copy_from_slice(&bytes[..X87_BYTES]);
        Self(X87DoubleExtended::from_bits(u128::from_le_bytes(own)))
    }

    fn write(self, bytes: &mut [u8]) {
        bytes[..X87_BYTES].copy_from_slice(&self.0.to_bits().to_le_bytes()[..X87_BYTES]);
    }
}

/// Arithmetic of reals.
pub trait Arithmetic: Number {
    /// Sum
    fn plus(self, other: Self) -> Self;
    /// Difference
    fn minus(self, other: Self) -> Self;
    /// Product
    fn times(self, other: Self) -> Self;
    /// Order; none with NaN
    fn order(self, other: Self) -> Option<Ordering>;
}

macro_rules! native_arithmetic {
    ($($type:ty),*) => { $(
        impl Arithmetic for $type {
            fn plus(self, other: Self) -> Self {
                self + other
            }

            fn minus(self, other: Self) -> Self {
                self - other
            }

            fn times(self, other: Self) -> Self {
                self * other
            }

            fn order(self, other: Self) -> Option<Ordering> {
                self.partial_cmp(&other)
            }
        }
    )* };
}

native_arithmetic!(f32, f64);

impl Arithmetic for X87 {
    fn plus(self, other: Self) -> Self {
        Self((self.0 + other.0).value)
    }

    fn minus(self, other: Self) -> Self {
        Self((self.0 - other.0).value)
    }

    fn times(self, other: Self) -> Self {
        Self((self.0 * other.0).value)
    }

    fn order(self, other: Self) -> Option<Ordering> {
        self.0.partial_cmp(&other.0)
    }
}
