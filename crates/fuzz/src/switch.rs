//! One switch under arbitrary frames.

use crate::frames::{Bounds, below, frame, pfc, segment};
use crate::stage::Stage;
use arbitrary::{Result, Unstructured};
use packetloom_des::{Bytes, Context, Event, Rate, Span, Time};
use packetloom_fabric::frame::{CLASSES, Frame, Kind};
use packetloom_fabric::port::Port;
use packetloom_fabric::switch::Switch;
use packetloom_fabric::switch::attributes::{EcmpHashMethod, SharedBufferManager};
use packetloom_fabric::switch::shared_buffer::{Layout, POOLS, SharedBuffer};
use packetloom_fabric::topology::{Plan, PodPlan, RackPlan, ServerPlan, SwitchPlan, Topology};

/// Longer sequences find nothing that shorter ones do not.
const STEPS: usize = 200;
/// Most frames; each check looks at all that are in the switch.
const FRAMES: usize = 500;
/// What a switch may need to come to rest: a frame each, and the refreshes meanwhile.
const EVENTS: usize = 200_000;

/// Makes a switch of the first bytes and steps of the rest: frames of any kind, class and size on any port, PFC frames and
/// waits. After every event the books balance. Then all pauses are lifted: the switch must become empty, and every pause of
/// its own must have ended.
pub fn switch(data: &[u8]) {
    let _ = play(&mut Unstructured::new(data));
}

struct Lab {
    switch: Switch,
    stage: Stage,
    hosts: u64,
    ports: u16,
    /// By port and class: the last PFC frame the switch sent was a pause.
    pausing: Vec<[bool; CLASSES]>,
    events: usize,
}

fn play(u: &mut Unstructured) -> Result<()> {
    let Some(mut lab) = lab(u)? else {
        return Ok(());
    };
    let bounds = Bounds {
        hosts: lab.hosts,
        queue_pairs: 4,
        payload: 9_216,
    };
    let mut frames = 0;
    for _ in 0..STEPS {
        if u.is_empty() {
            break;
        }
        let port = below(u, lab.ports as u64)? as u16;
        match below(u, 8)? {
            0 => {
                let wait = u.arbitrary::<u32>()? >> below(u, 32)?;
                lab.run(lab.stage.now() + Span::from_ps(wait as u64 * 100));
            }
            1 => lab.handle(Event::Arrival {
                port,
                message: pfc(u)?,
            }),
            kind => {
                let message = match kind {
                    7 => segment(u, bounds.hosts)?,
                    _ => frame(u, &bounds)?,
                };
                // A burst of equal frames fills a buffer.
                let times = if matches!(kind, 2 | 7) {
                    u.int_in_range(1..=40)?
                } else {
                    1
                };
                frames += times;
                if frames > FRAMES {
                    break;
                }
                for _ in 0..times {
                    lab.handle(Event::Arrival { port, message });
                }
            }
        }
    }
    lab.drain();
    Ok(())
}

/// A rack switch with two to five hosts and up to four links up, with any buffer that can be laid out.
fn lab(u: &mut Unstructured) -> Result<Option<Lab>> {
    const RATES: [u64; 6] = [
        1_000_000,
        100_000_000,
        25_000_000_000,
        40_000_000_000,
        400_000_000_000,
        3_000_000_007,
    ];
    let rate = Rate::from_bps(*u.choose(&RATES)?);
    let delay = Span::from_ps(u.arbitrary::<u32>()? as u64 >> below(u, 32)?);
    let plan = |up| SwitchPlan {
        component: 0,
        up_rate: rate,
        down_rate: rate,
        up_delay: delay,
        up_links_per_switch: up,
    };
    let server = ServerPlan {
        component: 0,
        rate,
        delay,
    };
    let (own, up) = (u.int_in_range(2..=5)?, u.int_in_range(0..=4)?);
    let rack = |servers| RackPlan {
        switches: vec![plan(up.max(1))],
        servers: vec![server; servers],
    };
    // The switch at hand is that of the first rack; the second one gives it places to send to over its links up.
    let pod = match up {
        0 => PodPlan {
            fabric_switches: vec![],
            racks: vec![rack(own)],
        },
        _ => PodPlan {
            fabric_switches: vec![plan(1)],
            racks: vec![rack(own), rack(1)],
        },
    };
    let topology = Topology::build(Plan {
        pods: vec![pod],
        spines: vec![],
        planes: vec![],
    })
    .expect("a rack with hosts can be built");
    let number = topology.hosts[0].port.peer;
    let packetloom_fabric::topology::Endpoint::Switch(number) = number else {
        unreachable!("a host hangs on a switch");
    };
    let ports = topology.switches[number as usize].ports.len();
    let buffer = buffer(u)?;
    let Ok(layout) = Layout::new(&buffer, ports as u64) else {
        return Ok(None);
    };
    const METHODS: [EcmpHashMethod; 6] = [
        EcmpHashMethod::Crc32WithSalt,
        EcmpHashMethod::Crc32,
        EcmpHashMethod::HashWithSalt,
        EcmpHashMethod::Hash,
        EcmpHashMethod::Dpr,
        EcmpHashMethod::DprWithFallback,
    ];
    Ok(Some(Lab {
        switch: Switch::new(
            number,
            *u.choose(&METHODS)?,
            (0..ports).map(|_| Port::new(rate, delay)).collect(),
            SharedBuffer::new(layout, ports),
            topology.routes[number as usize].clone(),
        ),
        stage: Stage::default(),
        hosts: topology.hosts.len() as u64,
        ports: ports as u16,
        pausing: vec![[false; CLASSES]; ports],
        events: 0,
    }))
}

