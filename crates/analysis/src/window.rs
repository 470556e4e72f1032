//! Which part of a run figures are of, and running totals at its ends.

use packetloom_records::ReadError;
use packetloom_records::read::RowRef;

/// A part of a run, both ends included, in picoseconds of simulated time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub from: u64,
    pub to: u64,
}

impl Window {
    pub fn holds(self, at: u64) -> bool {
        self.from <= at && at <= self.to
    }
}

/// Running totals of reports: at the last report up to a window's start, at the first one from its end on, and at the last
/// of all. So what lies between the first two holds all of the window, and no more than it where both ends have a report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Totals<const N: usize> {
    before: [u64; N],
    end: [u64; N],
    /// At the last report.
    pub last: [u64; N],
    at: Option<u64>,
    /// When the first report was.
    first: u64,
    /// When those were that `before` and `end` are of.
    ends: [u64; 2],
}

impl<const N: usize> Default for Totals<N> {
    fn default() -> Self {
        Totals {
            before: [0; N],
            end: [0; N],
            last: [0; N],
            at: None,
            first: 0,
            ends: [0; 2],
        }
    }
}

impl<const N: usize> Totals<N> {
    /// Takes the totals in `row`, reported at `at`.
    pub fn take(
        &mut self,
        window: Window,
        at: u64,
        values: [u64; N],
        row: RowRef<'_>,
    ) -> Result<(), ReadError> {
        if self.at.is_some_and(|before| at < before) {
            return Err(row.error(
                "the row is of an earlier time than one before it; rows must be in the order in which they were written"
                    .to_owned(),
            ));
        }
        self.see(window, at, values);
        Ok(())
    }

    fn see(&mut self, window: Window, at: u64, values: [u64; N]) {
        if at <= window.from {
            self.before = values;
            self.ends[0] = at;
        }
        if self.at.is_none_or(|before| before < window.to) {
            self.end = values;
            self.ends[1] = at;
        }
        if self.at.is_none() {
            self.first = at;
        }
        self.last = values;
        self.at = Some(at);
    }

    /// What was added in the window.
    pub fn in_window(&self) -> [u64; N] {
        std::array::from_fn(|n| self.end[n].saturating_sub(self.before[n]))
    }

    /// The same of a record that leaves out rows of zeros, where `end` is the report that ends the window: what was first
    /// reported later was 0 then.
    pub fn in_window_until(&self, end: u64) -> [u64; N] {
        if self.first > end {
            [0; N]
        } else {
            self.in_window()
        }
    }

    /// How long the part is that [`Totals::in_window`] is of, in picoseconds.
    pub fn length(&self) -> u64 {
        self.ends[1].saturating_sub(self.ends[0])
    }
}

/// When reports came that lie at a window's ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reports(Totals<1>, FirstTwo);

/// The two earliest reports.
#[derive(Clone, Copy, Debug, Default)]
struct FirstTwo(Option<u64>, Option<u64>);

impl FirstTwo {
    fn take(&mut self, at: u64) {
        match *self {
            FirstTwo(None, _) => self.0 = Some(at),
            FirstTwo(Some(first), _) if at < first => *self = FirstTwo(Some(at), Some(first)),
            FirstTwo(Some(first), second) if at > first && second.is_none_or(|second| at < second) => {
                self.1 = Some(at);
            }
            FirstTwo(..) => {}
        }
    }
}

impl Reports {
    /// Takes the time of a report; those of several files may come in any order.
    pub fn take(&mut self, window: Window, at: u64) {
        self.1.take(at);
        let Totals {
            before,
            end,
            last,
            at: seen,
            ..
        } = &mut self.0;
        if at <= window.from {
            before[0] = before[0].max(at);
        }
        // The first from the window's end on, else the last.
        let better = match (end[0] >= window.to, at >= window.to) {
            (false, true) => true,
            (false, false) => at > end[0],
            (true, true) => at < end[0],
            (true, false) => false,
        };
        if seen.is_none() || better {
            end[0] = at;
        }
        last[0] = last[0].max(at);
        *seen = Some(at);
    }

    /// Takes those of another record.
    pub fn join(&mut self, window: Window, other: &Reports) {
        if other.0.at.is_some() {
            let (first_two, times) = (self.1, [other.0.before[0], other.0.end[0], other.0.last[0]]);
            // A start of 0 is where no report came before the window.
            for at in times.into_iter().filter(|&at| at > 0) {
                self.take(window, at);
            }
            self.1 = first_two;
            for at in [other.1.0, other.1.1].into_iter().flatten() {
                self.take(window, at);
            }
        }
    }

