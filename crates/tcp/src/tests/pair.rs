//! Two connections on a link with a delay and a rate, on which segments may be lost, repeated or held up, and an oracle that looks at
//! every segment.
//!
//! The oracle knows what was written, what of it went on the wire and what of that arrived. From these follows what each end may
//! say: an acknowledgement is exactly what has arrived without a gap, SACK blocks hold only what has arrived, and nothing is
//! sent that was not written or exceeds the window.

use crate::{Connection, Flags, Options, Received, Segment, Settings, State, Timer};
use packetloom_des::{Span, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What the link does to a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Passes,
    IsLost,
    /// A second one comes so much later.
    ComesTwice(Span),
    /// It comes so much later, behind what was sent after it.
    ComesLate(Span),
}

/// What one end sends, as the oracle sees it.
#[derive(Clone, Debug, Default)]
struct Stream {
    isn: u32,
    written: u64,
    /// Highest byte that went on the wire, plus one.
    sent: u64,
    /// Bytes on the wire, repetitions included.
    sent_bytes: u64,
    /// Which bytes have arrived at the other end.
    arrived: Vec<bool>,
    /// Length of the part of `arrived` without a gap.
    whole: u64,
    /// What the other end gave to its application.
    delivered: u64,
    /// The highest byte that the other end has ever allowed, by acknowledgement and window.
    allowed: u64,
}

impl Stream {
    fn offset(&self, wire: u32, near: u64) -> i64 {
        let near_wire = self.isn.wrapping_add(1).wrapping_add(near as u32);
        near as i64 + wire.wrapping_sub(near_wire) as i32 as i64
    }
}

/// The link, both ends, and the oracle.
pub struct Pair {
    pub now: Time,
    pub ends: [Connection; 2],
    streams: [Stream; 2],
    /// Segments on their way: when they arrive, in which order, where.
    due: BinaryHeap<Reverse<(Time, u64, usize)>>,
    segments: Vec<Segment>,
    destinations: Vec<usize>,
    /// By receiving end: what becomes of one segment after another; behind the last entry the link is clean.
    pub fates: [std::vec::IntoIter<Fate>; 2],
    delay: Span,
    /// Time on the wire of each byte.
    per_byte: Span,
    busy_until: [Time; 2],
    /// What each application has still to write.
    pub backlog: [u64; 2],
    /// Whether each application reads at once.
    pub reads: [bool; 2],
    pub established: [u32; 2],
    /// Every segment as it was sent: when, by whom.
    pub log: Vec<(Time, usize, Segment)>,
    pub disturbed: u64,
    scales: [u8; 2],
}

pub const CLIENT: usize = 0;
pub const SERVER: usize = 1;

impl Pair {
    pub fn new(settings: [Settings; 2], isns: [u32; 2], delay: Span, per_byte: Span) -> Pair {
        let stream = |isn| Stream {
            isn,
            ..Stream::default()
        };
        Pair {
            now: Time::ZERO,
            ends: [
                Connection::client(&settings[0], isns[0]),
                Connection::server(&settings[1], isns[1]),
            ],
            streams: isns.map(stream),
            due: BinaryHeap::new(),
            segments: Vec::new(),
            destinations: Vec::new(),
            fates: [Vec::new().into_iter(), Vec::new().into_iter()],
            delay,
            per_byte,
            busy_until: [Time::ZERO; 2],
            backlog: [0; 2],
            reads: [true; 2],
            established: [0; 2],
            log: Vec::new(),
            disturbed: 0,
            scales: settings.map(|settings| settings.window_scale()),
        }
    }

    /// Two ends with default settings, 50 us apart, at 10 Gbps.
    pub fn usual() -> Pair {
        Pair::new(
            [Settings::default(); 2],
            [1_000, 2_000],
            Span::from_us(50),
            Span::from_ps(800),
        )
    }

    pub fn open(&mut self) {
        self.ends[CLIENT].open(self.now);
        self.pump();
    }

    /// An application has so much more to write.
    pub fn write(&mut self, end: usize, bytes: u64) {
        self.backlog[end] += bytes;
        self.pump();
    }

