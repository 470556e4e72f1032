//! Simulations: asking for them, following them, ending them.

mod events;
mod logs;

use super::error::{ApiError, ApiResult, ErrorBody};
use super::extract::{Body, Path, Query};
use super::page::{PageQuery, Pagination};
use super::{configurations, query};
use crate::id::Kind;
use crate::jobs::Stop;
use crate::options::LONGEST_QUEUE;
use crate::platform::{App, Platform};
use crate::scenario::{duration, lasting};
use crate::store::configurations::ConfigurationStatus;
use crate::store::simulations::{
    Queued, Reached, SimulationFilter, SimulationRow, SimulationStatus, SortField,
};
use crate::text;
use crate::time::{iso, now_ms};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list, start))
        .routes(routes!(get, delete))
        .routes(routes!(terminate))
        .merge(logs::routes())
        .merge(events::routes())
}

/// A simulation in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimulationItem {
    /// Its identifier.
    pub id: String,
    /// The workspace it is in.
    pub workspace_id: String,
    /// What it is a simulation of.
    pub configuration_id: String,
    /// Which version of that.
    pub configuration_version: i64,
    /// Its name.
    pub name: String,
    /// How it stands.
    pub status: SimulationStatus,
    /// When it was asked for.
    #[schema(format = DateTime)]
    pub created_at: String,
}

/// How far a simulation has come.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// Simulated time, such as `2.5ms`.
    pub simulated_time: String,
    /// Events handled.
    pub events_processed: u64,
    /// Payload carried in the recording window by all applications together, such as `10Gbps`; known at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<String>,
    /// The part of the simulated time that is done, from 0 to 1.
    pub progress: f64,
    /// Packet-hops simulated a second of wall-clock time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packets_per_second: Option<f64>,
    /// Wall-clock time left if it goes on at this pace, such as `5min`; while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_left: Option<String>,
}

/// A simulation.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimulationDetails {
    /// What a list says of it.
    #[serde(flatten)]
    pub item: SimulationItem,
    /// The length of its recording window in simulated time, as it was given.
    pub duration: String,
    /// When it began to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub started_at: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub completed_at: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// How far it has come, once it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Metrics>,
}

impl From<&SimulationRow> for SimulationItem {
    fn from(row: &SimulationRow) -> Self {
        SimulationItem {
            id: row.id.clone(),
            workspace_id: row.workspace_id.clone(),
            configuration_id: row.configuration_id.clone(),
            configuration_version: row.configuration_version,
            name: row.name.clone(),
            status: row.status,
            created_at: iso(row.created_at),
        }
    }
}

/// Goodput of all applications of a summary, in bits per second.
pub(crate) fn goodput(summary: &serde_json::Value) -> Option<f64> {
    let applications = summary["applications"].as_array()?;
    let known = applications
        .iter()
        .filter_map(|application| application["goodput_gbps"].as_f64());
    known.reduce(|sum, gbps| sum + gbps).map(|gbps| gbps * 1e9)
}

/// A simulation with what is known of it at this moment.
pub(crate) fn details(app: &Platform, row: &SimulationRow) -> SimulationDetails {
    let live = app
        .jobs
        .live(&row.id)
        .filter(|_| row.status == SimulationStatus::Running);
    let reached = live.map_or(row.reached, |live| live.reached);
    let metrics = row.started_at.map(|started| {
        let wall = match live {
            Some(live) => live.since.elapsed().as_secs_f64(),
            None => row.completed_at.map_or(0.0, |end| (end - started) as f64 / 1e3),
        };
        let progress = progress(row, reached);
        let summary = row
            .summary
            .as_deref()
            .and_then(|text| serde_json::from_str(text).ok());
        Metrics {
            simulated_time: text::seconds(reached.simulated_ps as f64 / 1e12),
            events_processed: reached.events,
            throughput: summary.as_ref().and_then(goodput).map(text::rate),
            progress,
            packets_per_second: (wall > 0.0 && reached.packet_hops > 0)
                .then(|| (reached.packet_hops as f64 / wall).round()),
            time_left: (live.is_some() && progress > 0.0 && wall > 1.0)
                .then(|| text::seconds((wall * (1.0 - progress) / progress).ceil())),
        }
    });
    SimulationDetails {
        item: row.into(),
        duration: row.duration.clone(),
        started_at: row.started_at.map(iso),
        completed_at: row.completed_at.map(iso),
        failure_reason: row.failure_reason.clone(),
        metrics,
    }
}

