//! Simulations: what was asked for, how they stand, and what they came to.

use super::select::Select;
use super::{Store, StoreError, like};
use crate::time::now_ms;
use sqlx::Row;
use sqlx::any::AnyRow;

/// How a simulation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SimulationStatus {
    /// Its document is being checked.
    Validating,
    /// It waits for its turn.
    Provisioning,
    /// It runs.
    Running,
    /// It came to its end.
    Completed,
    /// It did not; the reason says why.
    Failed,
    /// Somebody ended it.
    Terminated,
}

impl SimulationStatus {
    /// All of them, in the order in which a simulation goes through them.
    pub const ALL: [SimulationStatus; 6] = [
        SimulationStatus::Validating,
        SimulationStatus::Provisioning,
        SimulationStatus::Running,
        SimulationStatus::Completed,
        SimulationStatus::Failed,
        SimulationStatus::Terminated,
    ];

    /// As it stands in the database and in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            SimulationStatus::Validating => "validating",
            SimulationStatus::Provisioning => "provisioning",
            SimulationStatus::Running => "running",
            SimulationStatus::Completed => "completed",
            SimulationStatus::Failed => "failed",
            SimulationStatus::Terminated => "terminated",
        }
    }

    /// The one spelled `text`.
    pub fn from_text(text: &str) -> Option<Self> {
        SimulationStatus::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
    }

    /// Whether nothing comes after it.
    pub fn is_final(self) -> bool {
        matches!(
            self,
            SimulationStatus::Completed | SimulationStatus::Failed | SimulationStatus::Terminated
        )
    }
}

/// How far a simulation has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Simulated time, in picoseconds.
    pub simulated_ps: u64,
    /// The stop time, in picoseconds; 0 before it is known.
    pub stop_ps: u64,
    /// Events handled.
    pub events: u64,
    /// Packet-hops.
    pub packet_hops: u64,
}

/// A simulation without its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulationRow {
    /// Its identifier.
    pub id: String,
    /// The workspace it is in.
    pub workspace_id: String,
    /// What it is a simulation of.
    pub configuration_id: String,
    /// Which version of that.
    pub configuration_version: i64,
    /// Its name, with which its files begin.
    pub name: String,
    /// How it stands.
    pub status: SimulationStatus,
    /// Its duration as it was given.
    pub duration: String,
    /// When it was asked for.
    pub created_at: i64,
    /// When it began to run.
    pub started_at: Option<i64>,
    /// When it ended.
    pub completed_at: Option<i64>,
    /// Why it failed.
    pub failure_reason: Option<String>,
    /// How far it came, as far as the database knows.
    pub reached: Reached,
    /// What it came to: a [`packetloom_sim::summary::Summary`] as JSON.
    pub summary: Option<String>,
}

/// What lists can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortField {
    /// When it was asked for.
    Created,
    /// The name.
    Name,
    /// The status.
    Status,
}

/// Which simulations.
#[derive(Clone, Debug)]
pub struct SimulationFilter {
    /// In this workspace.
    pub workspace_id: Option<String>,
    /// With one of these.
    pub status: Option<Vec<SimulationStatus>>,
    /// With this in the name.
    pub search: Option<String>,
    /// Asked for then or later.
    pub created_from: Option<i64>,
    /// Asked for before that.
    pub created_before: Option<i64>,
    /// In which order, and whether that is turned around.
    pub sort: (SortField, bool),
    /// Behind this one in the list: what it is sorted by, and its identifier.
    pub after: Option<(SortKey, String)>,
}

/// What one simulation is sorted by.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum SortKey {
    /// A time.
    Time(i64),
    /// A text.
    Text(String),
}

impl SimulationRow {
    /// What it is sorted by.
    pub fn key(&self, field: SortField) -> SortKey {
        match field {
            SortField::Created => SortKey::Time(self.created_at),
            SortField::Name => SortKey::Text(self.name.clone()),
            SortField::Status => SortKey::Text(self.status.as_str().to_owned()),
        }
    }
}

const COLUMNS: &str = "id, workspace_id, configuration_id, configuration_version, name, status, duration, created_at, started_at, completed_at, failure_reason, simulated_ps, stop_ps, events, packet_hops, summary";

fn simulation(row: &AnyRow) -> Result<SimulationRow, StoreError> {
    let status: String = row.try_get("status")?;
    let count = |name: &str| row.try_get::<i64, _>(name).map(|n| n.max(0) as u64);
    Ok(SimulationRow {
        id: row.try_get("id")?,
        workspace_id: row.try_get("workspace_id")?,
        configuration_id: row.try_get("configuration_id")?,
        configuration_version: row.try_get("configuration_version")?,
        name: row.try_get("name")?,
        status: SimulationStatus::from_text(&status)
            .ok_or_else(|| StoreError::Protocol(format!("{status:?} is no status of a simulation")))?,
        duration: row.try_get("duration")?,
        created_at: row.try_get("created_at")?,
        started_at: row.try_get("started_at")?,
        completed_at: row.try_get("completed_at")?,
        failure_reason: row.try_get("failure_reason")?,
        reached: Reached {
            simulated_ps: count("simulated_ps")?,
            stop_ps: count("stop_ps")?,
            events: count("events")?,
            packet_hops: count("packet_hops")?,
        },
        summary: row.try_get("summary")?,
    })
}

