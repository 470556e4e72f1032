//! The switches: pools, classes and headroom must fit the ports and the applications.

use super::Parts;
use super::components::{Declarations, Declared};
use super::traffic::Traffic;
use crate::scenario::{Plan, SwitchComponent};
use packetloom_fabric::frame::{ETHERNET_HEADER, FRAME_CHECK};
use packetloom_fabric::switch::shared_buffer::Layout;
use packetloom_fabric::topology::MAX_PORTS;
use packetloom_params::decimal::text_of_e30ths;
use packetloom_params::units::SIZE;
use packetloom_params::{Decimal, Errors};
use std::collections::BTreeMap;

/// One in units of 10^-30, in which parts of a buffer are added up.
const ONE: i128 = 10i128.pow(30);
/// What a buffer does not charge of a frame.
const UNCHARGED: u64 = ETHERNET_HEADER + FRAME_CHECK;

pub(super) fn check(parts: &Parts, errors: &mut Errors, warnings: &mut Vec<String>) {
    for switch in &parts.declared.switches {
        pools(switch, errors, warnings);
    }
    let know_mss = parts.know_mss();
    let mss = parts.largest_mss();
    for (switch, ports) in connected_ports(parts.declared, parts.plan) {
        let switch = &parts.declared.switches[switch];
        if ports > MAX_PORTS {
            errors.push(
                format!("{}.NumUpLinksPerSwitch", switch.path),
                format!(
                    "an instance of \"{}\" has {ports} connected ports; at most {MAX_PORTS} are possible",
                    switch.component.name
                ),
                "use fewer parallel links or more switches",
            );
            continue;
        }
        let sizes = [
            "TotalSharedBufferSize",
            "HeadRoomPerPortLimit",
            "PoolAllocationMap",
        ];
        let path = format!("{}.SharedBufferManager", switch.path);
        let known = |size: &&str| !parts.known.cover(&format!("{path}.{size}"));
        let layout = match sizes.iter().all(known) {
            true => layout(switch, ports, errors),
            false => None,
        };
        for application in parts.applications {
            if parts.know_classes(application) {
                let layout = layout.as_ref().filter(|_| know_mss);
                let traffic = parts.traffic(&application.component, mss);
                if let Some(layout) = layout {
                    limits(switch, &application.component.name, &traffic, layout, warnings);
                }
                classes(switch, &application.component.name, traffic, layout, errors);
            }
        }
    }
}

/// The most ports that any instance of each used switch has.
pub(super) fn connected_ports(declared: &Declarations, plan: &Plan) -> BTreeMap<usize, u64> {
    let up = |switch: usize| {
        declared.switches[switch]
            .component
            .attributes
            .num_up_links_per_switch
    };
    let mut ports: BTreeMap<usize, u64> = BTreeMap::new();
    let mut connect = |switch: usize, count: u64| {
        let most = ports.entry(switch).or_default();
        *most = (*most).max(count);
    };
    // Links down to the fabric switches: of a spine switch outside the planes, and of each plane's.
    let mut all = 0u64;
    let mut of_plane = vec![0u64; plan.planes.len()];
    for pod in &plan.pods {
        let fabric = pod.fabric_switches.len() as u64;
        let mut down = 0u64;
        for rack in &pod.racks {
            let servers = rack.servers.len();
            for (position, &switch) in rack.switches.iter().enumerate() {
                let links = up(switch);
                // Servers go to the rack's switches in turn.
                let own = servers.saturating_sub(position).div_ceil(rack.switches.len());
                connect(switch, links.saturating_mul(fabric).saturating_add(own as u64));
                down = down.saturating_add(links);
            }
        }
        for (index, &switch) in pod.fabric_switches.iter().enumerate() {
            let links = up(switch);
            let spines = plan.spines_above(index).count() as u64;
            connect(switch, links.saturating_mul(spines).saturating_add(down));
            all = all.saturating_add(links);
            if let Some(plane) = plan.plane_of(index) {
                of_plane[plane] = of_plane[plane].saturating_add(links);
            }
        }
    }
    for &spine in &plan.spines {
        connect(spine, all);
    }
    for (plane, down) in plan.planes.iter().zip(of_plane) {
        for &spine in plane {
            connect(spine, down);
        }
    }
    ports
}

