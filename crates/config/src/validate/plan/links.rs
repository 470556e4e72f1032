//! What joins the tiers: pods need spine switches, these need fabric switches, and each switch its links.

use super::super::components::Declared;
use super::Builder;
use crate::scenario::{Plan, PodPlan, SwitchComponent};
use std::collections::{BTreeMap, BTreeSet};

/// The most links between switches.
const MOST_LINKS: u64 = 1 << 20;

impl Builder<'_> {
    /// Checks that spine switches join the pods. `pods` are those in use, by container.
    pub(super) fn check_tiers(&mut self, plan: &Plan, pods: &BTreeMap<usize, (PodPlan, u64)>) {
        if !self.complete {
            return;
        }
        let spines = plan.spine_switches();
        if plan.pods.len() > 1 && spines == 0 {
            let message = format!("nothing connects the {} pods", plan.pods.len());
            let remedy = "add spine switches or a layer of them, or leave one pod";
            self.errors.push("topology.components", message, remedy);
            return;
        }
        if spines == 0 || plan.pods.is_empty() {
            return;
        }
        let mut lacking = false;
        for (&container, (pod, _)) in pods {
            let definition = &self.document.containers[container];
            // Of switches that are named something is wrong, which was reported.
            let named = definition
                .components
                .iter()
                .any(|r| r.kind == "switch" && r.count > 0);
            lacking |= pod.fabric_switches.is_empty();
            // So was it that nothing connects several racks.
            if pod.fabric_switches.is_empty() && !named && pod.racks.len() == 1 {
                let message = format!(
                    "nothing connects pod \"{}\" to the spine switches",
                    definition.name
                );
                let path = format!("containers[{container}].components");
                self.errors.push(path, message, "add fabric switches to it");
            }
        }
        let most = plan.pods.iter().map(|pod| pod.fabric_switches.len()).max();
        let most = most.unwrap_or(0);
        if !lacking && plan.planes.len() > most {
            let message = format!(
                "no fabric switch belongs to plane {most}: there are {} planes, from 0, and a pod has {most} fabric \
                 switch{} at most",
                plan.planes.len(),
                if most == 1 { "" } else { "es" }
            );
            let remedy = format!("lower the count of layers to {most}, or add fabric switches to the pods");
            self.errors.push("topology.components", message, remedy);
        }
    }

    /// Checks the number of links between switches.
    pub(super) fn check_links(&mut self, plan: &Plan) {
        let up = |switch: usize| {
            self.declared.switches[switch]
                .component
                .attributes
                .num_up_links_per_switch
        };
        let mut links = 0u64;
        // Switches with others above them.
        let (mut in_racks, mut in_pods) = (BTreeSet::new(), BTreeSet::new());
        for pod in &plan.pods {
            let above = pod.fabric_switches.len() as u64;
            for &switch in pod.racks.iter().flat_map(|rack| &rack.switches) {
                links = links.saturating_add(up(switch).saturating_mul(above));
                if above > 0 {
                    in_racks.insert(switch);
                }
            }
            for (index, &switch) in pod.fabric_switches.iter().enumerate() {
                let above = plan.spines_above(index).count() as u64;
                links = links.saturating_add(up(switch).saturating_mul(above));
                if above > 0 {
                    in_pods.insert(switch);
                }
            }
        }
        if links > MOST_LINKS {
            let message = format!("{links} links between switches are more than can be simulated");
            let remedy = format!("lower NumUpLinksPerSwitch or the counts, to {MOST_LINKS}");
            self.errors.push("topology.components", message, remedy);
        }
        for (switch, declared) in self.declared.switches.iter().enumerate() {
            if up(switch) > 0 {
                continue;
            }
            for (used, tier, above) in [(&in_racks, "rack", "fabric"), (&in_pods, "fabric", "spine")] {
                if used.contains(&switch) {
                    let message = no_links(declared, tier, above);
                    let path = format!("{}.NumUpLinksPerSwitch", declared.path);
                    self.errors.push(path, message, "give 1 or more");
                }
            }
        }
    }
}

fn no_links(declared: &Declared<SwitchComponent>, tier: &str, above: &str) -> String {
    format!(
        "{tier} switch \"{}\" has no links to the {above} switches",
        declared.component.name
    )
}
