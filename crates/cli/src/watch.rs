//! Watching a run: the progress bar.

use crate::output::complain;
use crate::text;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use packetloom_sim::progress::Progress;
use std::collections::VecDeque;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often the run's counters are looked at.
const SAMPLE: Duration = Duration::from_millis(100);
/// A run shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// Rates are means over this much of the immediate past.
const MEMORY: Duration = Duration::from_secs(5);
/// Length of the bar in steps, finer than any terminal shows.
const STEPS: u64 = 10_000;

/// A thread that shows how a run is getting on.
pub struct Watcher {
    done: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Watcher {
    /// Starts watching; the bar appears only on a terminal, and only if the run takes its time.
    pub fn start(progress: &Arc<Progress>, quiet: bool) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let bar_wanted = !quiet && std::io::stderr().is_terminal();
        let thread = thread::spawn({
            let (done, progress) = (Arc::clone(&done), Arc::clone(progress));
            move || watch(&progress, &done, bar_wanted)
        });
        Watcher { done, thread }
    }

    /// Stops watching and takes the bar away.
    pub fn stop(self) {
        self.done.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        // A panic there has printed itself and must not hide the run's result.
        let _ = self.thread.join();
    }
}

fn watch(progress: &Progress, done: &AtomicBool, bar_wanted: bool) {
    let start = Instant::now();
    let mut bar: Option<ProgressBar> = None;
    let mut pace = Pace::default();
    let mut told = false;
    while !done.load(Ordering::Relaxed) {
        thread::park_timeout(SAMPLE);
        let (simulated, stop) = progress.simulated();
        pace.sample(Sample {
            at: Instant::now(),
            simulated,
            events: progress.events(),
        });
        if bar_wanted && bar.is_none() && stop > 0 && start.elapsed() >= PATIENCE {
            bar = Some(new_bar());
        }
        if let Some(bar) = &bar {
            bar.set_position(STEPS * simulated.min(stop) / stop.max(1));
            bar.set_message(pace.line(simulated, stop));
        }
        if progress.interrupted() && !told {
            told = true;
            let line = "interrupted: ending the run with what it has; once more to stop at once";
            match &bar {
                Some(bar) => bar.suspend(|| complain(line)),
                None => complain(line),
            }
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn new_bar() -> ProgressBar {
    // No colours, so there is nothing for NO_COLOR to turn off.
    let style = ProgressStyle::with_template("[{bar:30}] {percent:>3} %  {msg}").expect("a valid template");
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
    bar.with_style(style.progress_chars("=> "))
}

struct Sample {
    at: Instant,
    simulated: u64,
    events: u64,
}

/// How fast the run has been lately.
#[derive(Default)]
struct Pace {
    samples: VecDeque<Sample>,
}

impl Pace {
    fn sample(&mut self, sample: Sample) {
        while self
            .samples
            .front()
            .is_some_and(|first| sample.at - first.at > MEMORY)
        {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    /// Simulated picoseconds and events a second.
    fn rates(&self) -> Option<(f64, f64)> {
        let (first, last) = (self.samples.front()?, self.samples.back()?);
        let seconds = (last.at - first.at).as_secs_f64();
        let rate = |from: u64, to: u64| to.saturating_sub(from) as f64 / seconds;
        (seconds > 0.0).then(|| {
            (
                rate(first.simulated, last.simulated),
                rate(first.events, last.events),
            )
        })
    }

    /// What stands behind the bar.
    fn line(&self, simulated: u64, stop: u64) -> String {
        let of = |ps: u64| text::seconds(ps as f64 / 1e12);
        let mut line = format!("{} of {} simulated", of(simulated), of(stop));
        if let Some((pace, events)) = self.rates() {
            line += &format!(", {} events/s", text::large(events));
            if pace > 0.0 {
                line += &format!(
                    ", {} left",
                    text::seconds((stop.saturating_sub(simulated) as f64 / pace).ceil())
                );
            }
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_time_rate_and_time_left() {
        let mut pace = Pace::default();
        let start = Instant::now();
        pace.sample(Sample {
            at: start,
            simulated: 0,
            events: 0,
        });
        assert_eq!(pace.line(0, 506_000_000_000), "0 s of 506 ms simulated");
        let later = start + Duration::from_secs(2);
        pace.sample(Sample {
            at: later,
            simulated: 100_000_000_000,
            events: 4_000_000,
        });
        assert_eq!(
            pace.line(100_000_000_000, 506_000_000_000),
            "100 ms of 506 ms simulated, 2 M events/s, 9 s left"
        );
    }

    #[test]
    fn old_samples_are_forgotten() {
        let mut pace = Pace::default();
        let start = Instant::now();
        for second in 0..20 {
            pace.sample(Sample {
                at: start + Duration::from_secs(second),
                simulated: second * second,
                events: 0,
            });
        }
        // From second 14 to 19.
        assert_eq!(pace.rates(), Some(((19.0 * 19.0 - 14.0 * 14.0) / 5.0, 0.0)));
    }

    #[test]
    fn a_run_that_stands_still_has_no_time_left_to_tell() {
        let mut pace = Pace::default();
        let start = Instant::now();
        pace.sample(Sample {
            at: start,
            simulated: 5,
            events: 1,
        });
        pace.sample(Sample {
            at: start + Duration::from_secs(1),
            simulated: 5,
            events: 1,
        });
        assert_eq!(pace.line(5, 10), "0.005 ns of 0.01 ns simulated, 0 events/s");
    }
}
