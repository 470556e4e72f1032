//! Workspaces.

use super::select::Select;
use super::{Store, StoreError, like};
use crate::id::{DEFAULT_WORKSPACE, Kind};
use crate::time::now_ms;
use sqlx::Row;
use sqlx::any::AnyRow;

/// A workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceRow {
    /// Its identifier.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is for; may be empty.
    pub description: String,
    /// Who made it: the name of their token.
    pub owner: String,
    /// Counts its changes, from 1.
    pub version: i64,
    /// When it was made.
    pub created_at: i64,
    /// When it was last changed.
    pub modified_at: i64,
}

/// What a workspace holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkspaceCounts {
    /// Configurations.
    pub configurations: i64,
    /// Simulations.
    pub simulations: i64,
    /// Those of them that have not ended.
    pub active: i64,
}

/// Which workspaces.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceFilter {
    /// Of this owner.
    pub owner: Option<String>,
    /// With this in name or description.
    pub search: Option<String>,
    /// Made then or later, and before that.
    pub created: (Option<i64>, Option<i64>),
    /// Changed then or later, and before that.
    pub modified: (Option<i64>, Option<i64>),
    /// Behind this one in the list.
    pub after: Option<(i64, String)>,
}

/// What came of setting the identifier of a project elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegacyProject {
    /// It is set now.
    Created,
    /// It was that already.
    Same,
    /// It is another one.
    Other,
}

fn workspace(row: &AnyRow) -> Result<WorkspaceRow, StoreError> {
    Ok(WorkspaceRow {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        description: row.try_get("description")?,
        owner: row.try_get("owner")?,
        version: row.try_get("version")?,
        created_at: row.try_get("created_at")?,
        modified_at: row.try_get("modified_at")?,
    })
}

const COLUMNS: &str = "id, name, description, owner, version, created_at, modified_at";

fn search_text(name: &str, description: &str) -> String {
    format!("{name}\n{description}").to_lowercase()
}

