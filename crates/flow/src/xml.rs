//! Platform and deployment files as XML: elements that know where they stand and which attributes they may have.
//!
//! The line `<!DOCTYPE platform SYSTEM "...">` is accepted and never fetched.

use crate::error::{Error, Place, did_you_mean, show};
use roxmltree::{Document, Node, ParsingOptions};
use std::fs;
use std::path::Path;

/// Most nodes (elements, texts, comments) of a file.
const MOST_NODES: u32 = 10_000_000;

/// The text of a file with its name and where its lines begin.
pub struct Text<'t> {
    /// The file as it was named
    pub name: &'t str,
    text: &'t str,
    /// How many bytes of white space stand in front of the XML
    skipped: usize,
    /// Where each line begins, in bytes
    lines: Vec<usize>,
}

impl<'t> Text<'t> {
    /// A text under the name that messages give it. White space in front of the XML, which XML does not allow before its
    /// declaration, is skipped: files of S4BXI have it.
    pub fn new(text: &'t str, name: &'t str) -> Self {
        let begins = text.match_indices('\n').map(|(at, _)| at + 1);
        let xml = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        Self {
            name,
            text,
            skipped: text.len() - xml.len(),
            lines: std::iter::once(0).chain(begins).collect(),
        }
    }

    /// The place of a byte of the XML.
    pub fn place(&self, at: usize) -> Place {
        let at = (at + self.skipped).min(self.text.len());
        let line = self.lines.partition_point(|begin| *begin <= at);
        let begin = self.lines[line - 1];
        let column = self.text.get(begin..at).map_or(0, |text| text.chars().count());
        Place {
            file: self.name.to_owned(),
            line: line as u32,
            column: column as u32 + 1,
        }
    }

    /// Parses the text.
    pub fn parse(&self) -> Result<Document<'_>, Error> {
        let options = ParsingOptions {
            allow_dtd: true,
            nodes_limit: MOST_NODES,
            ..ParsingOptions::default()
        };
        let xml = &self.text[self.skipped..];
        Document::parse_with_options(xml, options).map_err(|error| {
            let position = error.pos();
            let before = self.place(0);
            let line = before.line + position.row.max(1) - 1;
            let column = if position.row <= 1 { before.column - 1 } else { 0 } + position.col.max(1);
            // The message ends in its position, which stands in front already.
            let message = error.to_string();
            let message = match message.rsplit_once(" at ") {
                Some((message, at)) if at.starts_with(|c: char| c.is_ascii_digit()) => message,
                _ => message.as_str(),
            };
            let message = message.replace(char::is_control, " ");
            Error::NotXml {
                place: Place {
                    file: self.name.to_owned(),
                    line,
                    column,
                },
                message,
            }
        })
    }
}

/// The text of a file.
pub fn read(path: &Path) -> Result<String, Error> {
    let bytes = fs::read(path).map_err(|source| Error::File {
        path: path.to_owned(),
        source,
    })?;
    if bytes.starts_with(b"\x7fELF") {
        let place = Place {
            file: path.display().to_string(),
            line: 1,
            column: 1,
        };
        return Err(Error::wrong(
            place,
            "a shared object",
            "describe the platform in XML: functions such as load_platform are not called",
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..valid];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        Error::NotXml {
            place: Place {
                file: path.display().to_string(),
                line: line as u32,
                column: 1,
            },
            message: "the text is not in UTF-8; save it as UTF-8".to_owned(),
        }
    })
}

/// An element.
#[derive(Clone, Copy)]
pub struct Element<'a> {
    text: &'a Text<'a>,
    node: Node<'a, 'a>,
}

impl<'a> Element<'a> {
    /// The outermost element.
    pub fn root(text: &'a Text<'a>, document: &'a Document<'a>) -> Self {
        Self {
            text,
            node: document.root_element(),
        }
    }

