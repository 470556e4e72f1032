//! Warnings where a lossless class may drop all the same, or where a pause does little.
//!
//! The formulas are those of "How much headroom is enough" on the page of the switch.

use super::Parts;
use super::components::Declared;
use super::fabric::connected_ports;
use crate::scenario::{Application, NicKind, SwitchComponent};
use packetloom_des::{Rate, Span};
use packetloom_fabric::frame::{ETHERNET_HEADER, FRAME_CHECK, PFC_SIZE};
use packetloom_fabric::switch::shared_buffer::{Layout, POOLS};
use packetloom_nic::roce::attributes::RoceNicAttributes;
use packetloom_params::decimal::{share_of, share_of_up};
use packetloom_params::units::{RATE, SIZE, TIME};
use std::collections::{BTreeMap, BTreeSet};

/// What a buffer does not charge of a frame.
const UNCHARGED: u64 = ETHERNET_HEADER + FRAME_CHECK;

/// What a link does to the room that a pause needs.
#[derive(Clone, Copy)]
struct Link {
    rate: Rate,
    delay: Span,
    /// The largest frame of either direction, in bytes.
    frame: u64,
}

impl Link {
    /// What may still arrive once a pause is decided on: a frame under way at each end, the pause itself, and both delays.
    fn room(self) -> u64 {
        let under_way = 2 * u128::from(self.rate.bps()) * u128::from(self.delay.ps());
        let under_way = under_way.div_ceil(8 * 1_000_000_000_000);
        u64::try_from(under_way)
            .unwrap_or(u64::MAX)
            .saturating_add(2 * self.frame + PFC_SIZE)
    }
}

/// For each component, the link that needs the most room.
type Worst = BTreeMap<usize, Link>;

fn note(worst: &mut Worst, component: usize, link: Link) {
    let place = worst.entry(component).or_insert(link);
    if link.room() > place.room() {
        *place = link;
    }
}

pub(super) fn warn(parts: &Parts, warnings: &mut Vec<String>) {
    let mss = parts.largest_mss();
    let (switches, nics) = links(parts, mss);
    for (&switch, link) in &switches {
        let declared = &parts.declared.switches[switch];
        headroom(declared, *link, warnings);
        thresholds(declared, warnings);
    }
    for (switch, ports) in connected_ports(parts.declared, parts.plan) {
        pools(&parts.declared.switches[switch], ports, parts, mss, warnings);
    }
    for (&nic, link) in &nics {
        if let Some(attributes) = parts.roce(nic) {
            let path = &parts.declared.nics[nic].path;
            resumes(path, attributes, warnings);
            receive_pools(nic, path, attributes, *link, parts, warnings);
        }
    }
}

/// The worst link of each switch that has a lossless class in use there, and of each NIC that is used.
fn links(parts: &Parts, mss: u64) -> (Worst, Worst) {
    let switch = |i: usize| &parts.declared.switches[i].component.attributes;
    let nic = |i: usize| &parts.declared.nics[i].component.attributes;
    let (mut to_hosts, mut between) = (BTreeSet::new(), BTreeSet::new());
    let plan = parts.plan;
    // Components of the spine switches above a fabric switch: one entry for each plane, or one for all.
    let spines: Vec<BTreeSet<usize>> = (0..plan.planes.len().max(1))
        .map(|plane| plan.spines_above(plane).collect())
        .collect();
    for pod in &plan.pods {
        let fabric: BTreeSet<usize> = pod.fabric_switches.iter().copied().collect();
        for (index, &below) in pod.fabric_switches.iter().enumerate() {
            let above = &spines[plan.plane_of(index).unwrap_or(0)];
            between.extend(above.iter().map(|&above| (below, above)));
        }
        for rack in &pod.racks {
            for &below in &rack.switches {
                to_hosts.extend(rack.servers.iter().map(|server| (below, server.nic)));
                between.extend(fabric.iter().map(|&above| (below, above)));
            }
        }
    }
    // Whether a switch never drops what hosts with one kind of NIC, or any hosts, send in some class.
    let lossless = |component: usize, kind: Option<NicKind>| {
        let applications = parts.applications.iter().map(|declared| &declared.component);
        let of_kind = |app: &&Application| kind.is_none_or(|kind| app.attributes.kind().nic() == kind);
        let pfc = &switch(component).shared_buffer_manager.enable_pfc;
        applications
            .filter(of_kind)
            .flat_map(|app| parts.traffic(app, mss))
            .any(|traffic| pfc[traffic.class] == 1)
    };
    let (mut switches, mut nics) = (Worst::new(), Worst::new());
    let mut largest = 0;
    for (below, host) in to_hosts {
        let down = switch(below)
            .network_interface
            .downlink_network_interface
            .data_rate;
        let link = Link {
            rate: down.min(nic(host).rate()),
            delay: nic(host).delay(),
            frame: parts.largest_frame(nic(host), mss),
        };
        largest = link.frame.max(largest);
        if lossless(below, Some(nic(host).kind())) {
            note(&mut switches, below, link);
        }
        note(&mut nics, host, link);
    }
    for (below, above) in between {
        let interface = &switch(below).network_interface;
        let down = switch(above)
            .network_interface
            .downlink_network_interface
            .data_rate;
        let link = Link {
            rate: down.min(interface.uplink_network_interface.data_rate),
            delay: interface.transmission_medium.delay,
            frame: largest,
        };
        for end in [below, above] {
            if lossless(end, None) {
                note(&mut switches, end, link);
            }
        }
    }
    (switches, nics)
}

