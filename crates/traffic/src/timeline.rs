//! The run's timeline and the times at which connections start.

use packetloom_des::random::Stream;
use packetloom_des::{Span, Time};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The six global times of a run, in seconds. Each must be 0 or more.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct GlobalTimes {
    /// When servers start to listen.
    pub start_time: f64,
    /// From there to the start of the client start window.
    pub client_start_offset: f64,
    /// Length of the client start window.
    pub client_start_interval: f64,
    /// From the end of that window to the start of the recording window.
    pub warm_up: f64,
    /// Length of the recording window.
    pub run_time: f64,
    /// From the end of the recording window to the stop time.
    pub cool_down: f64,
}

impl Default for GlobalTimes {
    fn default() -> Self {
        GlobalTimes {
            start_time: 0.001,
            client_start_offset: 0.001,
            client_start_interval: 0.001,
            warm_up: 0.002,
            run_time: 0.5,
            cool_down: 0.001,
        }
    }
}

/// A global time that cannot be used.
#[derive(Clone, PartialEq, Debug, Error)]
#[error(
    "{parameter} is {seconds} s; it must be 0 or more, and the run must end before 213 days of simulated time"
)]
pub struct TimelineError {
    /// Name of the parameter as in a document.
    pub parameter: &'static str,
    /// Its value.
    pub seconds: f64,
}

/// When a run's phases begin and end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Timeline {
    /// Servers start to listen.
    pub start: Time,
    /// Client start window, in which connections are set up: from the first time, up to but without the second. Work
    /// requests are posted from its end on.
    pub client_window: (Time, Time),
    /// Recording window: from the first time through the second.
    pub recording: (Time, Time),
    /// The simulation ends; what would happen at this time does not.
    pub stop: Time,
}

impl Timeline {
    /// Adds up the global times, each rounded to the picosecond on its own.
    pub fn new(times: &GlobalTimes) -> Result<Timeline, TimelineError> {
        let mut now = Time::ZERO;
        let mut pass = |parameter, seconds| {
            let later = Span::from_seconds(seconds).and_then(|span| now.ps().checked_add(span.ps()));
            // `Time::NEVER` is no time at which something can happen.
            now = later
                .map(Time::from_ps)
                .filter(|&time| time < Time::NEVER)
                .ok_or(TimelineError { parameter, seconds })?;
            Ok(now)
        };
        let start = pass("StartTime", times.start_time)?;
        let window_start = pass("ClientStartOffset", times.client_start_offset)?;
        let window_end = pass("ClientStartInterval", times.client_start_interval)?;
        let recording_start = pass("WarmUp", times.warm_up)?;
        let recording_end = pass("RunTime", times.run_time)?;
        let stop = pass("CoolDown", times.cool_down)?;
        let client_window = (window_start, window_end);
        Ok(Timeline {
            start,
            client_window,
            recording: (recording_start, recording_end),
            stop,
        })
    }

    /// When data transfer starts on a connection that is set up by then: the end of the client start window.
    pub fn data_start(&self) -> Time {
        self.client_window.1
    }

    /// Whether `now` is in the recording window, both ends included.
    pub fn records_at(&self, now: Time) -> bool {
        self.recording.0 <= now && now <= self.recording.1
    }

    /// Length of the client start window.
    pub fn window_length(&self) -> Span {
        self.client_window.1.since(self.client_window.0)
    }
}

packetloom_params::choice! {
    /// When an application's connections start within the client start window.
    pub enum StartType {
        /// All at the window's start.
        Simultaneous = "simultaneous",
        /// Each at a random time of its own, every picosecond of the window equally likely.
        Uniform = "uniform",
        /// One after another, evenly spaced, the first at the window's start.
        Sequential = "sequential",
    }
}

/// Which connection it is: what its random start, and all else about it that is random, is drawn for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectionName<'a> {
    /// Name of the application.
    pub application: &'a str,
    /// Index of the client's host.
    pub client: u32,
    /// Index of the server's host.
    pub server: u32,
    /// The connection's index in its pair, from 0.
    pub connection: u32,
}

impl ConnectionName<'_> {
    /// The connection's stream for `purpose`. Its entity is
    /// `initiator {client} responder {server} connection {connection} of {application}`, whatever the application is.
    pub fn stream(self, seed: u64, purpose: &str) -> Stream {
        let ConnectionName {
            application,
            client,
            server,
            connection,
        } = self;
        let entity =
            format!("initiator {client} responder {server} connection {connection} of {application}");
        Stream::new(seed, &entity, purpose)
    }
}

