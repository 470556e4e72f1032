//! How fast Portals operations are simulated: 8-byte puts with acknowledgement between two nodes, end-to-end
//! acknowledgement and PCI on. Once without a program in C, each call made by the benchmark itself, and once with one.

use crate::hosted;
use anyhow::{Result, bail};
use cpu_time::ProcessTime;
use packetloom_flow::{Deployment, Platform};
use packetloom_portals::constants::*;
use packetloom_portals::{
    Ack, Call, Command, EntrySpec, Handle, MatchList, MdSpec, Memory, Move, Operation, RawProcess, Region,
    Return,
};
use packetloom_sim::portals::{Machine, Next, Options, World};
use std::fmt::Write as _;

struct Bytes(Vec<u8>);

impl Memory for Bytes {
    fn read(&self, address: u64, into: &mut [u8]) {
        into.copy_from_slice(&self.0[address as usize..][..into.len()]);
    }

    fn write(&mut self, address: u64, from: &[u8]) {
        self.0[address as usize..][..from.len()].copy_from_slice(from);
    }
}

/// Measures one and 64 pairs of nodes, and prints a table.
pub fn table(puts: u32, runs: u32) -> Result<()> {
    println!(
        "{:<42} {:>12} {:>14} {:>9}",
        "8-byte puts with ACK", "puts", "puts/CPU s", "us/put"
    );
    let program = hosted::build()?;
    for pairs in [1, 64] {
        let each = (puts / pairs).max(1);
        let show = |who: &str, measure: &dyn Fn() -> Result<f64>| -> Result<()> {
            let mut best: f64 = 0.0;
            for _ in 0..runs {
                best = best.max(measure()?);
            }
            let name = format!("{pairs} pair(s), {who}");
            println!("{name:<42} {:>12} {best:>14.0} {:>9.3}", each * pairs, 1e6 / best);
            Ok(())
        };
        show("without programs", &|| puts_per_second(pairs, each))?;
        show("programs in C, events on both sides", &|| {
            program.puts_per_second(pairs, each)
        })?;
    }
    Ok(())
}

/// Puts with acknowledgement per CPU second, of `puts` by each sender of so many pairs of nodes.
pub fn puts_per_second(pairs: u32, puts: u32) -> Result<f64> {
    let (platform, deployment) = files(2 * pairs);
    let platform = Platform::parse(&platform, "platform", None)?;
    let deployment = Deployment::parse(&deployment, "deployment")?;
    let options = Options::default();
    let machine = Machine::new(&platform, &deployment, &options)?;
    let memories = (0..2 * pairs).map(|_| Bytes(vec![0; 64])).collect();
    let mut world = World::new(platform, &machine, &options, memories)?;
    let mut programs: Vec<Program> = (0..2 * pairs).map(|rank| Program::new(rank, puts)).collect();
    let begun = ProcessTime::now();
    loop {
        match world.advance() {
            Next::Resume(thread, mut value) => {
                let program = &mut programs[thread.process as usize];
                loop {
                    program.note(value);
                    let Some(call) = program.next() else {
                        world.process_ended(thread.process);
                        break;
                    };
                    match world.call(thread, call) {
                        Some(now) => value = now,
                        None => break,
                    }
                }
            }
            Next::Finished => break,
            other => bail!("the benchmark stops: {other:?}"),
        }
    }
    Ok(f64::from(pairs * puts) / begun.elapsed().as_secs_f64())
}

/// Sends puts to its neighbour, or waits until all is over.
struct Program {
    rank: u32,
    at: u32,
    puts: u32,
    handles: Vec<Handle>,
}

impl Program {
    fn new(rank: u32, puts: u32) -> Self {
        Self {
            rank,
            at: 0,
            puts,
            handles: Vec::new(),
        }
    }

    fn note(&mut self, value: Return) {
        if let Return::Handle(handle) | Return::Interface(handle, _) = value {
            self.handles.push(handle);
        }
    }

