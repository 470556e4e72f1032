//! Files by signed links.

use super::error::{ApiError, ApiResult, ErrorBody};
use super::extract::{Path, Query};
use super::simulations::check_id;
use crate::platform::App;
use crate::results::files::{ResultFile, content_type};
use crate::results::link::{Refused, check};
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_range_header::{EndPosition, StartPosition, parse_range_header};
use serde::Deserialize;
use std::ops::Range;
use std::time::{Duration, SystemTime};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(download))
}

/// What makes a link good.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Signed {
    /// Until when it holds, in seconds since 1970.
    #[param(minimum = 0)]
    expires: u64,
    /// Who says so.
    #[param(pattern = "^[0-9a-f]{64}$")]
    signature: String,
}

/// Download a file by a link from the results; the link is signed, so there is no need for a token.
#[utoipa::path(get, path = "/downloads/{sim_id}/{*file}", tag = "Simulations", params(("sim_id" = String, Path, description = "The simulation", pattern = "^sim_[0-9A-Za-z]{27}$"), ("file" = String, Path, description = "Its file"), Signed, ("Range" = Option<String>, Header, description = "A part of it: bytes=FROM-TO")), responses(
    (status = 200, description = "The file", body = String, content_type = "application/octet-stream"),
    (status = 206, description = "The part of it that was asked for", body = String, content_type = "application/octet-stream"),
    (status = 304, description = "It is still what the client has"),
    (status = 403, description = "The link was not made here, or holds no more", body = ErrorBody),
    (status = 404, description = "There is no such file any more", body = ErrorBody),
    (status = 416, description = "There is no such part of it", body = ErrorBody)), security(()))]
async fn download(
    State(app): State<App>,
    method: Method,
    Path((id, name)): Path<(String, String)>,
    Query(signed): Query<Signed>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    check_id(&id)?;
    check(&app.results.key, &id, &name, signed.expires, &signed.signature).map_err(
        |refused| match refused {
            Refused::Wrong => ApiError::forbidden("The link was not made by this server, or was changed"),
            Refused::Expired => ApiError::forbidden("The link holds no more; ask for a new one"),
        },
    )?;
    let failed = |error: object_store::Error| ApiError::internal(format!("the results: {error}"));
    let file = app.results.find(&id, &name).await.map_err(failed)?;
    let file = file.ok_or_else(|| ApiError::not_found("file", &name))?;
    let tag = format!("\"{:x}-{:x}\"", file.modified_ms, file.size);
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let mut response = Response::builder()
        .header(header::ETAG, &tag)
        .header(header::LAST_MODIFIED, httpdate(file.modified_ms))
        .header(header::ACCEPT_RANGES, "bytes")
        .header(header::CACHE_CONTROL, "private, no-cache");
    if text(header::IF_NONE_MATCH).is_some_and(|given| {
        given == "*"
            || given
                .split(',')
                .any(|one| one.trim().trim_start_matches("W/") == tag)
    }) {
        return response
            .status(StatusCode::NOT_MODIFIED)
            .body(Body::empty())
            .map_err(ApiError::internal);
    }
    // A range of something that has changed since is no use (RFC 9110, section 13.1.5).
    let fresh = text(header::IF_RANGE).is_none_or(|given| given == tag);
    let range = match text(header::RANGE)
        .filter(|_| fresh)
        .map(|given| part(given, &file))
    {
        None | Some(Part::Whole) => None,
        Some(Part::Of(range)) => Some(range),
        Some(Part::Outside) => {
            let mut refusal = ApiError::new(
                StatusCode::RANGE_NOT_SATISFIABLE,
                "RANGE_NOT_SATISFIABLE",
                format!("The file has {} bytes", file.size),
            )
            .into_response();
            if let Ok(value) = format!("bytes */{}", file.size).parse() {
                refusal.headers_mut().insert(header::CONTENT_RANGE, value);
            }
            return Ok(refusal);
        }
    };
    if let Some(range) = &range {
        response = response.status(StatusCode::PARTIAL_CONTENT).header(
            header::CONTENT_RANGE,
            format!("bytes {}-{}/{}", range.start, range.end - 1, file.size),
        );
    }
    let range = range.unwrap_or(0..file.size);
    response = response
        .header(header::CONTENT_LENGTH, range.end - range.start)
        .header(header::CONTENT_TYPE, content_type(&name))
        .header(header::CONTENT_DISPOSITION, disposition(&name));
    let body = match method == Method::HEAD || range.is_empty() {
        true => Body::empty(),
        false => Body::from_stream(app.results.stream(&id, &name, range).await.map_err(failed)?),
    };
    response.body(body).map_err(ApiError::internal)
}

/// What a Range asks for.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// Everything: no range that is understood, or several, which may be answered so (RFC 9110, section 14.2).
    Whole,
    /// These bytes.
    Of(Range<u64>),
    /// Nothing that there is.
    Outside,
}

fn part(given: &str, file: &ResultFile) -> Part {
    let Ok(parsed) = parse_range_header(given) else {
        return Part::Whole;
    };
    let [one] = parsed.ranges.as_slice() else {
        return Part::Whole;
    };
    let range = match (one.start, one.end) {
        // More than there is means all of it (RFC 9110, section 14.1.2).
        (StartPosition::FromLast(bytes), _) => file.size.saturating_sub(bytes)..file.size,
        (StartPosition::Index(from), EndPosition::LastByte) => from..file.size,
        // A range that ends before it starts is no range, and is passed over (section 14.1.1).
        (StartPosition::Index(from), EndPosition::Index(to)) if to < from => return Part::Whole,
        (StartPosition::Index(from), EndPosition::Index(to)) => from..to.saturating_add(1).min(file.size),
    };
    match range.is_empty() {
        true => Part::Outside,
        false => Part::Of(range),
    }
}

/// A name that browsers may take for the file: the last part, without what could end the quotes.
fn disposition(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    let safe: String = last
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "._- ".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    format!("attachment; filename=\"{safe}\"")
}

/// A time as headers spell it: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn httpdate(ms: i64) -> String {
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_millis(ms.max(0) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_understood() {
        let file = ResultFile {
            name: "a".to_owned(),
            size: 100,
            modified_ms: 0,
        };
        for (given, right) in [
            ("bytes=0-9", Part::Of(0..10)),
            ("bytes=90-", Part::Of(90..100)),
            ("bytes=-10", Part::Of(90..100)),
            ("bytes=90-1000", Part::Of(90..100)),
            ("bytes=-101", Part::Of(0..100)),
            ("bytes=0-18446744073709551615", Part::Of(0..100)),
            ("bytes=100-", Part::Outside),
            ("bytes=200-100", Part::Whole),
            ("bytes=0-1,5-6", Part::Whole),
            ("bytes=0-5,5-6", Part::Whole),
            ("lines=1-2", Part::Whole),
            ("bytes=x", Part::Whole),
        ] {
            assert_eq!(part(given, &file), right, "{given}");
        }
    }

    #[test]
    fn names_and_times_go_into_headers() {
        assert_eq!(
            disposition("data/a\"b\r\n.csv"),
            "attachment; filename=\"a_b__.csv\""
        );
        // RFC 9110, section 5.6.7.
        assert_eq!(httpdate(784_111_777_000), "Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
