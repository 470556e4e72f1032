//! Models: what configurations are made of, ready to paste.

use super::error::{ApiError, ApiResult, ErrorBody};
use super::extract::{Path, Query};
use super::page::{PageQuery, Pagination};
use super::query;
use crate::edit::{self, components};
use crate::id::Kind;
use crate::platform::App;
use axum::Json;
use packetloom_config::catalog::{self, Model, ModelKind};
use packetloom_config::document::ComponentDeclaration;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(get))
        .routes(routes!(versions))
}

/// Whether a version of a model can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModelStatus {
    /// It can.
    Stable,
    /// It is known, but not there yet; configurations that name it are invalid.
    Unavailable,
}

fn status(model: &Model) -> ModelStatus {
    match model.available {
        true => ModelStatus::Stable,
        false => ModelStatus::Unavailable,
    }
}

/// A model in a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelItem {
    /// Its identifier, the same in every installation.
    #[schema(pattern = "^model_[0-9A-Za-z]{27}$")]
    pub id: String,
    /// What configurations call it.
    pub model: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// What it is a model of: switch, nic, server, rack, pod, layer or application.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Always null: all models come with the program.
    pub vendor: Option<String>,
    /// Whether it can be used.
    pub status: ModelStatus,
    /// The latest version.
    pub latest_version: &'static str,
    /// Always null: every version works with every other model.
    pub compatibility: Option<String>,
}

/// A page of models.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelList {
    /// In the order of the catalogue.
    models: Vec<ModelItem>,
    pagination: Pagination,
}

/// A version of a model.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelVersion {
    /// The version.
    version: &'static str,
    /// Whether it can be used.
    status: ModelStatus,
    /// Always null: every version works with every other model.
    compatibility: Option<String>,
}

/// The versions of a model.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelVersions {
    /// The model's identifier.
    #[schema(pattern = "^model_[0-9A-Za-z]{27}$")]
    id: String,
    /// What configurations call it.
    model: &'static str,
    /// Newest first.
    versions: Vec<ModelVersion>,
}

/// Which models.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Most items; more than 100 are taken as 100.
    #[param(minimum = 1)]
    limit: Option<u64>,
    /// The `nextCursor` of the page before.
    next: Option<String>,
    /// Only models of this: switch, nic, server (or host), rack, pod, layer or application; several with commas between them.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Only those of this vendor; none has one.
    vendor: Option<String>,
    /// Only those with this in name or description, in any case of letters.
    #[param(max_length = 100)]
    search: Option<String>,
}

/// Which version.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct VersionQuery {
    /// The version; the latest if left out.
    version: Option<String>,
}

/// All models, those that are not there yet last.
pub(super) fn all() -> impl Iterator<Item = &'static Model> {
    catalog::models().chain(catalog::not_yet())
}

/// The kind of model spelled `text`.
pub(super) fn model_kind(text: &str) -> ApiResult<ModelKind> {
    edit::kind(text).ok_or_else(|| {
        ApiError::invalid(format!(
            "type: {:?} is none; give switch, nic, server, rack, pod, layer or application",
            query::short(text)
        ))
    })
}

/// Whether `text` is in the model's name or description.
fn speaks_of(model: &Model, text: &str) -> bool {
    let text = text.to_lowercase();
    [model.name, model.text]
        .iter()
        .any(|known| known.to_lowercase().contains(&text))
}

/// The model with that identifier or name, and the version if the name spells one.
pub(super) fn find(id: &str) -> ApiResult<(&'static Model, Option<&str>)> {
    let by_id = all().find(|model| Kind::Model.fixed_id(model.name) == id);
    by_id
        .map(|model| (model, None))
        .or_else(|| catalog::find(id))
        .ok_or_else(|| ApiError::not_found("model", id))
}

/// The model with that identifier or name, if it can be used and the version asked for is offered.
pub(super) fn find_usable(id: &str, version: Option<&str>) -> ApiResult<&'static Model> {
    let (model, spelt) = find(id)?;
    for asked in [version, spelt].into_iter().flatten() {
        if asked != model.version {
            let what = format!("version of {} (the one offered is {})", model.name, model.version);
            return Err(ApiError::not_found(&what, asked));
        }
    }
    match model.available {
        true => Ok(model),
        false => Err(ApiError::not_found("usable model yet called", model.name)),
    }
}

