use super::*;
use proptest::prelude::*;

fn draws(cdf: &Cdf, count: usize) -> Vec<u64> {
    let mut stream = Stream::new(18_760, "test", "sizes");
    (0..count).map(|_| cdf.draw(&mut stream)).collect()
}

#[test]
fn spaces_commas_comments_and_exponents() {
    let text = "# size, probability\n0 0\n\n 1000\t0.25 # a quarter\r\n2000,0.5\n3e3 , 0.75\n4.0e+03, 1.0\n";
    let same = "0 0\n1000 0.25\n2000 0.5\n3000 0.75\n4000 1";
    assert_eq!(Cdf::parse(text), Cdf::parse(same));
    assert_eq!(Cdf::parse(text).unwrap().range(), (1, 4_000));
}

#[test]
fn every_fault_is_told_with_its_line() {
    let refused = |text: &str| Cdf::parse(text).expect_err(text).to_string();
    let of_size = "give a whole number of bytes of at most 1000000000000";
    for (text, error) in [
        (
            "",
            "line 1: the file has no points; give lines of a size in bytes and a cumulative probability, such as \
             \"1460 0.5\", the last of them with 1",
        ),
        (
            "100 0\n200 0.9\n\n# end",
            "line 2: the last cumulative probability is 0.9; end with the largest size and 1",
        ),
        (
            "100 0\n# more\n200\n",
            "line 3: the number of columns is 1; give two: a size in bytes and a cumulative probability",
        ),
        (
            "100 1 0.5",
            "line 1: the number of columns is 3; give two: a size in bytes and a cumulative probability",
        ),
        (
            "100 0\nmany 1",
            &format!("line 2: the size \"many\" is not a number; {of_size}"),
        ),
        (
            "-1 0\n3 1",
            &format!("line 1: the size \"-1\" is negative; {of_size}"),
        ),
        (
            "1.5 0\n3 1",
            &format!("line 1: the size \"1.5\" is not whole; {of_size}"),
        ),
        (
            "1 0\n1e13 1",
            &format!("line 2: the size \"1e13\" is too large; {of_size}"),
        ),
        (
            "1 0\n2 half\n",
            "line 2: the cumulative probability \"half\" is not a number; give a number from 0 to 1",
        ),
        (
            "1 0\n2 NaN\n",
            "line 2: the cumulative probability \"NaN\" is not a number; give a number from 0 to 1",
        ),
        (
            "1 -0.1\n2 1\n",
            "line 1: the cumulative probability \"-0.1\" is negative; give a number from 0 to 1",
        ),
        (
            "1 0\n2 50\n3 100",
            "line 2: the cumulative probability \"50\" is above 1; give a number from 0 to 1; 50 % is 0.5",
        ),
        (
            "0 0.5\n3 1",
            "line 1: size 0 has a probability of 0.5; sizes are at least 1 B: give 0 a cumulative probability of 0",
        ),
        (
            "5 0\n3 1",
            "line 2: the size is 3 after 5; neither column may fall from line to line",
        ),
        (
            "5 0.5\n6 0.25\n7 1",
            "line 2: the cumulative probability is 0.25 after 0.5; neither column may fall from line to line",
        ),
        (
            "5 0.5\n5 0.50\n7 1",
            "line 2: both columns are those of the point before; leave one of the two lines out",
        ),
    ] {
        assert_eq!(refused(text), error);
    }
}

#[test]
fn what_is_no_text_of_numbers_is_told_in_short() {
    let error = Cdf::parse(&format!("\u{1b}[2J{} 1", "x".repeat(1_000_000))).expect_err("no size");
    let message = format!("the size \"\\u{{1b}}[2J{}\"... is not a number", "x".repeat(36));
    assert_eq!((error.line, error.message), (1, message));
}

#[test]
fn a_byte_order_mark_means_nothing() {
    assert_eq!(Cdf::parse("\u{feff}100 0\n200 1"), Cdf::parse("100 0\n200 1"));
}

#[test]
fn between_two_points_sizes_are_uniform() {
    // From 100 to 200, each of the 99 inner sizes has a hundredth, the ends half of one; in bins of 10 from 100 on the
    // first has 9.5, the last with 200 10.5 hundredths. 10 bins have 9 degrees of freedom: chi-square above 27.9 once
    // in a thousand samples.
    let cdf = Cdf::parse("100 0\n200 1").unwrap();
    let mut counts = [0u64; 10];
    for size in draws(&cdf, 100_000) {
        assert!((100..=200).contains(&size));
        counts[((size - 100) / 10).min(9) as usize] += 1;
    }
    let statistic: f64 = counts
        .iter()
        .enumerate()
        .map(|(bin, &count)| {
            let expected = match bin {
                0 => 9_500.0,
                9 => 10_500.0,
                _ => 10_000.0,
            };
            (count as f64 - expected) * (count as f64 - expected) / expected
        })
        .sum();
    assert!(statistic < 27.9, "{counts:?}");
}

