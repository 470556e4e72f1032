//! What a configuration shows of its declarations.

use packetloom_config::Document;
use packetloom_config::document::ComponentRef;
use std::collections::BTreeSet;

/// The names of the components that the topology or a container uses, by what they hold too.
pub fn used(document: &Document) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let containers = document
        .containers
        .iter()
        .flat_map(|container| &container.components);
    let layers = document.links.iter().flat_map(|layer| &layer.components);
    let mut open: Vec<&ComponentRef> = document
        .topology
        .components
        .iter()
        .chain(containers)
        .chain(layers)
        .collect();
    while let Some(reference) = open.pop() {
        if used.insert(reference.name.clone()) {
            let held = document.components.iter().filter(|c| c.name == reference.name);
            open.extend(held.flat_map(|component| &component.components));
        }
    }
    used
}

/// The document without declarations of components that nothing uses.
pub fn view(mut document: Document) -> Document {
    let used = used(&document);
    document
        .components
        .retain(|component| used.contains(&component.name));
    document
}

#[cfg(test)]
mod tests {
    use super::*;
    use packetloom_config::template;

    #[test]
    fn declarations_that_nothing_uses_are_left_out() {
        for name in template::names() {
            let document = template::document(name).expect("a template");
            assert_eq!(
                view(document.clone()).components.len(),
                document.components.len(),
                "{name}"
            );
        }
        let mut document = template::document("rdma-16-hosts").expect("a template");
        let mut spare = document.components[0].clone();
        spare.name = "Spare".to_owned();
        document.components.push(spare);
        assert!(
            view(document.clone())
                .components
                .iter()
                .all(|c| c.name != "Spare")
        );
        // Without racks and pods nothing is used, neither servers nor what they hold.
        document.containers.clear();
        document.links.clear();
        document.topology.components.clear();
        assert_eq!(view(document).components, []);
    }
}
