//! Lists in pages.

use super::error::{ApiError, ApiResult};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Most items of a page, and as many as there are when nobody says.
pub const LARGEST_PAGE: usize = 100;

/// Which page.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Most items; more than 100 are taken as 100.
    #[param(minimum = 1)]
    pub limit: Option<u64>,
    /// The `nextCursor` of the page before.
    pub next: Option<String>,
}

/// What a list says of its pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pagination {
    /// Items of this page.
    pub count: u64,
    /// Whether there are more.
    pub has_more: bool,
    /// What to ask for them with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl PageQuery {
    /// How many items at most.
    ///
    /// # Errors
    /// When none.
    pub fn size(&self) -> ApiResult<usize> {
        match self.limit {
            None => Ok(LARGEST_PAGE),
            Some(0) => Err(ApiError::invalid("limit is 0; give 1 to 100")),
            Some(limit) => Ok((limit.min(LARGEST_PAGE as u64)) as usize),
        }
    }

    /// Where the page before ended, if there is one. `of` names the list and its order, so that a cursor of one is not taken
    /// for one of another.
    ///
    /// # Errors
    /// When it is no cursor of this list.
    pub fn after<T: DeserializeOwned>(&self, of: &str) -> ApiResult<Option<T>> {
        let Some(text) = &self.next else { return Ok(None) };
        let wrong = || {
            ApiError::invalid(
                "next is no cursor of this list; use a nextCursor that it gave, or leave next out",
            )
        };
        let bytes = unhex(text).ok_or_else(wrong)?;
        let (list, place): (String, T) = serde_json::from_slice(&bytes).map_err(|_| wrong())?;
        if list == of { Ok(Some(place)) } else { Err(wrong()) }
    }
}

impl Pagination {
    /// Cuts `items`, of which one more than `size` were looked for, to `size`, and tells how to go on behind the last one.
    pub fn cut<T, P: Serialize>(
        items: &mut Vec<T>,
        size: usize,
        of: &str,
        place: impl Fn(&T) -> P,
    ) -> Pagination {
        let has_more = items.len() > size;
        items.truncate(size);
        let last = items.last().filter(|_| has_more);
        Pagination {
            count: items.len() as u64,
            has_more,
            next_cursor: last.map(|last| hex(&serde_json::to_vec(&(of, place(last))).unwrap_or_default())),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if text.len() > 1_000 || !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(limit: Option<u64>, next: Option<&str>) -> PageQuery {
        PageQuery {
            limit,
            next: next.map(str::to_owned),
        }
    }

    #[test]
    fn pages_follow_each_other() {
        let mut items = vec![1, 2, 3];
        let page = Pagination::cut(&mut items, 2, "numbers", |&n| (n, "x"));
        assert_eq!((items, page.count, page.has_more), (vec![1, 2], 2, true));
        let next = query(None, page.next_cursor.as_deref());
        assert_eq!(
            next.after::<(i64, String)>("numbers").unwrap(),
            Some((2, "x".to_owned()))
        );
        assert_eq!(next.after::<(i64, String)>("others").unwrap_err().status(), 400);
        let mut items = vec![1, 2];
        assert_eq!(
            Pagination::cut(&mut items, 2, "numbers", |&n| n).next_cursor,
            None
        );
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        for wrong in ["", "zz", "7b7d", "é", "abc", "5b5d", "' OR 1=1"] {
            let error = query(None, Some(wrong))
                .after::<(i64, String)>("numbers")
                .unwrap_err();
            assert_eq!(error.status(), 400, "{wrong}");
        }
        assert_eq!(query(Some(0), None).size().unwrap_err().status(), 400);
        assert_eq!(query(Some(5_000), None).size().unwrap(), 100);
    }
}