    pub fn delivered(&self, sender: usize) -> u64 {
        self.streams[sender].delivered
    }

    /// Lets an application read all there is.
    pub fn read_all(&mut self, end: usize) {
        let readable = self.ends[end].readable();
        self.ends[end].read(self.now, readable);
        self.streams[1 - end].delivered += readable;
        self.pump();
    }

    /// The next thing that happens. Returns false if nothing does.
    pub fn step(&mut self) -> bool {
        let arrival = self.due.peek().map_or(Time::NEVER, |&Reverse((at, _, _))| at);
        let timers = [0, 1].map(|end| {
            let connection = &self.ends[end];
            let deadlines = [Timer::Retransmit, Timer::DelayedAck].map(|timer| connection.deadline(timer));
            deadlines[0].min(deadlines[1])
        });
        let next = arrival.min(timers[0]).min(timers[1]);
        if next == Time::NEVER {
            return false;
        }
        assert!(
            next >= self.now,
            "a deadline in the past: {next:?} at {:?}",
            self.now
        );
        self.now = next;
        if arrival == next {
            let Reverse((_, _, index)) = self.due.pop().expect("it was there");
            self.arrive(self.destinations[index], index);
        } else {
            let end = usize::from(timers[0] != next);
            for timer in [Timer::Retransmit, Timer::DelayedAck] {
                if self.ends[end].deadline(timer) == next {
                    self.ends[end].expired(next, timer);
                }
            }
        }
        self.pump();
        true
    }

    /// Runs until nothing more happens, or for so many steps.
    pub fn run(&mut self, most: u64) {
        for _ in 0..most {
            if !self.step() {
                return;
            }
        }
        panic!("it does not come to rest: {:?}", self.ends);
    }

    /// Runs until a time.
    pub fn run_until(&mut self, until: Time) {
        loop {
            let next = self.next();
            if next > until {
                break;
            }
            self.step();
        }
        self.now = until;
    }

    /// When the next thing happens.
    pub fn next(&self) -> Time {
        let arrival = self.due.peek().map_or(Time::NEVER, |&Reverse((at, _, _))| at);
        let timers = self.ends.iter().flat_map(|connection| {
            [Timer::Retransmit, Timer::DelayedAck].map(|timer| connection.deadline(timer))
        });
        timers.fold(arrival, Time::min)
    }

    /// Applications write what fits, and everything that may go is sent.
    fn pump(&mut self) {
        for end in 0..2 {
            let taken = self.ends[end].write(self.backlog[end]);
            self.backlog[end] -= taken;
            let stream = &mut self.streams[end];
            stream.written += taken;
            stream.arrived.resize(stream.written as usize, false);
            loop {
                let wanted = self.ends[end].wants_transmit(self.now);
                let Some(segment) = self.ends[end].transmit(self.now) else {
                    assert!(!wanted, "wants to send and does not: {:?}", self.ends[end]);
                    break;
                };
                assert!(wanted, "sends and did not want to");
                self.send(end, segment);
                self.ends[end].check();
            }
        }
    }

    fn send(&mut self, end: usize, segment: Segment) {
        self.log.push((self.now, end, segment));
        self.judge(end, &segment);
        let begin = self.busy_until[end].max(self.now);
        self.busy_until[end] = begin + self.per_byte * segment.wire_size() as u64;
        let at = self.busy_until[end] + self.delay;
        let fate = self.fates[1 - end].next().unwrap_or(Fate::Passes);
        self.disturbed += u64::from(fate != Fate::Passes);
        match fate {
            Fate::Passes => self.put(at, 1 - end, segment),
            Fate::IsLost => (),
            Fate::ComesTwice(later) => {
                self.put(at, 1 - end, segment);
                self.put(at + later, 1 - end, segment);
            }
            Fate::ComesLate(later) => self.put(at + later, 1 - end, segment),
        }
    }

    fn put(&mut self, at: Time, destination: usize, segment: Segment) {
        let index = self.segments.len();
        self.segments.push(segment);
        self.destinations.push(destination);
        self.due.push(Reverse((at, index as u64, index)));
    }

