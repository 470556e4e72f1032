//! Programs as lists of calls, and a machine of a star of nodes to run them on.

use super::super::{Machine, Next, OperationLog, Options, World};
use packetloom_flow::{Deployment, Platform};
use packetloom_portals::{Call, Event, Handle, Memory, Return};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io;
use std::rc::Rc;

/// Memory from address 0 on.
pub struct Bytes(pub Vec<u8>);

impl Memory for Bytes {
    fn read(&self, address: u64, into: &mut [u8]) {
        let from = address as usize;
        into.copy_from_slice(&self.0[from..from + into.len()]);
    }

    fn write(&mut self, address: u64, from: &[u8]) {
        let to = address as usize;
        self.0[to..to + from.len()].copy_from_slice(from);
    }
}

/// What a program has seen so far.
#[derive(Default)]
pub struct Seen {
    pub handles: Vec<Handle>,
    pub index: u32,
    pub events: Vec<(f64, Event)>,
    pub returns: Vec<(f64, Return)>,
}

/// A step of a program.
pub type Step = Box<dyn Fn(&Seen) -> Call>;

/// A step.
pub fn step(step: impl Fn(&Seen) -> Call + 'static) -> Step {
    Box::new(step)
}

/// A platform of nodes with these identifiers around one router, as in the traces: wires of 11.1 GB/s and 500 ns, and PCI as
/// a fat pipe of 11.1 GB/s and a shared link of 15.75 GB/s and 250 ns.
pub fn star(nids: &[u32]) -> String {
    let mut text =
        String::from("<platform version=\"4.1\"><zone id=\"z\" routing=\"Floyd\"><router id=\"r\"/>");
    for nid in nids {
        let _ = write!(
            text,
            "<host id=\"m{nid}\" speed=\"1Gf\"/><host id=\"m{nid}_NIC\" speed=\"1Gf\"/>\
             <link id=\"f{nid}\" bandwidth=\"11.1GBps\" latency=\"0ns\" sharing_policy=\"FATPIPE\"/>\
             <link id=\"p{nid}\" bandwidth=\"15.75GBps\" latency=\"250ns\"/>\
             <link id=\"w{nid}\" bandwidth=\"11.1GBps\" latency=\"500ns\"/>"
        );
    }
    for nid in nids {
        let _ = write!(
            text,
            "<route src=\"m{nid}\" dst=\"m{nid}_NIC\"><link_ctn id=\"f{nid}\"/><link_ctn id=\"p{nid}\"/></route>\
             <route src=\"m{nid}_NIC\" dst=\"r\"><link_ctn id=\"w{nid}\"/></route>"
        );
    }
    text.push_str("</zone></platform>");
    text
}

/// A deployment of a process a node, in this order.
pub fn deployment(nids: &[u32], e2e: bool, pci: bool) -> String {
    let mut text = String::from("<platform version=\"4.1\">");
    for nid in nids {
        let _ = write!(
            text,
            "<actor host=\"m{nid}\" function=\"user_app\"><prop id=\"model_pci\" value=\"{pci}\"/></actor>"
        );
        for vn in [1, 3] {
            for function in ["nic_initiator", "nic_target"] {
                let _ = write!(
                    text,
                    "<actor host=\"m{nid}_NIC\" function=\"{function}\"><prop id=\"VN\" value=\"{vn}\"/></actor>"
                );
            }
        }
        if e2e {
            let _ = write!(text, "<actor host=\"m{nid}_NIC\" function=\"nic_e2e\"/>");
        }
    }
    text.push_str("</platform>");
    text
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How a run ended.
pub struct Run {
    /// What each program saw
    pub seen: Vec<Seen>,
    /// The log of operations
    pub log: String,
    /// Whether all programs came to their ends
    pub finished: bool,
    /// When
    pub end: f64,
    /// Their memories
    pub world: World<Bytes>,
}

/// Runs a program a node; each ends with a barrier, as `main` does.
pub fn run(platform: &str, deployment: &str, options: &Options, programs: &[Vec<Step>]) -> Run {
    let platform = Platform::parse(platform, "platform", None).expect("a platform");
    let deployment = Deployment::parse(deployment, "deployment").expect("a deployment");
    let machine = Machine::new(&platform, &deployment, options).expect("a machine");
    let memories = programs.iter().map(|_| Bytes(vec![0; 4 << 20])).collect();
    let mut world = World::new(platform, &machine, options, memories).expect("a world");
    let text = Shared::default();
    world.set_log(OperationLog::new(Box::new(text.clone())).expect("room"));
    let mut seen: Vec<Seen> = programs.iter().map(|_| Seen::default()).collect();
    let mut at = vec![0; programs.len()];
    let finished = loop {
        match world.advance() {
            Next::Resume(thread, mut value) => {
                let rank = thread.process as usize;
                loop {
                    note(&mut seen[rank], world.now(), value);
                    if at[rank] > programs[rank].len() {
                        world.process_ended(thread.process);
                        break;
                    }
                    let call = match programs[rank].get(at[rank]) {
                        Some(step) => step(&seen[rank]),
                        None => Call::Barrier,
                    };
                    at[rank] += 1;
                    match world.call(thread, call) {
                        Some(now) => value = now,
                        None => break,
                    }
                }
            }
            Next::Finished => break true,
            Next::Deadlock => break false,
            Next::Broken(reason) => panic!("{reason}"),
        }
    };
    let end = world.now();
    world.take_log().expect("a log").finish().expect("room");
    let log = String::from_utf8(text.0.borrow().clone()).expect("text");
    Run {
        seen,
        log,
        finished,
        end,
        world,
    }
}

fn note(seen: &mut Seen, now: f64, value: Return) {
    match &value {
        Return::Handle(handle) | Return::Interface(handle, _) => seen.handles.push(*handle),
        Return::Index(index) => seen.index = *index,
        Return::Event { event, .. } => seen.events.push((now, **event)),
        Return::Failed(code) => panic!("a call failed at {now}: {code:?}"),
        _ => {}
    }
    seen.returns.push((now, value));
}
