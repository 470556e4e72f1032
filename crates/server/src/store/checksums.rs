//! Checksums of files, so that each is computed once.

use super::{Store, StoreError};
use crate::results::files::ResultFile;

impl Store {
    /// The checksum of a file as it is, if it is known.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn checksum(&self, simulation: &str, file: &ResultFile) -> Result<Option<String>, StoreError> {
        sqlx::query_scalar("SELECT sha256 FROM checksums WHERE simulation_id = $1 AND name = $2 AND size = $3 AND modified_at = $4")
            .bind(simulation)
            .bind(&file.name)
            .bind(file.size as i64)
            .bind(file.modified_ms)
            .fetch_optional(self.pool())
            .await
    }

    /// Keeps the checksum of a file as it is.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keep_checksum(
        &self,
        simulation: &str,
        file: &ResultFile,
        sha256: &str,
    ) -> Result<(), StoreError> {
        sqlx::query("INSERT INTO checksums (simulation_id, name, size, modified_at, sha256) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (simulation_id, name) DO UPDATE SET size = excluded.size, modified_at = excluded.modified_at, sha256 = excluded.sha256")
            .bind(simulation)
            .bind(&file.name)
            .bind(file.size as i64)
            .bind(file.modified_ms)
            .bind(sha256)
            .execute(self.pool())
            .await?;
        Ok(())
    }
}