fn pools(switch: &Declared<SwitchComponent>, errors: &mut Errors, warnings: &mut Vec<String>) {
    let map = &switch
        .component
        .attributes
        .shared_buffer_manager
        .pool_allocation_map;
    let path = format!("{}.SharedBufferManager.PoolAllocationMap", switch.path);
    let Some(last) = map.iter().rev().find(|&&part| part > 0.0) else {
        errors.push(
            path,
            "all entries are 0",
            "give at least one pool a part of the buffer",
        );
        return;
    };
    let exact = |part: f64| {
        Decimal::from_f64(part)
            .and_then(Decimal::in_e30ths)
            .unwrap_or(i128::MAX / 16)
    };
    let sum: i128 = map.iter().map(|&part| exact(part)).sum();
    let excess = sum - ONE;
    let shown = text_of_e30ths(sum);
    if excess > exact(*last) {
        let message = format!("the entries add up to {shown}, more than the last pool can give up");
        errors.push(path, message, "lower them until the sum is 1");
    } else if excess != 0 {
        warnings.push(format!(
            "{path} adds up to {shown}: the last pool takes the difference to 1"
        ));
    }
}

/// How the buffer is laid out, if the headroom of all ports fits in it.
fn layout(switch: &Declared<SwitchComponent>, ports: u64, errors: &mut Errors) -> Option<Layout> {
    let buffer = &switch.component.attributes.shared_buffer_manager;
    let layout = Layout::new(buffer, ports);
    if let Err(error) = &layout {
        let headroom = buffer.head_room_per_port_limit.0.saturating_mul(ports);
        let most = buffer.total_shared_buffer_size.0 / ports.max(1);
        let (attribute, remedy) = match most {
            0 => (
                "TotalSharedBufferSize",
                format!("give more than {headroom} B, or lower HeadRoomPerPortLimit"),
            ),
            most => (
                "HeadRoomPerPortLimit",
                format!("give at most {most} B, or raise TotalSharedBufferSize above {headroom} B"),
            ),
        };
        errors.push(
            format!("{}.SharedBufferManager.{attribute}", switch.path),
            error.to_string(),
            remedy,
        );
    }
    layout.ok()
}

/// Warns of lossy queues that drop the largest frame of an application even when the switch is empty.
fn limits(
    switch: &Declared<SwitchComponent>,
    application: &str,
    traffic: &[Traffic],
    layout: &Layout,
    warnings: &mut Vec<String>,
) {
    let buffer = &switch.component.attributes.shared_buffer_manager;
    let (attribute, remedy) = match (buffer.lossy_alpha > 0.0, buffer.queue_drop_threshold_enable) {
        (true, _) => ("LossyAlpha", "raise it or TotalSharedBufferSize"),
        (false, true) => ("QueueDropThreshold", "raise it or PlaneBDP"),
        (false, false) => ("TotalSharedBufferSize", "raise it, or LossyAlpha above 0"),
    };
    for &Traffic { what, class, frame } in traffic {
        let pool = usize::from(layout.pool_of[class]);
        let (held, least) = (layout.pools[pool], frame - UNCHARGED);
        let limit = match layout.lossy_alpha > 0.0 {
            true => (layout.lossy_alpha * held as f64) as u64,
            false => layout.static_limit[pool],
        };
        // A pool that is too small is refused.
        if layout.lossless & 1 << class == 0 && limit < least && held >= least {
            warnings.push(format!(
                "{}.SharedBufferManager.{attribute}: even on an empty switch a queue of class {class}, the {what} class of \
                 \"{application}\", holds at most {limit} B, less than its largest packet of {least} B, which is always \
                 dropped; {remedy}",
                switch.path
            ));
        }
    }
}

/// The classes of an application have a pool that holds the largest of its frames.
fn classes(
    switch: &Declared<SwitchComponent>,
    application: &str,
    traffic: Vec<Traffic>,
    layout: Option<&Layout>,
    errors: &mut Errors,
) {
    let buffer = &switch.component.attributes.shared_buffer_manager;
    for Traffic { what, class, frame } in traffic {
        let least = frame - UNCHARGED;
        let of = format!("class {class}, the {what} class of \"{application}\"");
        let pool = buffer.traffic_class_pool_mapping[class].min(7) as usize;
        if buffer.pool_allocation_map[pool] == 0.0 {
            errors.push(
                format!("{}.SharedBufferManager.TrafficClassPoolMapping", switch.path),
                format!("{of}, has pool {pool}, which has no part of the buffer"),
                format!(
                    "name another pool in entry {class}, or give pool {pool} a part in PoolAllocationMap"
                ),
            );
        } else if let Some(held) = layout
            .map(|layout| layout.pools[pool])
            .filter(|&held| held < least)
        {
            errors.push(
                format!("{}.SharedBufferManager.TotalSharedBufferSize", switch.path),
                format!(
                    "pool {pool} of {of}, holds {} once headroom is set apart, less than a packet of {least} B",
                    SIZE.show(held, None)
                ),
                "give a larger buffer or a larger part in PoolAllocationMap, or lower HeadRoomPerPortLimit",
            );
        }
    }
}
