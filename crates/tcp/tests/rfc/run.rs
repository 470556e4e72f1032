//! Plays a case against an endpoint, on a clock of its own.

use crate::parse::{Act, Case, Expected, Setup, Step, When, seconds};
use packetloom_des::{Span, Time};
use packetloom_tcp::segment::{Flags, Options, Segment};
use packetloom_tcp::{Connection, Report, Timer};
use std::collections::VecDeque;
use std::fmt::Write;

struct Play<'a> {
    connection: Connection,
    setup: &'a Setup,
    now: Time,
    /// What has left and was not expected yet.
    left: VecDeque<(Time, Segment)>,
}

/// Plays a case. The error says which step failed and how.
pub fn play(case: &Case) -> Result<(), String> {
    let mut play = Play::new(&case.setup)?;
    for step in &case.steps {
        play.step(step)
            .map_err(|fault| format!("{}\n  {fault}", step.place))?;
    }
    play.quiet()
        .map_err(|fault| format!("after the last step\n  {fault}"))
}

impl<'a> Play<'a> {
    fn new(setup: &'a Setup) -> Result<Self, String> {
        let connection = if setup.client {
            Connection::client(&setup.settings, setup.isn)
        } else {
            Connection::server(&setup.settings, setup.isn)
        };
        let mut play = Play {
            connection,
            setup,
            now: Time::ZERO,
            left: VecDeque::new(),
        };
        if let Some(round_trip) = setup.handshake {
            play.handshake(round_trip)?;
        }
        Ok(play)
    }

    /// The three segments of a handshake; the endpoint is in the state established `round_trip` after the start.
    fn handshake(&mut self, round_trip: Span) -> Result<(), String> {
        let setup = self.setup;
        let syn = Segment {
            sequence: setup.peer,
            window: u16::MAX,
            flags: Flags::SYN,
            options: Options::Syn {
                mss: setup.peer_mss,
                sack_permitted: setup.peer_sack,
                window_scale: setup.peer_scale,
            },
            ..Segment::default()
        };
        let acknowledgement = Segment {
            acknowledgement: setup.isn.wrapping_add(1),
            flags: Flags::ACK,
            ..syn
        };
        if setup.client {
            self.connection.open(self.now);
            self.drain();
        } else {
            self.arrive(&syn);
        }
        let first = self.left.pop_front().ok_or("nothing left for the handshake")?;
        if first.1.sequence != setup.isn || !first.1.flags.contains(Flags::SYN) {
            return Err(format!("no SYN but {}", describe(&first.1)));
        }
        self.run_until(self.now + round_trip);
        if setup.client {
            self.arrive(&Segment {
                flags: Flags::SYN | Flags::ACK,
                ..acknowledgement
            });
            let last = self.left.pop_front().ok_or("the SYN was not acknowledged")?;
            if last.1.acknowledgement != setup.peer.wrapping_add(1) {
                return Err(format!("no acknowledgement of the SYN but {}", describe(&last.1)));
            }
        } else {
            self.arrive(&Segment {
                sequence: setup.peer.wrapping_add(1),
                options: Options::None,
                ..acknowledgement
            });
        }
        self.quiet()
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        let to = match step.when {
            When::At(since_start) => Time::ZERO + since_start,
            When::After(since_last) => self.now + since_last,
        };
        if to < self.now {
            return Err(format!("it is {} s already", self.now.seconds_text()));
        }
        self.run_until(to);
        if let Act::Leaves(expected) = &step.act {
            return expected.iter().try_for_each(|segment| self.leaves(segment));
        }
        // What left earlier had to be expected before this.
        if let Some((at, segment)) = self.left.front()
            && (*at < to || matches!(step.act, Act::Quiet))
        {
            return Err(format!(
                "unexpected: {} > {}",
                at.seconds_text(),
                describe(segment)
            ));
        }
        match &step.act {
            Act::Arrives(segments) => segments.iter().for_each(|segment| self.arrive(segment)),
            Act::Open => self.connection.open(self.now),
            Act::Write { bytes, takes } => {
                let taken = self.connection.write(*bytes);
                if taken != *takes {
                    return Err(format!("took {taken} bytes"));
                }
            }
            Act::Read(bytes) => self.connection.read(self.now, *bytes),
            Act::Is(pairs) => {
                let report = self.connection.report();
                for (name, value) in pairs {
                    is(&report, name, value)?;
                }
            }
            Act::Quiet | Act::Leaves(_) => {}
        }
        self.drain();
        Ok(())
    }

    fn arrive(&mut self, segment: &Segment) {
        let received = self.connection.handle(self.now, segment);
        if !self.setup.keeps && received.delivered > 0 {
            self.connection.read(self.now, received.delivered);
        }
        self.drain();
    }

