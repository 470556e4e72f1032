//! What racks, pods, layers and servers hold.

use super::super::pins::{pin, twice, unable};
use super::Builder;
use crate::catalog::ModelKind;

impl Builder<'_> {
    /// Checks what every rack, pod, layer and server holds, whether the topology uses it or not.
    pub(super) fn check_containers(&mut self) {
        for (i, container) in self.document.containers.iter().enumerate() {
            let allowed: &[ModelKind] = match container.kind.as_str() {
                "rack" => &[ModelKind::Switch, ModelKind::Server],
                "pod" => &[ModelKind::Switch, ModelKind::Rack],
                _ => continue,
            };
            let holder = format!("{} \"{}\"", container.kind, container.name);
            for (j, reference) in container.components.iter().enumerate() {
                let path = format!("containers[{i}].components[{j}]");
                if reference.name == container.name && !reference.name.is_empty() {
                    self.errors.push(
                        path,
                        format!("{holder} contains itself"),
                        "name another component",
                    );
                    continue;
                }
                self.resolve(&holder, reference, &path, allowed);
            }
            if container.kind == "rack" {
                self.check_rack(i);
            }
        }
        for (i, link) in self.document.links.iter().enumerate() {
            if link.kind != "layer" {
                continue;
            }
            let holder = format!("layer \"{}\"", link.name);
            for (j, reference) in link.components.iter().enumerate() {
                let path = format!("links[{i}].components[{j}]");
                self.resolve(&holder, reference, &path, &[ModelKind::Switch]);
            }
            if !link.components.iter().any(|r| r.count > 0) {
                self.errors.push(
                    format!("links[{i}].components"),
                    format!("{holder} has no switch"),
                    "add a switch to it",
                );
            }
        }
        for (i, component) in self.document.components.iter().enumerate() {
            if component.kind == "server" {
                let holder = format!("server \"{}\"", component.name);
                let mut pins = Vec::new();
                for (j, reference) in component.components.iter().enumerate() {
                    let path = format!("components[{i}].components[{j}]");
                    if reference.kind == "application" {
                        let pin = pin(
                            self.document,
                            self.declared,
                            reference,
                            &path,
                            self.faults,
                            self.errors,
                        );
                        pins.extend(pin.map(|pin| (pin, path)));
                    } else {
                        self.resolve(
                            &holder,
                            reference,
                            &path,
                            &[ModelKind::Nic, ModelKind::Application],
                        );
                    }
                }
                twice(component, &pins, self.document, self.errors);
                unable(component, &pins, self.document, self.declared, self.errors);
                self.check_server(i);
            }
        }
    }

    fn check_rack(&mut self, i: usize) {
        let rack = &self.document.containers[i];
        let count = |kind: &str| {
            rack.components
                .iter()
                .filter(|r| r.kind == kind)
                .fold(0u64, |sum, r| sum.saturating_add(r.count))
        };
        let path = format!("containers[{i}].components");
        let name = &rack.name;
        if count("switch") == 0 {
            self.errors.push(
                &path,
                format!("rack \"{name}\" has no switch"),
                "add a switch to it",
            );
        }
        if count("server") == 0 {
            self.errors.push(
                &path,
                format!("rack \"{name}\" has no server"),
                "add a server to it",
            );
        }
    }

    fn check_server(&mut self, i: usize) {
        let server = &self.document.components[i];
        let nics = server
            .components
            .iter()
            .filter(|r| r.kind == "nic")
            .fold(0u64, |sum, r| sum.saturating_add(r.count));
        if nics != 1 {
            let message = match nics {
                0 => format!("server \"{}\" has no NIC", server.name),
                _ => format!("server \"{}\" has {nics} NICs", server.name),
            };
            self.errors.push(
                format!("components[{i}].components"),
                message,
                "give it one NIC with a count of 1",
            );
        }
    }
}
