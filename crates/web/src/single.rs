//! The page and what it shows in one file: its modules one after another in one script, its styles in the head, the runs as
//! JSON. A browser opens it from disk, without a server and without a network.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The module that everything begins with.
const FIRST: &str = "app.js";
/// Modules that only a page with a server needs.
const LEFT_OUT: &[&str] = &["decode.js", "vendor/fzstd.js"];
/// The styles, in their order.
const STYLES: &[&str] = &["vendor/uplot.css", "style.css"];

/// Why the page is not one file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SingleError {
    /// A file of the page is not there or no text.
    #[error("the page has no text {0:?}")]
    Missing(String),
    /// A line of a module that says what it takes or gives in a way this does not know.
    #[error("{module}: cannot make one file of {line:?}")]
    Line {
        /// The module.
        module: String,
        /// The line.
        line: String,
    },
    /// Modules that need each other.
    #[error("{0:?} needs itself")]
    Circle(String),
}

/// One file of HTML that shows `runs`, the JSON that the page's `still.js` reads, under `title`.
///
/// # Errors
/// When the page is written in a way this does not know, which a test finds out.
pub fn single(title: &str, runs: &str) -> Result<String, SingleError> {
    let script = script()?;
    let mut styles = String::new();
    for name in STYLES {
        styles += &text(name)?;
    }
    let icon = STANDARD.encode(text("icon.svg")?);
    // Hashes are of exactly what stands between the tags.
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(&styles)
    );
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{}</title>\n<link rel=\"icon\" href=\"data:image/svg+xml;base64,{icon}\">\n<style>{styles}</style>\n</head>\n<body>\n\
         <noscript><p class=\"message\">This report draws with JavaScript. Please allow it for this file.</p></noscript>\n\
         <script type=\"application/json\" id=\"runs\">{}</script>\n\
         <script type=\"application/json\" id=\"icon\">\"data:image/svg+xml;base64,{icon}\"</script>\n\
         <script type=\"module\">{script}</script>\n</body>\n</html>\n",
        escaped(title),
        inert(runs)
    ))
}

