//! The plan: every switch and server with its place, from the counts of the topology.

mod contents;
mod links;

use super::components::{Declarations, Item};
use super::pins::pin;
use crate::catalog::ModelKind;
use crate::document::{ComponentRef, Document};
use crate::faults::Faults;
use crate::scenario::{Plan, PodPlan, RackPlan, ServerPlan};
use packetloom_params::Errors;
use packetloom_params::problem::did_you_mean;
use std::collections::BTreeMap;

/// The most hosts of a run: 262,144 of them take about 14 KB each, 3.7 GB in all.
const MOST_HOSTS: u64 = 1 << 18;
/// The most pods, the most racks, and the most switches of a tier.
const MOST_SWITCHES: u64 = 1 << 16;

struct Builder<'a> {
    document: &'a Document,
    declared: &'a Declarations,
    faults: &'a Faults,
    errors: &'a mut Errors,
    /// Hosts of the pod that is being built; then of all pods.
    hosts: u64,
    /// Whether everything that the topology names could be found, and is not too much.
    complete: bool,
}

/// Builds the plan; parts that are wrong are left out of it.
pub(super) fn build(
    document: &Document,
    declared: &Declarations,
    faults: &Faults,
    errors: &mut Errors,
    warnings: &mut Vec<String>,
) -> Plan {
    let before = errors.len();
    let mut builder = Builder {
        document,
        declared,
        faults,
        errors,
        hosts: 0,
        complete: true,
    };
    builder.check_containers();
    let plan = builder.topology();
    // Hosts whose NIC cannot be used count here: that was reported as what it is.
    let (hosts, complete) = (builder.hosts, builder.complete);
    if errors.len() > before || faults.hide_hosts() {
        return plan;
    }
    if hosts < 2 {
        let message = match hosts {
            0 => "there are no hosts".to_owned(),
            _ => "there is only one host".to_owned(),
        };
        errors.push("topology", message, "add servers until there are two or more");
    }
    let tiers = match plan.pods.iter().any(|pod| !pod.fabric_switches.is_empty()) {
        _ if plan.spine_switches() > 0 => 3,
        true => 2,
        false => 1,
    };
    let stated = document.topology.topology_tiers;
    if let Some(stated) = stated.filter(|&stated| stated != tiers && complete) {
        warnings.push(format!(
            "topology.topologyTiers is {stated}, but the components make {tiers} tier{}",
            if tiers == 1 { "" } else { "s" }
        ));
    }
    plan
}

/// The part of a document that declares what is of a type.
fn list_of(kind: ModelKind) -> &'static str {
    match kind {
        ModelKind::Switch | ModelKind::Nic | ModelKind::Server => "components",
        ModelKind::Rack | ModelKind::Pod => "containers",
        ModelKind::Layer => "links",
        ModelKind::Application => "applications",
    }
}

/// A type with its article.
fn a(kind: &str) -> String {
    format!("a {kind}")
}