    fn next(&mut self) -> Option<Call> {
        let at = self.at;
        self.at += 1;
        let region = |start| Region::Run { start, length: 8 };
        let command = |command| Some(Call::Command(Box::new(command)));
        match at {
            0 => Some(Call::Init),
            1 => command(Command::NiInit {
                iface: PTL_IFACE_DEFAULT,
                options: PTL_NI_PHYSICAL | PTL_NI_NO_MATCHING,
                pid: PTL_PID_ANY,
                desired: None,
            }),
            2 => command(Command::EqAlloc(self.handles[0], 64)),
            3 => command(Command::PtAlloc {
                ni: self.handles[0],
                options: 0,
                eq: Handle(PTL_EQ_NONE),
                requested: 0,
            }),
            4 => command(Command::MdBind(
                self.handles[0],
                MdSpec {
                    region: region(0),
                    options: PTL_MD_EVENT_SEND_DISABLE,
                    eq: self.handles[1],
                    ct: Handle(PTL_CT_NONE),
                },
            )),
            5 => command(Command::Append {
                ni: self.handles[0],
                pt_index: 0,
                entry: EntrySpec {
                    region: region(8),
                    ct: Handle(PTL_CT_NONE),
                    min_free: 0,
                    uid: PTL_UID_ANY,
                    options: PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE,
                    match_id: RawProcess::default(),
                    match_bits: 0,
                    ignore_bits: 0,
                },
                list: MatchList::Priority,
                user_ptr: 0,
                non_matching: true,
            }),
            6 => Some(Call::Barrier),
            _ if self.rank % 2 == 1 => (at == 7).then_some(Call::Barrier),
            _ if at < 7 + 2 * self.puts => Some(if at % 2 == 1 {
                Call::Move {
                    operation: Box::new(Move {
                        operation: Operation::Put,
                        md: self.handles[2],
                        local_offset: 0,
                        length: 8,
                        ack: Ack::Full,
                        target: RawProcess {
                            nid_or_rank: self.rank + 2,
                            pid: 2048,
                        },
                        pt_index: 0,
                        match_bits: 0,
                        remote_offset: 0,
                        user_ptr: 0,
                        hdr_data: 0,
                        get_md: self.handles[2],
                        get_local_offset: 0,
                    }),
                    try_only: false,
                }
            } else {
                Call::EqWait(self.handles[1])
            }),
            _ => (at == 7 + 2 * self.puts).then_some(Call::Barrier),
        }
    }
}

/// A star of nodes around one router, and a process on each.
pub fn files(nodes: u32) -> (String, String) {
    let mut platform =
        String::from("<platform version=\"4.1\"><zone id=\"z\" routing=\"Floyd\"><router id=\"r\"/>");
    let mut deployment = String::from("<platform version=\"4.1\">");
    for n in 1..=nodes {
        let _ = write!(
            platform,
            "<host id=\"m{n}\" speed=\"1Gf\"/><host id=\"m{n}_NIC\" speed=\"1Gf\"/>\
             <link id=\"f{n}\" bandwidth=\"11.1GBps\" latency=\"0ns\" sharing_policy=\"FATPIPE\"/>\
             <link id=\"p{n}\" bandwidth=\"15.75GBps\" latency=\"250ns\"/>\
             <link id=\"w{n}\" bandwidth=\"11.1GBps\" latency=\"500ns\"/>"
        );
        let _ = write!(deployment, "<actor host=\"m{n}\" function=\"user_app\"/>");
        for (vn, function) in [
            (1, "nic_initiator"),
            (3, "nic_initiator"),
            (1, "nic_target"),
            (3, "nic_target"),
        ] {
            let _ = write!(
                deployment,
                "<actor host=\"m{n}_NIC\" function=\"{function}\"><prop id=\"VN\" value=\"{vn}\"/></actor>"
            );
        }
        let _ = write!(deployment, "<actor host=\"m{n}_NIC\" function=\"nic_e2e\"/>");
    }
    for n in 1..=nodes {
        let _ = write!(
            platform,
            "<route src=\"m{n}\" dst=\"m{n}_NIC\"><link_ctn id=\"f{n}\"/><link_ctn id=\"p{n}\"/></route>\
             <route src=\"m{n}_NIC\" dst=\"r\"><link_ctn id=\"w{n}\"/></route>"
        );
    }
    platform.push_str("</zone></platform>");
    deployment.push_str("</platform>");
    (platform, deployment)
}
