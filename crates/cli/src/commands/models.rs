//! `packetloom models`: what models there are, and their attributes.

use crate::failure::Failure;
use crate::output;
use crate::table::Table;
use clap::Args;
use packetloom_config::{GlobalParameters, catalog};
use packetloom_params::table::range;
use packetloom_params::{Attributes, Group};

const EXAMPLES: &str = "\
Examples:
  packetloom models
  packetloom models ScalaRoceNic
  packetloom models ScalaRoceNic | grep -i ack
  packetloom models ScalaTrafficGeneratorApplication
  packetloom models global

A path is what stands after a component's name in --set.";

/// The name under which the global parameters are listed.
const GLOBAL: &str = "global";

/// List the models, or the attributes of one.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Models {
    /// The model whose attributes to list, or `global` for the parameters of the whole run
    name: Option<String>,
}

impl Models {
    /// Prints the list or the table.
    pub fn execute(self) -> Result<(), Failure> {
        let Some(name) = self.name else {
            return output::print(&list());
        };
        if name == GLOBAL {
            return output::print(&attributes(&GlobalParameters::declaration()));
        }
        match catalog::find(&name) {
            Some((model, _)) if model.available => output::print(&attributes(&model.declaration())),
            Some((model, _)) => {
                let remedy = catalog::suggest("", Some(model.kind));
                Err(Failure::Input(format!(
                    "the model \"{}\" is not available yet; {remedy}",
                    model.name
                )))
            }
            None => {
                let remedy = catalog::suggest(&name, None);
                Err(Failure::Input(format!("there is no model \"{name}\"; {remedy}")))
            }
        }
    }
}

fn list() -> String {
    let mut table = Table::new(&["Model", "Type", "Version", "Describes"]);
    for model in catalog::models() {
        table.row([model.name, model.kind.as_str(), model.version, model.text].map(str::to_owned));
    }
    table.row([GLOBAL, "", "", "Parameters of the whole run"].map(str::to_owned));
    table.to_string()
}

fn attributes(group: &Group) -> String {
    let leaves = group.leaves();
    if leaves.is_empty() {
        return "This model has no attributes.\n".to_owned();
    }
    let mut table = Table::new(&["Attribute", "Type", "Default", "Range", "Meaning"]);
    for (path, leaf) in leaves {
        // The range is made for Markdown; a terminal needs no code quotes.
        let range = range(leaf).replace('`', "");
        let text = leaf.text.replace('\n', " ");
        table.row([
            path,
            leaf.kind.as_str().to_owned(),
            leaf.default.to_string(),
            range,
            text,
        ]);
    }
    table.to_string()
}