impl StartType {
    /// When a connection starts: number `index` (from 0) of its application's `count`, in instance order.
    ///
    /// Sequential: the window's start + `index` x length / `count`, rounded down to the picosecond. Uniform: the
    /// window's start + a whole number of picoseconds below the length, the first draw of the connection's stream of
    /// purpose `start`.
    pub fn start(self, timeline: &Timeline, seed: u64, name: ConnectionName, index: u64, count: u64) -> Time {
        debug_assert!(index < count, "connection {index} of {count}");
        let (first, length) = (timeline.client_window.0, timeline.window_length().ps());
        let after = match self {
            StartType::Simultaneous => 0,
            StartType::Uniform if length == 0 => 0,
            StartType::Uniform => name.stream(seed, "start").below(length),
            // Below `length`, since `index` is below `count`.
            StartType::Sequential => (index as u128 * length as u128 / count.max(1) as u128) as u64,
        };
        first + Span::from_ps(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    fn default_timeline() -> Timeline {
        Timeline::new(&GlobalTimes::default()).expect("the defaults are valid")
    }

    fn ms(n: u64) -> Time {
        Time::from_ps(n * MS)
    }

    #[test]
    fn the_default_timeline() {
        let timeline = default_timeline();
        assert_eq!(timeline.start, ms(1));
        assert_eq!(
            timeline.client_window,
            (ms(2), ms(3)),
            "0.001 + 0.001, 0.002 + 0.001"
        );
        assert_eq!(timeline.recording, (ms(5), ms(505)), "0.003 + 0.002, 0.005 + 0.5");
        assert_eq!(timeline.stop, ms(506), "0.505 + 0.001");
        assert_eq!(timeline.data_start(), ms(3));
    }

    #[test]
    fn the_recording_window_holds_both_its_ends() {
        let timeline = default_timeline();
        assert!(timeline.records_at(ms(5)) && timeline.records_at(ms(505)));
        assert!(!timeline.records_at(Time::from_ps(5 * MS - 1)));
        assert!(!timeline.records_at(Time::from_ps(505 * MS + 1)));
    }

    #[test]
    fn each_time_is_rounded_on_its_own() {
        // 0.4 ps rounds to 0 and 0.6 ps to 1; their sum as a number would round to 1 as well, two of 0.6 to 1.
        let times = GlobalTimes {
            start_time: 0.6e-12,
            client_start_offset: 0.6e-12,
            ..GlobalTimes::default()
        };
        assert_eq!(
            Timeline::new(&times).expect("valid").client_window.0,
            Time::from_ps(2)
        );
    }

    #[test]
    fn unusable_times_are_named() {
        let refused = |times| Timeline::new(&times).expect_err("cannot be used").parameter;
        assert_eq!(
            refused(GlobalTimes {
                warm_up: -0.001,
                ..GlobalTimes::default()
            }),
            "WarmUp"
        );
        assert_eq!(
            refused(GlobalTimes {
                run_time: f64::NAN,
                ..GlobalTimes::default()
            }),
            "RunTime"
        );
        assert_eq!(
            refused(GlobalTimes {
                run_time: 1e9,
                ..GlobalTimes::default()
            }),
            "RunTime"
        );
        // 2^64 ps is 18,446,744.07 s.
        let late = GlobalTimes {
            start_time: 18_446_743.0,
            cool_down: 10.0,
            ..GlobalTimes::default()
        };
        assert_eq!(refused(late), "CoolDown", "each fits, their sum does not");
    }

    fn name(connection: u32) -> ConnectionName<'static> {
        ConnectionName {
            application: "rdma",
            client: 3,
            server: 5,
            connection,
        }
    }

    #[test]
    fn simultaneous_connections_start_with_the_window() {
        let start = StartType::Simultaneous.start(&default_timeline(), 18_760, name(7), 7, 8);
        assert_eq!(start, ms(2));
    }

    #[test]
    fn sequential_connections_are_evenly_spaced() {
        // 1 ms / 3 = 333,333,333.33 ps: 0, 333,333,333 and 666,666,666 ps after the window's start.
        let timeline = default_timeline();
        let starts =
            [0, 1, 2].map(|i| StartType::Sequential.start(&timeline, 1, name(0), i, 3).ps() - 2 * MS);
        assert_eq!(starts, [0, 333_333_333, 666_666_666]);
    }

    #[test]
    fn uniform_starts_fill_the_window_evenly() {
        let timeline = default_timeline();
        let mut tenths = [0u32; 10];
        for connection in 0..10_000 {
            let start = StartType::Uniform.start(&timeline, 18_760, name(connection), 0, 1);
            assert!(ms(2) <= start && start < ms(3), "the window is half-open");
            tenths[((start.ps() - 2 * MS) * 10 / MS) as usize] += 1;
        }
        // 1,000 in each tenth, +- 5 standard deviations of sqrt(10000 x 0.1 x 0.9) = 30.
        assert!(tenths.iter().all(|&n| n.abs_diff(1_000) < 150), "{tenths:?}");
    }

    #[test]
    fn a_uniform_start_depends_on_the_connection_alone() {
        let timeline = default_timeline();
        let start = |name, index| StartType::Uniform.start(&timeline, 18_760, name, index, 100);
        assert_eq!(start(name(0), 0), start(name(0), 50));
        assert_ne!(start(name(0), 0), start(name(1), 0));
        assert_ne!(
            start(name(0), 0),
            start(
                ConnectionName {
                    application: "other",
                    ..name(0)
                },
                0
            )
        );
    }

    #[test]
    fn a_window_without_length_is_an_instant() {
        let times = GlobalTimes {
            client_start_interval: 0.0,
            ..GlobalTimes::default()
        };
        let timeline = Timeline::new(&times).expect("valid");
        for kind in [StartType::Simultaneous, StartType::Uniform, StartType::Sequential] {
            assert_eq!(kind.start(&timeline, 18_760, name(0), 1, 2), ms(2));
        }
    }
}
