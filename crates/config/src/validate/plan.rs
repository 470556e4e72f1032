//! The plan: every switch and server with its place, from the counts of the topology.

mod contents;

use super::components::{Declarations, Item};
use super::pins::pin;
use crate::catalog::ModelKind;
use crate::document::{ComponentRef, Document};
use crate::faults::Faults;
use crate::scenario::{Plan, PodPlan, RackPlan, ServerPlan};
use packetloom_params::Errors;
use packetloom_params::problem::did_you_mean;

/// The most hosts of a run: 262,144 of them take about 14 KB each, 3.7 GB in all.
const MOST_HOSTS: u64 = 1 << 18;
/// The most switches or racks of one pod or rack.
const MOST_SWITCHES: u64 = 1 << 16;
/// The most links between switches.
const MOST_LINKS: u64 = 1 << 20;

struct Builder<'a> {
    document: &'a Document,
    declared: &'a Declarations,
    faults: &'a Faults,
    errors: &'a mut Errors,
    /// Hosts so far.
    hosts: u64,
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
    };
    builder.check_containers();
    let plan = builder.topology();
    // Hosts whose NIC cannot be used count here: that was reported as what it is.
    let hosts = builder.hosts;
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
    let tiers = 1 + u64::from(plan.pods.iter().any(|pod| !pod.fabric_switches.is_empty()));
    if let Some(stated) = document.topology.topology_tiers.filter(|&stated| stated != tiers) {
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
        if document.topology.components.is_empty() {
            self.errors
                .push("topology.components", "the topology is empty", "add a pod");
        }
        for (i, reference) in document.topology.components.iter().enumerate() {
            let path = format!("topology.components[{i}]");
            let allowed = [ModelKind::Switch, ModelKind::Layer, ModelKind::Pod];
            match self.resolve("the topology", reference, &path, &allowed) {
                Some(Item::Pod(container)) => {
                    if reference.count > 1 || reference.count == 1 && !plan.pods.is_empty() {
                        let message = "several pods need spine switches, which are not available yet";
                        self.errors.push(path, message, "leave one pod");
                    } else if reference.count == 1 {
                        let pod = self.pod(container);
                        plan.pods.push(pod);
                    }
                }
                Some(_) => {
                    let message = "spine switches above the pods are not available yet";
                    self.errors.push(path, message, "leave only a pod");
                }
                None => {}
            }
        }
        plan
    }

    fn pod(&mut self, container: usize) -> PodPlan {
        let document = self.document;
        let mut pod = PodPlan::default();
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
        if pod.racks.is_empty() && racks.clone().any(|reference| reference.count > 0) {
            // What is wrong with them was reported.
        } else if pod.racks.is_empty() {
            self.errors.push(
                path,
                format!("pod \"{}\" has no rack", definition.name),
                "add a rack to it",
            );
        } else if pod.racks.len() > 1 && pod.fabric_switches.is_empty() {
            let message = format!(
                "nothing connects the {} racks of pod \"{}\"",
                pod.racks.len(),
                definition.name
            );
            self.errors
                .push(path, message, "add fabric switches to it, or leave one rack");
        } else {
            self.check_links(&pod, &path);
        }
        pod
    }

    fn fits(&mut self, count: u64, room: u64, what: &str, path: &str) -> bool {
        if count > room {
            let message = format!("{count} is more {what} than can be simulated");
            self.errors.push(path, message, format!("give at most {room}"));
        }
        count <= room
    }

    fn racks(&mut self, container: usize, count: u64, pod: &mut PodPlan) {
        let document = self.document;
        let mut plan = RackPlan::default();
        for (j, reference) in document.containers[container].components.iter().enumerate() {
            match self.declared.names.get(&reference.name) {
                // More than one was reported, and there may be any number of them.
                Some(&Item::Switch(switch)) if reference.count > 0 => plan.switches.push(switch),
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

    /// Checks the links between rack switches and fabric switches.
    fn check_links(&mut self, pod: &PodPlan, path: &str) {
        let fabric = pod.fabric_switches.len() as u64;
        let mut links = 0u64;
        for &switch in pod.racks.iter().flat_map(|rack| &rack.switches) {
            let parallel = self.declared.switches[switch]
                .component
                .attributes
                .num_up_links_per_switch;
            links = links.saturating_add(parallel.saturating_mul(fabric));
        }
        if links > MOST_LINKS {
            let message = format!("{links} links between switches are more than can be simulated");
            self.errors.push(
                path,
                message,
                format!("lower NumUpLinksPerSwitch or the counts, to {MOST_LINKS}"),
            );
        }
        if fabric == 0 {
            return;
        }
        for (switch, declared) in self.declared.switches.iter().enumerate() {
            let used = pod.racks.iter().any(|rack| rack.switches.contains(&switch));
            if used && declared.component.attributes.num_up_links_per_switch == 0 {
                let message = format!(
                    "rack switch \"{}\" has no links to the fabric switches",
                    declared.component.name
                );
                self.errors.push(
                    format!("{}.NumUpLinksPerSwitch", declared.path),
                    message,
                    "give 1 or more",
                );
            }
        }
    }
}