    /// Takes the reports at a window's ends of a record that leaves out rows of zeros, as it did before its first row. They
    /// lie as far apart as its first two, since from its first row on a row is there at every report. With one
    /// report, or none, that does not tell.
    pub fn fill_in(&mut self, window: Window) {
        let FirstTwo(Some(first), Some(second)) = self.1 else {
            return;
        };
        let interval = second - first;
        for bound in [
            // The last up to the start, and the first from the end on.
            (window.from < first).then(|| (first - window.from).div_ceil(interval)),
            (window.to < first).then(|| (first - window.to) / interval),
        ] {
            let back = bound.and_then(|steps| steps.checked_mul(interval));
            match back.and_then(|back| first.checked_sub(back)) {
                Some(at) if at > 0 => self.take(window, at),
                _ => {}
            }
        }
    }

    /// Like [`Reports::window`], but nothing if the reports tell nothing of `asked`: all of them came before it.
    pub fn known(&self, asked: Window) -> Option<Window> {
        self.window()
            .filter(|known| known.to > known.from || known.to >= asked.to)
    }

    /// From when to when the totals are that [`Totals::in_window`] gives; nothing without a report.
    pub fn window(&self) -> Option<Window> {
        self.0.at.map(|_| Window {
            from: self.0.before[0],
            to: self.0.end[0].max(self.0.before[0]),
        })
    }

    /// The last report.
    pub fn last(&self) -> Option<u64> {
        self.0.at.map(|_| self.0.last[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports at 3, 4, 5 and 6, where the total is 30, 40, 50 and 60.
    fn totals(from: u64, to: u64) -> ([u64; 1], Option<Window>) {
        let window = Window { from, to };
        let (mut totals, mut reports) = (Totals::<1>::default(), Reports::default());
        for at in 3..=6 {
            totals.see(window, at, [at * 10]);
        }
        // Two shards report one after the other.
        for at in [3, 5, 6, 4, 3, 4] {
            reports.take(window, at);
        }
        assert_eq!(totals.last, [60]);
        assert_eq!(reports.last(), Some(6));
        (totals.in_window(), reports.window())
    }

    #[test]
    fn what_was_left_out_is_filled_in() {
        let window = Window { from: 4, to: 6 };
        let mut reports = Reports::default();
        reports.take(window, 11);
        reports.fill_in(window);
        assert_eq!(
            reports.window(),
            Some(Window { from: 0, to: 11 }),
            "one report does not tell of others"
        );
        for at in [15, 13] {
            reports.take(window, at);
        }
        reports.fill_in(window);
        // Every odd time.
        assert_eq!(reports.window(), Some(Window { from: 3, to: 7 }));
        let mut totals = Totals::<1>::default();
        totals.see(window, 11, [5]);
        assert_eq!(totals.in_window_until(7), [0]);
        assert_eq!(totals.in_window_until(11), [5]);
    }

    #[test]
    fn reports_before_the_window_tell_nothing_of_it() {
        let mut reports = Reports::default();
        let late = Window { from: 5, to: 7 };
        assert_eq!(reports.known(late), None);
        reports.take(late, 3);
        assert_eq!(reports.known(late), None);
        reports.take(late, 6);
        assert_eq!(reports.known(late), Some(Window { from: 3, to: 6 }));
        // A moment with a report is known, though it is of no length.
        let mut reports = Reports::default();
        let moment = Window { from: 5, to: 5 };
        reports.take(moment, 5);
        assert_eq!(reports.known(moment), Some(moment));
    }

    #[test]
    fn what_lies_between_two_reports_counts() {
        let between = |from, to| Some(Window { from, to });
        assert_eq!(totals(4, 5), ([10], between(4, 5)));
        assert_eq!(totals(3, 6), ([30], between(3, 6)));
        // No report at the ends: the reports around them.
        assert_eq!(totals(0, 5), ([50], between(0, 5)));
        assert_eq!(totals(2, 100), ([60], between(0, 6)));
        // All before the first report, and all after the last.
        assert_eq!(totals(0, 1), ([30], between(0, 3)));
        assert_eq!(totals(7, 9), ([0], between(6, 6)));
        assert_eq!(Reports::default().window(), None);
    }
}
