//! Templates: documents to start from, those that come with the program first.

#[cfg(test)]
mod tests;

use super::configurations::{ConfigurationDetails, details, stored};
use super::error::{ApiError, ApiResult, ErrorBody};
use super::etag::etag;
use super::extract::{Body, Path, Query};
use super::page::{PageQuery, Pagination};
use super::query;
use crate::api::components::BUILT_IN_MS;
use crate::id::{DEFAULT_WORKSPACE, Kind};
use crate::platform::App;
use crate::store::configurations::{ConfigurationRow, ConfigurationStatus};
use crate::store::templates::{TemplateFilter, TemplateRow};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode};
use packetloom_config::document::{Document, from_value};
use packetloom_config::template;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(get))
        .routes(routes!(clone_template))
}

/// The longest description, in characters.
const LONGEST_DESCRIPTION: usize = 2_000;

/// What a template is an example of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TemplateCategory {
    /// Something small to begin with.
    GettingStarted,
    /// Traffic over RDMA.
    Rdma,
    /// Traffic over TCP.
    Tcp,
    /// Both.
    Mixed,
    /// A thousand hosts and more.
    Scale,
}

impl TemplateCategory {
    const ALL: [TemplateCategory; 5] = [
        TemplateCategory::GettingStarted,
        TemplateCategory::Rdma,
        TemplateCategory::Tcp,
        TemplateCategory::Mixed,
        TemplateCategory::Scale,
    ];

    fn as_str(self) -> &'static str {
        match self {
            TemplateCategory::GettingStarted => "getting-started",
            TemplateCategory::Rdma => "rdma",
            TemplateCategory::Tcp => "tcp",
            TemplateCategory::Mixed => "mixed",
            TemplateCategory::Scale => "scale",
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        TemplateCategory::ALL
            .into_iter()
            .find(|category| category.as_str() == text)
    }

    /// That of the template called `name` that comes with the program.
    fn of_built_in(name: &str) -> Self {
        match name {
            "rdma-16-hosts" | "tcp-16-hosts" => TemplateCategory::GettingStarted,
            "rdma-three-tier" | "rdma-16k" => TemplateCategory::Scale,
            name if name.starts_with("tcp-") => TemplateCategory::Tcp,
            name if name.starts_with("mixed-") => TemplateCategory::Mixed,
            _ => TemplateCategory::Rdma,
        }
    }
}

/// A template in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TemplateItem {
    /// Its identifier; for one that comes with the program the same in every installation.
    #[schema(pattern = "^template_[0-9A-Za-z]{27}$")]
    id: String,
    /// Its name.
    name: String,
    /// What it is an example of.
    description: String,
    /// In a word.
    category: TemplateCategory,
}

/// A template with its document.
#[derive(Debug, Serialize, ToSchema)]
pub struct TemplateDetails {
    /// What a list says of it.
    #[serde(flatten)]
    item: TemplateItem,
    /// Its document, in the form of a configuration. Its identifier is that of no stored one: clone the template to get one.
    configuration: ConfigurationDetails,
}

/// A page of templates.
#[derive(Debug, Serialize, ToSchema)]
pub struct TemplateList {
    /// Those that come with the program, then the stored ones, newest first.
    templates: Vec<TemplateItem>,
    pagination: Pagination,
}

/// Which templates.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Most items; more than 100 are taken as 100.
    #[param(minimum = 1)]
    limit: Option<u64>,
    /// The `nextCursor` of the page before.
    next: Option<String>,
    /// Only those of this category.
    #[param(inline)]
    category: Option<TemplateCategory>,
    /// Only those with this in name or description, in any case of letters.
    #[param(max_length = 100)]
    search: Option<String>,
}

/// A template to store; parts of the document that are left out are empty.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "what bodies look like; they are read as documents")]
#[schema(rename_all = "camelCase")]
struct NewTemplate {
    /// Its name.
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// What it is an example of.
    #[schema(max_length = 2000)]
    description: String,
    /// In a word.
    category: TemplateCategory,
    /// Switches, NICs and servers.
    components: Option<Vec<Map<String, Value>>>,
    /// Racks and pods.
    containers: Option<Vec<Map<String, Value>>>,
    /// Applications.
    applications: Option<Vec<Map<String, Value>>>,
    /// Layers of spine switches.
    links: Option<Vec<Map<String, Value>>>,
    /// How many of each there are.
    #[schema(value_type = Option<Object>)]
    topology: Option<Map<String, Value>>,
    /// What holds for the whole run.
    #[schema(value_type = Option<Object>)]
    global_parameters: Option<Map<String, Value>>,
}

