//! `packetloom template`: documents to start from.

use crate::failure::Failure;
use crate::output;
use crate::table::Table;
use clap::Args;
use packetloom_config::template;
use packetloom_params::problem::did_you_mean;

const EXAMPLES: &str = "\
Examples:
  packetloom template
  packetloom template rdma-16-hosts > fabric.json
  packetloom run template:rdma-16-hosts";

/// List the templates, or print one.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Template {
    /// The template to print
    name: Option<String>,
}

impl Template {
    /// Prints the list or the document.
    pub fn execute(self) -> Result<(), Failure> {
        let Some(name) = self.name else {
            let mut table = Table::new(&["Template", "Describes"]);
            for template in template::all() {
                table.row([template.name.to_owned(), template.description.to_owned()]);
            }
            return output::print(&table.to_string());
        };
        match template::text(&name) {
            Some(text) => output::print(text),
            None => {
                let known: Vec<&str> = template::names().collect();
                let remedy = did_you_mean(&name, known.iter().copied());
                Err(Failure::Input(format!(
                    "there is no template \"{name}\"; {remedy}"
                )))
            }
        }
    }
}