/// List models, those that cannot be used yet included.
#[utoipa::path(get, path = "/models", tag = "Models", params(ListQuery), responses((status = 200, description = "A page of them", body = ModelList)))]
async fn list(Query(given): Query<ListQuery>) -> ApiResult<Json<ModelList>> {
    const LIST: &str = "models";
    let page = PageQuery {
        limit: given.limit,
        next: given.next,
    };
    let (size, after) = (page.size()?, page.after::<usize>(LIST)?);
    let kinds = given
        .kind
        .as_deref()
        .map(|text| query::words(text).map(model_kind).collect::<ApiResult<Vec<_>>>());
    let kinds = kinds.transpose()?;
    let search = query::search(given.search.as_deref())?;
    let mut found: Vec<(usize, &Model)> = all()
        .enumerate()
        .skip(after.map_or(0, |at| at.saturating_add(1)))
        .filter(|_| given.vendor.is_none())
        .filter(|(_, model)| kinds.as_ref().is_none_or(|kinds| kinds.contains(&model.kind)))
        .filter(|(_, model)| search.as_ref().is_none_or(|text| speaks_of(model, text)))
        .take(size + 1)
        .collect();
    let pagination = Pagination::cut(&mut found, size, LIST, |(at, _)| *at);
    let models = found
        .into_iter()
        .map(|(_, model)| ModelItem {
            id: Kind::Model.fixed_id(model.name),
            model: model.name,
            name: model.name,
            kind: model.kind.as_str(),
            vendor: None,
            status: status(model),
            latest_version: model.version,
            compatibility: None,
        })
        .collect();
    Ok(Json(ModelList { models, pagination }))
}

/// Get a declaration of a model with all attributes at their defaults, ready to stand in a configuration.
#[utoipa::path(get, path = "/models/{model_id}", tag = "Models", params(("model_id" = String, Path, description = "The model's identifier, or its name, with a version (scala-switch-v3.7.0) or without (ScalaSwitch)"), VersionQuery), responses(
    (status = 200, description = "The declaration", body = ComponentDeclaration),
    (status = 404, description = "There is no such model or version, or it cannot be used yet", body = ErrorBody)))]
async fn get(
    Path(id): Path<String>,
    Query(given): Query<VersionQuery>,
) -> ApiResult<Json<ComponentDeclaration>> {
    let model = find_usable(&id, given.version.as_deref())?;
    Ok(Json(components::declaration(model, model.name)))
}

/// List the versions of a model.
#[utoipa::path(get, path = "/models/{model_id}/versions", tag = "Models", params(("model_id" = String, Path, description = "The model's identifier, or its name")), responses(
    (status = 200, description = "They", body = ModelVersions),
    (status = 404, description = "There is no such model", body = ErrorBody)))]
async fn versions(Path(id): Path<String>) -> ApiResult<Json<ModelVersions>> {
    let (model, _) = find(&id)?;
    Ok(Json(ModelVersions {
        id: Kind::Model.fixed_id(model.name),
        model: model.name,
        versions: vec![ModelVersion {
            version: model.version,
            status: status(model),
            compatibility: None,
        }],
    }))
}

#[cfg(test)]
mod tests {
    use crate::api::client::Client;
    use crate::id::Kind;
    use packetloom_config::document::from_value;
    use serde_json::{Value, json};