fn progress(row: &SimulationRow, reached: Reached) -> f64 {
    match (row.status, reached.stop_ps) {
        (SimulationStatus::Completed, _) => 1.0,
        (_, 0) => 0.0,
        (_, stop) => (reached.simulated_ps as f64 / stop as f64).min(1.0),
    }
}

/// Refuses what is no identifier of a simulation.
pub(crate) fn check_id(id: &str) -> ApiResult<()> {
    match Kind::Simulation.fits(id) {
        true => Ok(()),
        false => Err(ApiError::invalid(format!(
            "{:?} is no identifier of a simulation: that is \"sim_\" and 27 letters and digits",
            query::short(id)
        ))),
    }
}

/// A simulation.
pub(crate) async fn load(app: &Platform, id: &str) -> ApiResult<SimulationRow> {
    check_id(id)?;
    let row = app.store.simulation(id).await?;
    row.ok_or_else(|| ApiError::not_found("simulation", id))
}

/// A page of simulations.
#[derive(Debug, Serialize, ToSchema)]
struct SimulationList {
    simulations: Vec<SimulationItem>,
    pagination: Pagination,
}

/// Which simulations.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Most items; more than 100 are taken as 100.
    #[param(minimum = 1)]
    limit: Option<u64>,
    /// The `nextCursor` of the page before.
    next: Option<String>,
    /// Only those in this workspace.
    #[param(pattern = "^workspace_[0-9A-Za-z]{27}$")]
    workspace_id: Option<String>,
    /// Only those with this status; several with commas between them. What is none is ignored.
    status: Option<String>,
    /// Only those with this in the name, in any case of letters.
    #[param(max_length = 100)]
    search: Option<String>,
    /// Only those asked for then or later (ISO 8601).
    #[param(format = DateTime)]
    created_after: Option<String>,
    /// Only those asked for before that (ISO 8601).
    #[param(format = DateTime)]
    created_before: Option<String>,
    /// The order: `created`, `name` or `status`, then `:asc` or `:desc`; `created:desc` if left out.
    #[param(pattern = "^(created|created_at|name|status):(asc|desc)$")]
    sort: Option<String>,
}

fn order(text: Option<&str>) -> ApiResult<(SortField, bool)> {
    let Some(text) = text else {
        return Ok((SortField::Created, true));
    };
    let wrong = || {
        ApiError::invalid(format!(
            "sort: {:?} is no order; give one of created, name, status with :asc or :desc, such as created:desc",
            query::short(text)
        ))
    };
    let (field, direction) = text.split_once(':').ok_or_else(wrong)?;
    let field = match field {
        "created" | "created_at" => SortField::Created,
        "name" => SortField::Name,
        "status" => SortField::Status,
        _ => return Err(wrong()),
    };
    match direction {
        "asc" => Ok((field, false)),
        "desc" => Ok((field, true)),
        _ => Err(wrong()),
    }
}

/// List simulations, newest first unless another order is asked for.
#[utoipa::path(get, path = "/simulations", tag = "Simulations", params(ListQuery), responses((status = 200, description = "A page of them", body = SimulationList)))]
async fn list(State(app): State<App>, Query(given): Query<ListQuery>) -> ApiResult<Json<SimulationList>> {
    let page = PageQuery {
        limit: given.limit,
        next: given.next,
    };
    let (size, sort) = (page.size()?, order(given.sort.as_deref())?);
    let list = format!("simulations by {:?} {}", sort.0, sort.1);
    let filter = SimulationFilter {
        workspace_id: query::workspace(given.workspace_id.as_deref())?,
        status: given.status.as_deref().map(|text| {
            query::words(text)
                .filter_map(SimulationStatus::from_text)
                .collect()
        }),
        search: query::search(given.search.as_deref())?,
        created_from: query::time("createdAfter", given.created_after.as_deref())?,
        created_before: query::time("createdBefore", given.created_before.as_deref())?,
        sort,
        after: page.after(&list)?,
    };
    let mut rows = app.store.simulations(&filter, size + 1).await?;
    let pagination = Pagination::cut(&mut rows, size, &list, |row| (row.key(sort.0), row.id.clone()));
    Ok(Json(SimulationList {
        simulations: rows.iter().map(Into::into).collect(),
        pagination,
    }))
}

