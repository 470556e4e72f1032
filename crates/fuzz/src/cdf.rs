//! Files of cumulative probabilities.

use packetloom_des::random::Stream;
use packetloom_traffic::generator::Cdf;

/// Reads the text of a file of sizes and probabilities. A fault names its line and what would be right; what is accepted draws
/// sizes within its range, and its mean lies there too.
pub fn cdf(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match Cdf::parse(text) {
        Ok(cdf) => {
            let (least, most) = cdf.range();
            assert!(1 <= least && least <= most, "{least} to {most}");
            let mut stream = Stream::new(1, "fuzz", "sizes");
            for _ in 0..100 {
                let size = cdf.draw(&mut stream);
                assert!(
                    (least..=most).contains(&size),
                    "{size} is not in {least} to {most}"
                );
            }
            let mean = cdf.mean();
            // The last digits of a sum of many terms may be lost.
            let slack = 1e-9 * most as f64;
            assert!(
                least as f64 - 0.5 - slack <= mean && mean <= most as f64 + 0.5 + slack,
                "a mean of {mean} of sizes from {least} to {most}"
            );
        }
        Err(error) => {
            let lines = text.lines().count().max(1);
            assert!(
                (1..=lines).contains(&error.line),
                "line {} of {lines}",
                error.line
            );
            assert!(!error.message.is_empty() && !error.remedy.is_empty());
        }
    }
}