    /// Lets out what may go now.
    fn drain(&mut self) {
        loop {
            let wants = self.connection.wants_transmit(self.now);
            let segment = self.connection.transmit(self.now);
            assert_eq!(
                wants,
                segment.is_some(),
                "wants_transmit and transmit at {:?}: {segment:?}",
                self.now
            );
            match segment {
                Some(segment) => self.left.push_back((self.now, segment)),
                None => return,
            }
        }
    }

    /// Lets time pass. Timers that are due at `to` go off before what the script does then.
    fn run_until(&mut self, to: Time) {
        const TIMERS: [Timer; 2] = [Timer::Retransmit, Timer::DelayedAck];
        loop {
            let (timer, at) = TIMERS
                .map(|timer| (timer, self.connection.deadline(timer)))
                .into_iter()
                .min_by_key(|(_, at)| *at)
                .expect("two timers");
            if at > to || at == Time::NEVER {
                break;
            }
            self.now = at.max(self.now);
            self.connection.expired(self.now, timer);
            self.drain();
        }
        self.now = to;
    }

    fn quiet(&self) -> Result<(), String> {
        match self.left.front() {
            None => Ok(()),
            Some((at, segment)) => Err(format!(
                "unexpected: {} > {}",
                at.seconds_text(),
                describe(segment)
            )),
        }
    }

    fn leaves(&mut self, expected: &Expected) -> Result<(), String> {
        let (at, segment) = self.left.pop_front().ok_or_else(|| {
            format!(
                "nothing has left{}",
                next_deadline(&self.connection).map_or(String::new(), |at| format!("; a timer at {at}"))
            )
        })?;
        let same = at == self.now
            && segment.flags == expected.flags
            && segment.payload == expected.payload
            && expected.sequence.is_none_or(|it| it == segment.sequence)
            && expected
                .acknowledgement
                .is_none_or(|it| it == segment.acknowledgement)
            && expected.window.is_none_or(|it| it == segment.window)
            && expected.options == segment.options;
        if same {
            Ok(())
        } else {
            Err(format!("but {} > {}", at.seconds_text(), describe(&segment)))
        }
    }
}

fn next_deadline(connection: &Connection) -> Option<String> {
    let at = connection
        .deadline(Timer::Retransmit)
        .min(connection.deadline(Timer::DelayedAck));
    (at != Time::NEVER).then(|| at.seconds_text())
}

/// A segment as a script would write it.
fn describe(segment: &Segment) -> String {
    let mut text = String::new();
    for (flag, letter) in [
        (Flags::SYN, 'S'),
        (Flags::FIN, 'F'),
        (Flags::RST, 'R'),
        (Flags::PSH, 'P'),
        (Flags::ACK, '.'),
    ] {
        if segment.flags.contains(flag) {
            text.push(letter);
        }
    }
    let end = segment.sequence.wrapping_add(segment.payload);
    write!(
        text,
        " {}:{end} ack {} win {}",
        segment.sequence, segment.acknowledgement, segment.window
    )
    .expect("a String takes all");
    match segment.options {
        Options::None => {}
        Options::Syn {
            mss,
            sack_permitted,
            window_scale,
        } => write!(text, " mss {mss} sack {sack_permitted} scale {window_scale:?}")
            .expect("a String takes all"),
        Options::Sack { .. } => {
            let blocks: Vec<String> = segment
                .options
                .sack()
                .iter()
                .map(|block| format!("{}:{}", block.start, block.end))
                .collect();
            write!(text, " sack {}", blocks.join(",")).expect("a String takes all");
        }
    }
    text
}

/// Whether the report says of `name` what the script does.
fn is(report: &Report, name: &str, value: &str) -> Result<(), String> {
    let actual = match name {
        "cwnd" => report.congestion_window.to_string(),
        "ssthresh" if report.slow_start_threshold == u64::MAX => "unlimited".to_owned(),
        "ssthresh" => report.slow_start_threshold.to_string(),
        "pipe" => report.in_flight.to_string(),
        "state" => report.congestion_state.name().to_owned(),
        "timeouts" => report.timeouts.to_string(),
        "fast_retransmits" => report.fast_retransmits.to_string(),
        "rto" => return same_span(report.retransmission_timeout, name, value),
        "srtt" => {
            let srtt = report.smoothed_round_trip.ok_or("there is no srtt yet")?;
            return same_span(srtt, name, value);
        }
        _ => return Err(format!("nothing is called {name:?}")),
    };
    if actual == value {
        Ok(())
    } else {
        Err(format!("{name} is {actual}"))
    }
}

fn same_span(actual: Span, name: &str, value: &str) -> Result<(), String> {
    if actual == seconds(value)? {
        Ok(())
    } else {
        Err(format!("{name} is {} s", (Time::ZERO + actual).seconds_text()))
    }
}
