//! The log of a simulation.

use super::load;
use crate::api::error::{ApiError, ApiResult, ErrorBody};
use crate::api::extract::{Path, Query};
use crate::api::page::{PageQuery, Pagination};
use crate::jobs::log::{Level, Log, LogLine};
use crate::platform::App;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(logs))
}

/// Which lines.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct LogQuery {
    /// Only lines at least as grave as this.
    #[param(inline)]
    level: Option<Level>,
    /// Only lines of this part.
    component: Option<String>,
    /// Most items; more than 100 are taken as 100.
    #[param(minimum = 1)]
    limit: Option<u64>,
    /// The `nextCursor` of the page before.
    next: Option<String>,
}

/// A page of a log.
#[derive(Debug, Serialize, ToSchema)]
struct LogPage {
    logs: Vec<LogLine>,
    pagination: Pagination,
}

/// Get the log of a simulation, oldest line first.
#[utoipa::path(get, path = "/simulations/{sim_id}/logs", tag = "Simulations", params(("sim_id" = String, Path, description = "The simulation", pattern = "^sim_[0-9A-Za-z]{27}$"), LogQuery), responses(
    (status = 200, description = "A page of it", body = LogPage),
    (status = 404, description = "There is no such simulation", body = ErrorBody)))]
async fn logs(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<LogQuery>,
) -> ApiResult<Json<LogPage>> {
    load(&app, &id).await?;
    let page = PageQuery {
        limit: query.limit,
        next: query.next,
    };
    let (size, list) = (page.size()?, format!("log of {id}"));
    let from: u64 = page.after(&list)?.unwrap_or(0);
    let log = Log::of(&app.results.of(&id));
    let read = tokio::task::spawn_blocking(move || {
        log.read(from, size + 1, |line| {
            query.level.is_none_or(|level| line.level >= level)
                && query
                    .component
                    .as_ref()
                    .is_none_or(|component| line.component == *component)
        })
    });
    let mut lines = read
        .await
        .map_err(ApiError::internal)?
        .map_err(ApiError::internal)?;
    let pagination = Pagination::cut(&mut lines, size, &list, |(behind, _)| *behind);
    Ok(Json(LogPage {
        logs: lines.into_iter().map(|(_, line)| line).collect(),
        pagination,
    }))
}
