//! What simulations came to: figures, files, and data computed from them.

use super::error::{ApiError, ApiResult, ErrorBody};
use super::extract::{Path, Query};
use super::page::{PageQuery, Pagination};
use super::simulations::{goodput, load};
use crate::platform::App;
use crate::results::data::{NoData, Wanted};
use crate::results::files::{FileType, ResultFile, content_type, is_inside};
use crate::results::link::{Link, sign};
use crate::store::simulations::SimulationStatus;
use crate::text;
use crate::time::iso;
use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::header;
use axum::http::request::Parts;
use packetloom_analysis::data::{Metric, Mode, Tier};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(results))
        .routes(routes!(download_url))
        .routes(routes!(data))
}

/// The address under which the client reached the server, for links.
#[derive(Debug)]
pub(crate) struct Base(String);

impl FromRequestParts<App> for Base {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> ApiResult<Self> {
        let text = |name| {
            parts
                .headers
                .get(name)
                .and_then(|value: &header::HeaderValue| value.to_str().ok())
        };
        let plain = |host: &&str| {
            !host.is_empty()
                && host
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b".:-[]_".contains(&byte))
        };
        let host = text(header::HOST)
            .filter(plain)
            .map_or_else(|| app.options.listen.to_string(), str::to_owned);
        let secure = text(header::HeaderName::from_static("x-forwarded-proto")) == Some("https");
        Ok(Base(format!(
            "{}://{host}",
            if secure { "https" } else { "http" }
        )))
    }
}

impl Base {
    fn url(&self, link: &Link) -> String {
        format!("{}{}", self.0, link.path)
    }
}

/// Which files.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ResultsQuery {
    /// Most files.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u64>,
    /// The `nextCursor` of the page before.
    next: Option<String>,
    /// Only files of this type.
    #[serde(rename = "type")]
    #[param(inline)]
    kind: Option<FileType>,
    /// Only files with this in the name, such as `nd-stats`.
    #[param(max_length = 100)]
    metrics: Option<String>,
    /// By what they are sorted; by time if left out.
    #[param(inline)]
    sort: Option<FileSort>,
    /// In which direction; the latest or largest first if left out.
    #[param(inline)]
    order: Option<Order>,
}

/// By what files are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum FileSort {
    /// When they were written.
    CreatedAt,
    /// Their size.
    Size,
}

/// In which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    /// Rising.
    Asc,
    /// Falling.
    Desc,
}

/// The figures of a run.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Figures {
    /// Frames that ports sent, each port on the way counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_packets: Option<u64>,
    /// Mean latency of the requests of all applications in the recording window, such as `4.2us`.
    #[serde(skip_serializing_if = "Option::is_none")]
    avg_latency: Option<String>,
    /// Payload carried in the recording window by all applications together, such as `1.2Tbps`.
    #[serde(skip_serializing_if = "Option::is_none")]
    throughput: Option<String>,
    /// Frames dropped, of all frames that ports sent or should have sent: drops / (drops + totalPackets).
    #[serde(skip_serializing_if = "Option::is_none")]
    drop_rate: Option<f64>,
}

/// A file.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FileItem {
    #[serde(rename = "type")]
    kind: FileType,
    /// Its name from the simulation's folder on.
    name: String,
    /// Its size, such as `2.5MB`.
    size: String,
    /// Its size in bytes.
    size_bytes: u64,
    /// A link to it, for 15 minutes; needs no token.
    download_url: String,
}

/// What a simulation came to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SimulationResults {
    simulation_id: String,
    duration: String,
    summary: Figures,
    files: Vec<FileItem>,
    pagination: Pagination,
}

/// The figures of a summary.
fn figures(summary: Option<&str>) -> Figures {
    let Some(summary) = summary.and_then(|text| serde_json::from_str::<Value>(text).ok()) else {
        return Figures::default();
    };
    let (mut requests, mut total) = (0.0, 0.0);
    for application in summary["applications"].as_array().into_iter().flatten() {
        if let (Some(recorded), Some(mean)) = (
            application["recorded"].as_f64(),
            application["latency_us"]["mean"].as_f64(),
        ) {
            requests += recorded;
            total += recorded * mean;
        }
    }
    let packets = summary["packet_hops"].as_u64();
    let drops = summary["drops"].as_f64();
    Figures {
        total_packets: packets,
        avg_latency: (requests > 0.0).then(|| text::seconds(total / requests / 1e6)),
        throughput: goodput(&summary).map(text::rate),
        drop_rate: packets
            .zip(drops)
            .map(|(packets, drops)| match packets as f64 + drops {
                0.0 => 0.0,
                all => drops / all,
            }),
    }
}

fn failed(error: object_store::Error) -> ApiError {
    ApiError::internal(format!("the results: {error}"))
}

/// Get what a simulation came to. While it runs, the files are those there are so far, and figures are absent.
#[utoipa::path(get, path = "/simulations/{sim_id}/results", tag = "Simulations", params(("sim_id" = String, Path, description = "The simulation", pattern = "^sim_[0-9A-Za-z]{27}$"), ResultsQuery), responses(
    (status = 200, description = "Figures, and a page of files", body = SimulationResults),
    (status = 404, description = "There is no such simulation, or nothing of it yet", body = ErrorBody)))]