/// A count as the database holds it.
fn big(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// What came of asking for a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queued {
    /// It is in the list, being checked.
    Yes,
    /// Too many wait already.
    Full,
}

impl Store {
    /// Adds a simulation in `validating`, unless `most` wait already.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn create_simulation(
        &self,
        row: &SimulationRow,
        document: &str,
        most: u64,
    ) -> Result<Queued, StoreError> {
        let mut transaction = self.begin().await?;
        let waiting: i64 = sqlx::query_scalar(
            "SELECT CAST(COUNT(*) AS BIGINT) FROM simulations WHERE status IN ('validating', 'provisioning')",
        )
        .fetch_one(&mut *transaction)
        .await?;
        if waiting >= big(most) {
            return Ok(Queued::Full);
        }
        sqlx::query("INSERT INTO simulations (id, workspace_id, configuration_id, configuration_version, name, status, duration, created_at, simulated_ps, stop_ps, events, packet_hops, search_text) VALUES ($1, $2, $3, $4, $5, 'validating', $6, $7, 0, 0, 0, 0, $8)")
            .bind(&row.id)
            .bind(&row.workspace_id)
            .bind(&row.configuration_id)
            .bind(row.configuration_version)
            .bind(&row.name)
            .bind(&row.duration)
            .bind(row.created_at)
            .bind(row.name.to_lowercase())
            .execute(&mut *transaction)
            .await?;
        sqlx::query("INSERT INTO simulation_documents (simulation_id, document) VALUES ($1, $2)")
            .bind(&row.id)
            .bind(document)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(Queued::Yes)
    }

    /// Adds a simulation as it stands, which ran somewhere else.
    ///
    /// # Errors
    /// When the database fails, or has it already.
    pub async fn add_simulation(
        &self,
        row: &SimulationRow,
        document: Option<&str>,
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        sqlx::query("INSERT INTO simulations (id, workspace_id, configuration_id, configuration_version, name, status, duration, created_at, started_at, completed_at, failure_reason, simulated_ps, stop_ps, events, packet_hops, search_text, summary) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)")
            .bind(&row.id)
            .bind(&row.workspace_id)
            .bind(&row.configuration_id)
            .bind(row.configuration_version)
            .bind(&row.name)
            .bind(row.status.as_str())
            .bind(&row.duration)
            .bind(row.created_at)
            .bind(row.started_at)
            .bind(row.completed_at)
            .bind(row.failure_reason.as_deref())
            .bind(big(row.reached.simulated_ps))
            .bind(big(row.reached.stop_ps))
            .bind(big(row.reached.events))
            .bind(big(row.reached.packet_hops))
            .bind(row.name.to_lowercase())
            .bind(row.summary.as_deref())
            .execute(&mut *transaction)
            .await?;
        if let Some(document) = document {
            sqlx::query("INSERT INTO simulation_documents (simulation_id, document) VALUES ($1, $2)")
                .bind(&row.id)
                .bind(document)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await
    }

    /// A simulation, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn simulation(&self, id: &str) -> Result<Option<SimulationRow>, StoreError> {
        let mut rows = Select::new(COLUMNS, "simulations")
            .only("id = ?", [id.into()])
            .rows(self, "id", 1)
            .await?;
        rows.pop().as_ref().map(simulation).transpose()
    }

    /// The document of a simulation.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn simulation_document(&self, id: &str) -> Result<Option<String>, StoreError> {
        sqlx::query_scalar("SELECT document FROM simulation_documents WHERE simulation_id = $1")
            .bind(id)
            .fetch_optional(self.pool())
            .await
    }

    /// The first `most` of those that pass the filter, in its order.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn simulations(
        &self,
        filter: &SimulationFilter,
        most: usize,
    ) -> Result<Vec<SimulationRow>, StoreError> {
        let mut select = Select::new(COLUMNS, "simulations")
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
        let (order, behind) = match filter.sort {
            (SortField::Created, true) => (
                "created_at DESC, id DESC",
                "created_at < ? OR created_at = ? AND id < ?",
            ),
            (SortField::Created, false) => ("created_at, id", "created_at > ? OR created_at = ? AND id > ?"),
            (SortField::Name, true) => ("name DESC, id DESC", "name < ? OR name = ? AND id < ?"),
            (SortField::Name, false) => ("name, id", "name > ? OR name = ? AND id > ?"),
            (SortField::Status, true) => ("status DESC, id DESC", "status < ? OR status = ? AND id < ?"),
            (SortField::Status, false) => ("status, id", "status > ? OR status = ? AND id > ?"),
        };
        if let Some((key, id)) = &filter.after {
            let key = || match key {
                SortKey::Time(ms) => (*ms).into(),
                SortKey::Text(text) => text.as_str().into(),
            };
            select = select.only(behind, [key(), key(), id.as_str().into()]);
        }
        let rows = select.rows(self, order, most).await?;
        rows.iter().map(simulation).collect()
    }

    /// Identifiers of those with that status, those asked for first first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn simulations_with(&self, status: SimulationStatus) -> Result<Vec<String>, StoreError> {
        sqlx::query_scalar("SELECT id FROM simulations WHERE status = $1 ORDER BY created_at, id")
            .bind(status.as_str())
            .fetch_all(self.pool())
            .await
    }

    /// Identifiers of those in a workspace.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn simulations_in(&self, workspace_id: &str) -> Result<Vec<String>, StoreError> {
        sqlx::query_scalar("SELECT id FROM simulations WHERE workspace_id = $1")
            .bind(workspace_id)
            .fetch_all(self.pool())
            .await
    }

    /// How many wait.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn waiting(&self) -> Result<i64, StoreError> {
        sqlx::query_scalar(
            "SELECT CAST(COUNT(*) AS BIGINT) FROM simulations WHERE status IN ('validating', 'provisioning')",
        )
        .fetch_one(self.pool())
        .await
    }

    /// The one whose turn it is: that asked for first of all that wait, once it has been checked. None is passed by another
    /// whose check took less time.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn next_simulation(&self) -> Result<Option<String>, StoreError> {
        let first: Option<(String, String)> = sqlx::query_as(
            "SELECT id, status FROM simulations WHERE status IN ('validating', 'provisioning') ORDER BY created_at, id LIMIT 1",
        )
        .fetch_optional(self.pool())
        .await?;
        Ok(first
            .filter(|(_, status)| status == SimulationStatus::Provisioning.as_str())
            .map(|(id, _)| id))
    }

    /// Moves a simulation on, if it stands as `from`; whether it did. It is written before anything is done about it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn move_simulation(
        &self,
        id: &str,
        from: SimulationStatus,
        to: SimulationStatus,
    ) -> Result<bool, StoreError> {
        let now = now_ms();
        let done = sqlx::query("UPDATE simulations SET status = $1, started_at = CASE WHEN $1 = 'running' THEN $2 ELSE started_at END, completed_at = CASE WHEN $1 = 'terminated' THEN $2 ELSE completed_at END WHERE id = $3 AND status = $4")
            .bind(to.as_str())
            .bind(now)
            .bind(id)
            .bind(from.as_str())
            .execute(self.pool())
            .await?;
        Ok(done.rows_affected() == 1)
    }

    /// Ends a simulation that has not ended.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_simulation(
        &self,
        id: &str,
        status: SimulationStatus,
        reason: Option<&str>,
        reached: Option<Reached>,
        summary: Option<&str>,
    ) -> Result<bool, StoreError> {
        if let Some(reached) = reached {
            self.reach(id, reached).await?;
        }
        let done = sqlx::query("UPDATE simulations SET status = $1, completed_at = $2, failure_reason = $3, summary = $4 WHERE id = $5 AND status IN ('validating', 'provisioning', 'running')")
            .bind(status.as_str())
            .bind(now_ms())
            .bind(reason)
            .bind(summary)
            .bind(id)
            .execute(self.pool())
            .await?;
        Ok(done.rows_affected() == 1)
    }

    /// Writes down how far a simulation has come.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn reach(&self, id: &str, reached: Reached) -> Result<(), StoreError> {
        sqlx::query("UPDATE simulations SET simulated_ps = $1, stop_ps = $2, events = $3, packet_hops = $4 WHERE id = $5")
            .bind(big(reached.simulated_ps))
            .bind(big(reached.stop_ps))
            .bind(big(reached.events))
            .bind(big(reached.packet_hops))
            .bind(id)
            .execute(self.pool())
            .await?;
        Ok(())
    }

    /// Takes a simulation away that does not run; whether there was one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_simulation(&self, id: &str) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let done = sqlx::query("DELETE FROM simulations WHERE id = $1 AND status <> 'running'")
            .bind(id)
            .execute(&mut *transaction)
            .await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        for sql in [
            "DELETE FROM simulation_documents WHERE simulation_id = $1",
            "DELETE FROM checksums WHERE simulation_id = $1",
        ] {
            sqlx::query(sql).bind(id).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
