//! Reading the shape of a document.

use super::json;
use super::{
    AppDistribution, ApplicationDefinition, ComponentDeclaration, ComponentRef, ContainerDefinition,
    DistributionEntry, DistributionPercent, Document, TopologyDefinition,
};
use crate::catalog;
use crate::fields::{Fields, Reading};
use packetloom_params::Errors;
use serde_json::Value;

/// Reads the text of a document.
pub fn read(text: &str) -> Result<Document, Errors> {
    from_value(&json::parse(text).map_err(|fault| fault.errors(None))?)
}

/// Reads a document that is JSON already.
pub fn from_value(value: &Value) -> Result<Document, Errors> {
    let (document, reading) = partly(value);
    reading.errors.or(document)
}

/// Reads whatever can be read; the rest has stand-ins, and what is said of it is in the second part.
pub(crate) fn partly(value: &Value) -> (Document, Reading) {
    let mut reading = Reading::default();
    let document = whole(value, &mut reading);
    (document, reading)
}

fn whole(value: &Value, errors: &mut Reading) -> Document {
    const KEYS: [&str; 16] = [
        "name",
        "workspaceId",
        "components",
        "containers",
        "applications",
        "links",
        "topology",
        "globalParameters",
        "activeTraceset",
        // What a server adds to its answers; of no meaning here.
        "id",
        "status",
        "version",
        "createdAt",
        "modifiedAt",
        "componentCount",
        "activeMappingFile",
    ];
    let fields = Fields::open(value, "", &KEYS, errors);
    for key in ["activeTraceset", "activeMappingFile"] {
        if fields.get(key).is_some() {
            errors.push(
                key,
                "traces of applications are not available yet",
                "make it null",
            );
        }
    }
    let name = fields.name(errors);
    let workspace_id = fields.optional_text("workspaceId", errors);
    let components = fields.list("components", true, errors, component);
    let containers = fields.list("containers", true, errors, container);
    let applications = fields.list("applications", true, errors, application);
    let links = fields.list("links", true, errors, component);
    let topology = topology(&fields, errors);
    let global_parameters = fields.object("globalParameters", true, errors);
    Document {
        name,
        workspace_id,
        components,
        containers,
        applications,
        links,
        topology,
        global_parameters,
        active_traceset: None,
        base: None,
    }
}

fn component(value: &Value, path: &str, errors: &mut Reading) -> ComponentDeclaration {
    const KEYS: [&str; 8] = [
        "type",
        "name",
        "model",
        "version",
        "typedParameters",
        "trafficType",
        "allowedComponents",
        "components",
    ];
    let fields = Fields::open(value, path, &KEYS, errors);
    let kind = fields.text("type", errors);
    let model = fields.text("model", errors);
    ComponentDeclaration {
        // Both spellings are in use for a server.
        kind: if kind == "host" { "server".to_owned() } else { kind },
        name: fields.name(errors),
        version: version(&fields, &model, errors),
        model,
        typed_parameters: fields.object("typedParameters", false, errors),
        traffic_type: fields.optional_text("trafficType", errors),
        allowed_components: fields.texts("allowedComponents", errors),
        components: fields.list("components", false, errors, reference),
    }
}

/// The version of a model; left out, it is the one offered.
fn version(fields: &Fields, model: &str, errors: &mut Reading) -> String {
    match catalog::find(model) {
        Some((model, spelt)) if fields.get("version").is_none() => spelt.unwrap_or(model.version).to_owned(),
        _ => fields.text("version", errors),
    }
}

fn reference(value: &Value, path: &str, errors: &mut Reading) -> ComponentRef {
    const KEYS: [&str; 7] = [
        "name",
        "type",
        "count",
        "group",
        "model",
        "version",
        "parentApplicationName",
    ];
    let fields = Fields::open(value, path, &KEYS, errors);
    let kind = fields.text("type", errors);
    ComponentRef {
        name: fields.name(errors),
        kind: if kind == "host" { "server".to_owned() } else { kind },
        count: fields.uint("count", 1, errors),
        group: fields.get("group").cloned(),
        model: fields.optional_text("model", errors),
        version: fields.optional_text("version", errors),
        parent_application_name: fields.optional_text("parentApplicationName", errors),
    }
}