impl Builder<'_> {
    /// What a reference stands for, if it is of one of the types allowed here.
    fn resolve(
        &mut self,
        holder: &str,
        reference: &ComponentRef,
        path: &str,
        allowed: &[ModelKind],
    ) -> Option<Item> {
        if reference.kind.is_empty() || reference.name.is_empty() {
            return None;
        }
        if reference.kind == "gpu" {
            self.errors.push(
                format!("{path}.type"),
                "GPUs are not available yet",
                "leave it out",
            );
            return None;
        }
        let Some(kind) = allowed
            .iter()
            .copied()
            .find(|kind| kind.as_str() == reference.kind)
        else {
            let choices: Vec<&str> = allowed.iter().map(|kind| kind.as_str()).collect();
            let message = format!(
                "{holder} cannot hold {}",
                a(&reference.kind.escape_debug().to_string())
            );
            self.errors.push(
                format!("{path}.type"),
                message,
                format!("it holds {}", choices.join(" or ")),
            );
            return None;
        };
        match self.declared.names.get(&reference.name) {
            Some(item) if item.kind() == Some(kind) => Some(*item),
            Some(item) => {
                if let Some(other) = item.kind() {
                    let name = &reference.name;
                    let message = format!("\"{name}\" is {}, not {}", a(other.as_str()), a(kind.as_str()));
                    self.errors.push(path, message, "correct the name or the type");
                }
                None
            }
            // It may be what could not be read there.
            None if self.faults.hide_names(list_of(kind)) => None,
            None => {
                let known = self.declared.names_of(kind);
                let remedy = if known.is_empty() {
                    format!("declare {}", a(kind.as_str()))
                } else {
                    did_you_mean(&reference.name, known.iter().copied())
                };
                let message = format!("there is no {} \"{}\"", kind.as_str(), reference.name);
                self.errors.push(format!("{path}.name"), message, remedy);
                None
            }
        }
    }

    fn topology(&mut self) -> Plan {
        let document = self.document;
        let mut plan = Plan::default();
        // By container: a pod and its hosts.
        let mut pods: BTreeMap<usize, (PodPlan, u64)> = BTreeMap::new();
        let mut hosts = 0;
        if document.topology.components.is_empty() {
            self.errors
                .push("topology.components", "the topology is empty", "add a pod");
        }
        for (i, reference) in document.topology.components.iter().enumerate() {
            let path = format!("topology.components[{i}]");
            let allowed = [ModelKind::Switch, ModelKind::Layer, ModelKind::Pod];
            let item = self.resolve("the topology", reference, &path, &allowed);
            let (count, path) = (reference.count, format!("{path}.count"));
            match item {
                Some(Item::Pod(container)) if count > 0 => {
                    let (pod, own) = pods.entry(container).or_insert_with(|| self.pod(container));
                    let room = pods_room(&plan, pod, *own, hosts);
                    if self.fits(count, room, "pods", &path) {
                        hosts += *own * count;
                        plan.pods.extend((0..count).map(|_| pod.clone()));
                    }
                }
                Some(Item::Switch(switch)) => {
                    let room = MOST_SWITCHES - plan.spine_switches() as u64;
                    if self.fits(count, room, "spine switches", &path) {
                        plan.spines.extend((0..count).map(|_| switch));
                    }
                }
                Some(Item::Layer(link)) => self.planes(link, count, &path, &mut plan),
                Some(Item::Pod(_)) => {}
                // What is wrong with it was reported.
                _ => self.complete = false,
            }
        }
        self.hosts = hosts;
        self.check_tiers(&plan, &pods);
        self.check_links(&plan);
        plan
    }

    /// Adds as many planes of a layer's switches.
    fn planes(&mut self, link: usize, count: u64, path: &str, plan: &mut Plan) {
        let document = self.document;
        let mut switches = Vec::new();
        for (j, reference) in document.links[link].components.iter().enumerate() {
            let Some(&Item::Switch(switch)) = self.declared.names.get(&reference.name) else {
                self.complete = false;
                continue;
            };
            let path = format!("links[{link}].components[{j}].count");
            let room = MOST_SWITCHES - switches.len() as u64;
            if self.fits(reference.count, room, "switches", &path) {
                switches.extend((0..reference.count).map(|_| switch));
            }
        }
        // That it has none was reported.
        self.complete &= !switches.is_empty();
        let room = MOST_SWITCHES - (plan.spine_switches() + plan.planes.len()) as u64;
        if self.fits(count, room / switches.len().max(1) as u64, "planes", path) {
            plan.planes.extend((0..count).map(|_| switches.clone()));
        }
    }

    /// A pod, and how many hosts it has.
    fn pod(&mut self, container: usize) -> (PodPlan, u64) {
        let document = self.document;
        let mut pod = PodPlan::default();
        self.hosts = 0;
        let definition = &document.containers[container];
        for (j, reference) in definition.components.iter().enumerate() {
            let path = format!("containers[{container}].components[{j}].count");
            match self.declared.names.get(&reference.name) {
                Some(&Item::Switch(switch)) => {
                    let room = MOST_SWITCHES - pod.fabric_switches.len() as u64;
                    if self.fits(reference.count, room, "switches", &path) {
                        pod.fabric_switches.extend((0..reference.count).map(|_| switch));
                    }
                }
                Some(&Item::Rack(rack)) => {
                    let room = MOST_SWITCHES - pod.racks.len() as u64;
                    if self.fits(reference.count, room, "racks", &path) {
                        self.racks(rack, reference.count, &mut pod);
                    }
                }
                _ => {}
            }
        }
        let path = format!("containers[{container}].components");
        let racks = definition.components.iter().filter(|r| r.kind == "rack");
        let switches = pod.racks.first().map_or(0, |rack| rack.switches.len());
        if pod.racks.is_empty() && racks.clone().any(|reference| reference.count > 0) {
            // What is wrong with them was reported.
        } else if pod.racks.is_empty() {
            self.errors.push(
                path,
                format!("pod \"{}\" has no rack", definition.name),
                "add a rack to it",
            );
        } else if pod.fabric_switches.is_empty() && pod.racks.len() > 1 {
            let message = format!(
                "nothing connects the {} racks of pod \"{}\"",
                pod.racks.len(),
                definition.name
            );
            self.errors
                .push(path, message, "add fabric switches to it, or leave one rack");
        } else if pod.fabric_switches.is_empty() && switches > 1 {
            let message = format!(
                "nothing connects the {switches} rack switches of pod \"{}\"",
                definition.name
            );
            let remedy = "add fabric switches to it, or leave one switch in its rack";
            self.errors.push(path, message, remedy);
        }
        (pod, self.hosts)
    }

    fn fits(&mut self, count: u64, room: u64, what: &str, path: &str) -> bool {
        if count > room {
            let message = format!("{count} is more {what} than can be simulated");
            let remedy = match room {
                0 => "lower the other counts".to_owned(),
                room => format!("give at most {room}"),
            };
            // What is counted twice is refused once.
            if !self.errors.iter().any(|p| p.path == path && p.message == message) {
                self.errors.push(path, message, remedy);
            }
            self.complete = false;
        }
        count <= room
    }

    fn racks(&mut self, container: usize, count: u64, pod: &mut PodPlan) {
        let document = self.document;
        let mut plan = RackPlan::default();
        for (j, reference) in document.containers[container].components.iter().enumerate() {
            match self.declared.names.get(&reference.name) {
                Some(&Item::Switch(switch)) => {
                    let path = format!("containers[{container}].components[{j}].count");
                    let racks = pod
                        .racks
                        .iter()
                        .map(|rack| rack.switches.len() as u64)
                        .sum::<u64>();
                    let room = MOST_SWITCHES.saturating_sub(racks) / count.max(1);
                    let room = room.saturating_sub(plan.switches.len() as u64);
                    if self.fits(reference.count, room, "switches", &path) {
                        plan.switches.extend((0..reference.count).map(|_| switch));
                    }
                }
                Some(&Item::Server(server)) => {
                    let path = format!("containers[{container}].components[{j}].count");
                    let room = (MOST_HOSTS - self.hosts) / count.max(1);
                    if self.fits(reference.count, room, "servers", &path) {
                        self.hosts += reference.count * count;
                        if let Some(server) = self.server(server) {
                            plan.servers.extend((0..reference.count).map(|_| server.clone()));
                        }
                    }
                }
                // It was reported; the hosts are there all the same.
                Some(Item::Unusable(ModelKind::Server)) => {
                    let hosts = reference.count.saturating_mul(count);
                    self.hosts = self.hosts.saturating_add(hosts).min(MOST_HOSTS);
                }
                _ => {}
            }
        }
        pod.racks.extend((0..count).map(|_| plan.clone()));
    }

    fn server(&mut self, component: usize) -> Option<ServerPlan> {
        let document = self.document;
        let server = &document.components[component];
        let nic = server.components.iter().find_map(|reference| {
            match self.declared.names.get(&reference.name) {
                Some(&Item::Nic(nic)) if reference.kind == "nic" => Some(nic),
                _ => None,
            }
        })?;
        let mut pinned = Vec::new();
        // Faults of pins were reported with the declaration.
        let mut unheard = Errors::new();
        for reference in server
            .components
            .iter()
            .filter(|reference| reference.kind == "application")
        {
            let pin = pin(document, self.declared, reference, "", self.faults, &mut unheard);
            pinned.extend(pin);
        }
        Some(ServerPlan { nic, pinned })
    }
}

/// How many more pods like this one there may be; it has `own` hosts, and those before it `hosts`.
fn pods_room(plan: &Plan, pod: &PodPlan, own: u64, hosts: u64) -> u64 {
    let racks: usize = plan.pods.iter().map(|pod| pod.racks.len()).sum();
    let switches = |pod: &PodPlan| pod.racks.iter().map(|rack| rack.switches.len()).sum::<usize>();
    let rack_switches: usize = plan.pods.iter().map(switches).sum();
    let fabric: usize = plan.pods.iter().map(|pod| pod.fabric_switches.len()).sum();
    [
        (MOST_HOSTS, hosts, own),
        (MOST_SWITCHES, plan.pods.len() as u64, 1),
        (MOST_SWITCHES, racks as u64, pod.racks.len() as u64),
        (MOST_SWITCHES, rack_switches as u64, switches(pod) as u64),
        (MOST_SWITCHES, fabric as u64, pod.fabric_switches.len() as u64),
    ]
    .into_iter()
    .filter_map(|(most, taken, each)| most.saturating_sub(taken).checked_div(each))
    .min()
    .unwrap_or(0)
}
