//! Configurations and their versions.

use super::select::Select;
use super::{Store, StoreError, like};
use crate::id::Kind;
use crate::time::now_ms;
use packetloom_config::Document;
use sqlx::Row;
use sqlx::any::AnyRow;

/// How a configuration stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConfigurationStatus {
    /// Not checked since its last change.
    Draft,
    /// Checked, and right.
    Validated,
    /// Checked, and wrong.
    Invalid,
}

impl ConfigurationStatus {
    /// All of them.
    pub const ALL: [ConfigurationStatus; 3] = [
        ConfigurationStatus::Draft,
        ConfigurationStatus::Validated,
        ConfigurationStatus::Invalid,
    ];

    /// As it stands in the database and in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            ConfigurationStatus::Draft => "draft",
            ConfigurationStatus::Validated => "validated",
            ConfigurationStatus::Invalid => "invalid",
        }
    }

    /// The one spelled `text`.
    pub fn from_text(text: &str) -> Option<Self> {
        ConfigurationStatus::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
    }
}

/// A configuration without its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationRow {
    /// Its identifier.
    pub id: String,
    /// The workspace it is in.
    pub workspace_id: String,
    /// Its name.
    pub name: String,
    /// How its current version stands.
    pub status: ConfigurationStatus,
    /// The current version.
    pub version: i64,
    /// How many components it declares.
    pub component_count: i64,
    /// When it was made.
    pub created_at: i64,
    /// When the current version was.
    pub modified_at: i64,
}

/// One version of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRow {
    /// Of which configuration.
    pub configuration_id: String,
    /// In which workspace.
    pub workspace_id: String,
    /// The configuration's current name.
    pub name: String,
    /// Which version.
    pub version: i64,
    /// How it stands.
    pub status: ConfigurationStatus,
    /// When it was made.
    pub created_at: i64,
    /// The document, as JSON.
    pub document: String,
}

/// Which configurations.
#[derive(Clone, Debug, Default)]
pub struct ConfigurationFilter {
    /// In this workspace.
    pub workspace_id: Option<String>,
    /// With one of these.
    pub status: Option<Vec<ConfigurationStatus>>,
    /// With this in the name.
    pub search: Option<String>,
    /// Made then or later.
    pub created_from: Option<i64>,
    /// Made before that.
    pub created_before: Option<i64>,
    /// Behind this one in the list: when it was made, and its identifier.
    pub after: Option<(i64, String)>,
}

const COLUMNS: &str = "id, workspace_id, name, status, version, component_count, created_at, modified_at";

fn configuration(row: &AnyRow) -> Result<ConfigurationRow, StoreError> {
    Ok(ConfigurationRow {
        id: row.try_get("id")?,
        workspace_id: row.try_get("workspace_id")?,
        name: row.try_get("name")?,
        status: status(row)?,
        version: row.try_get("version")?,
        component_count: row.try_get("component_count")?,
        created_at: row.try_get("created_at")?,
        modified_at: row.try_get("modified_at")?,
    })
}

fn status(row: &AnyRow) -> Result<ConfigurationStatus, StoreError> {
    let text: String = row.try_get("status")?;
    ConfigurationStatus::from_text(&text)
        .ok_or_else(|| StoreError::Protocol(format!("{text:?} is no status of a configuration")))
}

fn text_of(document: &Document) -> Result<String, StoreError> {
    serde_json::to_string(document).map_err(|error| StoreError::Encode(Box::new(error)))
}

