//! Configurations: documents with versions.

mod applications;
mod components;
mod containers;
mod parameters;
#[cfg(test)]
mod tests;
mod topology;
mod versions;

use super::error::{ApiError, ApiResult, ErrorBody};
use super::etag::{IfMatch, etag};
use super::extract::{Body, Path, Query};
use super::page::{PageQuery, Pagination};
use super::query;
use crate::edit::view;
use crate::id::Kind;
use crate::platform::App;
use crate::store::configurations::{ConfigurationFilter, ConfigurationRow, ConfigurationStatus};
use crate::time::iso;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode};
use packetloom_config::Document;
use packetloom_config::document::{
    ApplicationDefinition, ComponentDeclaration, ContainerDefinition, Parameters, TopologyDefinition,
    from_value,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(get, update, delete))
        .merge(applications::routes())
        .merge(components::routes())
        .merge(containers::routes())
        .merge(parameters::routes())
        .merge(topology::routes())
        .merge(versions::routes())
}

/// A configuration in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigurationItem {
    /// Its identifier.
    pub id: String,
    /// The workspace it is in.
    pub workspace_id: String,
    /// Its name.
    pub name: String,
    /// How the current version stands.
    pub status: ConfigurationStatus,
    /// The current version.
    pub version: i64,
    /// How many components it declares.
    pub component_count: i64,
    /// When it was made.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When it was last changed.
    #[schema(format = DateTime)]
    pub modified_at: String,
}

impl From<&ConfigurationRow> for ConfigurationItem {
    fn from(row: &ConfigurationRow) -> Self {
        ConfigurationItem {
            id: row.id.clone(),
            workspace_id: row.workspace_id.clone(),
            name: row.name.clone(),
            status: row.status,
            version: row.version,
            component_count: row.component_count,
            created_at: iso(row.created_at),
            modified_at: iso(row.modified_at),
        }
    }
}

/// The parts of a document.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentParts {
    /// Switches, NICs and servers that are used.
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
    #[schema(value_type = Object)]
    pub global_parameters: Parameters,
    /// Always null: there are no traces yet.
    #[schema(value_type = Option<Object>)]
    pub active_traceset: Option<Value>,
    /// Always null: there are no mapping files yet.
    #[schema(value_type = Option<Object>)]
    pub active_mapping_file: Option<Value>,
}

impl From<Document> for DocumentParts {
    fn from(document: Document) -> Self {
        let document = view::view(document);
        DocumentParts {
            components: document.components,
            containers: document.containers,
            applications: document.applications,
            links: document.links,
            topology: document.topology,
            global_parameters: document.global_parameters,
            active_traceset: None,
            active_mapping_file: None,
        }
    }
}

/// A configuration with its document.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ConfigurationDetails {
    /// What a list says of it.
    #[serde(flatten)]
    pub item: ConfigurationItem,
    /// Its document.
    #[serde(flatten)]
    pub document: DocumentParts,
}

/// A configuration with its document.
pub(crate) fn details(row: &ConfigurationRow, document: Document) -> ConfigurationDetails {
    ConfigurationDetails {
        item: row.into(),
        document: document.into(),
    }
}

/// A document to store, or parts of one.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "what bodies look like; they are read as documents")]
#[schema(rename_all = "camelCase")]
pub(crate) struct NewConfiguration {
    /// Its name.
    name: String,
    /// The workspace to put it in; the default one if left out.
    workspace_id: Option<String>,
    /// Switches, NICs and servers.
    components: Vec<Object>,
    /// Racks and pods.
    containers: Vec<Object>,
    /// Applications.
    applications: Vec<Object>,
    /// Layers of spine switches.
    links: Vec<Object>,
    /// How many of each there are.
    #[schema(value_type = Object)]
    topology: Object,
    /// What holds for the whole run.
    #[schema(value_type = Object)]
    global_parameters: Object,
    /// Traces; there are none yet, so this is null.
    #[schema(value_type = Option<Object>)]
    active_traceset: Option<Object>,
}

/// Some parts of a document, which replace the stored ones.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "what bodies look like; they are read as documents")]
#[schema(rename_all = "camelCase")]
pub(crate) struct ConfigurationPatch {
    /// Its name.
    name: Option<String>,
    /// Switches, NICs and servers.
    components: Option<Vec<Object>>,
    /// Racks and pods.
    containers: Option<Vec<Object>>,
    /// Applications.
    applications: Option<Vec<Object>>,
    /// Layers of spine switches.
    links: Option<Vec<Object>>,
    /// How many of each there are.
    #[schema(value_type = Option<Object>)]
    topology: Option<Object>,
    /// What holds for the whole run.
    #[schema(value_type = Option<Object>)]
    global_parameters: Option<Object>,
    /// Traces; there are none yet, so this is null.
    #[schema(value_type = Option<Object>)]
    active_traceset: Option<Object>,
}

