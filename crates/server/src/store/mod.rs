//! The database: one file a table, the rules of both engines in one place.
//!
//! Columns are BIGINT, DOUBLE PRECISION and TEXT; times are epoch milliseconds, JSON is TEXT, sums are cast, placeholders are `$1`.

pub mod checksums;
pub mod configurations;
mod schema;
mod select;
pub mod simulations;
pub mod templates;
pub mod tokens;
pub mod workspaces;

use crate::platform::ServeError;
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{Any, AnyPool, Executor, Transaction};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// The database.
#[derive(Clone, Debug)]
pub struct Store {
    pool: AnyPool,
}

/// Why the database did not answer.
pub type StoreError = sqlx::Error;

/// Connections kept open: readers beside the one writer that SQLite admits.
const CONNECTIONS: u32 = 8;

impl Store {
    /// Opens `packetloom.db` in the folder of data, creating both if missing.
    ///
    /// # Errors
    /// When it cannot be opened, or was made by a later version.
    pub async fn open(data: &Path) -> Result<Store, ServeError> {
        let path = data.join("packetloom.db");
        let wrong =
            |error: &dyn std::fmt::Display| ServeError::Machine(format!("{}: {error}", path.display()));
        std::fs::create_dir_all(data)
            .map_err(|error| ServeError::Machine(format!("{}: {error}", data.display())))?;
        sqlx::any::install_default_drivers();
        // A URL may not hold every character that a path may.
        let url = format!("sqlite://{}?mode=rwc", escaped(&path));
        let options = AnyConnectOptions::from_str(&url).map_err(|error| wrong(&error))?;
        let pool = AnyPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(Duration::from_secs(15))
            .after_connect(|connection, _| {
                Box::pin(async move {
                    connection
                        .execute("PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
                        .await?;
                    Ok(())
                })
            })
            .connect_with(options)
            .await
            .map_err(|error| wrong(&error))?;
        let store = Store { pool };
        schema::migrate(&store).await.map_err(|error| wrong(&error))?;
        store
            .ensure_default_workspace()
            .await
            .map_err(|error| wrong(&error))?;
        Ok(store)
    }

    /// For statements that only read, and for single statements that write.
    pub(crate) fn pool(&self) -> &AnyPool {
        &self.pool
    }

    /// A transaction that is going to write; it takes the right to do so at once, so that it never has to give up half way.
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, Any>, StoreError> {
        self.pool.begin_with("BEGIN IMMEDIATE").await
    }

    /// The secret called `name`: 32 random bytes, made when it is first asked for.
    pub(crate) async fn secret(&self, name: &str) -> Result<Vec<u8>, ServeError> {
        let fresh: [u8; 32] = rand::random();
        let text: String = fresh.iter().map(|byte| format!("{byte:02x}")).collect();
        let done = async {
            sqlx::query("INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
                .bind(name)
                .bind(text)
                .execute(&self.pool)
                .await?;
            sqlx::query_scalar::<_, String>("SELECT value FROM meta WHERE name = $1")
                .bind(name)
                .fetch_one(&self.pool)
                .await
        };
        let text = done
            .await
            .map_err(|error| ServeError::Machine(format!("the database: {error}")))?;
        Ok(text.into_bytes())
    }

    /// Writes something of no meaning, to see whether that can be done.
    ///
    /// # Errors
    /// When it cannot.
    pub(crate) async fn probe(&self) -> Result<(), StoreError> {
        sqlx::query("INSERT INTO meta (name, value) VALUES ('probe', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
            .bind(crate::time::now_ms().to_string())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

/// A path as it stands in a URL.
fn escaped(path: &Path) -> String {
    let mut url = String::new();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => url.push(byte as char),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

/// What `LIKE` finds `text` with, anywhere in a column that is in lower case; the escape character is `!`.
pub(crate) fn like(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.to_lowercase().chars() {
        if matches!(c, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_hold_no_wildcards_of_the_text() {
        assert_eq!(like("50%_A!"), "%50!%!_a!!%");
    }

    #[tokio::test]
    async fn it_opens_in_a_folder_with_an_odd_name_and_keeps_its_secrets() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("a b?c#d%e'ü");
        let first = Store::open(&data).await.expect("opened");
        let secret = first.secret("link_key").await.expect("made");
        first.close().await;
        let again = Store::open(&data).await.expect("opened again");
        assert_eq!(again.secret("link_key").await.expect("there"), secret);
        assert!(data.join("packetloom.db").is_file());
    }
}