/// Text as HTML has it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// JSON in which nothing ends or begins an element: `<` stands only in strings there.
fn inert(json: &str) -> String {
    json.replace('<', "\\u003c")
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

fn text(name: &str) -> Result<String, SingleError> {
    let missing = || SingleError::Missing(name.to_owned());
    let file = crate::file(name).ok_or_else(missing)?;
    String::from_utf8(file.bytes.into_owned()).map_err(|_| missing())
}

/// All modules in one: each a function that gives what the module exports, those it needs before it.
fn script() -> Result<String, SingleError> {
    let (mut done, mut script) = (BTreeMap::new(), String::from("const $ = {};\n"));
    add(FIRST, &mut done, &mut script)?;
    Ok(script)
}

/// Adds a module and those it needs. In `done`, a module is true when it is there, and false while it is looked at.
fn add(name: &str, done: &mut BTreeMap<String, bool>, script: &mut String) -> Result<(), SingleError> {
    match done.get(name) {
        Some(true) => return Ok(()),
        Some(false) => return Err(SingleError::Circle(name.to_owned())),
        None => {}
    }
    done.insert(name.to_owned(), false);
    let module = Module::read(name, &text(name)?)?;
    for needed in &module.needs {
        add(needed, done, script)?;
    }
    let exports: Vec<String> = module
        .exports
        .iter()
        .map(|(outside, inside)| match outside == inside {
            true => outside.clone(),
            false => format!("{outside}: {inside}"),
        })
        .collect();
    let _ = write!(
        script,
        "$['{name}'] = (() => {{\n{}return {{ {} }};\n}})();\n",
        module.body,
        exports.join(", ")
    );
    done.insert(name.to_owned(), true);
    Ok(())
}

/// A module as the inside of a function.
#[derive(Default)]
struct Module {
    /// The modules it imports from.
    needs: Vec<String>,
    /// What it exports: the name outside and inside.
    exports: Vec<(String, String)>,
    body: String,
}

impl Module {
    /// Takes apart what one of the page's modules can have: imports and exports that begin a line and end on it.
    fn read(name: &str, text: &str) -> Result<Module, SingleError> {
        let (mut module, mut remark) = (Module::default(), false);
        for line in text.lines() {
            // Code in a remark that begins a line is none; it is left out, the first one excepted, which tells the licence.
            remark |= line.starts_with("/*") && !module.body.is_empty();
            if remark {
                remark = !line.trim_end().ends_with("*/");
                continue;
            }
            let wrong = || SingleError::Line {
                module: name.to_owned(),
                line: line.to_owned(),
            };
            if line.starts_with("import ") {
                let (names, from) = imported(line).ok_or_else(wrong)?;
                let from = resolved(name, from).ok_or_else(wrong)?;
                if LEFT_OUT.contains(&&*from) {
                    continue;
                }
                let _ = writeln!(module.body, "const {names} = $['{from}'];");
                module.needs.push(from);
            } else if let Some(rest) = line.strip_prefix("export {") {
                let list = rest.trim_end().trim_end_matches(';').trim_end();
                let list = list.strip_suffix('}').ok_or_else(wrong)?;
                for one in list.split(',').map(str::trim).filter(|one| !one.is_empty()) {
                    let (inside, outside) = one.split_once(" as ").unwrap_or((one, one));
                    module.exports.push((outside.to_owned(), inside.to_owned()));
                }
            } else if let Some(rest) = line.strip_prefix("export ") {
                let declared = declared(rest).ok_or_else(wrong)?;
                module.exports.push((declared.to_owned(), declared.to_owned()));
                module.body += rest;
                module.body.push('\n');
            } else {
                module.body += line;
                module.body.push('\n');
            }
        }
        Ok(module)
    }
}

/// What `import NAMES from 'FROM';` makes known, as what can be taken apart, and from where.
fn imported(line: &str) -> Option<(String, &str)> {
    let rest = line.strip_prefix("import ")?.strip_suffix("';")?;
    let (names, from) = rest.split_once(" from '")?;
    let names = match names.strip_prefix('{') {
        Some(names) => format!("{{{}", names.replace(" as ", ": ")),
        None if names.chars().all(|c| c.is_ascii_alphanumeric()) => format!("{{ default: {names} }}"),
        None => return None,
    };
    Some((names, from))
}

/// Where `from` leads from the module `name`: a file of the page.
fn resolved(name: &str, from: &str) -> Option<String> {
    let mut folder: Vec<&str> = name.split('/').collect();
    folder.pop();
    let rest = match from.strip_prefix("./") {
        Some(rest) => rest,
        None => {
            let rest = from.strip_prefix("../")?;
            folder.pop()?;
            rest
        }
    };
    folder.push(rest);
    Some(folder.join("/"))
}

/// The name that a declaration makes known.
fn declared(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("async ").unwrap_or(line);
    let rest = ["function* ", "function ", "class ", "const "]
        .iter()
        .find_map(|start| rest.strip_prefix(start))?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$')?;
    (end > 0).then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_becomes_a_function() {
        let module = Module::read(
            "views/a.js",
            "import { b, c as d } from '../b.js';\nimport E from './e.js';\nexport const f = 1, g = 2;\nexport async function* h() {}\n\
             const i = 3;\n/*\nexport function k() {}\n*/\nexport { i, b as j };\n",
        )
        .expect("known");
        assert_eq!(module.needs, ["b.js", "views/e.js"]);
        assert_eq!(
            module.body,
            "const { b, c: d } = $['b.js'];\nconst { default: E } = $['views/e.js'];\nconst f = 1, g = 2;\nasync function* h() {}\n\
             const i = 3;\n"
        );
        let exports: Vec<String> = module.exports.iter().map(|(o, i)| format!("{o}={i}")).collect();
        assert_eq!(exports, ["f=f", "h=h", "i=i", "j=b"]);
        for line in [
            "import * as x from './x.js';",
            "import { x } from 'x';",
            "export default 1;",
            "export let x = 1;",
        ] {
            assert!(Module::read("a.js", line).is_err(), "{line}");
        }
    }

    #[test]
    fn the_page_is_one_file_that_loads_nothing() {
        let html = single("a <b> & c", r#"{"name": "</script><script>alert(1)</script>"}"#).expect("made");
        assert!(html.contains("<title>a &lt;b&gt; &amp; c</title>"));
        assert!(!html.contains("alert(1)</script>"), "data ends its element");
        assert_eq!(html.matches("<script").count(), 3);
        for module in [
            "app.js",
            "still.js",
            "views/compare.js",
            "plots/heat.js",
            "vendor/uplot.js",
        ] {
            assert_eq!(html.matches(&format!("$['{module}'] = (")).count(), 1, "{module}");
        }
        assert!(!html.contains("$['decode.js'] = ("));
        for elsewhere in ["src=\"", "href=\"http", "href=\"/", "url("] {
            assert!(!html.contains(elsewhere), "{elsewhere}");
        }
        // What stands in the policy is the hash of what stands in the file.
        for (tag, end) in [("<script type=\"module\">", "</script>"), ("<style>", "</style>")] {
            let inside = html
                .split(tag)
                .nth(1)
                .and_then(|rest| rest.split(end).next())
                .expect(tag);
            assert!(html.contains(&format!("'sha256-{}'", hash(inside))), "{tag}");
        }
    }
}
