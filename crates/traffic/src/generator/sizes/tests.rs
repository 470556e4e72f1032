use super::*;

const DRAWS: usize = 100_000;

fn stream() -> Stream {
    Stream::new(18_760, "test", "sizes")
}

fn draws(sizes: &Sizes, count: usize) -> Vec<u64> {
    let mut stream = stream();
    (0..count).map(|_| sizes.draw(&mut stream)).collect()
}

fn requests() -> Sizes {
    Sizes::normal(Bytes(400), Bytes(3_000), Bytes(1_500)).unwrap()
}

fn replies() -> Sizes {
    Sizes::normal(Bytes(1_000), Bytes(10_000), Bytes(6_000)).unwrap()
}

/// Pearson's statistic of counts against what is expected of each.
fn chi_square(counts: &[u64], expected: &[f64]) -> f64 {
    let pairs = counts.iter().zip(expected);
    pairs.map(|(&n, e)| (n as f64 - e) * (n as f64 - e) / e).sum()
}

#[test]
fn the_first_sizes_are_pinned() {
    let message = "the draw of sizes changed: every documented run would change with it";
    assert_eq!(draws(&requests(), 6), PINNED_NORMAL, "{message}");
    let uniform = Sizes::uniform(Bytes(400), Bytes(3_000)).unwrap();
    assert_eq!(draws(&uniform, 6), PINNED_UNIFORM, "{message}");
}

// Also what an independent program gives that was written from the documentation alone.
const PINNED_NORMAL: [u64; 6] = [898, 1_155, 936, 1_064, 1_886, 1_481];
const PINNED_UNIFORM: [u64; 6] = [2_484, 2_084, 1_828, 836, 828, 1_559];

#[test]
fn a_constant_size_is_min_and_takes_nothing_from_the_stream() {
    let sizes = Sizes::constant(Bytes(400)).unwrap();
    let mut used = stream();
    assert_eq!([0; 3].map(|_| sizes.draw(&mut used)), [400; 3]);
    assert_eq!(used.bits(), stream().bits());
    assert_eq!(Sizes::constant(Bytes(0)), Err(SizesError::Zero));
}

#[test]
fn every_uniform_size_is_equally_likely_and_both_ends_are_drawn() {
    // 11 sizes: 10 degrees of freedom, whose chi-square is above 29.6 once in a thousand samples.
    let mut counts = [0u64; 11];
    for size in draws(&Sizes::uniform(Bytes(10), Bytes(20)).unwrap(), DRAWS) {
        assert!((10..=20).contains(&size));
        counts[size as usize - 10] += 1;
    }
    assert!(counts[0] > 0 && counts[10] > 0);
    assert!(
        chi_square(&counts, &[DRAWS as f64 / 11.0; 11]) < 29.6,
        "{counts:?}"
    );
    let only = Sizes::uniform(Bytes(7), Bytes(7)).unwrap();
    assert_eq!(draws(&only, 3), [7; 3]);
}

/// Compares draws with the density they should have: that of the normal distribution where `x` counts, plus that of
/// -x where -x does, over the sum of all. `window` is where draws before they are made positive may lie.
fn fits(sizes: &Sizes, (min, max, average): (u64, u64, u64), window: (f64, f64), bins: usize) -> f64 {
    let deviation = std::f64::consts::SQRT_2 * max as f64;
    let density = |x: f64| {
        let z = (x - average as f64) / deviation;
        if window.0 <= x && x <= window.1 {
            libm::exp(-z * z / 2.0)
        } else {
            0.0
        }
    };
    // Each whole size stands for what is rounded to it: half as much at the two ends.
    let weight = |size: u64| {
        let half = if size == min || size == max { 0.5 } else { 1.0 };
        half * (density(size as f64) + density(-(size as f64)))
    };
    let total: f64 = (min..=max).map(weight).sum();
    let bin = |size: u64| ((size - min) as usize * bins / (max - min + 1) as usize).min(bins - 1);
    let (mut expected, mut counts) = (vec![0.0; bins], vec![0u64; bins]);
    for size in min..=max {
        expected[bin(size)] += weight(size) / total * DRAWS as f64;
    }
    for size in draws(sizes, DRAWS) {
        assert!((min..=max).contains(&size), "{size}");
        counts[bin(size)] += 1;
    }
    chi_square(&counts, &expected)
}

#[test]
fn the_default_sizes_follow_the_cut_and_folded_normal_distribution() {
    // 20 bins: 19 degrees of freedom, whose chi-square is above 43.8 once in a thousand samples.
    // Requests: 1,500 +- 3,000 is -1,500 to 4,500; of the negative ones -1,500 to -400 become 400 to 1,500.
    let requests = fits(&requests(), (400, 3_000, 1_500), (-1_500.0, 4_500.0), 20);
    assert!(requests < 43.8, "{requests}");
    // Replies: 6,000 +- 10,000 is -4,000 to 16,000; -4,000 to -1,000 become 1,000 to 4,000.
    let replies = fits(&replies(), (1_000, 10_000, 6_000), (-4_000.0, 16_000.0), 20);
    assert!(replies < 43.8, "{replies}");
    // 50 +- 100 is -50 to 150: sizes up to 50 have both sides, sizes above only one.
    let folded = Sizes::normal(Bytes(1), Bytes(100), Bytes(50)).unwrap();
    let folded = fits(&folded, (1, 100, 50), (-50.0, 150.0), 20);
    assert!(folded < 43.8, "{folded}");
}

