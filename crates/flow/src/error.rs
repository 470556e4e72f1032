//! What is wrong with a file, where, and what would be right.

use packetloom_params::nearest;
use std::fmt;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// The longest piece of a file that a message repeats, in characters.
const LONGEST_QUOTATION: usize = 80;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as it was named
    pub file: String,
    /// Line, from 1
    pub line: u32,
    /// Column in characters, from 1
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A file that cannot be used, or a route that it does not have.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A file that cannot be read.
    #[error("{}: cannot be read: {source}; give the path of a file that can be", path.display())]
    File {
        /// The file
        path: PathBuf,
        /// Why it cannot be read
        source: io::Error,
    },
    /// A document in JSON where a platform belongs.
    #[error("{name} is a configuration document; Portals programs run on platform files (XML) only, for now")]
    Configuration {
        /// The file as it was named
        name: String,
    },
    /// Text that is not XML.
    #[error("{place}: not XML: {message}")]
    NotXml {
        /// Where reading stopped
        place: Place,
        /// Why
        message: String,
    },
    /// XML, or a profile, that says what cannot be.
    #[error("{place}: {message}; {remedy}")]
    Wrong {
        /// Where
        place: Place,
        /// What is wrong
        message: String,
        /// What would be right
        remedy: String,
    },
    /// Two hosts that nothing connects.
    #[error("{platform}: no route from {} to {}: {why}", show(from), show(to))]
    NoRoute {
        /// The platform file
        platform: String,
        /// The name of the host where the route would begin
        from: String,
        /// The name of the host where it would end
        to: String,
        /// What is missing, and what would be right
        why: String,
    },
}

impl Error {
    /// An error at a place.
    pub(crate) fn wrong(place: Place, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Wrong {
            place,
            message: message.into(),
            remedy: remedy.into(),
        }
    }
}

/// A name or value of a file as a message shows it: in quotation marks, on one line, cut short when it is long.
pub(crate) fn show(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTATION) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}...", &text[..end]),
    }
}

/// The remedy for an unknown name: the known one that is most like it, or else `otherwise`.
pub(crate) fn did_you_mean<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: impl Into<String>,
) -> String {
    // Nothing is like a name of a thousand letters, and comparing takes the product of both lengths.
    let short = name.len() <= 4 * LONGEST_QUOTATION;
    let known = known
        .into_iter()
        .filter(|known| short && known.len() <= 4 * LONGEST_QUOTATION);
    match nearest(name, known) {
        Some(near) => format!("did you mean {}?", show(near)),
        None => otherwise.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shown_on_one_line_and_cut_short() {
        assert_eq!(show("a\nb"), r#""a\nb""#);
        assert_eq!(show(&"é".repeat(80)), format!("\"{}\"", "é".repeat(80)));
        assert_eq!(show(&"é".repeat(81)), format!("\"{}\"...", "é".repeat(80)));
    }

    #[test]
    fn an_unknown_name_gets_its_neighbour_or_the_general_remedy() {
        let known = ["bandwidth", "latency"];
        assert_eq!(
            did_you_mean("bandwith", known, "x"),
            "did you mean \"bandwidth\"?"
        );
        assert_eq!(did_you_mean("zzz", known, "known: all"), "known: all");
        assert_eq!(did_you_mean(&"bandwidth".repeat(100), known, "x"), "x");
    }
}
