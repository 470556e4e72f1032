//! The configuration document as it is written.
//!
//! A document declares components (switches, NICs, servers), containers (racks, pods), applications and links, and a
//! topology that says how many of each there are. Reading checks the shape only; what it all means is checked by
//! [`validate`](crate::validate()).

pub(crate) mod json;
mod read;

use serde::Serialize;
use serde_json::{Map, Value};
use std::path::PathBuf;

pub(crate) use read::partly;
pub use read::{from_value, read};

/// A tree of attributes as written.
pub type Parameters = Map<String, Value>;

/// A whole document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Document {
    /// The name of the configuration.
    pub name: String,
    /// The workspace of the server it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    /// Switches, NICs and servers.
    pub components: Vec<ComponentDeclaration>,
    /// Racks and pods.
    pub containers: Vec<ContainerDefinition>,
    /// Applications.
    pub applications: Vec<ApplicationDefinition>,
    /// Layers of spine switches.
    pub links: Vec<ComponentDeclaration>,
    /// How many of each there are.
    pub topology: TopologyDefinition,
    /// What holds for the whole run.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub global_parameters: Parameters,
    /// The traces that applications replay; there are none yet.
    pub active_traceset: Option<Value>,
    /// The folder that the paths in it start from, if it was read from a file; else that is the current folder. No part of
    /// what is written.
    #[serde(skip)]
    pub base: Option<PathBuf>,
}

/// The declaration of a switch, NIC, server or layer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ComponentDeclaration {
    /// `switch`, `nic`, `server` or `layer`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its name in this document.
    pub name: String,
    /// The model it is an instance of.
    pub model: String,
    /// The version of the model.
    pub version: String,
    /// Its attributes.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub typed_parameters: Parameters,
    /// The kind of traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic_type: Option<String>,
    /// Types of components that it may hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_components: Vec<String>,
    /// What it holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<ComponentRef>,
}

/// A number of instances of something declared elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ComponentRef {
    /// The name of the declaration; for an application, of its role.
    pub name: String,
    /// The type of the declaration.
    #[serde(rename = "type")]
    pub kind: String,
    /// How many there are.
    pub count: u64,
    /// A label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Value>,
    /// The model of the declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The version of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The application whose role this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_application_name: Option<String>,
}

/// A rack or a pod.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ContainerDefinition {
    /// `rack` or `pod`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its name in this document.
    pub name: String,
    /// The model it is an instance of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The version of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Always null.
    pub configuration: Option<Value>,
    /// Its attributes; there are none.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub typed_parameters: Parameters,
    /// Types of components that it may hold.
    pub allowed_components: Vec<String>,
    /// What it holds.
    pub components: Vec<ComponentRef>,
}

/// An application.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ApplicationDefinition {
    /// Always `application`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its name in this document.
    pub name: String,
    /// The model it is an instance of.
    pub model: String,
    /// The version of the model.
    pub version: String,
    /// The kind of traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic_type: Option<String>,
    /// Its attributes.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub typed_parameters: Parameters,
}

/// How many of each there are, and which hosts run what.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TopologyDefinition {
    /// A name, usually null.
    pub name: Option<String>,
    /// Always `clos`.
    #[serde(rename = "type")]
    pub kind: String,
    /// How many tiers of switches there are; advisory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_tiers: Option<u64>,
    /// Types of components that it may hold.
    pub allowed_components: Vec<String>,
    /// Pods, and switches and layers above them.
    pub components: Vec<ComponentRef>,
    /// Which part of the hosts runs which role.
    pub app_distribution: AppDistribution,
}

/// Which part of the hosts runs which role of which application.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AppDistribution {
    /// A remark.
    pub description: Option<String>,
    /// One entry for each role.
    pub random_application_distribution: Vec<DistributionEntry>,
}

/// Which part of the hosts runs a role.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DistributionEntry {
    /// The application.
    pub parent_application: String,
    /// The role's name.
    pub name: String,
    /// `client` or `server`.
    pub application_type: String,
    /// The part.
    pub distribution_percent: DistributionPercent,
}

/// A part of the hosts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DistributionPercent {
    /// Which role's part this is, such as `prScalaRdmaInitiator`.
    pub distribution_id: String,
    /// The part, above 0 and at most 1.
    pub value: Value,
}
