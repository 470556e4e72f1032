//! What Ctrl-C does, and other signals that would end the program in the middle of a row.

use crate::failure::Failure;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Signals this close to the first one are the same press of Ctrl-C: `timeout` and other wrappers send one to the whole
/// process group and another one to their child.
const SAME_PRESS: Duration = Duration::from_millis(500);

/// Makes the first interrupt call `end`, which has the run end with what it has, and a later one end the process at once.
pub fn on_interrupt(end: impl Fn() + Send + 'static) -> Result<(), Failure> {
    let mut presses = Presses::default();
    ctrlc::set_handler(move || match presses.signal(Instant::now()) {
        Press::First => end(),
        Press::Same => {}
        // Rows already handed to the system are safe; those still in memory are lost, as asked for.
        Press::Later => std::process::exit(130),
    })
    .map_err(|error| Failure::Machine(format!("cannot watch for Ctrl-C: {error}; try again")))?;
    #[cfg(unix)]
    {
        // A file that hits the limit on file sizes is then an error of the write, which can be told, instead of the
        // end of the process.
        let flag = Arc::new(std::sync::atomic::AtomicBool::new(false));
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, flag).map_err(|error| {
            Failure::Machine(format!(
                "cannot watch for the file size limit: {error}; try again"
            ))
        })?;
    }
    Ok(())
}

/// What a signal means.
#[derive(Debug, PartialEq, Eq)]
enum Press {
    /// End with what there is.
    First,
    /// Nothing new.
    Same,
    /// End at once.
    Later,
}

/// Tells signals apart by when they come.
#[derive(Debug, Default)]
struct Presses {
    first: Option<Instant>,
}

impl Presses {
    /// What the signal that came at `now` means.
    fn signal(&mut self, now: Instant) -> Press {
        match self.first {
            None => {
                self.first = Some(now);
                Press::First
            }
            Some(first) if now.saturating_duration_since(first) < SAME_PRESS => Press::Same,
            Some(_) => Press::Later,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_within_half_a_second_are_one_press() {
        let start = Instant::now();
        let mut presses = Presses::default();
        let after = |ms| start + Duration::from_millis(ms);
        assert_eq!(presses.signal(after(0)), Press::First);
        for ms in [0, 5, 499] {
            assert_eq!(presses.signal(after(ms)), Press::Same, "{ms} ms");
        }
        // Counted from the first: somebody who keeps pressing gets what they want.
        assert_eq!(presses.signal(after(500)), Press::Later);
    }
}
