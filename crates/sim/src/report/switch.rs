//! Rows about the inside of switches: their buffers, and how they balance load.

use super::{Device, Reporter, SUBTIER, device};
use crate::assemble::Layout;
use crate::host::System;
use crate::observe::Observer;
use packetloom_des::queue::Queue;
use packetloom_des::{Engine, Span, Time};
use packetloom_fabric::gauge::Reading;
use packetloom_fabric::switch::{BufferReport, Member, Switch, shared_buffer};
use packetloom_fabric::topology::{Endpoint, Port};
use packetloom_records::{
    AggBuffStatsRow, BuffStatsRow, LoadBalancingStatsRow, Nanoseconds, Record, RecordsError, Seconds,
};
use std::fmt::Write;

/// When a report is due, what it covers, and which switch it is about.
struct Report<'a> {
    at: Time,
    interval: Span,
    device: Device<'a>,
    ports: &'a [Port],
    layout: &'a shared_buffer::Layout,
}

/// What a limit means for a reading: the least, greatest and mean bytes, and the last two in percent of the limit.
struct Usage {
    mean: f64,
    most_percent: f64,
    mean_percent: f64,
}

impl Report<'_> {
    /// Pools there are, with their sizes.
    fn pools(&self) -> impl Iterator<Item = (usize, u64)> + use<> {
        let sizes = self.layout.pools;
        sizes.into_iter().enumerate().filter(|&(_, size)| size > 0)
    }

    fn usage(&self, reading: &Reading, limit: u64) -> Usage {
        let mean = reading.mean(self.interval);
        let percent = |bytes: f64| {
            if limit == 0 {
                0.0
            } else {
                bytes * 100.0 / limit as f64
            }
        };
        Usage {
            mean,
            most_percent: percent(reading.most as f64),
            mean_percent: percent(mean),
        }
    }
}

fn direction(up: bool) -> &'static str {
    if up { "ul" } else { "dl" }
}

