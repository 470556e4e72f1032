//! How many hosts each component gets.

use super::{PlacementError, Role};
use packetloom_params::Decimal;
use std::cmp::Ordering;

/// Ratios are added up in units of 10^-30.
const ONE: i128 = 10i128.pow(30);
/// How far the sum of all ratios may be from 1: 10^-9.
const TOLERANCE: i128 = 10i128.pow(21);

/// A component and its ratio.
pub(super) struct Share {
    pub application: usize,
    pub role: Role,
    /// The decimal the ratio is written as: 0.29 is not quite 0.29 in binary, and 0.29 x 100 must be 29.
    ratio: Decimal,
}

impl Share {
    /// Checks that the ratio is above 0 and at most 1.
    pub fn new(application: usize, name: &str, role: Role, ratio: f64) -> Result<Share, PlacementError> {
        let refused = || PlacementError::Ratio {
            application: name.to_owned(),
            role,
            ratio,
        };
        if !(ratio > 0.0 && ratio <= 1.0) {
            return Err(refused());
        }
        let ratio = Decimal::from_f64(ratio).ok_or_else(refused)?;
        Ok(Share {
            application,
            role,
            ratio,
        })
    }
}

/// Hosts of each share, out of `hosts`.
pub(super) fn counts(shares: &[Share], hosts: u64) -> Result<Vec<u64>, PlacementError> {
    // No ratio is above 1, so none is too large for these units.
    let sum: i128 = shares
        .iter()
        .map(|share| share.ratio.in_e30ths().unwrap_or(ONE))
        .sum();
    if (sum - ONE).abs() > TOLERANCE {
        return Err(PlacementError::Sum {
            sum: sum as f64 / ONE as f64,
        });
    }
    let mut counts: Vec<u64> = shares
        .iter()
        .map(|share| share.ratio.floor_times(hosts).max(1))
        .collect();
    let components = counts.iter().sum();
    if components > hosts {
        return Err(PlacementError::TooManyComponents { components, hosts });
    }
    let mut free = hosts - components;
    while free > 0 {
        let before = free;
        for (share, count) in shares.iter().zip(&mut counts) {
            if free > 0 && share.ratio.compare_share(*count, hosts) == Ordering::Less {
                *count += 1;
                free -= 1;
            }
        }
        if free == before {
            // Every component has its ratio; a sum a little below 1 could leave a host over only among 10^9.
            break;
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ratios: &[f64], hosts: u64) -> Result<Vec<u64>, PlacementError> {
        let shares: Result<Vec<Share>, _> = ratios
            .iter()
            .map(|&ratio| Share::new(0, "app", Role::Client, ratio))
            .collect();
        counts(&shares?, hosts)
    }

    #[test]
    fn sixteen_hosts() {
        assert_eq!(of(&[0.5, 0.5], 16), Ok(vec![8, 8]));
        // floor(14.4) and floor(1.6) leave one host, which goes to the first below its ratio.
        assert_eq!(of(&[0.9, 0.1], 16), Ok(vec![15, 1]));
        assert_eq!(of(&[0.25, 0.75], 16), Ok(vec![4, 12]));
    }

    #[test]
    fn ratios_are_decimal() {
        // In binary, 0.29 x 100 is 28.999999999999996.
        assert_eq!(of(&[0.29, 0.71], 100), Ok(vec![29, 71]));
        assert_eq!(of(&[0.1, 0.2, 0.7], 10), Ok(vec![1, 2, 7]));
    }

    #[test]
    fn the_top_up_passes_over_components_that_have_their_ratio() {
        // 10 hosts: 0.5 has its 5, 0.25 and 0.25 have floor(2.5) = 2; the host left goes to the first of those.
        assert_eq!(of(&[0.5, 0.25, 0.25], 10), Ok(vec![5, 3, 2]));
        // 7 hosts: floors 2, 2, 2; 2/7 = 0.2857 is below 0.34 and 0.33 alike, the first takes the last host.
        assert_eq!(of(&[0.33, 0.33, 0.34], 7), Ok(vec![3, 2, 2]));
        // 16 hosts: floor(0.16) = 0 becomes 1; floor(15.84) = 15 fills the rest.
        assert_eq!(of(&[0.01, 0.99], 16), Ok(vec![1, 15]));
    }

    #[test]
    fn a_component_gets_at_least_one_host() {
        assert_eq!(of(&[0.001, 0.999], 2), Ok(vec![1, 1]));
        let refused = of(&[0.99, 0.005, 0.005], 2);
        assert_eq!(
            refused,
            Err(PlacementError::TooManyComponents {
                components: 3,
                hosts: 2
            })
        );
        // 15 + 1 + 1 components on 16 hosts.
        let refused = of(&[0.99, 0.005, 0.005], 16);
        assert_eq!(
            refused,
            Err(PlacementError::TooManyComponents {
                components: 17,
                hosts: 16
            })
        );
    }

    #[test]
    fn ratios_share_out_all_hosts() {
        assert!(matches!(of(&[0.5, 0.4], 16), Err(PlacementError::Sum { .. })));
        assert!(matches!(of(&[0.5, 0.6], 16), Err(PlacementError::Sum { .. })));
        // Thirds as people write them are within 10^-9.
        assert_eq!(
            of(&[0.3333333333, 0.3333333333, 0.3333333333], 9),
            Ok(vec![3, 3, 3])
        );
        assert!(
            of(&[0.333333333, 0.333333333, 0.333333333], 9).is_ok(),
            "exactly 10^-9 below"
        );
        assert!(of(&[0.33333333, 0.33333333, 0.33333333], 9).is_err());
    }

    #[test]
    fn a_ratio_is_above_0_and_at_most_1() {
        for ratio in [0.0, -0.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
            assert!(
                matches!(of(&[ratio, 0.5], 16), Err(PlacementError::Ratio { .. })),
                "{ratio}"
            );
        }
        assert_eq!(
            of(&[1.0], 16),
            Ok(vec![16]),
            "a component may have all hosts if the other is pinned"
        );
    }
}
