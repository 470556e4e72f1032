//! Checking a topology before it is stored.

use super::error::{ApiError, ApiResult};
use super::extract::Body;
use super::verdict::{Verdict, verdict};
use crate::platform::App;
use crate::scenario::scenario;
use axum::Json;
use axum::extract::State;
use packetloom_config::document::{Document, from_value};
use packetloom_config::parameters::Owner;
use packetloom_config::{Scenario, catalog};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(validate_topology))
}

/// What a topology is made of.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "what bodies look like; they are read as documents")]
struct TopologyRequest {
    /// Switches, NICs and servers.
    components: Vec<Map<String, Value>>,
    /// Racks and pods.
    containers: Vec<Map<String, Value>>,
    /// Applications.
    applications: Vec<Map<String, Value>>,
    /// Layers of spine switches.
    links: Option<Vec<Map<String, Value>>>,
}

/// A figure of the topology.
#[derive(Debug, Serialize, ToSchema)]
struct Figure {
    /// What it is called on a screen.
    label: &'static str,
    /// What it is called in a program.
    name: &'static str,
    /// The figure.
    value: u64,
}

/// How much a kind of switch can switch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SwitchBandwidth {
    model: String,
    name: String,
    /// 0 spine, 1 fabric, 2 rack.
    network_tier: u64,
    #[schema(value_type = f64)]
    switching_capacity: Value,
    switching_capacity_unit: String,
}

/// What was found.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TopologyVerdict {
    validation: Verdict,
    simulation_parameters: Vec<Figure>,
    switch_bandwidth: Vec<SwitchBandwidth>,
    /// The topology as text, a container or switch a line; empty when it is not valid.
    topology_map: String,
    /// SHA-256 of what was checked.
    checksum: String,
}

/// Check components and containers as they would be checked in a configuration that has one of each outermost container.
#[utoipa::path(post, path = "/topology/validate", tag = "Topology", request_body = TopologyRequest, responses((status = 200, description = "What was found", body = TopologyVerdict)))]
async fn validate_topology(
    State(app): State<App>,
    Body(body): Body<Value>,
) -> ApiResult<Json<TopologyVerdict>> {
    let Value::Object(given) = &body else {
        return Err(ApiError::invalid(
            "the body is no JSON object; give components, containers and applications",
        ));
    };
    let known = ["components", "containers", "applications", "links"];
    if let Some(other) = given.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(ApiError::invalid(format!(
            "{:?} is not known here; give {}",
            super::query::short(other),
            known.join(", ")
        )));
    }
    let mut whole = json!({
        "name": "topology",
        "links": [],
        "topology": {"type": "clos", "name": null, "allowedComponents": ["switch", "pod", "layer"], "components": [], "appDistribution": {"description": null, "randomApplicationDistribution": []}},
        "globalParameters": {},
    });
    for (key, value) in given {
        whole[key] = value.clone();
    }
    let mut document = from_value(&whole)?;
    stand(&mut document);
    let checksum = Sha256::digest(serde_json::to_vec(&document).map_err(ApiError::internal)?);
    let result = scenario(&app, &document).await;
    let validation = verdict(&document, &result);
    Ok(Json(TopologyVerdict {
        validation,
        simulation_parameters: figures(&document),
        switch_bandwidth: bandwidths(&document),
        topology_map: result.as_ref().map(map).unwrap_or_default(),
        checksum: checksum.iter().map(|byte| format!("{byte:02x}")).collect(),
    }))
}

/// Gives a document without a topology one: one of each layer and pod, or a pod of one of each rack.
fn stand(document: &mut Document) {
    let reference = |name: &str, kind: &str| packetloom_config::document::ComponentRef {
        name: name.to_owned(),
        kind: kind.to_owned(),
        count: 1,
        group: None,
        model: None,
        version: None,
        parent_application_name: None,
    };
    let has_pods = document.containers.iter().any(|c| c.kind == "pod");
    if !has_pods && !document.containers.is_empty() {
        let racks = document
            .containers
            .iter()
            .map(|c| reference(&c.name, "rack"))
            .collect();
        document
            .containers
            .push(packetloom_config::document::ContainerDefinition {
                kind: "pod".to_owned(),
                name: "the pod".to_owned(),
                model: None,
                version: None,
                configuration: None,
                typed_parameters: Map::new(),
                allowed_components: vec!["switch".to_owned(), "rack".to_owned()],
                components: racks,
            });
    }
    let layers = document.links.iter().map(|c| reference(&c.name, "layer"));
    let pods = document
        .containers
        .iter()
        .filter(|c| c.kind == "pod")
        .map(|c| reference(&c.name, "pod"));
    document.topology.components = layers.chain(pods).collect();
}

