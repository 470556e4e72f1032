//! The files of simulations, signed links to them, and data computed from them.

pub mod data;
pub mod files;
pub mod link;

use crate::platform::ServeError;
use crate::store::Store;
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};

/// The files of simulations: a folder each, named by the simulation's identifier.
#[derive(Debug)]
pub struct Results {
    /// Where they are, as an object store.
    pub objects: Arc<dyn ObjectStore>,
    /// Where they are on this machine: a simulation writes straight into its folder there.
    pub folder: PathBuf,
    /// The key links are signed with.
    pub(crate) key: Vec<u8>,
    /// Data that is being computed, by its file: whoever wants the same waits for it.
    pub(crate) computing: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    /// Folders elsewhere that links in a simulation's folder may lead to, by its identifier: runs that are only shown.
    pub(crate) shown: RwLock<HashMap<String, PathBuf>>,
}

impl Results {
    /// Opens `results` in the folder of data, creating it if missing.
    pub(crate) async fn open(data: &Path, store: &Store) -> Result<Results, ServeError> {
        let folder = data.join("results");
        let wrong =
            |error: &dyn std::fmt::Display| ServeError::Machine(format!("{}: {error}", folder.display()));
        std::fs::create_dir_all(&folder).map_err(|error| wrong(&error))?;
        let objects = LocalFileSystem::new_with_prefix(&folder).map_err(|error| wrong(&error))?;
        let key = store.secret("link_key").await?;
        Ok(Results {
            objects: Arc::new(objects),
            folder,
            key,
            computing: Mutex::default(),
            shown: RwLock::default(),
        })
    }

    /// The folder that simulation `id` writes into.
    pub fn of(&self, id: &str) -> PathBuf {
        self.folder.join(id)
    }
}