async fn results(
    State(app): State<App>,
    base: Base,
    Path(id): Path<String>,
    Query(query): Query<ResultsQuery>,
) -> ApiResult<Json<SimulationResults>> {
    let row = load(&app, &id).await?;
    if query.limit.is_some_and(|limit| !(1..=100).contains(&limit)) {
        return Err(ApiError::invalid("limit: is out of range; give 1 to 100"));
    }
    if row.started_at.is_none() {
        return Err(ApiError::not_found("result yet of simulation", &id));
    }
    let page = PageQuery {
        limit: query.limit,
        next: query.next,
    };
    let size = page.size()?;
    let (sort, falling) = (
        query.sort.unwrap_or(FileSort::CreatedAt),
        query.order != Some(Order::Asc),
    );
    let list = format!("results of {id} by {sort:?} {falling}");
    let after: Option<(i64, String)> = page.after(&list)?;
    let key = |file: &ResultFile| match sort {
        FileSort::CreatedAt => file.modified_ms,
        FileSort::Size => file.size as i64,
    };
    let ordered = |a: (i64, &str), b: (i64, &str)| if falling { b.cmp(&a) } else { a.cmp(&b) };
    let mut files = app.results.list(&id).await.map_err(failed)?;
    files.retain(|file| {
        query.kind.is_none_or(|kind| FileType::of(&file.name) == kind)
            && query
                .metrics
                .as_ref()
                .is_none_or(|metrics| file.name.contains(metrics.as_str()))
            && !file.name.ends_with(".note")
            && after
                .as_ref()
                .is_none_or(|(place, name)| ordered((key(file), &file.name), (*place, name)).is_gt())
    });
    files.sort_by(|a, b| ordered((key(a), &a.name), (key(b), &b.name)));
    let pagination = Pagination::cut(&mut files, size, &list, |file| (key(file), file.name.clone()));
    let files = files.into_iter().map(|file| FileItem {
        kind: FileType::of(&file.name),
        size: text::size(file.size),
        size_bytes: file.size,
        download_url: base.url(&sign(&app.results.key, &id, &file.name)),
        name: file.name,
    });
    Ok(Json(SimulationResults {
        files: files.collect(),
        duration: row.duration,
        summary: figures(row.summary.as_deref()),
        pagination,
        simulation_id: id,
    }))
}

/// Which file.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct FileQuery {
    /// Its name from the simulation's folder on.
    #[param(min_length = 1, max_length = 1000)]
    file_name: String,
    /// Of no meaning yet.
    #[expect(dead_code, reason = "reserved by the documentation")]
    metrics: Option<String>,
    /// Of no meaning yet.
    #[serde(rename = "type")]
    #[expect(dead_code, reason = "reserved by the documentation")]
    kind: Option<String>,
}

/// A link to a file.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DownloadUrl {
    simulation_id: String,
    file_name: String,
    content_type: String,
    size_bytes: u64,
    /// `sha256:` and 64 hexadecimal digits.
    checksum: String,
    download_url: String,
    #[schema(format = DateTime)]
    expires_at: String,
}

/// Get a link to a file, and its checksum.
#[utoipa::path(get, path = "/simulations/{sim_id}/results/download-url", tag = "Simulations", params(("sim_id" = String, Path, description = "The simulation", pattern = "^sim_[0-9A-Za-z]{27}$"), FileQuery), responses(
    (status = 200, description = "It", body = DownloadUrl),
    (status = 404, description = "There is no such simulation or file", body = ErrorBody)))]
async fn download_url(
    State(app): State<App>,
    base: Base,
    Path(id): Path<String>,
    Query(query): Query<FileQuery>,
) -> ApiResult<Json<DownloadUrl>> {
    load(&app, &id).await?;
    let name = query.file_name;
    if !is_inside(&name) {
        return Err(ApiError::invalid(format!(
            "fileName: {:?} leads out of the simulation's folder; give a name that the results list",
            super::query::short(&name)
        )));
    }
    let file = app.results.find(&id, &name).await.map_err(failed)?;
    let file = file.ok_or_else(|| ApiError::not_found("file", &name))?;
    let sum = match app.store.checksum(&id, &file).await? {
        Some(sum) => sum,
        None => {
            let sum = app.results.sha256(&id, &file).await.map_err(failed)?;
            app.store.keep_checksum(&id, &file, &sum).await?;
            sum
        }
    };
    let link = sign(&app.results.key, &id, &name);
    Ok(Json(DownloadUrl {
        simulation_id: id,
        content_type: content_type(&name),
        file_name: name,
        size_bytes: file.size,
        checksum: format!("sha256:{sum}"),
        download_url: base.url(&link),
        expires_at: iso(link.expires_ms),
    }))
}

