//! Watching a run, or the reading of records: the progress bar.

use crate::output::complain;
use crate::text;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use packetloom_analysis::Progress as Reading;
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

/// A thread that shows how something is getting on.
pub struct Watcher {
    done: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// What there is to show at a moment.
struct View {
    /// How much is done, and of how much; of 0 before that is known.
    done: u64,
    of: u64,
    /// What stands behind the bar.
    line: String,
    /// What to say once, bar or no bar.
    say: Option<&'static str>,
}

impl Watcher {
    /// Starts watching a run; the bar appears only on a terminal, and only if the run takes its time.
    pub fn start(progress: &Arc<Progress>, quiet: bool) -> Self {
        let progress = Arc::clone(progress);
        let (mut pace, mut converting) = (Pace::default(), Pace::default());
        let mut told = false;
        Watcher::spawn(quiet, move || {
            let interrupted = progress.interrupted();
            let say = (interrupted && !std::mem::replace(&mut told, interrupted))
                .then_some("interrupted: ending the run with what it has; once more to stop at once");
            let (converted, to_convert) = progress.conversion();
            if to_convert > 0 {
                return converting.bytes(converted, to_convert, "made into Parquet", say);
            }
            let (simulated, stop) = progress.simulated();
            pace.sample(Sample {
                at: Instant::now(),
                done: simulated,
                events: progress.events(),
            });
            View {
                done: simulated,
                of: stop,
                line: pace.line(simulated, stop),
                say,
            }
        })
    }

    /// Starts watching records being read.
    pub fn reading(progress: &Arc<Reading>, quiet: bool) -> Self {
        let progress = Arc::clone(progress);
        let mut pace = Pace::default();
        Watcher::spawn(quiet, move || {
            let (read, total) = progress.bytes();
            pace.bytes(read, total, "read", None)
        })
    }

    fn spawn(quiet: bool, look: impl FnMut() -> View + Send + 'static) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let bar_wanted = !quiet && std::io::stderr().is_terminal();
        let thread = thread::spawn({
            let done = Arc::clone(&done);
            move || watch(look, &done, bar_wanted)
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

fn watch(mut look: impl FnMut() -> View, done: &AtomicBool, bar_wanted: bool) {
    let start = Instant::now();
    let mut bar: Option<ProgressBar> = None;
    while !done.load(Ordering::Relaxed) {
        thread::park_timeout(SAMPLE);
        let view = look();
        if bar_wanted && bar.is_none() && view.of > 0 && start.elapsed() >= PATIENCE {
            bar = Some(new_bar());
        }
        if let Some(bar) = &bar {
            let share = u128::from(STEPS) * u128::from(view.done.min(view.of)) / u128::from(view.of.max(1));
            bar.set_position(share as u64);
            bar.set_message(view.line);
        }
        if let Some(line) = view.say {
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
    /// Simulated picoseconds, or bytes.
    done: u64,
    events: u64,
}

/// How fast it has been lately.
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

    /// What is done and events, a second.
    fn rates(&self) -> Option<(f64, f64)> {
        let (first, last) = (self.samples.front()?, self.samples.back()?);
        let seconds = (last.at - first.at).as_secs_f64();
        let rate = |from: u64, to: u64| to.saturating_sub(from) as f64 / seconds;
        (seconds > 0.0).then(|| (rate(first.done, last.done), rate(first.events, last.events)))
    }

    /// What there is to show of work on `of` bytes.
    fn bytes(&mut self, done: u64, of: u64, what: &str, say: Option<&'static str>) -> View {
        self.sample(Sample {
            at: Instant::now(),
            done,
            events: 0,
        });
        let mut line = format!("{} of {} {what}", text::memory(done), text::memory(of));
        if let Some((pace, _)) = self.rates()
            && pace > 0.0
        {
            line += &left(of.saturating_sub(done), pace);
        }
        View { done, of, line, say }
    }

    /// What stands behind the bar of a run.
    fn line(&self, simulated: u64, stop: u64) -> String {
        let of = |ps: u64| text::seconds(ps as f64 / 1e12);
        let mut line = format!("{} of {} simulated", of(simulated), of(stop));
        if let Some((pace, events)) = self.rates() {
            line += &format!(", {} events/s", text::large(events));
            if pace > 0.0 {
                line += &left(stop.saturating_sub(simulated), pace);
            }
        }
        line
    }
}

/// How long what is left takes at that many a second.
fn left(todo: u64, pace: f64) -> String {
    format!(", {} left", text::seconds((todo as f64 / pace).ceil()))
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
            done: 0,
            events: 0,
        });
        assert_eq!(pace.line(0, 506_000_000_000), "0 s of 506 ms simulated");
        let later = start + Duration::from_secs(2);
        pace.sample(Sample {
            at: later,
            done: 100_000_000_000,
            events: 4_000_000,
        });
        assert_eq!(
            pace.line(100_000_000_000, 506_000_000_000),
            "100 ms of 506 ms simulated, 2 M events/s, 9 s left"
        );
    }

    #[test]
    fn the_line_of_bytes_tells_how_many_are_left() {
        let mut pace = Pace::default();
        let view = pace.bytes(1 << 20, 8 << 20, "read", Some("a word"));
        assert_eq!(
            (view.done, view.of, view.line.as_str(), view.say),
            (1 << 20, 8 << 20, "1 MiB of 8 MiB read", Some("a word"))
        );
        assert_eq!(left(90, 10.0), ", 9 s left");
        // At any pace there is a time left once something has moved.
        thread::sleep(Duration::from_millis(2));
        let view = pace.bytes(8 << 20, 8 << 20, "read", None);
        assert_eq!(view.line, "8 MiB of 8 MiB read, 0 s left");
    }

    #[test]
    fn old_samples_are_forgotten() {
        let mut pace = Pace::default();
        let start = Instant::now();
        for second in 0..20 {
            pace.sample(Sample {
                at: start + Duration::from_secs(second),
                done: second * second,
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
            done: 5,
            events: 1,
        });
        pace.sample(Sample {
            at: start + Duration::from_secs(1),
            done: 5,
            events: 1,
        });
        assert_eq!(pace.line(5, 10), "0.005 ns of 0.01 ns simulated, 0 events/s");
    }
}