    #[tokio::test]
    async fn the_catalogue_is_listed_and_filtered() {
        let service = Client::new().await;
        let (status, list) = service.see("/models").await;
        assert_eq!(status, 200);
        // Nine models that run and three that do not yet.
        assert_eq!(
            list["pagination"],
            json!({"count": 12, "hasMore": false}),
            "{list}"
        );
        assert_eq!(
            list["models"][0],
            json!({
                "id": Kind::Model.fixed_id("ScalaSwitch"), "model": "ScalaSwitch", "name": "ScalaSwitch", "type": "switch",
                "vendor": null, "status": "stable", "latestVersion": "3.7.0", "compatibility": null
            })
        );
        let names = |list: &Value| -> Vec<String> {
            let models = list["models"].as_array().expect("a list");
            models
                .iter()
                .map(|model| model["model"].as_str().unwrap_or_default().to_owned())
                .collect()
        };
        for (query, expected) in [
            (
                "type=nic,switch",
                vec!["ScalaSwitch", "ScalaRoceNic", "ScalaNic", "ScalaUETNIC"],
            ),
            ("type=host", vec!["ScalaHost"]),
            // In a name, and in a description.
            ("search=ROCE", vec!["ScalaRoceNic"]),
            ("search=open+loop", vec!["ScalaTrafficGeneratorApplication"]),
            ("vendor=acme", vec![]),
        ] {
            let (status, list) = service.see(&format!("/models?{query}")).await;
            assert_eq!((status, names(&list)), (200, to_owned(expected)), "{query}");
        }
        assert_eq!(list["models"][11]["status"], "unavailable");
        let (status, error) = service.see("/models?type=router").await;
        assert_eq!(
            (status, &error["error"]["code"]),
            (400, &json!("VALIDATION_ERROR"))
        );
    }

    fn to_owned(names: Vec<&str>) -> Vec<String> {
        names.into_iter().map(str::to_owned).collect()
    }

    #[tokio::test]
    async fn pages_of_models_hold_each_once() {
        let service = Client::new().await;
        let (mut seen, mut next) = (Vec::new(), String::new());
        loop {
            let (status, list) = service.see(&format!("/models?limit=5{next}")).await;
            assert_eq!(status, 200);
            for model in list["models"].as_array().expect("a list") {
                seen.push(model["model"].clone());
            }
            match list["pagination"]["nextCursor"].as_str() {
                Some(cursor) => next = format!("&next={cursor}"),
                None => break,
            }
        }
        assert_eq!(seen.len(), 12);
        seen.sort_by_key(Value::to_string);
        seen.dedup();
        assert_eq!(seen.len(), 12);
    }

    #[tokio::test]
    async fn declarations_can_be_pasted_where_they_belong() {
        let service = Client::new().await;
        for (name, list) in [
            ("ScalaSwitch", "components"),
            ("ScalaRoceNic", "components"),
            ("ScalaNic", "components"),
            ("ScalaHost", "components"),
            ("ScalaLayer", "links"),
            ("ScalaRdmaApplication", "applications"),
            ("ScalaTrafficGeneratorApplication", "applications"),
        ] {
            let (status, declaration) = service
                .see(&format!("/models/{}", Kind::Model.fixed_id(name)))
                .await;
            assert_eq!((status, &declaration["model"]), (200, &json!(name)));
            let mut document = json!({
                "name": "pasted", "components": [], "containers": [], "applications": [], "links": [], "globalParameters": {},
                "topology": {"type": "clos", "components": [], "appDistribution": {"randomApplicationDistribution": []}}
            });
            document[list] = json!([declaration]);
            from_value(&document).unwrap_or_else(|errors| panic!("{name}: {errors}"));
        }
        let (_, switch) = service.see("/models/scala-switch-v3.7.0").await;
        let rate = &switch["typedParameters"]["NetworkInterface"]["DownlinkNetworkInterface"]["DataRate"];
        assert_eq!(
            (&rate["type"], &rate["unit"]),
            (&json!("datarate"), &json!("Gbps"))
        );
        assert_eq!(
            service.see("/models/ScalaSwitch?version=3.7.0").await,
            (200, switch)
        );
    }

    #[tokio::test]
    async fn what_is_not_offered_is_not_found() {
        let service = Client::new().await;
        for path in [
            "/models/ScalaSwich",
            "/models/model_000000000000000000000000000",
            "/models/ScalaSwitch?version=3.2.1",
            "/models/scala-switch-v3.2.1",
            "/models/ScalaUETNIC",
            "/models/ScalaSwich/versions",
        ] {
            let (status, error) = service.see(path).await;
            assert_eq!(
                (status, &error["error"]["code"]),
                (404, &json!("NOT_FOUND")),
                "{path}"
            );
        }
        let (status, versions) = service.see("/models/ScalaUETNIC/versions").await;
        assert_eq!(status, 200);
        assert_eq!(
            versions["versions"],
            json!([{"version": "4.6.0", "status": "unavailable", "compatibility": null}])
        );
    }
}
