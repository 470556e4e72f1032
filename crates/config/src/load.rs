//! Reading a document from a file.

use crate::document::{self, Document};
use crate::scenario::Scenario;
use packetloom_params::Errors;
use serde_json::Value;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The largest document that is read; a larger file is something else.
const LARGEST: u64 = 64 << 20;

/// Why a file gave no document.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file is not there, is no file, or holds no document: something to correct.
    #[error("{0}")]
    BadInput(Errors),
    /// The machine could not read the file.
    #[error("{path}: cannot be read: {source}")]
    Machine {
        /// The file.
        path: String,
        /// What the machine says.
        source: io::Error,
    },
}

/// Reads the text of a file.
pub fn text(path: &Path) -> Result<String, LoadError> {
    let shown = path.display().to_string();
    let bad = |message: &str, remedy: &str| LoadError::BadInput(Errors::one(&shown, message, remedy));
    if path.is_dir() {
        return Err(bad("is a directory", "name a configuration file in it"));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
        .map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => bad("there is no such file", "check the path"),
            io::ErrorKind::PermissionDenied => bad("may not be read", "check the permissions of the file"),
            io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput => {
                bad("is not a path of a file", "check the path")
            }
            _ => LoadError::Machine {
                path: shown.clone(),
                source,
            },
        })?;
    if bytes.len() as u64 > LARGEST {
        return Err(bad("is larger than 64 MiB", "name a configuration file"));
    }
    String::from_utf8(bytes)
        .map_err(|_| bad("is not text in UTF-8", "name a configuration file, which is JSON"))
}

/// The folder a file is in.
fn folder(path: &Path) -> Option<PathBuf> {
    path.parent().map(Path::to_path_buf)
}

/// Reads the document in a file.
pub fn load(path: &Path) -> Result<Document, LoadError> {
    let mut document = document::from_value(&value(path)?).map_err(LoadError::BadInput)?;
    document.base = folder(path);
    Ok(document)
}

/// Reads the document in a file, changes it as `settings` ask, and makes it ready to run; see [`check()`](crate::check()).
pub fn check(path: &Path, settings: &[String]) -> Result<Scenario, LoadError> {
    check_both(path, settings).map(|(_, scenario)| scenario)
}

/// The same, with the document as the settings have left it.
pub fn check_both(path: &Path, settings: &[String]) -> Result<(Document, Scenario), LoadError> {
    crate::check::check_in(&value(path)?, settings, folder(path)).map_err(LoadError::BadInput)
}

/// Reads the JSON in a file; what is wrong with its text is said with the file's name.
pub fn value(path: &Path) -> Result<Value, LoadError> {
    document::json::parse(&text(path)?)
        .map_err(|fault| LoadError::BadInput(fault.errors(Some(&path.display().to_string()))))
}
