//! Versions in headers: `ETag: "4"` and `If-Match: "4"`.

use super::error::{ApiError, ApiResult};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, header};

/// The header that tells version `version`.
pub(crate) fn etag(version: i64) -> [(HeaderName, String); 1] {
    [(header::ETAG, format!("\"{version}\""))]
}

/// What If-Match asks for: nothing, any version (`*`), or one of some. `"v4"` is accepted for `"4"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IfMatch(Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        IfMatch::read(&parts.headers)
    }
}

impl IfMatch {
    fn read(headers: &HeaderMap) -> ApiResult<Self> {
        let mut all = Vec::new();
        for value in headers.get_all(header::IF_MATCH) {
            let text = value
                .to_str()
                .map_err(|_| ApiError::invalid("If-Match is not text; give \"4\" for version 4"))?;
            all.push(text.trim());
        }
        Ok(IfMatch((!all.is_empty()).then(|| all.join(","))))
    }

    /// Whether there is one.
    pub fn is_given(&self) -> bool {
        self.0.is_some()
    }

    /// Refuses with 412 when it is given and `version` is not among what it names.
    ///
    /// # Errors
    /// So.
    pub fn check(&self, version: i64) -> ApiResult<()> {
        let Some(given) = &self.0 else { return Ok(()) };
        let fits = given.split(',').map(str::trim).any(|one| {
            let plain = one.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let number = plain.map(|text| text.strip_prefix('v').unwrap_or(text));
            one == "*" || number == Some(version.to_string().as_str())
        });
        if fits {
            Ok(())
        } else {
            Err(ApiError::changed_since(given, &format!("\"{version}\"")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_a_version_are_known_and_others_refused() {
        for good in ["\"4\"", "\"v4\"", "*", "\"3\", \"4\""] {
            assert!(IfMatch(Some(good.to_owned())).check(4).is_ok(), "{good}");
        }
        // A weak tag never matches (RFC 9110, section 13.1.1).
        for stale in ["\"3\"", "4", "W/\"4\"", "\"vv4\"", "", "\"04\""] {
            let error = IfMatch(Some(stale.to_owned())).check(4).expect_err(stale);
            assert_eq!(error.status(), 412);
        }
        assert!(IfMatch(None).check(4).is_ok());
    }
}
