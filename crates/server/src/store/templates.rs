//! Templates that somebody has stored; those that come with the program are not here.

use super::select::Select;
use super::{Store, StoreError, like};
use crate::id::Kind;
use crate::time::now_ms;
use packetloom_config::Document;
use sqlx::Row;
use sqlx::any::AnyRow;

/// A template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateRow {
    /// Its identifier.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is an example of.
    pub description: String,
    /// Its category, as answers spell it.
    pub category: String,
    /// When it was made.
    pub created_at: i64,
    /// Its document as JSON.
    pub document: String,
}

/// Which templates.
#[derive(Clone, Debug, Default)]
pub struct TemplateFilter {
    /// Of this category.
    pub category: Option<&'static str>,
    /// With this in name or description.
    pub search: Option<String>,
    /// Behind this one in the list.
    pub after: Option<(i64, String)>,
}

fn template(row: &AnyRow) -> Result<TemplateRow, StoreError> {
    Ok(TemplateRow {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        description: row.try_get("description")?,
        category: row.try_get("category")?,
        created_at: row.try_get("created_at")?,
        document: row.try_get("document")?,
    })
}

const COLUMNS: &str = "id, name, description, category, created_at, document";

impl Store {
    /// Stores a template, called as its document is.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn create_template(
        &self,
        description: &str,
        category: &str,
        document: &Document,
    ) -> Result<TemplateRow, StoreError> {
        let text = serde_json::to_string(document).map_err(|error| StoreError::Encode(Box::new(error)))?;
        let row = TemplateRow {
            id: Kind::Template.new_id(),
            name: document.name.clone(),
            description: description.to_owned(),
            category: category.to_owned(),
            created_at: now_ms(),
            document: text,
        };
        sqlx::query("INSERT INTO templates (id, name, description, category, created_at, search_text, document) VALUES ($1, $2, $3, $4, $5, $6, $7)")
            .bind(&row.id)
            .bind(&row.name)
            .bind(&row.description)
            .bind(&row.category)
            .bind(row.created_at)
            .bind(format!("{}\n{}", row.name, row.description).to_lowercase())
            .bind(&row.document)
            .execute(self.pool())
            .await?;
        Ok(row)
    }

    /// A template, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn template(&self, id: &str) -> Result<Option<TemplateRow>, StoreError> {
        let mut rows = Select::new(COLUMNS, "templates")
            .only("id = ?", [id.into()])
            .rows(self, "id", 1)
            .await?;
        rows.pop().as_ref().map(template).transpose()
    }

    /// The first `most` of those that pass the filter, newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn templates(
        &self,
        filter: &TemplateFilter,
        most: usize,
    ) -> Result<Vec<TemplateRow>, StoreError> {
        let mut select = Select::new(COLUMNS, "templates")
            .only_if("category = ?", filter.category)
            .only_if(
                "search_text LIKE ? ESCAPE '!'",
                filter.search.as_deref().map(like).as_deref(),
            );
        if let Some((time, id)) = &filter.after {
            select = select.only(
                "created_at < ? OR created_at = ? AND id < ?",
                [(*time).into(), (*time).into(), id.as_str().into()],
            );
        }
        let rows = select.rows(self, "created_at DESC, id DESC", most).await?;
        rows.iter().map(template).collect()
    }
}