#[test]
fn the_default_sizes_have_means_of_1491_9_and_4844_6_bytes() {
    // Means and standard deviations of the density, summed over all sizes by an independent program; sizes spread
    // evenly would have 2,600 / sqrt(12) = 750.6 B and 9,000 / sqrt(12) = 2,598 B. Four standard deviations of the mean.
    for (sizes, mean, deviation) in [(requests(), 1_491.903, 739.5), (replies(), 4_844.597, 2_636.8)] {
        let drawn = draws(&sizes, DRAWS).iter().sum::<u64>() as f64 / DRAWS as f64;
        let tolerance = 4.0 * deviation / (DRAWS as f64).sqrt();
        assert!((drawn - mean).abs() < tolerance, "{drawn} {mean} {tolerance}");
    }
}

#[test]
fn the_window_cuts_what_the_range_would_take() {
    // 150 +- 100 is 50 to 250: within 10 to 100 only 50 to 100 is reached.
    let sizes = Sizes::normal(Bytes(10), Bytes(100), Bytes(150)).unwrap();
    let all = draws(&sizes, 10_000);
    assert_eq!((all.iter().min(), all.iter().max()), (Some(&50), Some(&100)));
}

#[test]
fn one_request_draw_in_three_counts() {
    // Standard deviation 4,242.64. In units of it: 400 to 3,000 is -0.25927 to 0.35355, probability 0.24045;
    // -1,500 to -400 is -0.70711 to -0.44783, probability 0.08739. In all 0.32784.
    let law = Normal {
        min: 400.0,
        max: 3_000.0,
        average: 1_500.0,
    };
    assert!((law.acceptance() - 0.32784).abs() < 2e-5, "{}", law.acceptance());
    let mut stream = stream();
    let accepted = (0..DRAWS).filter(|_| {
        let x = 1_500.0 + law.deviation() * standard_normal(&mut stream);
        (-1_500.0..=4_500.0).contains(&x) && (400.0..=3_000.0).contains(&x.abs())
    });
    // Four standard deviations of the share: 4 x sqrt(0.328 x 0.672 / 100,000) = 0.0059.
    let share = accepted.count() as f64 / DRAWS as f64;
    assert!((share - 0.32784).abs() < 0.0059, "{share}");
}

#[test]
fn the_standard_normal_has_mean_0_and_variance_1() {
    let mut stream = stream();
    let all: Vec<f64> = (0..DRAWS).map(|_| standard_normal(&mut stream)).collect();
    let mean = all.iter().sum::<f64>() / DRAWS as f64;
    let square = all.iter().map(|x| x * x).sum::<f64>() / DRAWS as f64;
    // Four standard deviations: of the mean 4 / sqrt(n) = 0.01265, of the mean square 4 sqrt(2 / n) = 0.0179.
    assert!(
        mean.abs() < 0.01265 && (square - 1.0).abs() < 0.0179,
        "{mean} {square}"
    );
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let normal =
        |min, max, average| Sizes::normal(Bytes(min), Bytes(max), Bytes(average)).map_err(|e| e.to_string());
    let refused = |min, max, average| normal(min, max, average).unwrap_err();
    assert_eq!(refused(0, 10, 5), "the smallest size is 0 B; make it 1 B or more");
    assert_eq!(
        refused(11, 10, 5),
        "the smallest size, 11 B, is above the largest, 10 B; lower the one or raise the other"
    );
    assert_eq!(
        Sizes::uniform(Bytes(11), Bytes(10)),
        Err(SizesError::MinAboveMax {
            min: Bytes(11),
            max: Bytes(10)
        })
    );
    // The window of an average of 2 x max is max to 3 x max: it meets the range in a point.
    assert_eq!(
        refused(400, 3_000, 6_000),
        "no size is within 3000 B (the largest size) of the average, 6000 B, and at most 3000 B too; make the \
         average less than 6000 B"
    );
    assert!(normal(400, 3_000, 5_000).is_ok(), "2,000 to 3,000 is reached");
    // 2,999 to 3,000: 1 B at a density of exp(-2,999^2 / (4 x 3,000^2)) / (sqrt(2 pi) x 4,243) = 7.3 x 10^-5 a byte.
    assert_eq!(
        refused(400, 3_000, 5_999),
        "so few sizes lie within 3000 B (the largest size) of the average, 5999 B, and are from 400 B to 3000 B too \
         that one would take more than 10000 draws of the normal distribution on average; bring the average closer to \
         that range"
    );
    assert!(normal(400, 3_000, 5_998).is_ok(), "twice that");
    // A range of no width is hit with probability 0.
    assert_eq!(
        refused(3_000, 3_000, 1_500),
        "the range from 3000 B to 3000 B is so narrow that a size would take more than 10000 draws of the normal \
         distribution on average; widen it, or use `uniform` or `constant`"
    );
    assert!(normal(1, u64::MAX, u64::MAX).is_ok());
}

#[test]
fn the_bound_on_draws_is_one_in_ten_thousand() {
    // With a max of 10^6 and an average of 5 x 10^5, max is 500,000 / 1,414,214 = 0.35355 standard deviations from the
    // average. The density there is exp(-0.35355^2 / 2) / sqrt(2 pi) / 1,414,214 = 2.650 x 10^-7 a byte, so the range
    // must be at least 10^-4 / (2.650 x 10^-7) = 377.3 B wide. No negative value counts.
    let of_width = |width: u64| Sizes::normal(Bytes(1_000_000 - width), Bytes(1_000_000), Bytes(500_000));
    assert!(of_width(378).is_ok());
    assert!(matches!(of_width(377), Err(SizesError::Narrow { .. })));
}
