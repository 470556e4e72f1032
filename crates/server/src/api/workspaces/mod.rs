//! Workspaces: what configurations and simulations are grouped by.

#[cfg(test)]
mod tests;

use super::auth::Caller;
use super::error::{ApiError, ApiResult, ErrorBody};
use super::etag::{IfMatch, etag};
use super::extract::{Body, Path, Query};
use super::page::{PageQuery, Pagination};
use super::query;
use super::simulations;
use crate::id::{DEFAULT_WORKSPACE, Kind};
use crate::platform::App;
use crate::store::workspaces::{LegacyProject, WorkspaceFilter, WorkspaceRow};
use crate::time::iso;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(get, update, delete))
        .routes(routes!(set_legacy_project))
}

/// A workspace in a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceItem {
    /// Its identifier.
    #[schema(pattern = "^workspace_[0-9A-Za-z]{27}$")]
    id: String,
    /// Its name.
    name: String,
    /// What it is for; may be empty.
    description: String,
    /// Who made it: the name of the token it was made with.
    owner: String,
    /// When it was made.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last changed.
    #[schema(format = DateTime)]
    modified_at: String,
}

impl From<&WorkspaceRow> for WorkspaceItem {
    fn from(row: &WorkspaceRow) -> Self {
        WorkspaceItem {
            id: row.id.clone(),
            name: row.name.clone(),
            description: row.description.clone(),
            owner: row.owner.clone(),
            created_at: iso(row.created_at),
            modified_at: iso(row.modified_at),
        }
    }
}

/// What a workspace holds.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceStats {
    /// Simulations that have not ended.
    active_simulations: i64,
    /// Configurations.
    configuration_count: i64,
    /// Simulations, ended or not.
    simulation_count: i64,
}

/// A workspace.
#[derive(Debug, Serialize, ToSchema)]
pub struct WorkspaceDetails {
    /// What a list says of it.
    #[serde(flatten)]
    item: WorkspaceItem,
    /// What it holds.
    stats: WorkspaceStats,
}

/// A page of workspaces.
#[derive(Debug, Serialize, ToSchema)]
pub struct WorkspaceList {
    workspaces: Vec<WorkspaceItem>,
    pagination: Pagination,
}

/// Which workspaces.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct WorkspaceQuery {
    /// Most items; more than 100 are taken as 100.
    #[param(minimum = 1)]
    limit: Option<u64>,
    /// The `nextCursor` of the page before.
    next: Option<String>,
    /// Only those of this owner.
    owner: Option<String>,
    /// Only those with this in name or description, in any case of letters.
    #[param(max_length = 100)]
    search: Option<String>,
    /// Only those made then or later (ISO 8601).
    #[param(format = DateTime)]
    created_after: Option<String>,
    /// Only those made before that (ISO 8601).
    #[param(format = DateTime)]
    created_before: Option<String>,
    /// Only those changed then or later (ISO 8601).
    #[param(format = DateTime)]
    modified_after: Option<String>,
    /// Only those changed before that (ISO 8601).
    #[param(format = DateTime)]
    modified_before: Option<String>,
}

/// List workspaces, newest first.
#[utoipa::path(get, path = "/workspaces", tag = "Workspaces", params(WorkspaceQuery), responses((status = 200, description = "A page of them", body = WorkspaceList)))]
async fn list(State(app): State<App>, Query(given): Query<WorkspaceQuery>) -> ApiResult<Json<WorkspaceList>> {
    const LIST: &str = "workspaces";
    let page = PageQuery {
        limit: given.limit,
        next: given.next,
    };
    let size = page.size()?;
    let filter = WorkspaceFilter {
        owner: given.owner,
        search: query::search(given.search.as_deref())?,
        created: (
            query::time("createdAfter", given.created_after.as_deref())?,
            query::time("createdBefore", given.created_before.as_deref())?,
        ),
        modified: (
            query::time("modifiedAfter", given.modified_after.as_deref())?,
            query::time("modifiedBefore", given.modified_before.as_deref())?,
        ),
        after: page.after(LIST)?,
    };
    let mut rows = app.store.workspaces(&filter, size + 1).await?;
    let pagination = Pagination::cut(&mut rows, size, LIST, |row| (row.created_at, row.id.clone()));
    Ok(Json(WorkspaceList {
        workspaces: rows.iter().map(Into::into).collect(),
        pagination,
    }))
}

/// What a workspace is to be called.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceBody {
    /// Its name.
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// What it is for. Left out, it is empty in a new workspace and stays as it is in another.
    #[schema(max_length = 2000)]
    description: Option<String>,
}