/// Any JSON object, in the descriptions above.
type Object = Map<String, Value>;

/// A page of configurations.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConfigurationList {
    configurations: Vec<ConfigurationItem>,
    pagination: Pagination,
}

/// Which configurations.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Most items; more than 100 are taken as 100.
    #[param(minimum = 1)]
    limit: Option<u64>,
    /// The `nextCursor` of the page before.
    next: Option<String>,
    /// Only those in this workspace.
    #[param(pattern = "^workspace_[0-9A-Za-z]{27}$")]
    workspace_id: Option<String>,
    /// Only those with this status; several with commas between them.
    status: Option<String>,
    /// Only those with this in the name, in any case of letters.
    #[param(max_length = 100)]
    search: Option<String>,
    /// Only those made then or later (ISO 8601).
    #[param(format = DateTime)]
    created_after: Option<String>,
    /// Only those made before that (ISO 8601).
    #[param(format = DateTime)]
    created_before: Option<String>,
}

/// List configurations, newest first.
#[utoipa::path(get, path = "/configurations", tag = "Configurations", params(ListQuery), responses((status = 200, description = "A page of them", body = ConfigurationList)))]
async fn list(State(app): State<App>, Query(given): Query<ListQuery>) -> ApiResult<Json<ConfigurationList>> {
    const LIST: &str = "configurations";
    let page = PageQuery {
        limit: given.limit,
        next: given.next,
    };
    let size = page.size()?;
    let status = given.status.as_deref().map(|text| {
        query::words(text)
            .map(|word| {
                ConfigurationStatus::from_text(word).ok_or_else(|| {
                    ApiError::invalid(format!(
                        "status: {:?} is none; give draft, validated or invalid",
                        query::short(word)
                    ))
                })
            })
            .collect::<ApiResult<Vec<_>>>()
    });
    let filter = ConfigurationFilter {
        workspace_id: query::workspace(given.workspace_id.as_deref())?,
        status: status.transpose()?,
        search: query::search(given.search.as_deref())?,
        created_from: query::time("createdAfter", given.created_after.as_deref())?,
        created_before: query::time("createdBefore", given.created_before.as_deref())?,
        after: page.after(LIST)?,
    };
    let mut rows = app.store.configurations(&filter, size + 1).await?;
    let pagination = Pagination::cut(&mut rows, size, LIST, |row| (row.created_at, row.id.clone()));
    Ok(Json(ConfigurationList {
        configurations: rows.iter().map(Into::into).collect(),
        pagination,
    }))
}

/// Reads a body as a document, all that is wrong with its form at once.
fn read(body: &Value) -> ApiResult<Document> {
    if body
        .get("activeMappingFile")
        .is_some_and(|value| !value.is_null())
    {
        return Err(ApiError::invalid(
            "activeMappingFile: is set by attaching a mapping file, which is not available yet; leave it out",
        ));
    }
    Ok(from_value(body)?)
}

/// Create a configuration. What its document means is only checked when it is validated; a draft may be wrong.
#[utoipa::path(post, path = "/configurations", tag = "Configurations", request_body = NewConfiguration, responses(
    (status = 201, description = "It is stored as version 1, a draft", body = ConfigurationDetails),
    (status = 404, description = "There is no such workspace", body = ErrorBody)))]
async fn create(
    State(app): State<App>,
    Body(body): Body<Value>,
) -> ApiResult<(StatusCode, [(HeaderName, String); 1], Json<ConfigurationDetails>)> {
    let mut document = read(&body)?;
    let workspace = query::target_workspace(&app, document.workspace_id.take().as_deref()).await?;
    let row = app.store.create_configuration(&workspace, &document).await?;
    Ok((
        StatusCode::CREATED,
        etag(row.version),
        Json(details(&row, document)),
    ))
}

/// The document of a stored version.
pub(crate) fn stored(text: &str) -> ApiResult<Document> {
    let value = serde_json::from_str(text)
        .map_err(|error| ApiError::internal(format!("a stored document: {error}")))?;
    from_value(&value).map_err(|errors| ApiError::internal(format!("a stored document: {errors}")))
}