impl Store {
    /// Makes the workspace that is always there, if it is not.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn ensure_default_workspace(&self) -> Result<(), StoreError> {
        let now = now_ms();
        sqlx::query("INSERT INTO workspaces (id, name, description, owner, version, created_at, modified_at, search_text) VALUES ($1, 'Default', 'Where things go when no workspace is named', 'system', 1, $2, $2, $3) ON CONFLICT (id) DO NOTHING")
            .bind(DEFAULT_WORKSPACE)
            .bind(now)
            .bind(search_text("Default", "Where things go when no workspace is named"))
            .execute(self.pool())
            .await?;
        Ok(())
    }

    /// Makes a workspace.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn create_workspace(
        &self,
        name: &str,
        description: &str,
        owner: &str,
    ) -> Result<WorkspaceRow, StoreError> {
        let now = now_ms();
        let row = WorkspaceRow {
            id: Kind::Workspace.new_id(),
            name: name.to_owned(),
            description: description.to_owned(),
            owner: owner.to_owned(),
            version: 1,
            created_at: now,
            modified_at: now,
        };
        sqlx::query("INSERT INTO workspaces (id, name, description, owner, version, created_at, modified_at, search_text) VALUES ($1, $2, $3, $4, 1, $5, $5, $6)")
            .bind(&row.id)
            .bind(name)
            .bind(description)
            .bind(owner)
            .bind(now)
            .bind(search_text(name, description))
            .execute(self.pool())
            .await?;
        Ok(row)
    }

    /// A workspace, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn workspace(&self, id: &str) -> Result<Option<WorkspaceRow>, StoreError> {
        let row = sqlx::query("SELECT id, name, description, owner, version, created_at, modified_at FROM workspaces WHERE id = $1 AND deleted_at IS NULL")
            .bind(id)
            .fetch_optional(self.pool())
            .await?;
        row.as_ref().map(workspace).transpose()
    }

    /// Whether there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn workspace_exists(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.workspace(id).await?.is_some())
    }

    /// The first `most` of those that pass the filter, newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn workspaces(
        &self,
        filter: &WorkspaceFilter,
        most: usize,
    ) -> Result<Vec<WorkspaceRow>, StoreError> {
        let mut select = Select::new(COLUMNS, "workspaces")
            .only("deleted_at IS NULL", [])
            .only_if("owner = ?", filter.owner.as_deref())
            .only_if(
                "search_text LIKE ? ESCAPE '!'",
                filter.search.as_deref().map(like).as_deref(),
            )
            .only_if("created_at >= ?", filter.created.0)
            .only_if("created_at < ?", filter.created.1)
            .only_if("modified_at >= ?", filter.modified.0)
            .only_if("modified_at < ?", filter.modified.1);
        if let Some((time, id)) = &filter.after {
            select = select.only(
                "created_at < ? OR created_at = ? AND id < ?",
                [(*time).into(), (*time).into(), id.as_str().into()],
            );
        }
        let rows = select.rows(self, "created_at DESC, id DESC", most).await?;
        rows.iter().map(workspace).collect()
    }

    /// What a workspace holds.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn workspace_counts(&self, id: &str) -> Result<WorkspaceCounts, StoreError> {
        let (configurations, simulations, active) = sqlx::query_as(
            "SELECT (SELECT CAST(COUNT(*) AS BIGINT) FROM configurations WHERE workspace_id = $1), (SELECT CAST(COUNT(*) AS BIGINT) FROM simulations WHERE workspace_id = $1), (SELECT CAST(COUNT(*) AS BIGINT) FROM simulations WHERE workspace_id = $1 AND status IN ('validating', 'provisioning', 'running'))",
        )
        .bind(id)
        .fetch_one(self.pool())
        .await?;
        Ok(WorkspaceCounts {
            configurations,
            simulations,
            active,
        })
    }

    /// Changes name and description of version `version`; nothing if it is not that version any more.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn update_workspace(
        &self,
        id: &str,
        version: i64,
        name: &str,
        description: &str,
    ) -> Result<Option<WorkspaceRow>, StoreError> {
        let done = sqlx::query("UPDATE workspaces SET name = $1, description = $2, search_text = $3, modified_at = $4, version = version + 1 WHERE id = $5 AND version = $6 AND deleted_at IS NULL")
            .bind(name)
            .bind(description)
            .bind(search_text(name, description))
            .bind(now_ms())
            .bind(id)
            .bind(version)
            .execute(self.pool())
            .await?;
        match done.rows_affected() {
            0 => Ok(None),
            _ => self.workspace(id).await,
        }
    }

    /// Says that a workspace is going: from now on nobody finds it. Whether there was one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn begin_deletion(&self, id: &str) -> Result<bool, StoreError> {
        let done = sqlx::query("UPDATE workspaces SET deleted_at = $1 WHERE id = $2 AND deleted_at IS NULL")
            .bind(now_ms())
            .bind(id)
            .execute(self.pool())
            .await?;
        Ok(done.rows_affected() == 1)
    }

    /// Workspaces that are going and have not gone.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn deletions(&self) -> Result<Vec<String>, StoreError> {
        sqlx::query_scalar("SELECT id FROM workspaces WHERE deleted_at IS NOT NULL")
            .fetch_all(self.pool())
            .await
    }

    /// Takes a workspace away with its configurations. Its simulations have to be gone by then.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_workspace(&self, id: &str) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        for sql in [
            "DELETE FROM configuration_versions WHERE configuration_id IN (SELECT id FROM configurations WHERE workspace_id = $1)",
            "DELETE FROM configurations WHERE workspace_id = $1",
            "DELETE FROM workspaces WHERE id = $1",
        ] {
            sqlx::query(sql).bind(id).execute(&mut *transaction).await?;
        }
        transaction.commit().await
    }

    /// Sets the identifier of a project elsewhere, once. Nothing if there is no such workspace.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn set_legacy_project(
        &self,
        id: &str,
        project: &str,
    ) -> Result<Option<LegacyProject>, StoreError> {
        let done = sqlx::query(
            "UPDATE workspaces SET legacy_project_id = $1 WHERE id = $2 AND legacy_project_id IS NULL",
        )
        .bind(project)
        .bind(id)
        .execute(self.pool())
        .await?;
        if done.rows_affected() > 0 {
            return Ok(Some(LegacyProject::Created));
        }
        let known: Option<Option<String>> =
            sqlx::query_scalar("SELECT legacy_project_id FROM workspaces WHERE id = $1")
                .bind(id)
                .fetch_optional(self.pool())
                .await?;
        Ok(known.map(|known| match known {
            Some(known) if known == project => LegacyProject::Same,
            _ => LegacyProject::Other,
        }))
    }
}