/// The longest name, in characters.
const LONGEST_NAME: usize = 200;
/// The longest description, in characters.
const LONGEST_DESCRIPTION: usize = 2_000;

impl WorkspaceBody {
    fn check(&self) -> ApiResult<()> {
        let name = &self.name;
        if name.trim().is_empty() || name.chars().any(char::is_control) || name.chars().count() > LONGEST_NAME
        {
            return Err(ApiError::invalid(format!(
                "name: give 1 to {LONGEST_NAME} characters on one line"
            )));
        }
        match &self.description {
            Some(text) if text.chars().count() > LONGEST_DESCRIPTION || text.contains('\0') => {
                Err(ApiError::invalid(format!(
                    "description: give at most {LONGEST_DESCRIPTION} characters, none of them NUL"
                )))
            }
            _ => Ok(()),
        }
    }
}

/// A workspace with its version in a header.
type Tagged = ([(HeaderName, String); 1], Json<WorkspaceDetails>);

async fn tagged(app: &App, row: &WorkspaceRow) -> ApiResult<Tagged> {
    let counts = app.store.workspace_counts(&row.id).await?;
    let details = WorkspaceDetails {
        item: row.into(),
        stats: WorkspaceStats {
            active_simulations: counts.active,
            configuration_count: counts.configurations,
            simulation_count: counts.simulations,
        },
    };
    Ok((etag(row.version), Json(details)))
}

/// Create a workspace. Its owner is whoever asks.
#[utoipa::path(post, path = "/workspaces", tag = "Workspaces", request_body = WorkspaceBody, responses((status = 201, description = "It is there now", body = WorkspaceDetails)))]
async fn create(
    State(app): State<App>,
    caller: Option<Extension<Caller>>,
    Body(given): Body<WorkspaceBody>,
) -> ApiResult<(StatusCode, Tagged)> {
    given.check()?;
    let owner = caller.map_or_else(|| "anonymous".to_owned(), |Extension(caller)| caller.name);
    let description = given.description.as_deref().unwrap_or_default();
    let row = app
        .store
        .create_workspace(&given.name, description, &owner)
        .await?;
    Ok((StatusCode::CREATED, tagged(&app, &row).await?))
}

async fn load(app: &App, id: &str) -> ApiResult<WorkspaceRow> {
    let missing = || ApiError::not_found("workspace", id);
    if !Kind::Workspace.fits(id) {
        return Err(missing());
    }
    app.store.workspace(id).await?.ok_or_else(missing)
}

/// Get a workspace.
#[utoipa::path(get, path = "/workspaces/{workspace_id}", tag = "Workspaces", params(("workspace_id" = String, Path, description = "The workspace")), responses(
    (status = 200, description = "It, with its version as ETag", body = WorkspaceDetails),
    (status = 404, description = "There is none", body = ErrorBody)))]
async fn get(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Tagged> {
    let row = load(&app, &id).await?;
    tagged(&app, &row).await
}

/// Rename a workspace.
#[utoipa::path(patch, path = "/workspaces/{workspace_id}", tag = "Workspaces", params(("workspace_id" = String, Path, description = "The workspace"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), request_body = WorkspaceBody, responses(
    (status = 200, description = "It as it is now", body = WorkspaceDetails),
    (status = 404, description = "There is none", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn update(
    State(app): State<App>,
    Path(id): Path<String>,
    expected: IfMatch,
    Body(given): Body<WorkspaceBody>,
) -> ApiResult<Tagged> {
    given.check()?;
    // Without If-Match, a change that somebody else's came before is tried again.
    for _ in 0..4 {
        let row = load(&app, &id).await?;
        expected.check(row.version)?;
        let description = given.description.as_deref().unwrap_or(&row.description);
        let new = app
            .store
            .update_workspace(&id, row.version, &given.name, description)
            .await?;
        if let Some(new) = new {
            return tagged(&app, &new).await;
        }
    }
    Err(ApiError::conflict(
        "others keep changing the workspace at the same time; try again",
    ))
}

/// What becomes of a workspace.
#[derive(Debug, Serialize, ToSchema)]
pub struct WorkspaceDeletion {
    /// Its identifier.
    #[schema(pattern = "^workspace_[0-9A-Za-z]{27}$")]
    id: String,
    /// Always `deleting`: simulations that run may take a moment to end.
    status: &'static str,
}

/// Delete a workspace with its configurations, its simulations and their results. Simulations that run are terminated first.
#[utoipa::path(delete, path = "/workspaces/{workspace_id}", tag = "Workspaces", params(("workspace_id" = String, Path, description = "The workspace")), responses(
    (status = 202, description = "It is being deleted", body = WorkspaceDeletion),
    (status = 404, description = "There is none", body = ErrorBody),
    (status = 409, description = "It is the default workspace, which stays", body = ErrorBody)))]
