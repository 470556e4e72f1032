//! From what the command line names to a scenario that can run.

use crate::failure::Failure;
use clap::Args;
use packetloom_config::load::LoadError;
use packetloom_config::{Document, Scenario, check_both, load, template};
use packetloom_params::Errors;
use std::path::Path;

/// Which document, and what to change in it.
#[derive(Args, Debug)]
pub struct Source {
    /// A configuration file, or template:NAME for one of the templates
    #[arg(value_name = "FILE|template:NAME")]
    pub document: String,

    /// Change one attribute; may be given several times. PATH starts with a component's, link's or application's name,
    /// or with a section of the global parameters
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
}

/// Why there is no scenario.
#[derive(Debug)]
pub enum SourceError {
    /// The document or an override is wrong.
    Bad(Errors),
    /// The file could not be read.
    Machine(String),
}

impl From<Errors> for SourceError {
    fn from(errors: Errors) -> Self {
        SourceError::Bad(errors)
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Bad(errors) => Failure::Input(errors.to_string()),
            SourceError::Machine(message) => Failure::Machine(message),
        }
    }
}

impl Source {
    /// Reads the document, changes it as asked, and validates it; everything that is wrong is told at once.
    pub fn scenario(&self) -> Result<Scenario, SourceError> {
        self.both().map(|(_, scenario)| scenario)
    }

    /// The same, with the document as it was changed.
    pub fn both(&self) -> Result<(Document, Scenario), SourceError> {
        if let Some(name) = self.document.strip_prefix("template:") {
            return Ok(check_both(template::find(name)?, &self.set)?);
        }
        load::check_both(Path::new(&self.document), &self.set).map_err(|error| match error {
            LoadError::BadInput(errors) => SourceError::Bad(errors),
            error @ LoadError::Machine { .. } => SourceError::Machine(error.to_string()),
        })
    }
}