/// The current version of a configuration.
pub(crate) async fn load(app: &App, id: &str) -> ApiResult<(ConfigurationRow, Document)> {
    let missing = || ApiError::not_found("configuration", id);
    if !Kind::Configuration.fits(id) {
        return Err(missing());
    }
    let row = app.store.configuration(id).await?.ok_or_else(missing)?;
    let version = app
        .store
        .version(id, Some(row.version))
        .await?
        .ok_or_else(missing)?;
    Ok((row, stored(&version.document)?))
}

/// Changes the current version into a new one.
///
/// Without If-Match, a change that somebody else's came before is tried again on what they wrote, a few times; then 409.
pub(crate) async fn edit<T>(
    app: &App,
    id: &str,
    expected: &IfMatch,
    change: impl Fn(&mut Document) -> ApiResult<T>,
) -> ApiResult<(ConfigurationRow, Document, T)> {
    for _ in 0..50 {
        let (row, mut document) = load(app, id).await?;
        expected.check(row.version)?;
        let answer = change(&mut document)?;
        if let Some(new) = app.store.write_configuration(id, row.version, &document).await? {
            return Ok((new, document, answer));
        }
    }
    Err(ApiError::conflict(
        "others keep changing the configuration at the same time; try again",
    ))
}

/// Get a configuration.
#[utoipa::path(get, path = "/configurations/{config_id}", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration")), responses(
    (status = 200, description = "It, with its version as ETag", body = ConfigurationDetails),
    (status = 404, description = "There is none", body = ErrorBody)))]
async fn get(
    State(app): State<App>,
    Path(id): Path<String>,
) -> ApiResult<([(HeaderName, String); 1], Json<ConfigurationDetails>)> {
    let (row, document) = load(&app, &id).await?;
    Ok((etag(row.version), Json(details(&row, document))))
}

/// Replace parts of a configuration.
#[utoipa::path(patch, path = "/configurations/{config_id}", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("If-Match" = String, Header, description = "The version it is changed from, in quotes")), request_body = ConfigurationPatch, responses(
    (status = 200, description = "It as it is now, a draft", body = ConfigurationDetails),
    (status = 404, description = "There is none", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn update(
    State(app): State<App>,
    Path(id): Path<String>,
    expected: IfMatch,
    Body(body): Body<Value>,
) -> ApiResult<([(HeaderName, String); 1], Json<ConfigurationDetails>)> {
    const PARTS: [&str; 8] = [
        "name",
        "components",
        "containers",
        "applications",
        "links",
        "topology",
        "globalParameters",
        "activeTraceset",
    ];
    let (row, _) = load(&app, &id).await?;
    if !expected.is_given() {
        return Err(ApiError::invalid(format!(
            "the header If-Match is missing; give the version you have read, such as \"{}\"",
            row.version
        )));
    }
    let Value::Object(parts) = &body else {
        return Err(ApiError::invalid(
            "the body is no JSON object; give the parts to replace",
        ));
    };
    if parts.get("activeMappingFile").is_some() {
        return Err(ApiError::invalid(
            "activeMappingFile: is set by attaching a mapping file, which is not available yet; leave it out",
        ));
    }
    if parts.values().all(Value::is_null) {
        return Err(ApiError::invalid(format!(
            "the patch is empty; give at least one of {}",
            PARTS.join(", ")
        )));
    }
    if let Some(other) = parts.keys().find(|key| !PARTS.contains(&key.as_str())) {
        return Err(ApiError::invalid(format!(
            "{:?} cannot be replaced; give some of {}",
            query::short(other),
            PARTS.join(", ")
        )));
    }
    let (row, document, ()) = edit(&app, &id, &expected, |document| {
        let mut whole = serde_json::to_value(&*document).map_err(ApiError::internal)?;
        for (key, value) in parts {
            // A null name, as everywhere a null, is as if left out.
            if !value.is_null() {
                whole[key] = value.clone();
            }
        }
        *document = read(&whole)?;
        Ok(())
    })
    .await?;
    Ok((etag(row.version), Json(details(&row, document))))
}

/// Delete a configuration with all its versions. Its simulations stay.
#[utoipa::path(delete, path = "/configurations/{config_id}", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration")), responses(
    (status = 204, description = "It is gone"),
    (status = 404, description = "There is none", body = ErrorBody)))]
async fn delete(State(app): State<App>, Path(id): Path<String>) -> ApiResult<StatusCode> {
    if Kind::Configuration.fits(&id) && app.store.delete_configuration(&id).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::not_found("configuration", &id))
    }
}
