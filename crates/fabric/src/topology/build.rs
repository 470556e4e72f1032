//! Laying out devices in node-id order and wiring them.

use super::{Endpoint, Host, MAX_PORTS, Plan, PlanError, Port, Switch, SwitchPlan, Tier};
use packetloom_des::Rate;

/// A switch while the network is wired: what the result no longer needs stays here.
struct Draft<'a> {
    switch: Switch,
    plan: &'a SwitchPlan,
}

/// Switches and hosts of `plan`, numbered, named and wired.
pub(super) fn wire(plan: &Plan) -> Result<(Vec<Switch>, Vec<Host>), PlanError> {
    let mut drafts = Vec::new();
    // First and one past the last spine switch outside the planes, then of each plane.
    let mut spine_groups = Vec::new();
    for group in std::iter::once(&plan.spines).chain(&plan.planes) {
        let first = drafts.len();
        for spine in group {
            let index = drafts.len();
            lay_out(&mut drafts, Tier::Spine, 0, index, spine);
        }
        spine_groups.push(first..drafts.len());
    }
    // First and one past the last fabric switch of each pod.
    let mut fabric_of_pod = Vec::new();
    for (pod, pod_plan) in plan.pods.iter().enumerate() {
        let first = drafts.len();
        for (index, fabric) in pod_plan.fabric_switches.iter().enumerate() {
            lay_out(&mut drafts, Tier::Fabric, pod, index, fabric);
        }
        fabric_of_pod.push(first..drafts.len());
    }
    let first_rack_switch = drafts.len();
    for (pod, pod_plan) in plan.pods.iter().enumerate() {
        for (index, rack) in pod_plan.racks.iter().flat_map(|rack| &rack.switches).enumerate() {
            lay_out(&mut drafts, Tier::Rack, pod, index, rack);
        }
    }

    // All uplinks before any downlink, so that they get the lower port numbers.
    for lower in 0..drafts.len() {
        let Switch { tier, pod, index, .. } = drafts[lower].switch;
        let (uppers, more) = match tier {
            Tier::Spine => (0..0, 0..0),
            Tier::Fabric => {
                let plane = plan.plane_of(index as usize);
                let of_plane = plane.map_or(0..0, |plane| spine_groups[1 + plane].clone());
                (spine_groups[0].clone(), of_plane)
            }
            Tier::Rack => (fabric_of_pod[pod as usize].clone(), 0..0),
        };
        add_uplinks(&mut drafts, lower, uppers.chain(more))?;
    }
    // Lower switches in node order; this is the order of the downlinks at each upper switch.
    for lower in 0..drafts.len() {
        add_downlinks(&mut drafts, lower)?;
    }
    let mut spines = drafts.iter().take_while(|draft| draft.switch.tier == Tier::Spine);
    if let Some(unlinked) = spines.find(|draft| draft.switch.ports.is_empty()) {
        return Err(PlanError::UnlinkedSpine {
            spine: unlinked.switch.name.clone(),
        });
    }
    let hosts = add_hosts(&mut drafts, plan, first_rack_switch)?;
    Ok((drafts.into_iter().map(|draft| draft.switch).collect(), hosts))
}

/// Adds a switch without ports; its index among all is its node id.
fn lay_out<'a>(drafts: &mut Vec<Draft<'a>>, tier: Tier, pod: usize, index: usize, plan: &'a SwitchPlan) {
    let node = drafts.len() as u32;
    let name = format!(
        "{}-{node}-{node}-0-{pod}-{}-{index}",
        tier.name_prefix(),
        tier.number()
    );
    let (pod, index) = (pod as u32, index as u32);
    let switch = Switch {
        node,
        name,
        tier,
        component: plan.component,
        pod,
        index,
        ports: Vec::new(),
    };
    drafts.push(Draft { switch, plan });
}

