//! Rows about the inside of hosts: the NIC's buffer pools and the PCIe link.

use super::{Reporter, gbps};
use crate::assemble::Layout;
use crate::host::System;
use crate::observe::Observer;
use packetloom_des::queue::Queue;
use packetloom_des::{Engine, Span, Time};
use packetloom_fabric::frame::CLASSES;
use packetloom_fabric::topology::Endpoint;
use packetloom_nic::pcie::{LaneReport, LaneStats};
use packetloom_nic::pools::{PoolStats, Pools};
use packetloom_records::{Gbps, Microseconds, NetBuffStatsRow, PcieStatsRow, Record, RecordsError, Seconds};

/// Names of the receive pools and of the transmit pools, by class.
const POOL_NAMES: [[&str; CLASSES]; 2] = [
    [
        "RX_TC0_BUFFER",
        "RX_TC1_BUFFER",
        "RX_TC2_BUFFER",
        "RX_TC3_BUFFER",
        "RX_TC4_BUFFER",
        "RX_TC5_BUFFER",
        "RX_TC6_BUFFER",
        "RX_TC7_BUFFER",
    ],
    [
        "TX_TC0_BUFFER",
        "TX_TC1_BUFFER",
        "TX_TC2_BUFFER",
        "TX_TC3_BUFFER",
        "TX_TC4_BUFFER",
        "TX_TC5_BUFFER",
        "TX_TC6_BUFFER",
        "TX_TC7_BUFFER",
    ],
];

/// Names of the directions of the host link, in the order of [`RoceNic::report_pcie`].
const DIRECTIONS: [&str; 2] = ["nic-to-host", "host-to-nic"];

/// What the pools of a NIC had seen at the last report: receive pools, then transmit pools.
pub(super) type PoolsBefore = [[PoolStats; CLASSES]; 2];

/// What a direction of the host link had carried at the last report, and for how long it had been busy.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LaneBefore {
    totals: LaneStats,
    busy: Span,
}

