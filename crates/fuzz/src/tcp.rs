//! Two ends of a TCP connection, and somebody who sends them segments that neither of them has sent.

use crate::frames::below;
use arbitrary::{Result, Unstructured};
use packetloom_des::{Span, Time};
use packetloom_tcp::congestion::CongestionControl;
use packetloom_tcp::{Connection, Flags, Options, SackBlock, Segment, Settings, State, Timer};

/// Longer sequences find nothing that shorter ones do not.
const STEPS: usize = 300;
/// Most bytes an end writes in all.
const BYTES: u64 = 20_000;
/// What the ends may need to send it all: a connection that never comes to rest needs more.
const ROUNDS: usize = 200_000;

/// Makes two ends of the first bytes and steps of the rest: writes, reads, segments that arrive, are lost, repeated or overtaken,
/// waits, and segments that were made up. After every step the books of both ends balance. Where no segment was made up, every
/// byte then arrives.
pub fn tcp(data: &[u8]) {
    let _ = play(&mut Unstructured::new(data));
}

struct Lab {
    now: Time,
    ends: [Connection; 2],
    /// On their way to the end of that place.
    flying: [Vec<Segment>; 2],
    written: [u64; 2],
    read: [u64; 2],
}

fn play(u: &mut Unstructured) -> Result<()> {
    let settings = settings(u)?;
    let (first, second) = (u.arbitrary()?, u.arbitrary()?);
    let mut lab = Lab {
        now: Time::from_ps(1),
        ends: [
            Connection::client(&settings, first),
            Connection::server(&settings, second),
        ],
        flying: Default::default(),
        written: [0; 2],
        read: [0; 2],
    };
    lab.ends[0].open(lab.now);
    let mut made_up = false;
    for _ in 0..STEPS {
        if u.is_empty() {
            break;
        }
        let end = below(u, 2)? as usize;
        match below(u, 8)? {
            0 => lab.write(end, u.arbitrary::<u32>()? as u64 >> below(u, 32)?),
            1 => lab.read(end, u.arbitrary::<u16>()? as u64),
            2 => lab.emit(end, 1 + below(u, 16)? as usize),
            3 => lab.expire(end),
            4 => lab.wait((u.arbitrary::<u32>()? as u64 * 1_000_000) >> below(u, 40)?),
            5 => {
                let segment = segment(u, &lab.ends[end], lab.now)?;
                made_up = true;
                lab.arrive(end, &segment);
            }
            _ => lab.fly(end, u)?,
        }
        lab.check(made_up);
    }
    if !made_up {
        lab.finish();
    }
    Ok(())
}

fn settings(u: &mut Unstructured) -> Result<Settings> {
    let congestion = *u.choose(&[CongestionControl::Cubic, CongestionControl::NewReno])?;
    let buffer = |u: &mut Unstructured| -> Result<u64> {
        Ok(1 + (u.arbitrary::<u32>()? as u64 >> (10 + below(u, 22)?)))
    };
    Ok(Settings {
        mss: 1 + u.int_in_range(0..=1_459)?,
        send_buffer: buffer(u)?,
        receive_buffer: buffer(u)?,
        congestion,
        hystart: u.arbitrary()?,
        ..Settings::default()
    })
}

/// A segment that nobody has sent: anything, or something near what the end expects.
fn segment(u: &mut Unstructured, end: &Connection, now: Time) -> Result<Segment> {
    let near = |u: &mut Unstructured, number: u32| -> Result<u32> {
        Ok(if u.arbitrary()? {
            u.arbitrary()?
        } else {
            number.wrapping_add(u.arbitrary::<i16>()? as u32)
        })
    };
    let template = end.clone().transmit(now).unwrap_or_default();
    let acknowledgement = near(u, template.sequence)?;
    let mut blocks = [SackBlock::default(); 4];
    for block in &mut blocks {
        block.start = near(u, acknowledgement)?;
        block.end = near(u, block.start)?;
    }
    let options = match below(u, 3)? {
        0 => Options::None,
        1 => Options::Syn {
            mss: u.arbitrary()?,
            sack_permitted: u.arbitrary()?,
            window_scale: u.arbitrary()?,
        },
        _ => Options::Sack {
            blocks,
            count: 1 + below(u, 4)? as u8,
        },
    };
    Ok(Segment {
        sequence: near(u, template.acknowledgement)?,
        acknowledgement,
        window: u.arbitrary()?,
        flags: Flags(if u.ratio(7, 8)? {
            Flags::ACK.0
        } else {
            u.arbitrary()?
        }),
        payload: u.int_in_range(0..=1_460)?,
        options,
    })
}