/// How many hosts and NICs there are, also when the document is wrong otherwise; nothing where they cannot be counted.
fn figures(document: &Document) -> Vec<Figure> {
    let Some((hosts, nics)) = count(document) else {
        return Vec::new();
    };
    vec![
        Figure {
            label: "Total Hosts",
            name: "TotalHosts",
            value: hosts,
        },
        Figure {
            label: "Total NICs",
            name: "TotalNics",
            value: nics,
        },
    ]
}

/// Hosts and NICs: servers by racks by pods. Nothing when a name leads nowhere or the product is beyond 64 bits.
fn count(document: &Document) -> Option<(u64, u64)> {
    let mut total = (0u64, 0u64);
    let mut add = |hosts: u64, nics: u64| {
        total = (total.0.checked_add(hosts)?, total.1.checked_add(nics)?);
        Some(())
    };
    let container = |kind: &str, name: &str| {
        document
            .containers
            .iter()
            .find(|c| c.kind == kind && c.name == name)
    };
    for pods in document.topology.components.iter().filter(|r| r.kind == "pod") {
        let pod = container("pod", &pods.name)?;
        for racks in pod.components.iter().filter(|r| r.kind == "rack") {
            let rack = container("rack", &racks.name)?;
            for servers in rack.components.iter().filter(|r| r.kind == "server") {
                let server = document
                    .components
                    .iter()
                    .find(|c| c.kind == "server" && c.name == servers.name)?;
                let mut nics = 0u64;
                for nic in server.components.iter().filter(|r| r.kind == "nic") {
                    nics = nics.checked_add(nic.count)?;
                }
                let hosts = pods.count.checked_mul(racks.count)?.checked_mul(servers.count)?;
                add(hosts, hosts.checked_mul(nics)?)?;
            }
        }
    }
    Some(total)
}

fn bandwidths(document: &Document) -> Vec<SwitchBandwidth> {
    let held = |kind: &str| {
        let containers = document
            .containers
            .iter()
            .filter(|c| c.kind == kind)
            .flat_map(|c| &c.components);
        containers
            .filter(|r| r.kind == "switch")
            .map(|r| r.name.clone())
            .collect::<Vec<_>>()
    };
    let spines = document
        .links
        .iter()
        .flat_map(|c| &c.components)
        .map(|r| r.name.clone())
        .collect::<Vec<_>>();
    let mut all = Vec::new();
    for (tier, names) in [(0, spines), (1, held("pod")), (2, held("rack"))] {
        for switch in document
            .components
            .iter()
            .filter(|c| c.kind == "switch" && names.contains(&c.name))
        {
            let Some(model) = catalog::find_available(&switch.model) else {
                continue;
            };
            let full = Owner::Model(model).filled(&switch.typed_parameters);
            let Some(leaf) = full.get("SwitchingCapacity") else {
                continue;
            };
            all.push(SwitchBandwidth {
                model: model.name.to_owned(),
                name: switch.name.clone(),
                network_tier: tier,
                switching_capacity: leaf["value"].clone(),
                switching_capacity_unit: leaf["unit"].as_str().unwrap_or("Gbps").to_owned(),
            });
        }
    }
    all
}

/// A line for each pod and rack, with what it holds.
fn map(scenario: &Scenario) -> String {
    let name = |at: &usize| scenario.switches[*at].name.as_str();
    let mut lines = Vec::new();
    let spines: Vec<&str> = scenario.plan.spines.iter().map(name).collect();
    if !spines.is_empty() {
        lines.push(format!("spines: {}", spines.join(", ")));
    }
    for (at, plane) in scenario.plan.planes.iter().enumerate() {
        lines.push(format!(
            "plane {at}: {}",
            plane.iter().map(name).collect::<Vec<_>>().join(", ")
        ));
    }
    for (at, pod) in scenario.plan.pods.iter().enumerate() {
        lines.push(format!(
            "pod {at}: {}",
            pod.fabric_switches
                .iter()
                .map(name)
                .collect::<Vec<_>>()
                .join(", ")
        ));
        for (at, rack) in pod.racks.iter().enumerate() {
            let switches = rack.switches.iter().map(name).collect::<Vec<_>>().join(", ");
            lines.push(format!("  rack {at}: {switches}, {} servers", rack.servers.len()));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests;