fn container(value: &Value, path: &str, errors: &mut Reading) -> ContainerDefinition {
    const KEYS: [&str; 8] = [
        "type",
        "name",
        "model",
        "version",
        "configuration",
        "typedParameters",
        "allowedComponents",
        "components",
    ];
    let fields = Fields::open(value, path, &KEYS, errors);
    if fields.get("configuration").is_some() {
        errors.push(
            fields.path("configuration"),
            "a container has no configuration of its own",
            "make it null",
        );
    }
    ContainerDefinition {
        kind: fields.one_of("type", &["rack", "pod"], errors),
        name: fields.name(errors),
        model: fields.optional_text("model", errors),
        version: fields.optional_text("version", errors),
        configuration: None,
        typed_parameters: fields.object("typedParameters", false, errors),
        allowed_components: fields.texts("allowedComponents", errors),
        components: fields.list("components", true, errors, reference),
    }
}

fn application(value: &Value, path: &str, errors: &mut Reading) -> ApplicationDefinition {
    const KEYS: [&str; 6] = [
        "type",
        "name",
        "model",
        "version",
        "trafficType",
        "typedParameters",
    ];
    let fields = Fields::open(value, path, &KEYS, errors);
    let kind = fields.one_of("type", &["application"], errors);
    let name = fields.name(errors);
    let model = fields.text("model", errors);
    ApplicationDefinition {
        kind,
        name,
        version: version(&fields, &model, errors),
        model,
        traffic_type: fields.optional_text("trafficType", errors),
        typed_parameters: fields.object("typedParameters", false, errors),
    }
}

fn topology(whole: &Fields, errors: &mut Reading) -> TopologyDefinition {
    const KEYS: [&str; 6] = [
        "name",
        "type",
        "topologyTiers",
        "allowedComponents",
        "components",
        "appDistribution",
    ];
    let remedy = "add \"topology\", which says how many pods there are";
    let fields = whole.part("topology", &KEYS, Some(remedy), errors);
    let tiers = fields.get("topologyTiers").is_some();
    TopologyDefinition {
        name: fields.optional_text("name", errors),
        kind: fields.one_of("type", &["clos"], errors),
        topology_tiers: tiers.then(|| fields.uint("topologyTiers", 0, errors)),
        allowed_components: fields.texts("allowedComponents", errors),
        components: fields.list("components", true, errors, reference),
        app_distribution: distribution(&fields, errors),
    }
}

fn distribution(topology: &Fields, errors: &mut Reading) -> AppDistribution {
    const KEYS: [&str; 2] = ["description", "randomApplicationDistribution"];
    let fields = topology.part("appDistribution", &KEYS, None, errors);
    AppDistribution {
        description: fields.optional_text("description", errors),
        random_application_distribution: fields.list("randomApplicationDistribution", false, errors, entry),
    }
}

fn entry(value: &Value, path: &str, errors: &mut Reading) -> DistributionEntry {
    const KEYS: [&str; 4] = [
        "parentApplication",
        "name",
        "applicationType",
        "distributionPercent",
    ];
    let fields = Fields::open(value, path, &KEYS, errors);
    let remedy = "add \"distributionPercent\"";
    let percent = fields.part(
        "distributionPercent",
        &["distributionId", "value"],
        Some(remedy),
        errors,
    );
    DistributionEntry {
        parent_application: fields.text("parentApplication", errors),
        name: fields.name(errors),
        application_type: fields.one_of("applicationType", &["client", "server"], errors),
        distribution_percent: DistributionPercent {
            distribution_id: percent.text("distributionId", errors),
            value: percent.get("value").cloned().unwrap_or(Value::Null),
        },
    }
}