    /// Its tag.
    pub fn tag(self) -> &'a str {
        self.node.tag_name().name()
    }

    /// Where it begins.
    pub fn place(self) -> Place {
        self.text.place(self.node.range().start)
    }

    /// An error where it begins.
    pub fn wrong(self, message: impl Into<String>, remedy: impl Into<String>) -> Error {
        Error::wrong(self.place(), message, remedy)
    }

    /// An error where the value of one of its attributes begins.
    pub fn wrong_value(self, name: &str, message: impl Into<String>, remedy: impl Into<String>) -> Error {
        Error::wrong(self.value_place(name), message, remedy)
    }

    /// Where the value of an attribute begins, or the element when the attribute is not there.
    pub fn value_place(self, name: &str) -> Place {
        match self.node.attribute_node(name) {
            Some(attribute) => self.text.place(attribute.range_value().start),
            None => self.place(),
        }
    }

    /// Refuses attributes other than the known ones.
    pub fn allow(self, known: &[&str]) -> Result<(), Error> {
        for attribute in self.node.attributes() {
            if attribute.namespace().is_none() && known.contains(&attribute.name()) {
                continue;
            }
            let message = format!("unknown attribute {} of <{}>", show(attribute.name()), self.tag());
            let otherwise = match known {
                [] => "it has none".to_owned(),
                _ => format!("it may have {}", known.join(", ")),
            };
            let remedy = did_you_mean(attribute.name(), known.iter().copied(), otherwise);
            let place = self.text.place(attribute.range_qname().start);
            return Err(Error::wrong(place, message, remedy));
        }
        Ok(())
    }

    /// The value of an attribute that must be there.
    pub fn required(self, name: &str) -> Result<&'a str, Error> {
        self.node.attribute(name).ok_or_else(|| {
            let message = format!("<{}> has no attribute {}", self.tag(), show(name));
            self.wrong(message, format!("add {name}=\"...\""))
        })
    }

    /// The value of an attribute, if it is there and not empty: for SimGrid an empty one is as good as none.
    pub fn optional(self, name: &str) -> Option<&'a str> {
        self.node.attribute(name).filter(|value| !value.is_empty())
    }

    /// Its value as the one of `choices` that it is, or the first of them when the attribute is not there.
    pub fn choice(self, name: &str, choices: &[&'static str]) -> Result<&'static str, Error> {
        let Some(value) = self.optional(name) else {
            return Ok(choices[0]);
        };
        let found = choices.iter().copied().find(|choice| *choice == value);
        found.ok_or_else(|| {
            let message = format!("{} is no value of {}", show(value), show(name));
            let otherwise = format!("choose one of {}", choices.join(", "));
            self.wrong_value(
                name,
                message,
                did_you_mean(value, choices.iter().copied(), otherwise),
            )
        })
    }

    /// The elements inside it, in their order.
    ///
    /// # Errors
    ///
    /// Text between them.
    pub fn children(self) -> Result<Vec<Element<'a>>, Error> {
        let mut elements = Vec::new();
        for node in self.node.children() {
            if node.is_element() {
                elements.push(Self { node, ..self });
                continue;
            }
            let text = node.text().filter(|_| node.is_text()).unwrap_or_default();
            let inner = text.trim_start();
            if !inner.is_empty() {
                let blank = text.len() - inner.len();
                let place = self.text.place(node.range().start + blank);
                let message = format!("text inside <{}>", self.tag());
                return Err(Error::wrong(place, message, "only elements may stand here"));
            }
        }
        Ok(elements)
    }

    /// The text inside it, and the line on which that begins.
    pub fn content(self) -> (&'a str, u32) {
        match self.node.first_child().filter(Node::is_text) {
            Some(node) => (
                node.text().unwrap_or_default(),
                self.text.place(node.range().start).line,
            ),
            None => ("", self.place().line),
        }
    }

    /// The error for a child that may not be here.
    pub fn unexpected(self, parent: &str, known: &[&str]) -> Error {
        let message = format!("unknown element <{}> in <{parent}>", self.tag());
        let otherwise = match known {
            [] => "nothing may stand there".to_owned(),
            _ => format!("there may be {}", known.join(", ")),
        };
        self.wrong(
            message,
            did_you_mean(self.tag(), known.iter().copied(), otherwise),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn not_xml(text: &str) -> String {
        let text = Text::new(text, "f");
        text.parse().map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn places_count_lines_and_characters_from_one_behind_skipped_white_space() {
        let text = Text::new("\n<?xml version='1.0'?>\n<!-- é --><a\n  b='é'/>", "f");
        let document = text.parse().unwrap();
        let root = Element::root(&text, &document);
        assert_eq!(root.place().to_string(), "f:3:11");
        assert_eq!(root.value_place("b").to_string(), "f:4:6");
    }

    #[test]
    fn the_document_type_is_accepted() {
        let text = Text::new(
            "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform/>",
            "f",
        );
        assert!(text.parse().is_ok());
    }

    #[test]
    fn what_is_no_xml_says_where() {
        assert_eq!(not_xml("<a>\n</b>"), "f:2:1: not XML: expected 'a' tag, not 'b'");
        assert!(not_xml("").starts_with("f:1:1: not XML: "));
        assert!(not_xml("\n\n<a>").starts_with("f:3:"), "{}", not_xml("\n\n<a>"));
    }

    #[test]
    fn entities_do_not_explode() {
        let mut text = "<!DOCTYPE a [<!ENTITY e0 \"xxxxxxxxxx\">".to_owned();
        for i in 1..10 {
            let before = format!("&e{};", i - 1).repeat(10);
            text += &format!("<!ENTITY e{i} \"{before}\">");
        }
        text += "]><a b=\"&e9;\"/>";
        assert!(not_xml(&text).contains("entity"), "{}", not_xml(&text));
    }
}
