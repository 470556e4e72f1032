//! One plain Ethernet NIC under a host with segments to send on some connections.

use crate::frames::{below, pfc, segment};
use crate::stage::Stage;
use arbitrary::{Result, Unstructured};
use packetloom_des::{Bytes, Context, Event, Rate, Span, Time};
use packetloom_fabric::frame::{Frame, HostId};
use packetloom_nic::ethernet::EthernetNic;
use packetloom_nic::ethernet::attributes::EthernetNicAttributes;
use std::collections::VecDeque;

/// Longer sequences find nothing that shorter ones do not.
const STEPS: usize = 200;
/// Most connections, and most segments.
const CONNECTIONS: usize = 5;
const SEGMENTS: usize = 500;
/// What a NIC may need to send them all.
const EVENTS: usize = 20_000;

/// Makes a NIC of the first bytes and steps of the rest: segments to send on a connection, segments and PFC frames that
/// arrive, and waits. After every event the books balance. Then all pauses are lifted: every segment must have been sent, each
/// once and those of a connection in order, and the buffer must be empty.
pub fn ethernet(data: &[u8]) {
    let _ = play(&mut Unstructured::new(data));
}

struct Lab {
    nic: EthernetNic,
    stage: Stage,
    /// By connection: what it has to send, and whether it waits for a turn.
    connections: Vec<(VecDeque<Frame>, bool)>,
    /// By connection: all it was given.
    given: Vec<Vec<Frame>>,
    arrived: u64,
    events: usize,
}

fn play(u: &mut Unstructured) -> Result<()> {
    const RATES: [u64; 4] = [1_000_000, 25_000_000_000, 100_000_000_000, 3_000_000_007];
    let rate = Rate::from_bps(*u.choose(&RATES)?);
    let delay = Span::from_ps(u.arbitrary::<u32>()? as u64 >> below(u, 32)?);
    let mut attributes = EthernetNicAttributes::default();
    let buffer = &mut attributes.network_interface.egress_buffer_manager;
    buffer.total_buffer_size = Bytes(1_536 + (u.arbitrary::<u16>()? as u64 >> below(u, 16)?));
    let mut nic = EthernetNic::new(HostId(0), &attributes, rate, delay);
    nic.set_eager(u.arbitrary()?);
    let mut lab = Lab {
        nic,
        stage: Stage::default(),
        connections: vec![Default::default(); CONNECTIONS],
        given: vec![Vec::new(); CONNECTIONS],
        arrived: 0,
        events: 0,
    };
    let (mut segments, mut came) = (0, 0);
    for _ in 0..STEPS {
        if u.is_empty() {
            break;
        }
        match below(u, 8)? {
            0 => {
                let wait = u.arbitrary::<u32>()? >> below(u, 32)?;
                lab.run(lab.stage.now() + Span::from_ps(wait as u64 * 16));
            }
            1 => lab.handle(Event::Arrival {
                port: 0,
                message: pfc(u)?,
            }),
            2 => {
                came += 1;
                lab.handle(Event::Arrival {
                    port: 0,
                    message: segment(u, 3)?,
                });
            }
            _ => {
                let (connection, times) = (below(u, CONNECTIONS as u64)? as usize, u.int_in_range(1..=20)?);
                let frame = segment(u, 3)?;
                segments += times;
                if segments > SEGMENTS {
                    break;
                }
                lab.write(connection, frame, times);
            }
        }
    }
    lab.handle(Event::Arrival {
        port: 0,
        message: Frame::pfc(0xFF, 0),
    });
    lab.run(Time::NEVER);
    lab.nic.settle_before(Time::NEVER);
    lab.at_rest(came);
    Ok(())
}

impl Lab {
    /// Gives a connection `times` segments to send, which differ in their sequence numbers.
    fn write(&mut self, connection: usize, frame: Frame, times: usize) {
        for _ in 0..times {
            let psn = self.given[connection].len() as u32;
            let numbered = Frame {
                psn,
                source_port: connection as u16,
                ..frame
            };
            self.given[connection].push(numbered);
            self.connections[connection].0.push_back(numbered);
        }
        while let (Some(&frame), false) = (
            self.connections[connection].0.front(),
            self.connections[connection].1,
        ) {
            if self.nic.anyone_waits() || !self.nic.has_room(&self.stage) {
                self.wait(connection);
            } else {
                self.connections[connection].0.pop_front();
                self.nic.queue(frame, &mut self.stage);
            }
        }
        self.serve();
    }

    fn wait(&mut self, connection: usize) {
        self.connections[connection].1 = true;
        self.nic.wait(connection as u32, &mut self.stage);
    }

    fn serve(&mut self) {
        while let Some(connection) = self.nic.next_turn(&self.stage) {
            let connection = connection as usize;
            let (segments, waits) = &mut self.connections[connection];
            assert!(*waits, "only who waits gets a turn");
            *waits = false;
            let frame = segments.pop_front().expect("it waited with a segment to send");
            let more = !segments.is_empty();
            self.nic.queue(frame, &mut self.stage);
            if more {
                self.wait(connection);
            }
        }
        self.nic.check();
    }

    fn handle(&mut self, event: Event<Frame>) {
        self.events += 1;
        self.arrived += self.nic.handle(event, &mut self.stage).is_some() as u64;
        self.serve();
    }

    fn run(&mut self, until: Time) {
        while let Some(event) = self.stage.next(until) {
            self.handle(event);
            assert!(self.events < EVENTS, "after {EVENTS} events there are still more");
        }
    }

    fn at_rest(&self, came: u64) {
        self.nic.check();
        assert!(!self.nic.anyone_waits(), "nobody waits for ever");
        assert_eq!(self.nic.held(), (Bytes(0), Bytes(0)), "bytes held at rest");
        assert_eq!(self.arrived, came, "what arrives reaches the host");
        let mut sent = vec![Vec::new(); CONNECTIONS];
        for (_, _, frame) in &self.stage.sent {
            sent[frame.source_port as usize].push(*frame);
        }
        assert!(sent == self.given, "every segment is sent once, in order");
    }
}
