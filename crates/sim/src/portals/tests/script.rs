//! Programs as lists of calls, and a machine of a star of nodes to run them on.

use super::super::{Machine, Next, OperationLog, Options, World};
use packetloom_flow::{Deployment, Platform};
use packetloom_portals::{Call, Code, Event, Handle, Memory, Return, ThreadId};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io;
use std::rc::Rc;

/// Memory from address 0 on, which tests look at too.
#[derive(Clone)]
pub struct Bytes(pub Rc<RefCell<Vec<u8>>>);

impl Bytes {
    /// 4 MiB of zeroes.
    pub fn new() -> Self {
        Self(Rc::new(RefCell::new(vec![0; 4 << 20])))
    }

    /// The number at an address.
    pub fn number(&self, address: u64) -> u64 {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// Sets the number at an address.
    pub fn set(&self, address: u64, number: u64) {
        self.clone().write(address, &number.to_le_bytes());
    }
}

impl Memory for Bytes {
    fn read(&self, address: u64, into: &mut [u8]) {
        into.copy_from_slice(&self.0.borrow()[address as usize..][..into.len()]);
    }

    fn write(&mut self, address: u64, from: &[u8]) {
        self.0.borrow_mut()[address as usize..][..from.len()].copy_from_slice(from);
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
    /// The program's memories
    pub memories: Vec<Bytes>,
    /// What each process that had not ended waited for
    pub waits: Vec<Option<&'static str>>,
}

impl Run {
    /// Rows of the log of one kind, by its number, at one node: start and end in nanoseconds.
    pub fn rows(&self, kind: u32, nid: u32) -> Vec<(f64, f64)> {
        let rows = self.log.lines().skip(1).map(|line| {
            let cells: Vec<f64> = line
                .split(',')
                .map(|cell| cell.parse().expect("a number"))
                .collect();
            <[f64; 5]>::try_from(cells).expect("five cells")
        });
        rows.filter(|row| row[0] == f64::from(kind) && row[1] == f64::from(nid))
            .map(|row| (row[3] * 1e9, row[4] * 1e9))
            .collect()
    }
}

/// Runs programs, by rank; each ends with a barrier, as `main` does.
pub fn run(platform: &str, deployment: &str, options: &Options, programs: &[Vec<Step>]) -> Run {
    let memories = programs.iter().map(|_| Bytes::new()).collect();
    run_in(platform, deployment, options, programs, memories)
}

/// Runs programs, by rank, in these memories.
pub fn run_in(
    platform: &str,
    deployment: &str,
    options: &Options,
    programs: &[Vec<Step>],
    memories: Vec<Bytes>,
) -> Run {
    let platform = Platform::parse(platform, "platform", None).expect("a platform");
    let deployment = Deployment::parse(deployment, "deployment").expect("a deployment");
    let machine = Machine::new(&platform, &deployment, options).expect("a machine");
    let mut world = World::new(platform, &machine, options, memories.clone()).expect("a world");
    let text = Shared::default();
    world.set_log(OperationLog::new(Box::new(text.clone())).expect("room"));
    let mut seen: Vec<Seen> = programs.iter().map(|_| Seen::default()).collect();
    let mut at = vec![0; programs.len()];
    let finished = loop {
        let before = world.now();
        let next = world.advance();
        assert!(world.now() >= before, "time goes back");
        match next {
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
    let waits = (0..programs.len() as u32)
        .map(|process| world.waits_for(ThreadId { process, thread: 0 }))
        .collect();
    Run {
        seen,
        log,
        finished,
        end,
        memories,
        waits,
    }
}

fn note(seen: &mut Seen, now: f64, value: Return) {
    match &value {
        Return::Handle(handle) | Return::Interface(handle, _) => seen.handles.push(*handle),
        Return::Index(index) => seen.index = *index,
        Return::Event { event, .. } => seen.events.push((now, **event)),
        Return::Failed(Code::TryAgain | Code::EqEmpty | Code::CtNoneReached) => {}
        Return::Failed(code) => panic!("a call failed at {now}: {code:?}"),
        _ => {}
    }
    seen.returns.push((now, value));
}
