//! Tables of attributes in Markdown.

use crate::declaration::{Group, Leaf, range_text};

/// A Markdown table of all attributes below `group`, one a row.
pub fn markdown(group: &Group) -> String {
    let leaves = group.leaves();
    if leaves.is_empty() {
        return "This model has no attributes.\n".to_owned();
    }
    let mut table = String::from("| Attribute | Type | Default | Range | Meaning |\n| - | - | - | - | - |\n");
    for (path, leaf) in leaves {
        let cells = [
            format!("`{path}`"),
            format!("`{}`", leaf.kind.as_str()),
            default(leaf),
            escape(&range(leaf)),
            escape(&leaf.text),
        ];
        table.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    table
}

/// The published default as code; nothing for an empty text.
fn default(leaf: &Leaf) -> String {
    let text = leaf.default.to_string();
    if text.is_empty() {
        text
    } else {
        format!("`{text}`")
    }
}

/// The range of an attribute in words; empty if every value of its type will do.
pub fn range(leaf: &Leaf) -> String {
    if leaf.readonly {
        return "read-only".to_owned();
    }
    if !leaf.allowed.is_empty() {
        let spellings: Vec<String> = leaf
            .allowed
            .iter()
            .map(|spelling| format!("`{spelling}`"))
            .collect();
        return spellings.join(", ");
    }
    let limits = match (&leaf.min, &leaf.max) {
        (None, None) => String::new(),
        (min, max) => range_text(min.as_ref(), leaf.min_excluded, max.as_ref()),
    };
    match (leaf.list, limits.is_empty()) {
        (true, true) => "eight entries".to_owned(),
        (true, false) => format!("eight entries, each {limits}"),
        (false, _) => limits,
    }
}

fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