    /// Whether an end may send this.
    fn judge(&mut self, end: usize, segment: &Segment) {
        let syn = segment.flags.contains(Flags::SYN);
        let own = &mut self.streams[end];
        let near = own.sent;
        let start = own.offset(segment.sequence, near);
        if syn {
            assert_eq!(start, -1, "the SYN comes first");
            assert_eq!(segment.payload, 0);
        } else {
            let finish = start as u64 + segment.payload as u64;
            assert!(start >= 0 && finish <= own.written, "sends what was not written");
            if segment.payload > 0 {
                assert!(start as u64 <= own.sent, "leaves a gap");
                assert!(
                    finish <= own.allowed.max(start as u64 + 1),
                    "sends {start} to {finish} into a window up to {}",
                    own.allowed
                );
                own.sent = own.sent.max(finish);
                own.sent_bytes += segment.payload as u64;
            }
        }
        // What it says about the other end's stream.
        if !segment.flags.contains(Flags::ACK) {
            return;
        }
        let scale = if syn { 0 } else { self.scales[end] };
        let others = &mut self.streams[1 - end];
        let acknowledged = others.offset(segment.acknowledgement, others.whole);
        assert_eq!(
            acknowledged, others.whole as i64,
            "acknowledges what has arrived without a gap"
        );
        let edge = others.whole + ((segment.window as u64) << scale);
        others.allowed = others.allowed.max(edge);
        if let Options::Sack { count, .. } = segment.options {
            assert!((1..=4).contains(&count));
        }
        for (index, block) in segment.options.sack().iter().enumerate() {
            let (start, finish) = (
                others.offset(block.start, others.whole),
                others.offset(block.end, others.whole),
            );
            assert!(
                start > others.whole as i64 && start < finish,
                "block {start} to {finish}"
            );
            let (start, finish) = (start as usize, finish as usize);
            assert!(
                others.arrived[start..finish].iter().all(|&there| there),
                "has not arrived"
            );
            assert!(!others.arrived[start - 1], "begins within a run");
            assert!(others.arrived.get(finish) != Some(&true), "ends within a run");
            assert!(
                segment.options.sack()[..index].iter().all(|other| other != block),
                "said twice"
            );
        }
    }

    fn arrive(&mut self, end: usize, index: usize) {
        let segment = self.segments[index];
        let before = self.ends[end].clone();
        let received = self.ends[end].handle(self.now, &segment);
        self.ends[end].check();
        if received.established {
            self.established[end] += 1;
            assert_eq!(self.ends[end].state(), State::Established);
        }
        // What is new to the receiver, as far as it is taken.
        let stream = &mut self.streams[1 - end];
        let taken = before.state() == State::Established || received.established;
        let start = stream.offset(segment.sequence, stream.whole);
        let allowed = stream
            .allowed
            .max(before.report().advertised_window + stream.whole);
        if taken && segment.payload > 0 && start <= allowed as i64 {
            let finish = (start + segment.payload as i64).min(allowed as i64);
            for at in start.max(0)..finish {
                stream.arrived[at as usize] = true;
            }
        }
        let before_whole = stream.whole;
        while stream.arrived.get(stream.whole as usize) == Some(&true) {
            stream.whole += 1;
        }
        assert_eq!(
            received,
            Received {
                delivered: stream.whole - before_whole,
                ..received
            },
            "delivers what has become whole"
        );
        if self.reads[end] {
            self.ends[end].read(self.now, received.delivered);
            stream.delivered += received.delivered;
        }
        assert_eq!(self.ends[end].readable(), stream.whole - stream.delivered);
    }

    /// Panics unless all was delivered and nothing is left to do.
    pub fn assert_done(&self) {
        for end in 0..2 {
            let stream = &self.streams[end];
            assert_eq!(self.backlog[end], 0, "written");
            assert_eq!(stream.delivered, stream.written, "delivered");
            let report = self.ends[end].report();
            assert_eq!((report.in_flight, report.state), (0, State::Established));
            assert_eq!(report.sent_bytes, stream.sent_bytes);
            assert_eq!(self.established[end], 1, "established once");
        }
    }
}
