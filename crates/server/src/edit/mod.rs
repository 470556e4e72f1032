//! What the endpoints of a configuration do to its document, without I/O.
//!
//! Each function changes the document or says why not; a document of which the change was refused is thrown away.

pub mod applications;
pub mod components;
pub mod parameters;
pub mod references;
pub mod view;

use packetloom_config::Document;
use packetloom_config::catalog::ModelKind;

/// What a component or container of this type may hold, when it does not say so itself.
pub fn allowed_in(kind: &str) -> &'static [&'static str] {
    match kind {
        "server" => &["nic", "gpu", "application"],
        "rack" => &["switch", "server"],
        "pod" => &["switch", "rack"],
        "layer" => &["switch"],
        "topology" => &["switch", "pod", "layer"],
        _ => &[],
    }
}

/// The types that something of type `kind` may hold, `stated` in the document or else by its type.
pub(crate) fn allowed<'a>(kind: &str, stated: &'a [String]) -> Vec<&'a str> {
    if stated.is_empty() {
        allowed_in(kind).to_vec()
    } else {
        stated
            .iter()
            .map(|text| if text == "host" { "server" } else { text.as_str() })
            .collect()
    }
}

/// Whether something in the document has that name.
pub(crate) fn taken(document: &Document, name: &str) -> bool {
    let components = document.components.iter().chain(&document.links).map(|c| &c.name);
    let containers = document.containers.iter().map(|c| &c.name);
    let applications = document.applications.iter().map(|a| &a.name);
    components
        .chain(containers)
        .chain(applications)
        .any(|known| known == name)
}

/// The type spelled `text`; a server may be called a host.
pub(crate) fn kind(text: &str) -> Option<ModelKind> {
    use ModelKind::{Application, Layer, Nic, Pod, Rack, Server, Switch};
    let text = if text == "host" { "server" } else { text };
    [Switch, Nic, Server, Rack, Pod, Layer, Application]
        .into_iter()
        .find(|kind| kind.as_str() == text)
}