impl Reporter {
    /// Rows of `net-buff-stats` for every pool of the NICs that keep count of theirs.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn pool_stats<Q: Queue>(
        &mut self,
        at: Time,
        interval: Span,
        layout: &Layout,
        engine: &mut Engine<System, Q, Observer>,
    ) -> Result<(), RecordsError> {
        if !self.files.writes(Record::NetBuffStats) {
            return Ok(());
        }
        self.files.tick();
        for (index, host) in layout.topology.hosts.iter().enumerate() {
            for (side, pools) in pools_mut(host_mut(layout, engine, index)).into_iter().enumerate() {
                for (class, name) in POOL_NAMES[side].into_iter().enumerate() {
                    let size = pools.size(class as u8).0;
                    let used = pools.used(class as u8);
                    let Some(now) = pools.report(class as u8).filter(|_| size > 0) else {
                        continue;
                    };
                    let before = std::mem::replace(&mut self.pools[index][side][class], now);
                    let (taken, released) = (
                        now.taken_bytes - before.taken_bytes,
                        now.released_bytes - before.released_bytes,
                    );
                    self.files.write(&NetBuffStatsRow {
                        sim_time_sec: Seconds::from_ps(at.ps()),
                        component_name: &host.name,
                        node_id: host.nic_node as u64,
                        buffer_id: name,
                        tc: class as u64,
                        occupancy_B: used,
                        max_occupancy_B: now.most,
                        buffer_max_size_B: size,
                        num_enq: now.taken,
                        num_deq: now.released,
                        interval_num_enq: now.taken - before.taken,
                        interval_num_deq: now.released - before.released,
                        interval_enq_B: taken,
                        interval_deq_B: released,
                        interval_max_occupancy_B: now.interval_most,
                        enq_Gbps: gbps(taken, interval),
                        deq_Gbps: gbps(released, interval),
                        overflow: now.refused,
                        percent_occupancy: used as f64 * 100.0 / size as f64,
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Rows of `pcie-stats` for both directions of every host's link.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn pcie_stats<Q: Queue>(
        &mut self,
        at: Time,
        interval: Span,
        layout: &Layout,
        engine: &mut Engine<System, Q, Observer>,
    ) -> Result<(), RecordsError> {
        if !self.files.writes(Record::PcieStats) {
            return Ok(());
        }
        self.files.tick();
        for (index, host) in layout.topology.hosts.iter().enumerate() {
            let rdma = host_mut(layout, engine, index).as_rdma_mut();
            let Some(reports) = rdma.and_then(|host| host.nic_mut().report_pcie(at)) else {
                continue;
            };
            for (side, now) in reports.iter().enumerate() {
                let this = LaneBefore {
                    totals: now.totals,
                    busy: now.busy,
                };
                let before = std::mem::replace(&mut self.lanes[index][side], this);
                self.files.write(&pcie_row(
                    at,
                    interval,
                    (&host.name, host.nic_node as u64, DIRECTIONS[side]),
                    now,
                    &before,
                ))?;
            }
        }
        Ok(())
    }
}

fn host_mut<'a, Q: Queue>(
    layout: &Layout,
    engine: &'a mut Engine<System, Q, Observer>,
    host: usize,
) -> &'a mut System {
    engine.node_mut(layout.topology.engine_node(Endpoint::Host(host as u32)))
}

/// The receive pools and the transmit pools of a host's NIC.
fn pools_mut(host: &mut System) -> [&mut Pools; 2] {
    match host {
        System::Rdma(host) => host.nic_mut().pools_mut(),
        System::Tcp(host) => host.nic_mut().pools_mut(),
        System::Switch(_) => unreachable!("hosts of the topology are hosts of the engine"),
    }
}

/// A row of `pcie-stats`: totals, and what came since the last report.
fn pcie_row<'a>(
    at: Time,
    interval: Span,
    (component_name, node_id, direction): (&'a str, u64, &'a str),
    now: &LaneReport,
    before: &LaneBefore,
) -> PcieStatsRow<'a> {
    let (totals, last) = (&now.totals, &before.totals);
    let messages = totals.messages - last.messages;
    let busy = now.busy - before.busy;
    let microseconds = |span: Span| Microseconds::from_ps(span.ps());
    PcieStatsRow {
        sim_time_sec: Seconds::from_ps(at.ps()),
        component_name,
        node_id,
        direction,
        link_rate_Gbps: Gbps::from_bps(now.rate.bps()),
        messages: totals.messages,
        ivl_messages: messages,
        transfers: totals.transfers,
        ivl_transfers: totals.transfers - last.transfers,
        payload_bytes: totals.payload,
        ivl_payload_bytes: totals.payload - last.payload,
        link_bytes: totals.link_bytes(),
        ivl_link_bytes: totals.link_bytes() - last.link_bytes(),
        ivl_payload_Gbps: gbps(totals.payload - last.payload, interval),
        ivl_link_percent_util: if interval == Span::ZERO {
            0.0
        } else {
            busy.ps() as f64 * 100.0 / interval.ps() as f64
        },
        link_waits: totals.waits,
        ivl_link_waits: totals.waits - last.waits,
        ivl_mean_link_wait_usec: if messages == 0 {
            0.0
        } else {
            (totals.waited - last.waited).ps() as f64 / messages as f64 / 1e6
        },
        ivl_max_link_wait_usec: microseconds(now.longest_wait),
        buffer_stalls: totals.stalls,
        ivl_buffer_stalls: totals.stalls - last.stalls,
        ivl_total_buffer_stall_usec: microseconds(totals.stalled - last.stalled),
        ivl_max_buffer_stall_usec: microseconds(now.longest_stall),
        ivl_max_buffer_bytes: now.most_buffered,
        buffer_size_bytes: now.buffer,
        pending_messages: now.pending,
        pending_bytes: now.pending_payload,
    }
}