/// Which data.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct DataQuery {
    /// Of what.
    #[param(inline, value_type = String)]
    metric: String,
    /// `summary` (if left out), `timeSeries`, `ports` or `heatMap`.
    #[param(inline, value_type = Option<String>)]
    mode: Option<String>,
    /// `all` (if left out), `spine`, `fabric`, `rack` or `nic`.
    #[param(inline, value_type = Option<String>)]
    tier: Option<String>,
    /// Of one switch or host only, by its name in the records; for `timeSeries`.
    #[param(max_length = 200)]
    component: Option<String>,
}

/// A file with data.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DataFile {
    name: String,
    /// In bytes.
    size: u64,
    content_type: String,
    download_url: String,
    #[schema(format = DateTime)]
    expires_at: String,
}

/// How data came about.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DataOrigin {
    /// Whether it was there already.
    cached: bool,
    #[schema(format = DateTime)]
    computed_at: String,
    rows_processed: u64,
    compute_time_ms: u64,
}

/// Data computed from records.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SimulationData {
    simulation_id: String,
    metric: &'static str,
    mode: &'static str,
    tier: &'static str,
    file: DataFile,
    metadata: DataOrigin,
}

/// Get data computed from records: a link to a JSON file compressed with zstd. It is computed once when the simulation has ended.
#[utoipa::path(get, path = "/simulations/{sim_id}/results/data", tag = "Simulations", params(("sim_id" = String, Path, description = "The simulation", pattern = "^sim_[0-9A-Za-z]{27}$"), DataQuery), responses(
    (status = 200, description = "It", body = SimulationData),
    (status = 404, description = "There is no such simulation, or no record of that metric", body = ErrorBody)))]
async fn data(
    State(app): State<App>,
    base: Base,
    Path(id): Path<String>,
    Query(query): Query<DataQuery>,
) -> ApiResult<Json<SimulationData>> {
    let row = load(&app, &id).await?;
    let one_of = |name: &str, text: &str, all: Vec<&str>| {
        ApiError::invalid(format!(
            "{name}: {:?} is none; give one of {}",
            super::query::short(text),
            all.join(", ")
        ))
    };
    let metric = Metric::from_text(&query.metric).ok_or_else(|| {
        one_of(
            "metric",
            &query.metric,
            Metric::ALL.iter().map(|m| m.as_str()).collect(),
        )
    })?;
    let mode = match query.mode.as_deref() {
        None => Mode::Summary,
        Some(text) => Mode::from_text(text)
            .ok_or_else(|| one_of("mode", text, Mode::ALL.iter().map(|m| m.as_str()).collect()))?,
    };
    let tier = match query.tier.as_deref() {
        None => Tier::All,
        Some(text) => Tier::from_text(text)
            .ok_or_else(|| one_of("tier", text, Tier::ALL.iter().map(|t| t.as_str()).collect()))?,
    };
    if tier != Tier::All && !metric.has_tiers() {
        return Err(ApiError::invalid(format!(
            "tier: {} is not divided into tiers; leave it out or give all",
            metric.as_str()
        )));
    }
    if !mode.is_of(metric) {
        let those = Metric::ALL.into_iter().filter(|metric| mode.is_of(*metric));
        return Err(ApiError::invalid(format!(
            "mode: there is no {} of {}, only of {}",
            mode.as_str(),
            metric.as_str(),
            those.map(Metric::as_str).collect::<Vec<_>>().join(", ")
        )));
    }
    if query.component.is_some() && mode != Mode::TimeSeries {
        return Err(ApiError::invalid(
            "component: is for mode=timeSeries; leave it out",
        ));
    }
    if query.component.is_some() && !metric.has_components() {
        return Err(ApiError::invalid(format!(
            "component: {} has series of applications alone; leave it out",
            metric.as_str()
        )));
    }
    if row.started_at.is_none() {
        return Err(ApiError::not_found("result yet of simulation", &id));
    }
    let component = query.component.clone().unwrap_or_default();
    let wanted = Wanted {
        metric,
        mode,
        tier,
        component: query.component,
    };
    let ended = matches!(
        row.status,
        SimulationStatus::Completed | SimulationStatus::Failed | SimulationStatus::Terminated
    );
    let (computed, cached) = app
        .results
        .data(&id, &wanted, ended, &app.heavy)
        .await
        .map_err(|error| match error {
            NoData::None => ApiError::not_found("record of this simulation for metric", metric.as_str()),
            NoData::Component => ApiError::not_found("component in the record called", &component),
            NoData::Failed(why) => ApiError::internal(format!("data of {id}: {why}")),
        })?;
    let name = wanted.file();
    let file = app.results.find(&id, &name).await.map_err(failed)?;
    let file = file.ok_or_else(|| ApiError::not_found("file", &name))?;
    let link = sign(&app.results.key, &id, &name);
    Ok(Json(SimulationData {
        simulation_id: id,
        metric: metric.as_str(),
        mode: mode.as_str(),
        tier: tier.as_str(),
        file: DataFile {
            content_type: content_type(&name),
            name,
            size: file.size,
            download_url: base.url(&link),
            expires_at: iso(link.expires_ms),
        },
        metadata: DataOrigin {
            cached,
            computed_at: iso(computed.at_ms),
            rows_processed: computed.rows,
            compute_time_ms: computed.took_ms,
        },
    }))
}