/// Whether states are kept on the way.
#[derive(Debug, Deserialize, ToSchema)]
struct Checkpointing {
    /// Whether they are: not available yet, so false.
    enabled: bool,
    /// How often.
    interval: Option<String>,
}

/// What to simulate.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewSimulation {
    /// The workspace to put it in; that of the configuration if left out.
    workspace_id: Option<String>,
    /// The configuration.
    configuration_id: String,
    /// Which version of it; the current one if left out.
    #[schema(minimum = 1)]
    configuration_version: Option<i64>,
    /// Its name: letters, digits, `-` and `_`, beginning with a letter or digit.
    #[schema(min_length = 1, max_length = 255, pattern = "^[0-9A-Za-z][0-9A-Za-z_-]*$")]
    name: String,
    /// The length of the recording window in simulated time, such as `60s`, `1ms` or `1h`.
    #[schema(example = "1ms")]
    duration: String,
    /// Whether states are kept on the way.
    checkpointing: Option<Checkpointing>,
}

fn check_name(name: &str) -> ApiResult<()> {
    let right = (1..=255).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        && name.as_bytes()[0].is_ascii_alphanumeric();
    match right {
        true => Ok(()),
        false => Err(ApiError::invalid(format!(
            "name: {:?} cannot be one; give 1 to 255 letters, digits, - and _, beginning with a letter or digit",
            query::short(name)
        ))),
    }
}

/// Ask for a simulation. It is checked, waits for its turn, and runs.
#[utoipa::path(post, path = "/simulations", tag = "Simulations", request_body = NewSimulation, responses(
    (status = 201, description = "It is in the list", body = SimulationDetails),
    (status = 404, description = "There is no such configuration, version or workspace", body = ErrorBody),
    (status = 422, description = "That version is not validated, or checkpoints are asked for, which are not available yet", body = ErrorBody)))]
async fn start(
    State(app): State<App>,
    Body(new): Body<NewSimulation>,
) -> ApiResult<(StatusCode, Json<SimulationDetails>)> {
    check_name(&new.name)?;
    let lasts = duration(&new.duration).map_err(ApiError::invalid)?;
    if new
        .checkpointing
        .as_ref()
        .is_some_and(|checkpointing| checkpointing.enabled)
    {
        return Err(ApiError::unprocessable(
            "checkpointing is not available yet; leave it out, or make enabled false",
        ));
    }
    if let Some(interval) = new
        .checkpointing
        .as_ref()
        .and_then(|checkpointing| checkpointing.interval.as_ref())
    {
        duration(interval).map_err(|error| ApiError::invalid(format!("checkpointing.interval: {error}")))?;
    }
    if !Kind::Configuration.fits(&new.configuration_id) {
        return Err(ApiError::not_found("configuration", &new.configuration_id));
    }
    let version = app
        .store
        .version(&new.configuration_id, new.configuration_version)
        .await?;
    let version = version.ok_or_else(|| match new.configuration_version {
        Some(version) => ApiError::not_found("version of this configuration", &version.to_string()),
        None => ApiError::not_found("configuration", &new.configuration_id),
    })?;
    let workspace_id = match &new.workspace_id {
        Some(id) => query::target_workspace(&app, Some(id)).await?,
        None => version.workspace_id.clone(),
    };
    if version.status != ConfigurationStatus::Validated {
        return Err(ApiError::unprocessable(format!(
            "version {} of the configuration is {}, not validated; validate it first",
            version.version,
            version.status.as_str()
        )));
    }
    let document = lasting(configurations::stored(&version.document)?, lasts);
    let row = SimulationRow {
        id: Kind::Simulation.new_id(),
        workspace_id,
        configuration_id: version.configuration_id,
        configuration_version: version.version,
        name: new.name,
        status: SimulationStatus::Validating,
        duration: new.duration,
        created_at: now_ms(),
        started_at: None,
        completed_at: None,
        failure_reason: None,
        reached: Reached::default(),
        summary: None,
    };
    let document = serde_json::to_string(&document).map_err(ApiError::internal)?;
    if app
        .store
        .create_simulation(&row, &document, LONGEST_QUEUE)
        .await?
        == Queued::Full
    {
        return Err(ApiError::unavailable(format!(
            "{LONGEST_QUEUE} simulations wait already; try again when some have run"
        )));
    }
    app.jobs.tell(&row.id, row.status);
    app.jobs.submit(&app, row.id.clone());
    Ok((StatusCode::CREATED, Json(details(&app, &row))))
}

