//! `packetloom token`: who may use the server.

use super::{data_folder, runtime};
use crate::failure::Failure;
use crate::output;
use crate::table::Table;
use clap::{Args, Subcommand};
use packetloom_server::store::Store;
use packetloom_server::store::tokens::is_token_name;
use packetloom_server::time::iso;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  packetloom token create alice                      make one; its text is the last line
  TOKEN=$(packetloom token create ci --data ./platform | tail -n 1)
  packetloom token list
  packetloom token revoke alice                      it is refused within a second

All of this also works while a server runs on the same folder.";

/// Make, list and revoke tokens for the server.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Token {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make a token and print it; it cannot be shown again
    Create {
        /// A name for it: letters, digits, '.', '_' and '-'
        name: String,
        #[command(flatten)]
        data: Data,
    },
    /// List the tokens
    List {
        #[command(flatten)]
        data: Data,
    },
    /// Take a token away
    Revoke {
        /// Its name
        name: String,
        #[command(flatten)]
        data: Data,
    },
}

#[derive(Args)]
struct Data {
    /// Folder of the server's data [default: the user's data folder]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Token {
    /// Carries the command out.
    pub fn execute(self) -> Result<(), Failure> {
        let failed = |error| Failure::Machine(format!("the database: {error}"));
        runtime()?.block_on(async {
            match self.command {
                Command::Create { name, data } => {
                    if !is_token_name(&name) {
                        return Err(Failure::Input(format!("{name:?} cannot be the name of a token; give 1 to 64 letters, digits, '.', '_' and '-'")));
                    }
                    let store = Store::open(&data_folder(data.data)?).await?;
                    match store.create_token(&name).await.map_err(failed)? {
                        Some(token) => output::print(&format!("the token {name:?} is shown only once:\n{token}\n")),
                        None => Err(Failure::Input(format!("there is a token called {name:?} already; give another name, or revoke it first"))),
                    }
                }
                Command::List { data } => {
                    let data = Data { data: Some(known(data_folder(data.data)?)?) };
                    let store = Store::open(&data_folder(data.data)?).await?;
                    let mut table = Table::new(&["Name", "Created"]);
                    for token in store.tokens().await.map_err(failed)? {
                        table.row([token.name, iso(token.created_at)]);
                    }
                    output::print(&table.to_string())
                }
                Command::Revoke { name, data } => {
                    let data = Data { data: Some(known(data_folder(data.data)?)?) };
                    let store = Store::open(&data_folder(data.data)?).await?;
                    match store.revoke_token(&name).await.map_err(failed)? {
                        true => output::print(&format!("the token {name:?} is revoked\n")),
                        false => Err(Failure::Input(format!("there is no token called {name:?}; 'packetloom token list' lists them"))),
                    }
                }
            }
        })
    }
}

/// A folder that a server has used.
fn known(data: PathBuf) -> Result<PathBuf, Failure> {
    match data.join("packetloom.db").is_file() {
        true => Ok(data),
        false => Err(Failure::Input(format!(
            "{} holds no data of a server; name the folder with --data",
            data.display()
        ))),
    }
}