fn size(bytes: u64) -> String {
    SIZE.show(bytes, None)
}

fn shown(link: Link) -> String {
    format!(
        "{} with a delay of {}",
        RATE.show(link.rate.bps(), None),
        TIME.show(link.delay.ps(), None)
    )
}

fn headroom(switch: &Declared<SwitchComponent>, link: Link, warnings: &mut Vec<String>) {
    let given = switch
        .component
        .attributes
        .shared_buffer_manager
        .head_room_per_port_limit
        .0;
    let needed = link.room();
    if given < needed {
        warnings.push(format!(
            "{}.SharedBufferManager.HeadRoomPerPortLimit of {} may not hold what arrives after a pause: a link of {} needs {}",
            switch.path,
            size(given),
            shown(link),
            size(needed)
        ));
    }
}

fn thresholds(switch: &Declared<SwitchComponent>, warnings: &mut Vec<String>) {
    let buffer = &switch.component.attributes.shared_buffer_manager;
    let (xoff, xon) = (
        buffer.static_pool_xoff_threshold.0,
        buffer.static_pool_xon_threshold.0,
    );
    if xon >= xoff {
        warnings.push(format!(
            "{}.SharedBufferManager.StaticPoolXonThreshold of {} is not below StaticPoolXoffThreshold, {}: a pause ends as \
             soon as the headroom is empty",
            switch.path,
            size(xon),
            size(xoff)
        ));
    }
}

/// Each pool in use holds what all ports bring in before they pause.
fn pools(
    switch: &Declared<SwitchComponent>,
    ports: u64,
    parts: &Parts,
    mss: u64,
    warnings: &mut Vec<String>,
) {
    let buffer = &switch.component.attributes.shared_buffer_manager;
    let Ok(layout) = Layout::new(buffer, ports) else {
        return;
    };
    // The largest packet of each pool.
    let mut largest = [0; POOLS];
    for application in parts.applications {
        for traffic in parts.traffic(&application.component, mss) {
            if buffer.enable_pfc[traffic.class] == 1 {
                let pool = layout.pool_of[traffic.class] as usize;
                largest[pool] = (traffic.frame - UNCHARGED).max(largest[pool]);
            }
        }
    }
    // A port that resumes above Xoff pauses again with the next packet, which is admitted: so it comes to hold Xon.
    let (threshold, reach) = match layout.xon > layout.xoff {
        true => ("StaticPoolXonThreshold", layout.xon),
        false => ("StaticPoolXoffThreshold", layout.xoff),
    };
    for (pool, &charge) in largest.iter().enumerate().filter(|&(_, &charge)| charge > 0) {
        let held = layout.pools[pool];
        let needed = reach.saturating_add(charge).saturating_mul(ports);
        if held < needed {
            warnings.push(format!(
                "{}.SharedBufferManager.{threshold} of {} lets {ports} ports bring {} into pool {pool}, which \
                 holds {}: it may drop before they pause",
                switch.path,
                size(reach),
                size(needed),
                size(held)
            ));
        }
    }
}

/// The resume threshold of a class lies below its pause threshold.
fn resumes(path: &str, nic: &RoceNicAttributes, warnings: &mut Vec<String>) {
    let manager = &nic.network_interface.ingress_buffer_manager;
    let wrong: Vec<usize> = (0..8)
        .filter(|&class| manager.pfc_enable_vector[class] == 1 && manager.pool_allocation_vector[class] > 0.0)
        .filter(|&class| manager.pfc_xon_resume_threshold[class] >= manager.pfc_static_xoff_threshold[class])
        .collect();
    if let Some(&class) = wrong.first() {
        warnings.push(format!(
            "{path}.NetworkInterface.IngressBufferManager.PfcXonResumeThreshold of class {class}, {}, is not below \
             PfcStaticXoffThreshold, {}: a pause ends at once{}",
            manager.pfc_xon_resume_threshold[class],
            manager.pfc_static_xoff_threshold[class],
            match wrong.len() {
                1 => String::new(),
                many => format!(" (and so for {} other classes)", many - 1),
            }
        ));
    }
}

/// A pool that pauses its sender has room left for what still arrives.
fn receive_pools(
    nic: usize,
    path: &str,
    attributes: &RoceNicAttributes,
    link: Link,
    parts: &Parts,
    warnings: &mut Vec<String>,
) {
    let manager = &attributes.network_interface.ingress_buffer_manager;
    let classes: BTreeSet<usize> = parts
        .applications
        .iter()
        .zip(parts.uses)
        .filter(|(_, uses)| uses.servers.contains(&nic))
        .filter_map(|(application, _)| application.component.attributes.rdma())
        .map(|rdma| rdma.rdma_data_packet_tc as usize)
        .filter(|&class| manager.pfc_enable_vector[class] == 1)
        .collect();
    let needed = link.room();
    for class in classes {
        let pool = share_of(manager.total_buffer_size, manager.pool_allocation_vector[class]);
        let xoff = manager.pfc_static_xoff_threshold[class];
        let left = pool.0.saturating_sub(share_of_up(pool, xoff).0);
        if left < needed {
            warnings.push(format!(
                "{path}.NetworkInterface.IngressBufferManager.PfcStaticXoffThreshold of {xoff} leaves {} of the pool of class \
                 {class}, which may not hold what arrives after a pause: a link of {} needs {}",
                size(left),
                shown(link),
                size(needed)
            ));
        }
    }
}
