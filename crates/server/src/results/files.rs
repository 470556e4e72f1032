//! The files of a simulation.

use super::Results;
use crate::jobs::log::LOG_FILE;
use futures_util::TryStreamExt;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectMeta, ObjectStoreExt};
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use std::sync::PoisonError;

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultFile {
    /// Its name from the simulation's folder on.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last written, in milliseconds since 1970.
    pub modified_ms: i64,
}

/// What a file is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileType {
    /// Captured packets; there are none yet.
    Pcap,
    /// A record as text.
    Csv,
    /// What else was written down, as JSON.
    Json,
    /// The log.
    Log,
    /// A state to go on from; there are none yet.
    State,
    /// A record as a Parquet file.
    Parquet,
    /// Data computed from records, compressed.
    Zstd,
    /// None of these.
    Unknown,
}

impl FileType {
    /// That of the file called `name`.
    pub fn of(name: &str) -> FileType {
        match name.rsplit_once('.').map(|(_, ending)| ending) {
            _ if name == LOG_FILE => FileType::Log,
            Some("csv") => FileType::Csv,
            Some("json") => FileType::Json,
            Some("parquet") => FileType::Parquet,
            Some("zst") => FileType::Zstd,
            Some("pcap") => FileType::Pcap,
            _ => FileType::Unknown,
        }
    }
}

/// The media type of the file called `name`.
pub fn content_type(name: &str) -> String {
    match FileType::of(name) {
        FileType::Log => "application/jsonl".to_owned(),
        FileType::Zstd => "application/zstd".to_owned(),
        FileType::Parquet => "application/vnd.apache.parquet".to_owned(),
        _ => mime_guess::from_path(name).first_or_octet_stream().to_string(),
    }
}

/// Whether `name` is that of a file within a folder: parts with `/` between them, none of which leads elsewhere.
pub fn is_inside(name: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty()
            && part != "."
            && part != ".."
            && !part.contains(['\\', '\0'])
            && !part.chars().any(char::is_control)
    };
    name.len() <= 1_000 && name.split('/').all(plain)
}

impl Results {
    fn place(id: &str, name: &str) -> Option<ObjectPath> {
        ObjectPath::parse(format!("{id}/{name}")).ok()
    }

    fn file(id: &str, meta: &ObjectMeta) -> Option<ResultFile> {
        let name = meta.location.as_ref().strip_prefix(id)?.strip_prefix('/')?;
        Some(ResultFile {
            name: name.to_owned(),
            size: meta.size,
            modified_ms: meta.last_modified.timestamp_millis(),
        })
    }

    /// All files of a simulation, by name; those that are being written under another name first are left out.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn list(&self, id: &str) -> object_store::Result<Vec<ResultFile>> {
        let folder = ObjectPath::from(id);
        let metas: object_store::Result<Vec<ObjectMeta>> =
            self.objects.list(Some(&folder)).try_collect().await;
        let files: Vec<ResultFile> = match metas {
            Ok(metas) => metas.iter().filter_map(|meta| Self::file(id, meta)).collect(),
            // The store cannot name a file, such as one with a line break in its name: the others are looked for one by one.
            Err(error) => {
                tracing::warn!(simulation = id, error = %error.to_string().escape_debug(), "a file is left out");
                let mut found = Vec::new();
                walk(&self.of(id), "", &mut found);
                found
            }
        };
        let files = files.into_iter();
        // What a link in the folder leads to elsewhere cannot be had, so it is not told of either.
        let mut files: Vec<ResultFile> = files
            .filter(|file| !file.name.ends_with(".part") && self.stays_inside(id, &file.name))
            .collect();
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(files)
    }

    /// One file of a simulation, if it is there; nothing that leads out of its folder is.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn find(&self, id: &str, name: &str) -> object_store::Result<Option<ResultFile>> {
        let Some(place) = Self::place(id, name).filter(|_| is_inside(name) && self.stays_inside(id, name))
        else {
            return Ok(None);
        };
        match self.objects.head(&place).await {
            Ok(meta) => Ok(Self::file(id, &meta)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the file is where its name says, and not where a link in the folder leads.
    fn stays_inside(&self, id: &str, name: &str) -> bool {
        let folder = self.of(id);
        let shown = self.shown.read().unwrap_or_else(PoisonError::into_inner);
        match (folder.canonicalize(), folder.join(name).canonicalize()) {
            (Ok(folder), Ok(file)) => {
                let known = |place: &PathBuf| file.starts_with(place);
                (known(&folder) || shown.get(id).is_some_and(known)) && file.is_file()
            }
            _ => false,
        }
    }

    /// The bytes of a file from `range.start` to before `range.end`, as they come.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn stream(
        &self,
        id: &str,
        name: &str,
        range: std::ops::Range<u64>,
    ) -> object_store::Result<
        impl futures_util::Stream<Item = object_store::Result<bytes::Bytes>> + Send + 'static,
    > {
        let place = Self::place(id, name).ok_or_else(|| object_store::Error::NotFound {
            path: name.to_owned(),
            source: "not a path".into(),
        })?;
        let options = object_store::GetOptions {
            range: (!range.is_empty()).then(|| range.clone().into()),
            ..Default::default()
        };
        Ok(self.objects.get_opts(&place, options).await?.into_stream())
    }

    /// The SHA-256 of a file, in hexadecimal digits.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn sha256(&self, id: &str, file: &ResultFile) -> object_store::Result<String> {
        let mut stream = std::pin::pin!(self.stream(id, &file.name, 0..file.size).await?);
        let mut digest = Sha256::new();
        while let Some(bytes) = stream.try_next().await? {
            digest.update(&bytes);
        }
        Ok(digest
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect())
    }
}

/// Adds the files in a folder whose names anybody can ask for, `prefix` before each.
fn walk(folder: &std::path::Path, prefix: &str, files: &mut Vec<ResultFile>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (Ok(name), Ok(meta)) = (entry.file_name().into_string(), entry.metadata()) else {
            continue;
        };
        let name = format!("{prefix}{name}");
        if !is_inside(&name) {
            continue;
        }
        if meta.is_dir() {
            walk(&entry.path(), &format!("{name}/"), files);
        } else if meta.is_file() {
            let modified = meta.modified().unwrap_or(std::time::UNIX_EPOCH);
            let since = modified.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            files.push(ResultFile {
                name,
                size: meta.len(),
                modified_ms: since.as_millis() as i64,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_none() {
        for inside in ["a.csv", "data/x.json.zst", "a b.csv", "...", "ü.csv"] {
            assert!(is_inside(inside), "{inside}");
        }
        for outside in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../x",
            "a/../../x",
            "a//b",
            "a/",
            "./a",
            "a\\..\\b",
            "a\0b",
            "a\nb",
            &"x".repeat(2_000),
        ] {
            assert!(!is_inside(outside), "{outside:?}");
        }
    }

    #[test]
    fn types_follow_names() {
        assert_eq!(FileType::of("sim-nd-stats-0.csv"), FileType::Csv);
        assert_eq!(FileType::of("logs.jsonl"), FileType::Log);
        assert_eq!(FileType::of("data/nd-stats-summary-all.json.zst"), FileType::Zstd);
        assert_eq!(FileType::of("README"), FileType::Unknown);
        assert_eq!(content_type("a.csv"), "text/csv");
        assert_eq!(content_type("a.json"), "application/json");
        assert_eq!(content_type("a.json.zst"), "application/zstd");
    }
}
