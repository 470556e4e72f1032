//! The tables, and how an older database becomes a newer one.

use super::{Store, StoreError};
use sqlx::Executor;

/// What makes version n + 1 of the tables from version n. Never changed, only added to.
const STEPS: &[&str] = &["
CREATE TABLE tokens (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE workspaces (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    owner TEXT NOT NULL,
    legacy_project_id TEXT,
    deleted_at BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    modified_at BIGINT NOT NULL,
    search_text TEXT NOT NULL
);
CREATE TABLE configurations (
    id TEXT NOT NULL PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    version BIGINT NOT NULL,
    component_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    modified_at BIGINT NOT NULL,
    search_text TEXT NOT NULL
);
CREATE INDEX configurations_by_time ON configurations (created_at, id);
CREATE INDEX configurations_by_workspace ON configurations (workspace_id, created_at, id);
CREATE TABLE configuration_versions (
    configuration_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (configuration_id, version)
);
CREATE TABLE templates (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    category TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    search_text TEXT NOT NULL,
    document TEXT NOT NULL
);
CREATE TABLE simulations (
    id TEXT NOT NULL PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    configuration_id TEXT NOT NULL,
    configuration_version BIGINT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    duration TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    completed_at BIGINT,
    failure_reason TEXT,
    simulated_ps BIGINT NOT NULL,
    stop_ps BIGINT NOT NULL,
    events BIGINT NOT NULL,
    packet_hops BIGINT NOT NULL,
    search_text TEXT NOT NULL,
    summary TEXT
);
CREATE INDEX simulations_by_time ON simulations (created_at, id);
CREATE INDEX simulations_by_workspace ON simulations (workspace_id, created_at, id);
CREATE INDEX simulations_by_status ON simulations (status, created_at, id);
CREATE TABLE simulation_documents (
    simulation_id TEXT NOT NULL PRIMARY KEY,
    document TEXT NOT NULL
);
CREATE TABLE checksums (
    simulation_id TEXT NOT NULL,
    name TEXT NOT NULL,
    size BIGINT NOT NULL,
    modified_at BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (simulation_id, name)
);
"];

/// Brings the tables to this program's version.
pub(super) async fn migrate(store: &Store) -> Result<(), StoreError> {
    store
        .pool()
        .execute("CREATE TABLE IF NOT EXISTS meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
        .await?;
    let mut transaction = store.begin().await?;
    let version: Option<String> = sqlx::query_scalar("SELECT value FROM meta WHERE name = 'schema'")
        .fetch_optional(&mut *transaction)
        .await?;
    let version: usize = version.and_then(|text| text.parse().ok()).unwrap_or(0);
    if version > STEPS.len() {
        return Err(StoreError::Protocol(format!(
            "was made by a later version of this program (tables of version {version}; this one knows {}); use that one",
            STEPS.len()
        )));
    }
    for step in &STEPS[version..] {
        for statement in step
            .split(';')
            .map(str::trim)
            .filter(|statement| !statement.is_empty())
        {
            sqlx::raw_sql(statement).execute(&mut *transaction).await?;
        }
    }
    sqlx::query("INSERT INTO meta (name, value) VALUES ('schema', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
        .bind(STEPS.len().to_string())
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await
}
