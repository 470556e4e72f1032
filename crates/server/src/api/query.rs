//! What queries have in common: times, lists of words, searches.

use super::error::{ApiError, ApiResult};
use crate::id::Kind;
use crate::platform::App;
use crate::time::parse_iso;

/// The longest text that is searched for.
const LONGEST_SEARCH: usize = 100;

/// The milliseconds of a time in a query.
pub(crate) fn time(name: &str, text: Option<&str>) -> ApiResult<Option<i64>> {
    let Some(text) = text else { return Ok(None) };
    match parse_iso(text) {
        Some(ms) => Ok(Some(ms)),
        None => Err(ApiError::invalid(format!(
            "{name}: {:?} is no time in ISO 8601; give one such as 2026-01-15T10:30:00Z",
            short(text)
        ))),
    }
}

/// The words of a comma-separated list.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty())
}

/// A text to search for.
pub(crate) fn search(text: Option<&str>) -> ApiResult<Option<String>> {
    match text {
        Some(text) if text.chars().count() > LONGEST_SEARCH => Err(ApiError::invalid(format!(
            "search: is longer than {LONGEST_SEARCH} characters; give fewer"
        ))),
        Some("") | None => Ok(None),
        Some(text) => Ok(Some(text.to_owned())),
    }
}

/// An identifier of a workspace to filter by; it need not exist.
pub(crate) fn workspace(id: Option<&str>) -> ApiResult<Option<String>> {
    match id {
        Some(id) if !Kind::Workspace.fits(id) => Err(ApiError::invalid(format!(
            "workspaceId: {:?} is none; give \"workspace_\" and 27 letters and digits",
            short(id)
        ))),
        id => Ok(id.map(str::to_owned)),
    }
}

/// The workspace to put something in: the default one if none is named.
pub(crate) async fn target_workspace(app: &App, id: Option<&str>) -> ApiResult<String> {
    let id = workspace(id)?.unwrap_or_else(|| crate::id::DEFAULT_WORKSPACE.to_owned());
    if app.store.workspace_exists(&id).await? {
        Ok(id)
    } else {
        Err(ApiError::not_found("workspace", &id))
    }
}

/// The beginning of a text from outside, for a message.
pub(crate) fn short(text: &str) -> String {
    text.chars().take(60).collect()
}