/// Gives `lower` its uplinks to each of `uppers`. The peers' port numbers are filled in with the downlinks.
fn add_uplinks(
    drafts: &mut [Draft],
    lower: usize,
    uppers: impl Iterator<Item = usize> + Clone,
) -> Result<(), PlanError> {
    let plan = drafts[lower].plan;
    let ports = plan.up_links_per_switch as u64 * uppers.clone().count() as u64;
    if ports > MAX_PORTS {
        return Err(PlanError::TooManyPorts {
            switch: drafts[lower].switch.name.clone(),
            ports,
        });
    }
    for upper in uppers {
        let rate = plan.up_rate.min(drafts[upper].plan.down_rate);
        check_rate(rate, &drafts[upper], &drafts[lower].switch.name)?;
        let peer = Endpoint::Switch(upper as u32);
        let port = Port {
            peer,
            peer_port: 0,
            rate,
            delay: plan.up_delay,
            up: true,
        };
        let links = plan.up_links_per_switch as usize;
        drafts[lower]
            .switch
            .ports
            .extend(std::iter::repeat_n(port, links));
    }
    Ok(())
}

/// Gives the switches above `lower` the other ends of its uplinks.
fn add_downlinks(drafts: &mut [Draft], lower: usize) -> Result<(), PlanError> {
    for number in 0..drafts[lower].switch.ports.len() {
        let port = drafts[lower].switch.ports[number];
        let Endpoint::Switch(upper) = port.peer else {
            continue;
        };
        if !port.up {
            break;
        }
        let down = Port {
            peer: Endpoint::Switch(lower as u32),
            // Both numbers fit: `add_port` and `add_uplinks` refuse more than `MAX_PORTS`.
            peer_port: number as u16,
            up: false,
            ..port
        };
        drafts[lower].switch.ports[number].peer_port = add_port(&mut drafts[upper as usize].switch, down)?;
    }
    Ok(())
}

/// Adds the servers of every rack and links each to a switch of its rack.
fn add_hosts(drafts: &mut [Draft], plan: &Plan, first_rack_switch: usize) -> Result<Vec<Host>, PlanError> {
    let racks = || plan.pods.iter().flat_map(|pod| &pod.racks);
    let count: usize = racks().map(|rack| rack.servers.len()).sum();
    if count == 0 {
        return Err(PlanError::NoServers);
    }
    let (switches, count) = (drafts.len() as u32, count as u32);
    let mut hosts = Vec::with_capacity(count as usize);
    let mut rack_switch = first_rack_switch;
    for (pod, pod_plan) in plan.pods.iter().enumerate() {
        for (rack, rack_plan) in pod_plan.racks.iter().enumerate() {
            if rack_plan.switches.is_empty() && !rack_plan.servers.is_empty() {
                return Err(PlanError::NoRackSwitch {
                    pod: pod as u32,
                    rack: rack as u32,
                });
            }
            for (server, server_plan) in rack_plan.servers.iter().enumerate() {
                let host = hosts.len() as u32;
                let name = format!("ScalaHost-0-{pod}-{rack}-{server}");
                let upper = rack_switch + server % rack_plan.switches.len();
                let rate = server_plan.rate.min(drafts[upper].plan.down_rate);
                check_rate(rate, &drafts[upper], &name)?;
                let delay = server_plan.delay;
                let down = Port {
                    peer: Endpoint::Host(host),
                    peer_port: 0,
                    rate,
                    delay,
                    up: false,
                };
                let peer_port = add_port(&mut drafts[upper].switch, down)?;
                let peer = Endpoint::Switch(upper as u32);
                hosts.push(Host {
                    nic_node: switches + host,
                    host_node: switches + count + host,
                    name,
                    pod: pod as u32,
                    rack: rack as u32,
                    server: server as u32,
                    component: server_plan.component,
                    port: Port {
                        peer,
                        peer_port,
                        rate,
                        delay,
                        up: true,
                    },
                });
            }
            rack_switch += rack_plan.switches.len();
        }
    }
    Ok(hosts)
}

/// Adds a port and returns its number.
fn add_port(switch: &mut Switch, port: Port) -> Result<u16, PlanError> {
    let number = switch.ports.len() as u64;
    if number >= MAX_PORTS {
        return Err(PlanError::TooManyPorts {
            switch: switch.name.clone(),
            ports: number + 1,
        });
    }
    switch.ports.push(port);
    Ok(number as u16)
}

/// Refuses a link that could never send a bit.
fn check_rate(rate: Rate, upper: &Draft, lower: &str) -> Result<(), PlanError> {
    if rate.bps() == 0 {
        return Err(PlanError::NoRate {
            upper: upper.switch.name.clone(),
            lower: lower.to_owned(),
        });
    }
    Ok(())
}
