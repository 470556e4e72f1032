//! Tokens of whoever may come in.
//!
//! A token is `plt_ID_SECRET`: an identifier to look it up by, and 256 random bits. The database keeps the SHA-256 of the
//! secret. A slow hash such as Argon2 makes guessing costly where secrets can be guessed; nobody guesses 256 random bits, and
//! this one is computed with every request.

use super::{Store, StoreError};
use crate::time::now_ms;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// A token in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// Its name.
    pub name: String,
    /// When it was made.
    pub created_at: i64,
}

const PREFIX: &str = "plt_";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hash(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

/// Whether a token can have that name: 1 to 64 letters, digits, `.`, `_` and `-`.
pub fn is_token_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

impl Store {
    /// Makes a token; its text, which nobody can read again. Nothing if there is one of that name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn create_token(&self, name: &str) -> Result<Option<String>, StoreError> {
        let (id, secret) = (hex(&rand::random::<[u8; 6]>()), hex(&rand::random::<[u8; 32]>()));
        let done = sqlx::query("INSERT INTO tokens (id, name, hash, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING")
            .bind(&id)
            .bind(name)
            .bind(hash(&secret))
            .bind(now_ms())
            .execute(self.pool())
            .await?;
        Ok((done.rows_affected() == 1).then(|| format!("{PREFIX}{id}_{secret}")))
    }

    /// All tokens, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        let rows: Vec<(String, i64)> =
            sqlx::query_as("SELECT name, created_at FROM tokens ORDER BY created_at, name")
                .fetch_all(self.pool())
                .await?;
        Ok(rows
            .into_iter()
            .map(|(name, created_at)| TokenRow { name, created_at })
            .collect())
    }

    /// Whether there is a token of that name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn has_token(&self, name: &str) -> Result<bool, StoreError> {
        let found: Option<String> = sqlx::query_scalar("SELECT name FROM tokens WHERE name = $1")
            .bind(name)
            .fetch_optional(self.pool())
            .await?;
        Ok(found.is_some())
    }

    /// Takes a token away; whether there was one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke_token(&self, name: &str) -> Result<bool, StoreError> {
        let done = sqlx::query("DELETE FROM tokens WHERE name = $1")
            .bind(name)
            .execute(self.pool())
            .await?;
        Ok(done.rows_affected() == 1)
    }

    /// The name of the token with that text, if it is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn token_name(&self, text: &str) -> Result<Option<String>, StoreError> {
        let Some((id, secret)) = text.strip_prefix(PREFIX).and_then(|rest| rest.split_once('_')) else {
            return Ok(None);
        };
        let row: Option<(String, String)> = sqlx::query_as("SELECT name, hash FROM tokens WHERE id = $1")
            .bind(id)
            .fetch_optional(self.pool())
            .await?;
        let given = hash(secret);
        Ok(row
            .filter(|(_, known)| known.as_bytes().ct_eq(given.as_bytes()).into())
            .map(|(name, _)| name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tokens_are_made_known_and_revoked() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).await.expect("opened");
        let token = store.create_token("ci").await.expect("asked").expect("made");
        assert_eq!(store.create_token("ci").await.expect("asked"), None);
        assert_eq!(
            store.token_name(&token).await.expect("asked").as_deref(),
            Some("ci")
        );
        let (id, _) = token[PREFIX.len()..].split_once('_').expect("two parts");
        for wrong in [
            "",
            "plt_",
            "plt__",
            &token[1..],
            &token[..token.len() - 1],
            &format!("plt_{id}_{}", "0".repeat(64)),
            "plt_' OR '1'='1_x",
        ] {
            assert_eq!(store.token_name(wrong).await.expect("asked"), None, "{wrong}");
        }
        // What is stored is not the token.
        let stored: String = sqlx::query_scalar("SELECT hash FROM tokens")
            .fetch_one(store.pool())
            .await
            .expect("one");
        assert!(!token.contains(&stored));
        assert!(store.revoke_token("ci").await.expect("asked"));
        assert!(!store.revoke_token("ci").await.expect("asked"));
        assert_eq!(store.token_name(&token).await.expect("asked"), None);
        for (name, right) in [("a.b_c-1", true), ("", false), ("a b", false), ("ü", false)] {
            assert_eq!(is_token_name(name), right, "{name}");
        }
    }
}