async fn delete(
    State(app): State<App>,
    Path(id): Path<String>,
) -> ApiResult<(StatusCode, Json<WorkspaceDeletion>)> {
    if id == DEFAULT_WORKSPACE {
        return Err(ApiError::conflict(
            "this is the default workspace, which is always there; delete its configurations one by one",
        ));
    }
    load(&app, &id).await?;
    if !app.store.begin_deletion(&id).await? {
        return Err(ApiError::not_found("workspace", &id));
    }
    if !clear(&app, &id).await? {
        tokio::spawn(finish(app.clone(), id.clone()));
    }
    let status = "deleting";
    Ok((StatusCode::ACCEPTED, Json(WorkspaceDeletion { id, status })))
}

/// Goes on with the deletions that an earlier server had begun.
///
/// # Errors
/// When the database fails.
pub(crate) async fn finish_deletions(app: &App) -> Result<(), crate::store::StoreError> {
    for id in app.store.deletions().await? {
        tokio::spawn(finish(app.clone(), id));
    }
    Ok(())
}

/// Takes a workspace away as soon as what runs in it has ended.
async fn finish(app: App, id: String) {
    for _ in 0..LONGEST_END.as_millis() / BETWEEN_LOOKS.as_millis() {
        // A failure has been logged where it was made.
        if matches!(clear(&app, &id).await, Ok(true)) {
            return;
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
    tracing::warn!(
        workspace = id,
        "simulations in it do not end; it is deleted at the next start"
    );
}

/// How often is looked whether simulations have ended.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// For how long at most.
const LONGEST_END: Duration = Duration::from_secs(300);

/// Ends the simulations of a workspace and takes away those that have ended; when none is left, the workspace with the rest.
/// Whether it is gone.
async fn clear(app: &App, id: &str) -> ApiResult<bool> {
    let mut whole = true;
    for simulation in app.store.simulations_in(id).await? {
        simulations::end(app, &simulation).await?;
        whole &= simulations::remove(app, &simulation).await?;
    }
    if whole {
        app.store.delete_workspace(id).await?;
    }
    Ok(whole)
}

/// The project elsewhere that a workspace stands for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LegacyProjectBody {
    /// The project's UUID.
    #[schema(pattern = "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$")]
    legacy_project_id: String,
}

/// The project elsewhere that a workspace stands for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LegacyProjectAnswer {
    /// Whether it was not set before.
    created: bool,
    /// The project's UUID, in lower case.
    legacy_project_id: String,
    /// The workspace.
    #[schema(pattern = "^workspace_[0-9A-Za-z]{27}$")]
    workspace_id: String,
}

/// Whether `text` is a UUID: 8, 4, 4, 4 and 12 hexadecimal digits with hyphens between them.
fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts
            .iter()
            .all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Say which project elsewhere a workspace stands for. It can be said once; again only the same.
#[utoipa::path(post, path = "/workspaces/{workspace_id}/legacy-project", tag = "Workspaces", params(("workspace_id" = String, Path, description = "The workspace")), request_body = LegacyProjectBody, responses(
    (status = 200, description = "It is set, now or before", body = LegacyProjectAnswer),
    (status = 404, description = "There is no such workspace", body = ErrorBody),
    (status = 409, description = "Another project is set", body = ErrorBody)))]
async fn set_legacy_project(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(given): Body<LegacyProjectBody>,
) -> ApiResult<Json<LegacyProjectAnswer>> {
    load(&app, &id).await?;
    if !is_uuid(&given.legacy_project_id) {
        return Err(ApiError::invalid(format!(
            "legacyProjectId: {:?} is no UUID; give one such as 550e8400-e29b-41d4-a716-446655440000",
            query::short(&given.legacy_project_id)
        )));
    }
    let project = given.legacy_project_id.to_ascii_lowercase();
    let created = match app.store.set_legacy_project(&id, &project).await? {
        Some(LegacyProject::Created) => true,
        Some(LegacyProject::Same) => false,
        Some(LegacyProject::Other) => {
            return Err(ApiError::conflict(
                "legacyProjectId: the workspace has another one, which stays",
            ));
        }
        None => return Err(ApiError::not_found("workspace", &id)),
    };
    Ok(Json(LegacyProjectAnswer {
        created,
        legacy_project_id: project,
        workspace_id: id,
    }))
}