impl Lab {
    fn write(&mut self, end: usize, bytes: u64) {
        let bytes = bytes.min(BYTES - self.written[end]);
        self.written[end] += self.ends[end].write(bytes);
    }

    fn read(&mut self, end: usize, bytes: u64) {
        let bytes = bytes.min(self.ends[end].readable());
        self.ends[end].read(self.now, bytes);
        self.read[end] += bytes;
    }

    /// Sends up to `most` segments.
    fn emit(&mut self, end: usize, most: usize) {
        for _ in 0..most {
            let wants = self.ends[end].wants_transmit(self.now);
            let segment = self.ends[end].transmit(self.now);
            assert_eq!(
                wants,
                segment.is_some(),
                "an end knows whether it has something to send"
            );
            let Some(segment) = segment else { break };
            self.flying[1 - end].push(segment);
        }
    }

    fn arrive(&mut self, end: usize, segment: &Segment) {
        let before = self.ends[end].readable();
        let received = self.ends[end].handle(self.now, segment);
        assert_eq!(self.ends[end].readable(), before + received.delivered);
    }

    /// A segment on its way arrives, is lost, or arrives twice; not always the first.
    fn fly(&mut self, end: usize, u: &mut Unstructured) -> Result<()> {
        let Some(last) = self.flying[end].len().checked_sub(1) else {
            return Ok(());
        };
        let place = if u.ratio(7, 8)? {
            0
        } else {
            u.int_in_range(0..=last)?
        };
        let segment = self.flying[end].remove(place);
        let fate = below(u, 16)?;
        if fate > 0 {
            self.arrive(end, &segment);
        }
        if fate == 1 {
            self.arrive(end, &segment);
        }
        Ok(())
    }

    fn wait(&mut self, ps: u64) {
        self.now = self
            .now
            .saturating_add(Span::from_ps(ps))
            .min(Time::from_ps(u64::MAX / 2));
    }

    /// The deadlines that have come.
    fn expire(&mut self, end: usize) {
        for timer in [Timer::Retransmit, Timer::DelayedAck] {
            if self.ends[end].deadline(timer) <= self.now {
                self.ends[end].expired(self.now, timer);
            }
        }
    }

    fn check(&self, made_up: bool) {
        for (place, end) in self.ends.iter().enumerate() {
            end.check();
            if !made_up {
                assert!(
                    self.read[place] + end.readable() <= self.written[1 - place],
                    "more arrives than was written"
                );
            }
        }
    }

    /// Everything on its way is lost. From then on nothing is: all that was written arrives, and the ends come to rest.
    fn finish(&mut self) {
        self.flying = Default::default();
        for _ in 0..ROUNDS {
            let mut quiet = true;
            for end in 0..2 {
                self.read(end, u64::MAX);
                self.emit(end, usize::MAX);
                for segment in std::mem::take(&mut self.flying[1 - end]) {
                    quiet = false;
                    self.arrive(1 - end, &segment);
                }
            }
            if !quiet {
                continue;
            }
            let timers = [Timer::Retransmit, Timer::DelayedAck];
            let deadlines = timers
                .iter()
                .flat_map(|&timer| self.ends.iter().map(move |end| end.deadline(timer)));
            let next = deadlines.min().unwrap_or(Time::NEVER);
            if next == Time::NEVER {
                for end in 0..2 {
                    assert_eq!(self.ends[end].state(), State::Established);
                    assert_eq!(
                        self.read[end],
                        self.written[1 - end],
                        "all that was written arrives"
                    );
                }
                return;
            }
            self.now = self.now.max(next);
            self.expire(0);
            self.expire(1);
        }
        panic!("the connection does not come to rest");
    }
}