impl Store {
    /// Makes a configuration with version 1.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn create_configuration(
        &self,
        workspace_id: &str,
        document: &Document,
    ) -> Result<ConfigurationRow, StoreError> {
        let now = now_ms();
        let row = ConfigurationRow {
            id: Kind::Configuration.new_id(),
            workspace_id: workspace_id.to_owned(),
            name: document.name.clone(),
            status: ConfigurationStatus::Draft,
            version: 1,
            component_count: document.components.len() as i64,
            created_at: now,
            modified_at: now,
        };
        let mut transaction = self.begin().await?;
        sqlx::query("INSERT INTO configurations (id, workspace_id, name, status, version, component_count, created_at, modified_at, search_text) VALUES ($1, $2, $3, 'draft', 1, $4, $5, $5, $6)")
            .bind(&row.id)
            .bind(&row.workspace_id)
            .bind(&row.name)
            .bind(row.component_count)
            .bind(now)
            .bind(row.name.to_lowercase())
            .execute(&mut *transaction)
            .await?;
        sqlx::query("INSERT INTO configuration_versions (configuration_id, version, status, created_at, document) VALUES ($1, 1, 'draft', $2, $3)")
            .bind(&row.id)
            .bind(now)
            .bind(text_of(document)?)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(row)
    }

    /// A configuration, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn configuration(&self, id: &str) -> Result<Option<ConfigurationRow>, StoreError> {
        sqlx::query("SELECT id, workspace_id, name, status, version, component_count, created_at, modified_at FROM configurations WHERE id = $1")
            .bind(id)
            .fetch_optional(self.pool())
            .await?
            .as_ref()
            .map(configuration)
            .transpose()
    }

    /// The first `most` of those that pass the filter, newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn configurations(
        &self,
        filter: &ConfigurationFilter,
        most: usize,
    ) -> Result<Vec<ConfigurationRow>, StoreError> {
        let mut select = Select::new(COLUMNS, "configurations")
            .only_if("workspace_id = ?", filter.workspace_id.as_deref())
            .only_if(
                "search_text LIKE ? ESCAPE '!'",
                filter.search.as_deref().map(like).as_deref(),
            )
            .only_if("created_at >= ?", filter.created_from)
            .only_if("created_at < ?", filter.created_before);
        if let Some(statuses) = &filter.status {
            let texts: Vec<&str> = statuses.iter().map(|status| status.as_str()).collect();
            select = select.one_of("status", &texts);
        }
        if let Some((time, id)) = &filter.after {
            select = select.only(
                "created_at < ? OR created_at = ? AND id < ?",
                [(*time).into(), (*time).into(), id.as_str().into()],
            );
        }
        let rows = select.rows(self, "created_at DESC, id DESC", most).await?;
        rows.iter().map(configuration).collect()
    }

    /// One version of a configuration, the current one if none is named.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn version(&self, id: &str, version: Option<i64>) -> Result<Option<VersionRow>, StoreError> {
        let row = sqlx::query("SELECT v.configuration_id, c.workspace_id, c.name, v.version, v.status, v.created_at, v.document FROM configuration_versions v JOIN configurations c ON c.id = v.configuration_id WHERE c.id = $1 AND v.version = COALESCE($2, c.version)")
            .bind(id)
            .bind(version)
            .fetch_optional(self.pool())
            .await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(VersionRow {
            configuration_id: row.try_get("configuration_id")?,
            workspace_id: row.try_get("workspace_id")?,
            name: row.try_get("name")?,
            version: row.try_get("version")?,
            status: status(&row)?,
            created_at: row.try_get("created_at")?,
            document: row.try_get("document")?,
        }))
    }

    /// The versions of a configuration and when they were made, newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn versions(&self, id: &str) -> Result<Vec<(i64, i64)>, StoreError> {
        sqlx::query_as("SELECT version, created_at FROM configuration_versions WHERE configuration_id = $1 ORDER BY version DESC")
            .bind(id)
            .fetch_all(self.pool())
            .await
    }

    /// Writes the version behind `version`, which is a draft; nothing if somebody else has written it, or taken the configuration away.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn write_configuration(
        &self,
        id: &str,
        version: i64,
        document: &Document,
    ) -> Result<Option<ConfigurationRow>, StoreError> {
        let now = now_ms();
        let mut transaction = self.begin().await?;
        let done = sqlx::query("UPDATE configurations SET name = $1, search_text = $2, status = 'draft', version = version + 1, component_count = $3, modified_at = $4 WHERE id = $5 AND version = $6")
            .bind(&document.name)
            .bind(document.name.to_lowercase())
            .bind(document.components.len() as i64)
            .bind(now)
            .bind(id)
            .bind(version)
            .execute(&mut *transaction)
            .await?;
        if done.rows_affected() == 0 {
            return Ok(None);
        }
        sqlx::query("INSERT INTO configuration_versions (configuration_id, version, status, created_at, document) VALUES ($1, $2, 'draft', $3, $4)")
            .bind(id)
            .bind(version + 1)
            .bind(now)
            .bind(text_of(document)?)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        self.configuration(id).await
    }

    /// Says how a version stands; the configuration too, if it is its current one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn set_configuration_status(
        &self,
        id: &str,
        version: i64,
        status: ConfigurationStatus,
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        for sql in [
            "UPDATE configuration_versions SET status = $1 WHERE configuration_id = $2 AND version = $3",
            "UPDATE configurations SET status = $1 WHERE id = $2 AND version = $3",
        ] {
            sqlx::query(sql)
                .bind(status.as_str())
                .bind(id)
                .bind(version)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await
    }

    /// Takes a configuration away, all its versions; whether there was one. Its simulations stay.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_configuration(&self, id: &str) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        sqlx::query("DELETE FROM configuration_versions WHERE configuration_id = $1")
            .bind(id)
            .execute(&mut *transaction)
            .await?;
        let done = sqlx::query("DELETE FROM configurations WHERE id = $1")
            .bind(id)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(done.rows_affected() > 0)
    }
}
