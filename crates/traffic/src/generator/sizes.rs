//! How the sizes of requests and replies are drawn.

use super::cdf::Cdf;
use packetloom_des::Bytes;
use packetloom_des::random::Stream;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};
use std::sync::Arc;
use thiserror::Error;

#[cfg(test)]
mod tests;

/// Most draws of a normal distribution that a size may take on average.
const MOST_DRAWS: f64 = 10_000.0;

/// A distribution of sizes in whole bytes, each at least 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sizes(Law);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Law {
    /// Always this.
    Constant(u64),
    /// `count` whole numbers from `min` on, each equally likely.
    Uniform { min: u64, count: u64 },
    /// See [`Sizes::normal`].
    Normal { min: f64, max: f64, average: f64 },
    /// Drawn from a file's points, which all who draw share.
    Empirical(Arc<Cdf>),
}

/// Sizes that cannot be drawn.
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum SizesError {
    /// A smallest size of 0.
    #[error("the smallest size is 0 B; make it 1 B or more")]
    Zero,
    /// A smallest size above the largest.
    #[error(
        "the smallest size, {} B, is above the largest, {} B; lower the one or raise the other",
        .min.0, .max.0
    )]
    MinAboveMax {
        /// The smallest size.
        min: Bytes,
        /// The largest size.
        max: Bytes,
    },
    /// An average so large that no normal draw within the largest size of it is at most the largest size.
    #[error(
        "no size is within {} B (the largest size) of the average, {} B, and at most {} B too; make the average less \
         than {} B",
        .max.0, .average.0, .max.0, .max.0.saturating_mul(2)
    )]
    OutOfReach {
        /// The average.
        average: Bytes,
        /// The largest size.
        max: Bytes,
    },
    /// An average so far from the range that nearly every normal draw would be drawn again, though with another they would not.
    #[error(
        "so few sizes lie within {} B (the largest size) of the average, {} B, and are from {} B to {} B too that one would \
         take more than 10000 draws of the normal distribution on average; bring the average closer to that range",
        .max.0, .average.0, .min.0, .max.0
    )]
    FarOff {
        /// The smallest size.
        min: Bytes,
        /// The largest size.
        max: Bytes,
        /// The average.
        average: Bytes,
    },
    /// So narrow a range that nearly every normal draw would be drawn again.
    #[error(
        "the range from {} B to {} B is so narrow that a size would take more than 10000 draws of the normal \
         distribution on average; widen it, or use `uniform` or `constant`",
        .min.0, .max.0
    )]
    Narrow {
        /// The smallest size.
        min: Bytes,
        /// The largest size.
        max: Bytes,
    },
}

impl Sizes {
    /// Every size is `min`.
    ///
    /// # Errors
    /// When it is 0.
    pub fn constant(min: Bytes) -> Result<Self, SizesError> {
        if min.0 == 0 {
            return Err(SizesError::Zero);
        }
        Ok(Sizes(Law::Constant(min.0)))
    }

    /// Every whole number of bytes from `min` through `max` is equally likely.
    ///
    /// # Errors
    /// When `min` is 0 or above `max`.
    pub fn uniform(min: Bytes, max: Bytes) -> Result<Self, SizesError> {
        check(min, max)?;
        let (min, count) = (min.0, (max.0 - min.0).saturating_add(1));
        Ok(Sizes(Law::Uniform { min, count }))
    }

    /// A normal distribution with mean `average` and standard deviation sqrt(2) x `max`, drawn again until it lies within
    /// `max` of `average`; a negative value is made positive, and all is drawn again until that lies from `min` through
    /// `max`. In the end it is rounded to whole bytes.
    ///
    /// # Errors
    /// When `min` is 0 or above `max`, when no draw or hardly one would be taken: the average must be below twice `max`,
    /// and at least one draw in 10,000 must count.
    pub fn normal(min: Bytes, max: Bytes, average: Bytes) -> Result<Self, SizesError> {
        check(min, max)?;
        // The window begins at average - max, which must be below max; then what lies between counts. Values below 0 do
        // not matter here: when there are any, average - max is below 0 and so below max.
        if average.0 / 2 >= max.0 {
            return Err(SizesError::OutOfReach { average, max });
        }
        let law = Normal {
            min: min.0 as f64,
            max: max.0 as f64,
            average: average.0 as f64,
        };
        let too_rare = |law: &Normal| law.acceptance() * MOST_DRAWS < 1.0;
        if too_rare(&law) {
            // The average is to blame if it cuts off a part of the range, and one in the middle would do.
            let cuts = average.0.saturating_sub(max.0) > min.0;
            let middle = Normal {
                average: (law.min + law.max) / 2.0,
                ..law
            };
            return Err(match cuts && !too_rare(&middle) {
                true => SizesError::FarOff { min, max, average },
                false => SizesError::Narrow { min, max },
            });
        }
        let Normal { min, max, average } = law;
        Ok(Sizes(Law::Normal { min, max, average }))
    }

    /// As a file of cumulative probabilities says.
    pub fn empirical(cdf: Arc<Cdf>) -> Self {
        Sizes(Law::Empirical(cdf))
    }

    /// Draws a size in bytes. A constant size takes nothing from the stream.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        match &self.0 {
            Law::Constant(size) => *size,
            Law::Uniform { min, count } => min + stream.below(*count),
            &Law::Normal { min, max, average } => Normal { min, max, average }.draw(stream),
            Law::Empirical(cdf) => cdf.draw(stream),
        }
    }
}

/// Checks what all ranges have to meet.
fn check(min: Bytes, max: Bytes) -> Result<(), SizesError> {
    if min.0 == 0 {
        return Err(SizesError::Zero);
    }
    if min > max {
        return Err(SizesError::MinAboveMax { min, max });
    }
    Ok(())
}

/// The normal distribution of sizes.
struct Normal {
    min: f64,
    max: f64,
    average: f64,
}

impl Normal {
    /// Standard deviation.
    fn deviation(&self) -> f64 {
        SQRT_2 * self.max
    }

    /// Draws a size. Both limits are whole, so rounding stays within them.
    fn draw(&self, stream: &mut Stream) -> u64 {
        loop {
            let deviate = self.deviation() * standard_normal(stream);
            let size = (self.average + deviate).abs();
            if deviate.abs() <= self.max && self.min <= size && size <= self.max {
                return size.round() as u64;
            }
        }
    }

    /// Probability that a draw counts: that it lies within the window, and is from `min` through `max` when made positive.
    fn acceptance(&self) -> f64 {
        let window = (self.average - self.max, self.average + self.max);
        let within = |from: f64, to: f64| {
            let (from, to) = (from.max(window.0), to.min(window.1));
            if from < to {
                self.below(to) - self.below(from)
            } else {
                0.0
            }
        };
        within(self.min, self.max) + within(-self.max, -self.min)
    }

    /// Probability that a draw is below `value`.
    fn below(&self, value: f64) -> f64 {
        0.5 * (1.0 + libm::erf((value - self.average) / self.deviation() * FRAC_1_SQRT_2))
    }
}

/// A draw of the standard normal distribution by the method of Box and Muller: `sqrt(-2 ln(1 - u)) cos(2 pi v)` with `u`,
/// then `v`, from `[0, 1)`.
fn standard_normal(stream: &mut Stream) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - stream.unit()));
    radius * libm::cos(2.0 * PI * stream.unit())
}