/// What to make of a template.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CloneRequest {
    /// The name of the new configuration.
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// The workspace to put it in; the default one if left out.
    #[schema(pattern = "^workspace_[0-9A-Za-z]{27}$")]
    workspace_id: Option<String>,
}

/// Where a page ends.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Place {
    /// At one that comes with the program.
    BuiltIn(usize),
    /// At a stored one.
    Stored(i64, String),
}

fn built_in_item(template: &template::Template) -> TemplateItem {
    TemplateItem {
        id: Kind::Template.fixed_id(template.name),
        name: template.name.to_owned(),
        description: template.description.to_owned(),
        category: TemplateCategory::of_built_in(template.name),
    }
}

fn stored_item(row: &TemplateRow) -> ApiResult<TemplateItem> {
    let category = TemplateCategory::from_text(&row.category).ok_or_else(|| {
        ApiError::internal(format!(
            "{:?} is no category of a template, but {} has it",
            row.category, row.id
        ))
    })?;
    Ok(TemplateItem {
        id: row.id.clone(),
        name: row.name.clone(),
        description: row.description.clone(),
        category,
    })
}

/// The template's document as a configuration, with everything that it declares.
fn shown(item: TemplateItem, created_at: i64, document: Document) -> TemplateDetails {
    let row = ConfigurationRow {
        id: Kind::Configuration.fixed_id(&item.id),
        workspace_id: DEFAULT_WORKSPACE.to_owned(),
        name: document.name.clone(),
        status: ConfigurationStatus::Draft,
        version: 1,
        component_count: i64::try_from(document.components.len()).unwrap_or(i64::MAX),
        created_at,
        modified_at: created_at,
    };
    let components = document.components.clone();
    let mut configuration = details(&row, document);
    // Unlike in a configuration, what is not used yet is part of the example.
    configuration.document.components = components;
    TemplateDetails { item, configuration }
}

/// The template with that identifier, when it was made, and its document.
async fn load(app: &App, id: &str) -> ApiResult<(TemplateItem, i64, Document)> {
    let missing = || ApiError::not_found("template", id);
    if !Kind::Template.fits(id) {
        return Err(missing());
    }
    if let Some(built_in) = template::all()
        .iter()
        .find(|template| Kind::Template.fixed_id(template.name) == id)
    {
        let document = template::document(built_in.name).map_err(ApiError::internal)?;
        return Ok((built_in_item(built_in), BUILT_IN_MS, document));
    }
    let row = app.store.template(id).await?.ok_or_else(missing)?;
    Ok((stored_item(&row)?, row.created_at, stored(&row.document)?))
}

/// List templates.
#[utoipa::path(get, path = "/templates", tag = "Templates", params(ListQuery), responses((status = 200, description = "A page of them", body = TemplateList)))]
async fn list(State(app): State<App>, Query(given): Query<ListQuery>) -> ApiResult<Json<TemplateList>> {
    const LIST: &str = "templates";
    let page = PageQuery {
        limit: given.limit,
        next: given.next,
    };
    let (size, after) = (page.size()?, page.after::<Place>(LIST)?);
    let search = query::search(given.search.as_deref())?;
    let (skipped, stored_after) = match after {
        None => (0, None),
        Some(Place::BuiltIn(at)) => (at.saturating_add(1), None),
        Some(Place::Stored(time, id)) => (usize::MAX, Some((time, id))),
    };
    let fits = |item: &TemplateItem| {
        let text = format!("{}\n{}", item.name, item.description).to_lowercase();
        given.category.is_none_or(|wanted| wanted == item.category)
            && search
                .as_ref()
                .is_none_or(|search| text.contains(&search.to_lowercase()))
    };
    let mut found: Vec<(Place, TemplateItem)> = template::all()
        .iter()
        .enumerate()
        .skip(skipped)
        .map(|(at, template)| (Place::BuiltIn(at), built_in_item(template)))
        .filter(|(_, item)| fits(item))
        .take(size + 1)
        .collect();
    if found.len() <= size {
        let filter = TemplateFilter {
            category: given.category.map(TemplateCategory::as_str),
            search: search.clone(),
            after: stored_after,
        };
        for row in app.store.templates(&filter, size + 1 - found.len()).await? {
            found.push((Place::Stored(row.created_at, row.id.clone()), stored_item(&row)?));
        }
    }
    let pagination = Pagination::cut(&mut found, size, LIST, |(place, _)| place.clone());
    Ok(Json(TemplateList {
        templates: found.into_iter().map(|(_, item)| item).collect(),
        pagination,
    }))
}