impl Reporter {
    /// Rows of `scala-switch-agg-buff-stats` and `scala-switch-buff-stats` of the switches whose kind has an interval in
    /// `due`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn buffer_stats<Q: Queue>(
        &mut self,
        at: Time,
        due: &[Option<Span>],
        layout: &Layout,
        engine: &mut Engine<System, Q, Observer>,
    ) -> Result<(), RecordsError> {
        if due.iter().all(Option::is_none) {
            return Ok(());
        }
        self.files.tick();
        for (number, wired) in layout.topology.switches.iter().enumerate() {
            let Some(interval) = due[wired.component as usize] else {
                continue;
            };
            let switch = switch_mut(engine, number);
            let whole = switch.buffer_mut().report(at);
            let sizes = switch.buffer().layout().clone();
            let report = Report {
                at,
                interval,
                device: device(layout, Endpoint::Switch(number as u32)),
                ports: &wired.ports,
                layout: &sizes,
            };
            if let Some(whole) = whole {
                self.whole_buffer(&report, wired.uplinks(), &whole)?;
            }
            self.ports_of_buffer(&report, switch)?;
        }
        Ok(())
    }

    /// The rows of one switch in `scala-switch-agg-buff-stats`.
    fn whole_buffer(
        &mut self,
        report: &Report<'_>,
        uplinks: usize,
        whole: &BufferReport,
    ) -> Result<(), RecordsError> {
        if !self.files.writes(Record::AggBuffStats) {
            return Ok(());
        }
        let there = [uplinks > 0, uplinks < report.ports.len()];
        for (buffer, directions) in [("egressQueue", &whole.egress), ("ingressUsage", &whole.ingress)] {
            for (number, readings) in directions.iter().enumerate().filter(|&(number, _)| there[number]) {
                for (pool, size) in report.pools() {
                    let row = pool_row(
                        report,
                        buffer,
                        direction(number == 0),
                        pool,
                        size,
                        &readings[pool],
                    );
                    self.files.write(&row)?;
                }
            }
        }
        for (pool, size) in report.pools() {
            let row = pool_row(report, "sharedBuffer", "-", pool, size, &whole.pools[pool]);
            self.files.write(&row)?;
        }
        Ok(())
    }

    /// The rows of one switch in `scala-switch-buff-stats`.
    fn ports_of_buffer(&mut self, report: &Report<'_>, switch: &mut Switch) -> Result<(), RecordsError> {
        if !self.files.writes(Record::BuffStats) {
            return Ok(());
        }
        let layout = report.layout;
        for (number, port) in report.ports.iter().enumerate() {
            for (pool, size) in report.pools() {
                let port_report = switch
                    .buffer_mut()
                    .report_port(number as u16, pool as u8, report.at);
                let Some(found) = port_report else { continue };
                let lossless = layout.priority_groups[pool] != 0;
                let own = [
                    ("egressQueue", found.egress, layout.static_limit[pool]),
                    (
                        "ingressUsage",
                        found.ingress,
                        if lossless { layout.xoff } else { size },
                    ),
                    ("hdrm", found.headroom, layout.headroom_limit),
                ];
                for (buffer, reading, limit) in &own[..if lossless { 3 } else { 2 }] {
                    let usage = report.usage(reading, *limit);
                    self.files.write(&BuffStatsRow {
                        sim_time_sec: Seconds::from_ps(report.at.ps()),
                        component_name: report.device.name,
                        tier: report.device.tier,
                        node_id: report.device.node,
                        buff_id: buffer,
                        ifid: number as u64,
                        uldl: direction(port.up),
                        pool_num: pool as u64,
                        buff_limit: *limit,
                        ivl_count: reading.count,
                        ivl_min_bytes: reading.least,
                        ivl_max_bytes: reading.most,
                        ivl_mean_bytes: usage.mean,
                        ivl_max_pct_util: usage.most_percent.min(100.0),
                        ivl_mean_pct_util: usage.mean_percent.min(100.0),
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Rows of `scala-switch-load-balancing-stats` of the switches whose kind `due` names.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn load_balancing_stats<Q: Queue>(
        &mut self,
        at: Time,
        due: &[bool],
        layout: &Layout,
        engine: &Engine<System, Q, Observer>,
    ) -> Result<(), RecordsError> {
        if !due.contains(&true) || !self.files.writes(Record::LoadBalancingStats) {
            return Ok(());
        }
        self.files.tick();
        let mut ports = String::new();
        let switches = engine.nodes().filter_map(System::as_switch);
        for (number, (switch, wired)) in switches.zip(&layout.topology.switches).enumerate() {
            if !due[wired.component as usize] {
                continue;
            }
            let device = device(layout, Endpoint::Switch(number as u32));
            let mut place = 0;
            for (group, found) in switch.balance().enumerate() {
                let members = layout.topology.routes[number].set(found.set);
                ports.clear();
                for (position, port) in members.iter().enumerate() {
                    let separator = if position == 0 { "" } else { ";" };
                    write!(ports, "{separator}{port}").expect("written to a string");
                }
                let before = &mut self.balances[number];
                before.resize(before.len().max(place + members.len()), Member::default());
                let before = &mut before[place..place + members.len()];
                place += members.len();
                let bytes = |members: &[Member]| members.iter().map(|m| m.bytes).sum::<u64>();
                let of_set = bytes(found.members) - bytes(before);
                for ((&port, now), before) in members.iter().zip(found.members).zip(before) {
                    let last = std::mem::replace(before, *now);
                    let own = now.bytes - last.bytes;
                    // Without flowlets nothing is assigned, moved or passed over: the hash decides, and there are no slots.
                    self.files.write(&LoadBalancingStatsRow {
                        sim_time_sec: Seconds::from_ps(at.ps()),
                        component_name: device.name,
                        component_type: device.component_type,
                        node_id: device.node,
                        tier: device.tier,
                        subtier: SUBTIER,
                        ifid: port as u64,
                        ecmp_group_id: group as u64,
                        ecmp_group_ifids: &ports,
                        group_size: members.len() as u64,
                        group_formed_ns: Nanoseconds::from_ps(found.formed.ps()),
                        flow_table_slots: 0,
                        bytes: now.bytes,
                        ivl_bytes: own,
                        packets: now.packets,
                        ivl_packets: now.packets - last.packets,
                        assignments: 0,
                        ivl_assignments: 0,
                        movements_in: 0,
                        ivl_movements_in: 0,
                        movements_out: 0,
                        ivl_movements_out: 0,
                        ivl_share: if of_set == 0 {
                            0.0
                        } else {
                            own as f64 / of_set as f64
                        },
                        paused_skips: 0,
                        ivl_paused_skips: 0,
                        paused_selections: 0,
                        ivl_paused_selections: 0,
                    })?;
                }
            }
        }
        Ok(())
    }
}

fn switch_mut<Q: Queue>(engine: &mut Engine<System, Q, Observer>, number: usize) -> &mut Switch {
    match engine.node_mut(number as u32) {
        System::Switch(switch) => switch,
        System::Rdma(_) | System::Tcp(_) => {
            unreachable!("switches come first among the engine's nodes")
        }
    }
}

fn pool_row<'a>(
    report: &Report<'a>,
    buff_id: &'a str,
    uldl: &'a str,
    pool: usize,
    size: u64,
    reading: &Reading,
) -> AggBuffStatsRow<'a> {
    let usage = report.usage(reading, size);
    AggBuffStatsRow {
        sim_time_sec: Seconds::from_ps(report.at.ps()),
        component_name: report.device.name,
        tier: report.device.tier,
        node_id: report.device.node,
        buff_id,
        uldl,
        pool_num: pool as u64,
        total_bytes: reading.total,
        buffer_limit: size,
        ivl_count: reading.count,
        ivl_min_bytes: reading.least,
        ivl_max_bytes: reading.most,
        ivl_mean_bytes: usage.mean,
        ivl_max_pct_util: usage.most_percent,
        ivl_mean_pct_util: usage.mean_percent,
    }
}
