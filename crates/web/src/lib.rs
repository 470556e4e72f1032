//! The web page: its files, part of the program.
//!
//! The page is plain HTML, CSS and ES modules in `page/`, and asks the server's public API for everything it shows. There is no
//! build step. Builds for debugging read the files from `page/` each time they are asked for, so that a change is
//! seen when the page is loaded again.
//!
//! [`single()`] makes one file of the page and of runs, for whoever has no server.

mod single;

pub use single::{SingleError, single};

use rust_embed::RustEmbed;
use std::borrow::Cow;

#[derive(RustEmbed)]
#[folder = "page"]
struct Page;

/// What the page may load and do: files and answers of its own server, no script or style in the HTML, no text made HTML.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                          worker-src 'self'; base-uri 'none'; form-action 'none'; \
                          frame-ancestors 'none'";

/// A file of the page.
#[derive(Clone, Debug)]
pub struct File {
    /// What is in it.
    pub bytes: Cow<'static, [u8]>,
    /// Its media type.
    pub media_type: &'static str,
    /// The SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
}

/// The file called `name`, such as `index.html` or `plots/line.js`.
pub fn file(name: &str) -> Option<File> {
    let found = Page::get(name)?;
    let sha256 = found.metadata.sha256_hash();
    Some(File {
        media_type: media_type(name),
        sha256: sha256.iter().map(|byte| format!("{byte:02x}")).collect(),
        bytes: found.data,
    })
}

/// The names of all files.
pub fn names() -> impl Iterator<Item = Cow<'static, str>> {
    Page::iter()
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_what_they_are() {
        let index = file("index.html").expect("the page");
        assert_eq!(index.media_type, "text/html; charset=utf-8");
        assert!(index.bytes.starts_with(b"<!doctype html>"));
        assert_eq!(index.sha256.len(), 64);
        assert_eq!(
            file("app.js").map(|file| file.media_type),
            Some("text/javascript; charset=utf-8")
        );
        for none in ["", "nothing.js", "../Cargo.toml", "/etc/passwd", "vendor"] {
            assert!(file(none).is_none(), "{none:?}");
        }
    }

    #[test]
    fn html_has_neither_scripts_nor_styles_nor_handlers_in_it() {
        for name in names().filter(|name| name.ends_with(".html")) {
            let bytes = file(&name).expect("it").bytes;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            for part in text.split("<script").skip(1) {
                assert!(part.starts_with(" type=\"module\" src="), "{name}: {part}");
            }
            assert!(
                !text.contains("<style") && !text.contains(" style=") && !text.contains(" onclick="),
                "{name}"
            );
        }
    }

    #[test]
    fn modules_make_no_html_of_text_and_load_nothing_from_elsewhere() {
        for name in names().filter(|name| name.ends_with(".js") && !name.starts_with("vendor/")) {
            let bytes = file(&name).expect("it").bytes;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            for bad in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "https://",
            ] {
                assert!(!text.contains(bad), "{bad} in {name}");
            }
        }
    }
}
