//! Reading the shape of a document.

use super::{
    AppDistribution, ApplicationDefinition, ComponentDeclaration, ComponentRef, ContainerDefinition,
    DistributionEntry, DistributionPercent, Document, TopologyDefinition,
};
use crate::fields::Fields;
use packetloom_params::Errors;
use serde_json::Value;

/// Reads the text of a document.
pub fn read(text: &str) -> Result<Document, Errors> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = serde_json::from_str(text).map_err(|error| {
        // The message of the parser ends with the position; the path says it instead.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        let place = format!("line {}, column {}", error.line(), error.column());
        Errors::one(
            place,
            format!("not valid JSON: {message}"),
            "correct the text there",
        )
    })?;
    from_value(&value)
}

/// Reads a document that is JSON already.
pub fn from_value(value: &Value) -> Result<Document, Errors> {
    let mut errors = Errors::new();
    let document = whole(value, &mut errors);
    match document {
        Some(document) => errors.or(document),
        None => Err(errors),
    }
}

fn whole(value: &Value, errors: &mut Errors) -> Option<Document> {
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
    let fields = Fields::open(value, "", &KEYS, errors)?;
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
    let topology = match fields.get("topology") {
        Some(value) => topology(value, errors),
        None => {
            errors.push(
                "topology",
                "is missing",
                "add \"topology\", which says how many pods there are",
            );
            None
        }
    };
    let global_parameters = fields.object("globalParameters", true, errors);
    Some(Document {
        name,
        workspace_id,
        components,
        containers,
        applications,
        links,
        topology: topology?,
        global_parameters,
        active_traceset: None,
    })
}

fn component(value: &Value, path: &str, errors: &mut Errors) -> Option<ComponentDeclaration> {
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
    let fields = Fields::open(value, path, &KEYS, errors)?;
    let kind = fields.text("type", errors);
    Some(ComponentDeclaration {
        // Both spellings are in use for a server.
        kind: if kind == "host" { "server".to_owned() } else { kind },
        name: fields.name(errors),
        model: fields.text("model", errors),
        version: fields.text("version", errors),
        typed_parameters: fields.object("typedParameters", false, errors),
        traffic_type: fields.optional_text("trafficType", errors),
        allowed_components: fields.texts("allowedComponents", errors),
        components: fields.list("components", false, errors, reference),
    })
}

fn reference(value: &Value, path: &str, errors: &mut Errors) -> Option<ComponentRef> {
    const KEYS: [&str; 7] = [
        "name",
        "type",
        "count",
        "group",
        "model",
        "version",
        "parentApplicationName",
    ];
    let fields = Fields::open(value, path, &KEYS, errors)?;
    let kind = fields.text("type", errors);
    Some(ComponentRef {
        name: fields.name(errors),
        kind: if kind == "host" { "server".to_owned() } else { kind },
        count: fields.uint("count", 1, errors),
        group: fields.get("group").cloned(),
        model: fields.optional_text("model", errors),
        version: fields.optional_text("version", errors),
        parent_application_name: fields.optional_text("parentApplicationName", errors),
    })
}

fn container(value: &Value, path: &str, errors: &mut Errors) -> Option<ContainerDefinition> {
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
    let fields = Fields::open(value, path, &KEYS, errors)?;
    if fields.get("configuration").is_some() {
        errors.push(
            fields.path("configuration"),
            "a container has no configuration of its own",
            "make it null",
        );
    }
    Some(ContainerDefinition {
        kind: fields.one_of("type", &["rack", "pod"], errors),
        name: fields.name(errors),
        model: fields.optional_text("model", errors),
        version: fields.optional_text("version", errors),
        configuration: None,
        typed_parameters: fields.object("typedParameters", false, errors),
        allowed_components: fields.texts("allowedComponents", errors),
        components: fields.list("components", true, errors, reference),
    })
}

fn application(value: &Value, path: &str, errors: &mut Errors) -> Option<ApplicationDefinition> {
    const KEYS: [&str; 6] = [
        "type",
        "name",
        "model",
        "version",
        "trafficType",
        "typedParameters",
    ];
    let fields = Fields::open(value, path, &KEYS, errors)?;
    Some(ApplicationDefinition {
        kind: fields.one_of("type", &["application"], errors),
        name: fields.name(errors),
        model: fields.text("model", errors),
        version: fields.text("version", errors),
        traffic_type: fields.optional_text("trafficType", errors),
        typed_parameters: fields.object("typedParameters", false, errors),
    })
}

fn topology(value: &Value, errors: &mut Errors) -> Option<TopologyDefinition> {
    const KEYS: [&str; 6] = [
        "name",
        "type",
        "topologyTiers",
        "allowedComponents",
        "components",
        "appDistribution",
    ];
    let fields = Fields::open(value, "topology", &KEYS, errors)?;
    let tiers = fields.get("topologyTiers").is_some();
    Some(TopologyDefinition {
        name: fields.optional_text("name", errors),
        kind: fields.one_of("type", &["clos"], errors),
        topology_tiers: tiers.then(|| fields.uint("topologyTiers", 0, errors)),
        allowed_components: fields.texts("allowedComponents", errors),
        components: fields.list("components", true, errors, reference),
        app_distribution: match fields.get("appDistribution") {
            Some(value) => distribution(value, &fields.path("appDistribution"), errors).unwrap_or_default(),
            None => AppDistribution::default(),
        },
    })
}

fn distribution(value: &Value, path: &str, errors: &mut Errors) -> Option<AppDistribution> {
    const KEYS: [&str; 2] = ["description", "randomApplicationDistribution"];
    let fields = Fields::open(value, path, &KEYS, errors)?;
    Some(AppDistribution {
        description: fields.optional_text("description", errors),
        random_application_distribution: fields.list("randomApplicationDistribution", false, errors, entry),
    })
}

fn entry(value: &Value, path: &str, errors: &mut Errors) -> Option<DistributionEntry> {
    const KEYS: [&str; 4] = [
        "parentApplication",
        "name",
        "applicationType",
        "distributionPercent",
    ];
    let fields = Fields::open(value, path, &KEYS, errors)?;
    let percent_path = fields.path("distributionPercent");
    let percent = match fields.get("distributionPercent") {
        Some(value) => {
            let percent = Fields::open(value, &percent_path, &["distributionId", "value"], errors);
            percent.map(|fields| DistributionPercent {
                distribution_id: fields.text("distributionId", errors),
                value: fields.get("value").cloned().unwrap_or(Value::Null),
            })
        }
        None => {
            errors.push(&percent_path, "is missing", "add \"distributionPercent\"");
            None
        }
    };
    Some(DistributionEntry {
        parent_application: fields.text("parentApplication", errors),
        name: fields.name(errors),
        application_type: fields.one_of("applicationType", &["client", "server"], errors),
        distribution_percent: percent?,
    })
}