/// Get a simulation.
#[utoipa::path(get, path = "/simulations/{sim_id}", tag = "Simulations", params(("sim_id" = String, Path, description = "The simulation", pattern = "^sim_[0-9A-Za-z]{27}$")), responses(
    (status = 200, description = "It", body = SimulationDetails),
    (status = 404, description = "There is none", body = ErrorBody)))]
async fn get(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<SimulationDetails>> {
    let row = load(&app, &id).await?;
    Ok(Json(details(&app, &row)))
}

/// End a simulation: one that runs ends with whole files, one that waits does not run.
#[utoipa::path(post, path = "/simulations/{sim_id}/terminate", tag = "Simulations", params(("sim_id" = String, Path, description = "The simulation", pattern = "^sim_[0-9A-Za-z]{27}$")), responses(
    (status = 200, description = "It is being ended", body = SimulationDetails),
    (status = 404, description = "There is none", body = ErrorBody),
    (status = 409, description = "It has ended already", body = ErrorBody)))]
async fn terminate(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<SimulationDetails>> {
    let row = load(&app, &id).await?;
    // One that has ended may count as running for another moment.
    if row.status.is_final() || end(&app, &id).await?.is_none() {
        let row = load(&app, &id).await?;
        return Err(ApiError::conflict(format!(
            "the simulation is {} already",
            row.status.as_str()
        )));
    }
    let row = load(&app, &id).await?;
    Ok(Json(details(&app, &row)))
}

/// Ends a simulation, whatever it does at the moment; nothing if it has ended.
pub(crate) async fn end(app: &App, id: &str) -> ApiResult<Option<()>> {
    // It may move on between a look and the next step, but only forwards.
    for from in [SimulationStatus::Validating, SimulationStatus::Provisioning] {
        if app
            .store
            .move_simulation(id, from, SimulationStatus::Terminated)
            .await?
        {
            app.jobs.ended(id, SimulationStatus::Terminated);
            return Ok(Some(()));
        }
    }
    Ok(app.jobs.stop(id, Stop::Terminated).then_some(()))
}

/// What became of a simulation.
#[derive(Debug, Serialize, ToSchema)]
struct Deleted {
    id: String,
    /// `deleted`.
    status: &'static str,
    message: &'static str,
}

/// Delete a simulation that does not run, with all its files.
#[utoipa::path(delete, path = "/simulations/{sim_id}", tag = "Simulations", params(("sim_id" = String, Path, description = "The simulation", pattern = "^sim_[0-9A-Za-z]{27}$")), responses(
    (status = 200, description = "It is gone", body = Deleted),
    (status = 404, description = "There is none", body = ErrorBody),
    (status = 409, description = "It runs; terminate it first", body = ErrorBody)))]
async fn delete(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<Deleted>> {
    load(&app, &id).await?;
    if !remove(&app, &id).await? {
        return Err(ApiError::conflict(
            "the simulation is running; terminate it first, and wait until it has ended",
        ));
    }
    Ok(Json(Deleted {
        id,
        status: "deleted",
        message: "The simulation, its results and its log are gone",
    }))
}

/// Takes a simulation away that does not run, with its files; whether it did.
pub(crate) async fn remove(app: &App, id: &str) -> ApiResult<bool> {
    if !app.store.delete_simulation(id).await? {
        return Ok(false);
    }
    app.jobs.gone(id);
    let folder = app.results.of(id);
    match tokio::fs::remove_dir_all(&folder).await {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            tracing::warn!(simulation = id, %error, "its files cannot be removed");
        }
        _ => {}
    }
    Ok(true)
}