/// Description, category and document of a body.
fn read(body: Value) -> ApiResult<(String, TemplateCategory, Document)> {
    let Value::Object(mut parts) = body else {
        return Err(ApiError::invalid(
            "the body is no JSON object; give name, description and category",
        ));
    };
    let description = match parts.shift_remove("description") {
        Some(Value::String(text)) if text.chars().count() <= LONGEST_DESCRIPTION => text,
        _ => {
            return Err(ApiError::invalid(format!(
                "description: give a text of at most {LONGEST_DESCRIPTION} characters"
            )));
        }
    };
    let category = parts.shift_remove("category");
    let category = category
        .as_ref()
        .and_then(Value::as_str)
        .and_then(TemplateCategory::from_text)
        .ok_or_else(|| {
            let all = TemplateCategory::ALL.map(TemplateCategory::as_str);
            ApiError::invalid(format!("category: give one of {}", all.join(", ")))
        })?;
    for (part, empty) in [
        ("components", json!([])),
        ("containers", json!([])),
        ("applications", json!([])),
        ("links", json!([])),
        (
            "topology",
            json!({"type": "clos", "components": [], "appDistribution": {"randomApplicationDistribution": []}}),
        ),
        ("globalParameters", json!({})),
    ] {
        if parts.get(part).is_none_or(Value::is_null) {
            parts.insert(part.to_owned(), empty);
        }
    }
    let mut document = from_value(&Value::Object(parts))?;
    document.workspace_id = None;
    Ok((description, category, document))
}

/// Create a template. What its document means is only checked when a configuration made from it is validated.
#[utoipa::path(post, path = "/templates", tag = "Templates", request_body = NewTemplate, responses((status = 201, description = "It is stored", body = TemplateDetails)))]
async fn create(
    State(app): State<App>,
    Body(body): Body<Value>,
) -> ApiResult<(StatusCode, Json<TemplateDetails>)> {
    let (description, category, document) = read(body)?;
    let row = app
        .store
        .create_template(&description, category.as_str(), &document)
        .await?;
    let details = shown(stored_item(&row)?, row.created_at, document);
    Ok((StatusCode::CREATED, Json(details)))
}

/// Get a template with its document.
#[utoipa::path(get, path = "/templates/{template_id}", tag = "Templates", params(("template_id" = String, Path, description = "The template", pattern = "^template_[0-9A-Za-z]{27}$")), responses(
    (status = 200, description = "It", body = TemplateDetails),
    (status = 404, description = "There is none", body = ErrorBody)))]
async fn get(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<TemplateDetails>> {
    let (item, created_at, document) = load(&app, &id).await?;
    Ok(Json(shown(item, created_at, document)))
}

/// Make a configuration of a template.
#[utoipa::path(post, path = "/templates/{template_id}/clone", tag = "Templates", params(("template_id" = String, Path, description = "The template", pattern = "^template_[0-9A-Za-z]{27}$")), request_body = CloneRequest, responses(
    (status = 201, description = "The configuration, a draft", body = ConfigurationDetails),
    (status = 404, description = "There is no such template or workspace", body = ErrorBody)))]
async fn clone_template(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(new): Body<CloneRequest>,
) -> ApiResult<(StatusCode, [(HeaderName, String); 1], Json<ConfigurationDetails>)> {
    let (_, _, document) = load(&app, &id).await?;
    // The name has to be one that a document may have.
    let mut whole = serde_json::to_value(&document).map_err(ApiError::internal)?;
    whole["name"] = new.name.into();
    let document = from_value(&whole)?;
    let workspace = query::target_workspace(&app, new.workspace_id.as_deref()).await?;
    let row = app.store.create_configuration(&workspace, &document).await?;
    Ok((
        StatusCode::CREATED,
        etag(row.version),
        Json(details(&row, document)),
    ))
}
