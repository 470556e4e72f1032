//! Lists with filters that may or may not be there.

use super::{Store, StoreError};
use sqlx::AssertSqlSafe;
use sqlx::any::AnyRow;

/// A value in a statement.
#[derive(Clone, Debug)]
pub(crate) enum Bind {
    /// Text.
    Text(String),
    /// A whole number.
    Int(i64),
}

impl From<&str> for Bind {
    fn from(text: &str) -> Self {
        Bind::Text(text.to_owned())
    }
}

impl From<i64> for Bind {
    fn from(number: i64) -> Self {
        Bind::Int(number)
    }
}

/// A `SELECT` in the making. Its text comes from the program alone; values are bound.
#[derive(Debug)]
pub(crate) struct Select {
    sql: String,
    binds: Vec<Bind>,
}

impl Select {
    /// All rows: `columns` of `table`.
    pub fn new(columns: &'static str, table: &'static str) -> Self {
        Select {
            sql: format!("SELECT {columns} FROM {table} WHERE 1 = 1"),
            binds: Vec::new(),
        }
    }

    /// Only those for which `condition` holds, in which each `?` is the next of `values`.
    pub fn only(mut self, condition: &'static str, values: impl IntoIterator<Item = Bind>) -> Self {
        let mut values = values.into_iter();
        self.sql.push_str(" AND (");
        for c in condition.chars() {
            match c {
                '?' => self.bind(values.next()),
                c => self.sql.push(c),
            }
        }
        self.sql.push(')');
        self
    }

    /// The same if there is a value.
    pub fn only_if(self, condition: &'static str, value: Option<impl Into<Bind>>) -> Self {
        match value {
            Some(value) => self.only(condition, [value.into()]),
            None => self,
        }
    }

    /// Only those whose `column` is one of `values`; of none, nothing is.
    pub fn one_of(mut self, column: &'static str, values: &[&str]) -> Self {
        if values.is_empty() {
            self.sql.push_str(" AND 1 = 0");
            return self;
        }
        self.sql.push_str(&format!(" AND {column} IN ("));
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                self.sql.push_str(", ");
            }
            self.bind(Some((*value).into()));
        }
        self.sql.push(')');
        self
    }

    fn bind(&mut self, value: Option<Bind>) {
        debug_assert!(value.is_some(), "a value for each place");
        self.binds.extend(value);
        self.sql.push_str(&format!("${}", self.binds.len()));
    }

    /// The first `most` of them in this order.
    pub async fn rows(
        mut self,
        store: &Store,
        order: &'static str,
        most: usize,
    ) -> Result<Vec<AnyRow>, StoreError> {
        self.sql.push_str(&format!(" ORDER BY {order} LIMIT {most}"));
        let mut query = sqlx::query(AssertSqlSafe(self.sql));
        for bind in self.binds {
            query = match bind {
                Bind::Text(text) => query.bind(text),
                Bind::Int(number) => query.bind(number),
            };
        }
        query.fetch_all(store.pool()).await
    }
}
