//! The folder with the headers: in the user's cache, by version and content, so that versions do not meet.

use crate::failure::Failure;
use packetloom_portals_host::headers::HEADERS;
use siphasher::sip::SipHasher13;
use std::env;
use std::fs;
use std::hash::Hasher;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

/// Puts the headers where they belong unless they are there, and tells where that is.
pub fn install() -> Result<PathBuf, Failure> {
    let name = format!(
        "packetloom-include-{}-{:016x}",
        env!("CARGO_PKG_VERSION"),
        digest()
    );
    let mut failed = None;
    for base in bases() {
        let folder = base.join(&name);
        match fill(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) => failed = failed.or(Some((folder, error))),
        }
    }
    let (folder, error) = failed.expect("there is always a folder for temporary files");
    Err(Failure::Machine(format!(
        "cannot write the headers to {}: {error}; name a folder that can be written to in XDG_CACHE_HOME",
        folder.display()
    )))
}

/// Where the folder may be, the best place first.
fn bases() -> Vec<PathBuf> {
    let set = |variable| env::var_os(variable).filter(|value| !value.is_empty());
    let cache = set("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".cache")));
    cache
        .filter(|cache| cache.is_absolute())
        .into_iter()
        .chain([env::temp_dir()])
        .collect()
}

/// A number that tells apart what the headers contain.
fn digest() -> u64 {
    let mut hasher = SipHasher13::new();
    for (path, text) in HEADERS {
        hasher.write(path.as_bytes());
        hasher.write(&[0]);
        hasher.write(text.as_bytes());
        hasher.write(&[0]);
    }
    hasher.finish()
}

/// Makes `folder` hold the headers. It appears whole: others may be compiling with it, or making it, at this moment.
fn fill(folder: &Path) -> io::Result<()> {
    if is_whole(folder) {
        return Ok(());
    }
    let new = folder.with_extension(format!("new-{}", process::id()));
    let written = write(&new).and_then(|()| {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::rename(&new, folder)
    });
    if written.is_err() {
        // Nobody else writes there; what cannot be removed does no harm.
        let _ = fs::remove_dir_all(&new);
    }
    match written {
        // Another was faster.
        Err(_) if is_whole(folder) => Ok(()),
        other => other,
    }
}

fn is_whole(folder: &Path) -> bool {
    HEADERS
        .iter()
        .all(|(path, text)| fs::read(folder.join(path)).is_ok_and(|found| found == text.as_bytes()))
}

fn write(folder: &Path) -> io::Result<()> {
    for (path, text) in HEADERS {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_whole_is_made_anew() {
        let base = tempfile::tempdir().expect("a folder");
        let folder = base.path().join("include");
        fill(&folder).expect("written");
        assert!(is_whole(&folder));
        fs::write(folder.join("portals4.h"), "").expect("written");
        fs::remove_file(folder.join("pmi.h")).expect("removed");
        assert!(!is_whole(&folder));
        fill(&folder).expect("written");
        assert!(is_whole(&folder));
        let left: Vec<_> = fs::read_dir(base.path()).expect("a folder").collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}