/// Any buffer, mostly small.
fn buffer(u: &mut Unstructured) -> Result<SharedBufferManager> {
    let mut bytes = || -> Result<Bytes> { Ok(Bytes(u.arbitrary::<u32>()? as u64 >> below(u, 32)?)) };
    let mut buffer = SharedBufferManager {
        total_shared_buffer_size: bytes()?,
        head_room_per_port_limit: bytes()?,
        static_pool_xoff_threshold: bytes()?,
        static_pool_xon_threshold: bytes()?,
        plane_bdp: bytes()?,
        ..SharedBufferManager::default()
    };
    let lossless: u8 = u.arbitrary()?;
    for class in 0..CLASSES {
        buffer.enable_pfc[class] = u64::from(lossless >> class & 1);
    }
    if u.arbitrary()? {
        let mut left = 100;
        for share in &mut buffer.pool_allocation_map {
            let part = u.int_in_range(0..=left)?;
            left -= part;
            *share = f64::from(part) / 100.0;
        }
        for pool in &mut buffer.traffic_class_pool_mapping {
            *pool = below(u, POOLS as u64)?;
        }
    }
    buffer.lossy_alpha = f64::from(u.int_in_range(0..=32u8)?) / 8.0;
    buffer.queue_drop_threshold_enable = u.arbitrary()?;
    Ok(buffer)
}

impl Lab {
    fn handle(&mut self, event: Event<Frame>) {
        self.events += 1;
        self.switch.handle(event, &mut self.stage);
        // A look at everything in the switch takes its time when there is much.
        if self.events < 2_000 || self.events.is_multiple_of(16) {
            self.switch.check();
        }
        for (port, _, frame) in self.stage.sent.drain(..) {
            if frame.kind == Kind::Pfc {
                let pausing = &mut self.pausing[port as usize];
                for class in (0..CLASSES).filter(|class| frame.pfc_classes >> class & 1 == 1) {
                    assert!(frame.quanta > 0 || pausing[class], "a resume follows a pause");
                    pausing[class] = frame.quanta > 0;
                }
            } else {
                assert!((frame.destination.0 as u64) < self.hosts);
            }
        }
    }

    fn run(&mut self, until: Time) {
        // A switch that pauses its senders says so again and again: a long wait may be cut short.
        while self.events < EVENTS / 20 {
            match self.stage.next(until) {
                Some(event) => self.handle(event),
                None => return,
            }
        }
    }

    fn drain(&mut self) {
        for port in 0..self.ports {
            self.handle(Event::Arrival {
                port,
                message: Frame::pfc(0xFF, 0),
            });
        }
        while let Some(event) = self.stage.next(Time::NEVER) {
            self.handle(event);
            assert!(self.events < EVENTS, "after {EVENTS} events there are still more");
        }
        self.switch.settle_before(Time::NEVER);
        assert_eq!(
            self.switch.buffer().bytes_held(),
            0,
            "nothing holds the frames back"
        );
        assert!(
            self.switch
                .ports()
                .iter()
                .all(|port| port.contents().count() == 0)
        );
        for port in 0..self.ports {
            for pool in 0..POOLS as u8 {
                assert!(
                    !self.switch.buffer().paused(port, pool),
                    "a port that holds nothing pauses nobody"
                );
            }
        }
    }
}