#[test]
fn a_step_is_a_size_of_its_own() {
    // 100 with 0.5 from the first line; 300 with 0.25 from two lines; 0.25 between 400 and 600; nothing from 300 to 400.
    let cdf = Cdf::parse("100 0.5\n200 0.5\n300 0.5\n300 0.75\n400 0.75\n600 1\n700 1").unwrap();
    let all = draws(&cdf, 40_000);
    let count = |from, to| all.iter().filter(|&&size| from <= size && size <= to).count();
    assert_eq!(count(101, 299) + count(301, 399), 0);
    // 4 standard deviations: of 20,000 that is 4 x sqrt(40,000 / 4) = 400, of 10,000 346.
    assert!(count(100, 100).abs_diff(20_000) < 400);
    assert!(count(300, 300).abs_diff(10_000) < 346);
    assert!(count(400, 600).abs_diff(10_000) < 346);
    // 0.5 x 100 + 0.25 x 300 + 0.25 x 500
    assert_eq!((cdf.mean(), cdf.range()), (250.0, (100, 600)));
}

#[test]
fn a_size_is_at_least_1() {
    // 0 to 2: below 0.5 and to 1.5 becomes 1, three quarters; the rest 2. Mean 1.25, as mean() says: 1 + 0.5 / 2.
    let cdf = Cdf::parse("0 0\n2 1").unwrap();
    let all = draws(&cdf, 40_000);
    let ones = all.iter().filter(|&&size| size == 1).count();
    assert!(all.iter().all(|size| [1, 2].contains(size)));
    assert!(
        ones.abs_diff(30_000) < 346,
        "4 x sqrt(40,000 x 3/16) = 346: {ones}"
    );
    assert_eq!((cdf.mean(), cdf.range()), (1.25, (1, 2)));
}

fn example(name: &str) -> Cdf {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    Cdf::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Draws have the mean that the points have.
fn mean_fits(cdf: &Cdf, mean: f64, deviation: f64) {
    const COUNT: usize = 1_000_000;
    assert!((cdf.mean() - mean).abs() < 1e-6 * mean, "{} {mean}", cdf.mean());
    let drawn = draws(cdf, COUNT).iter().sum::<u64>() as f64 / COUNT as f64;
    let tolerance = 4.0 * deviation / (COUNT as f64).sqrt();
    assert!((drawn - mean).abs() < tolerance, "{drawn} {mean} {tolerance}");
}

#[test]
fn a_web_search_flow_has_1_71_mb() {
    // Sum of probability x middle: 0.15 x 5,000 + 0.05 x 15,000 + 0.1 x 25,000 + 0.1 x 40,000 + 0.13 x 65,000
    // + 0.07 x 140,000 + 0.1 x 600,000 + 0.1 x 1,500,000 + 0.1 x 3,500,000 + 0.07 x 7,500,000 + 0.03 x 20,000,000
    // = 750 + 750 + 2,500 + 4,000 + 8,450 + 9,800 + 60,000 + 150,000 + 350,000 + 525,000 + 600,000 = 1,711,250 B.
    // The mean square is the sum of probability x (a^2 + a b + b^2) / 3, which makes the standard deviation 3.97 MB.
    let cdf = example("web-search.cdf");
    mean_fits(&cdf, 1_711_250.0, 3.97e6);
    assert_eq!(cdf.range(), (1, 30_000_000));
}

#[test]
fn a_data_mining_flow_has_7_67_mb() {
    // 0.1 x (90 + 198 + 388 + 730 + 1,000 + 1,485 + 2,515 + 6,580 + 205,000) = 21,798.6; 0.05 x 1,780,000 = 89,000;
    // 0.04 x 51,580,000 = 2,063,200; 0.01 x 550,000,000 = 5,500,000. In all 7,673,998.6 B.
    // The standard deviation is 61.5 MB.
    let cdf = example("data-mining.cdf");
    mean_fits(&cdf, 7_673_998.6, 61.5e6);
    assert_eq!(cdf.range(), (1, 1_000_000_000));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "([0-9.,e# -]{0,12}\\n){0,6}|.{0,40}") {
        if let Ok(cdf) = Cdf::parse(&text) {
            draws(&cdf, 100);
        }
    }

    /// What rises is read; draws stay in its range, and have its mean.
    #[test]
    fn any_rising_points_are_drawn_within_their_range(
        steps in prop::collection::vec((0u64..5_000, 0u32..100), 1..12),
        last in 1u64..5_000,
    ) {
        let total: u32 = steps.iter().map(|step| step.1).sum::<u32>() + 1;
        let (mut size, mut part, mut text) = (1, 0, String::new());
        let mut before = None;
        for (more, probability) in steps {
            size += more;
            part += probability;
            // A line like the one before is left out.
            if before.replace((size, part)) != Some((size, part)) {
                text += &format!("{size} {}\n", f64::from(part) / f64::from(total));
            }
        }
        text += &format!("{} 1\n", size + last);
        let cdf = Cdf::parse(&text).expect("the points rise");
        let (least, most) = cdf.range();
        let all = draws(&cdf, 2_000);
        prop_assert!(all.iter().all(|&size| least <= size && size <= most), "{least} {most}");
        // No deviation is above half of the range; six of them of the mean are never seen.
        let mean = all.iter().sum::<u64>() as f64 / 2_000.0;
        let tolerance = 3.0 * (most - least) as f64 / 2_000f64.sqrt() + 1e-9 * mean;
        prop_assert!((mean - cdf.mean()).abs() <= tolerance, "{mean} {}", cdf.mean());
    }
}
