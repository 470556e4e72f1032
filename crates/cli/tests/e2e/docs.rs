//! Somebody reads the documentation: its tables are those of the program, its commands do what they say, its links lead
//! somewhere. `UPDATE_DOCS=1` writes the tables anew instead of comparing them.

use crate::lab::PROGRAM;
use packetloom_config::catalog;
use packetloom_records::Record;
use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the whole project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate is two folders down")
        .to_owned()
}

/// Every Markdown file of the project, sorted: those at the top and those in `docs`.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = [root(), root().join("docs"), root().join("docs/images")]
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    assert!(pages.len() > 10, "{pages:?}");
    pages
}

fn text_of(page: &Path) -> String {
    fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

/// The table that a marker asks for: `attributes: MODEL [PATH]`, with only the attributes below PATH if that is given,
/// or `columns: RECORD`.
fn table(marker: &str) -> Option<String> {
    if let Some(record) = marker.strip_prefix("columns: ") {
        return Record::by_name(record).map(packetloom_records::markdown_table);
    }
    let mut words = marker.strip_prefix("attributes: ")?.split(' ');
    let whole = match words.next()? {
        "global" => catalog::global_markdown_table(),
        model => catalog::markdown_table(catalog::find(model)?.0),
    };
    let Some(below) = words.next() else {
        return Some(whole);
    };
    let mut part = String::new();
    for (number, line) in whole.lines().enumerate() {
        if number < 2 || line.starts_with(&format!("| `{below}.")) {
            part += &format!("{line}\n");
        }
    }
    (part.lines().count() > 2).then_some(part)
}

/// The page with every table between `<!-- attributes: ... -->` or `<!-- columns: ... -->` and `<!-- end -->` made anew.
fn with_tables(page: &Path) -> String {
    let mut made = String::new();
    let mut inside = false;
    for line in text_of(page).lines() {
        let marker = line
            .strip_prefix("<!-- ")
            .and_then(|rest| rest.strip_suffix(" -->"));
        match marker {
            Some("end") => inside = false,
            Some(marker) if marker.starts_with("attributes: ") || marker.starts_with("columns: ") => {
                assert!(!inside, "{}: no end before {line}", page.display());
                let table = table(marker).unwrap_or_else(|| panic!("{}: nothing for {line}", page.display()));
                // Markdown wants an empty line on both sides of a table.
                write!(made, "{line}\n\n{table}\n").expect("written to a string");
                inside = true;
            }
            _ if inside => continue,
            _ => {}
        }
        if !inside {
            made += line;
            made.push('\n');
        }
    }
    assert!(!inside, "{}: a table without an end", page.display());
    made
}

#[test]
fn tables_are_those_of_the_declarations() {
    let update = std::env::var_os("UPDATE_DOCS").is_some_and(|value| value == "1");
    for page in pages() {
        let made = with_tables(&page);
        if update {
            fs::write(&page, made).expect("written");
        } else if let Some((number, (is, right))) = text_of(&page)
            .lines()
            .zip(made.lines())
            .enumerate()
            .find(|(_, (is, right))| is != right)
        {
            let (page, number) = (page.display(), number + 1);
            panic!("{page}:{number} is\n  {is}\nand should be\n  {right}\nrun with UPDATE_DOCS=1");
        } else {
            assert_eq!(text_of(&page), made, "{}: run with UPDATE_DOCS=1", page.display());
        }
    }
}

#[test]
fn every_record_and_model_with_attributes_has_its_table() {
    let all: String = pages().iter().map(|page| text_of(page)).collect();
    for record in Record::ALL {
        assert!(
            all.contains(&format!("<!-- columns: {} -->", record.name())),
            "{}",
            record.name()
        );
    }
    let models = catalog::models().filter(|model| !model.declaration().leaves().is_empty());
    for name in models.map(|model| model.name).chain(["global"]) {
        assert!(all.contains(&format!("<!-- attributes: {name} -->")), "{name}");
    }
}

/// A fenced block: the line it starts on, what follows the fence, its text.
struct Block {
    line: usize,
    info: String,
    text: String,
}

fn blocks(page: &Path) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in text_of(page).lines().enumerate() {
        match line.trim_start().strip_prefix("```") {
            Some(info) if !open => {
                open = true;
                blocks.push(Block {
                    line: number + 1,
                    info: info.to_owned(),
                    text: String::new(),
                });
            }
            Some(_) => open = false,
            None if open => {
                let block = blocks.last_mut().expect("one is open");
                block.text += line;
                block.text.push('\n');
            }
            None => {}
        }
    }
    assert!(!open, "{}: a block without an end", page.display());
    blocks
}

/// Runs a block in `folder`; what it printed, or what went wrong.
fn run(text: &str, folder: &Path) -> Result<String, String> {
    let path = format!(
        "{}:{}",
        folder.join("bin").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", text])
        .current_dir(folder)
        .env("PATH", path)
        .env_remove("SOURCE_DATE_EPOCH")
        .stdin(Stdio::null())
        .output()
        .expect("started");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        Ok(stdout)
    } else {
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(format!("{}\n{stdout}{stderr}", output.status))
    }
}

/// What a block's fence says of the output it holds: that of the block before, all or in part.
const OUTPUT: &str = "text output";
/// The part of a run's summary that is the same on every machine: up to the table `Run`. Several of these blocks in a
/// row are its tables, with the empty lines between them.
const SUMMARY: &str = "text output before Run";
/// How a page calls the program before it is built.
const UNBUILT: &str = "cargo run --release -- ";

/// What is to be run of a block, if anything.
fn commands(block: &Block, has_output: bool) -> Option<String> {
    match block.info.as_str() {
        // What needs the server is run by a program that has it.
        "sh platform" if !cfg!(feature = "platform") => None,
        "sh" | "sh platform" => Some(block.text.clone()),
        // The build is not for a test, but what it prints after it is.
        "sh no-run" if has_output => {
            let runs = block.text.lines().filter_map(|line| line.strip_prefix(UNBUILT));
            Some(runs.map(|line| format!("packetloom {line}\n")).collect())
        }
        _ => None,
    }
}

/// What differs between the blocks `told`, all of one kind, and what was printed.
fn difference(told: &[Block], printed: &str) -> Option<String> {
    let (told, printed) = match told {
        [] => return None,
        [one] if one.info == OUTPUT => (one.text.clone(), printed),
        [first, ..] if first.info == SUMMARY => {
            let Some((before, _)) = printed.split_once("\n\nRun ") else {
                return Some(format!("prints no table Run:\n{printed}"));
            };
            let tables: Vec<&str> = told.iter().map(|block| block.text.trim_end()).collect();
            // Blocks that show the whole summary have that table too.
            let all = tables.join("\n\n");
            let shown = all.split_once("\n\nRun ").map_or(&*all, |(shown, _)| shown);
            (shown.to_owned(), before)
        }
        [first, ..] => return Some(format!("has two blocks of {} behind it", first.info)),
    };
    (told != printed).then(|| format!("prints\n{printed}"))
}

/// Every `sh` block runs, one folder a page and one after another. What [`OUTPUT`] and [`SUMMARY`] mark right after it is
/// what it prints, to the byte. `sh platform` needs a program with the server; `sh no-run` marks what is only to be read, such as a build.
#[cfg(unix)]
#[test]
fn commands_run_and_print_what_the_pages_say() {
    let mut faults = String::new();
    let (mut count, mut summaries) = (0, Vec::new());
    for page in pages() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        fs::create_dir(folder.join("bin")).expect("a folder");
        std::os::unix::fs::symlink(PROGRAM, folder.join("bin/packetloom")).expect("linked");
        std::os::unix::fs::symlink(root().join("examples"), folder.join("examples")).expect("linked");
        let blocks = blocks(&page);
        for (at, block) in blocks.iter().enumerate() {
            let is_output = block.info.starts_with(OUTPUT);
            let follows =
                at > 0 && (blocks[at - 1].info.starts_with("sh") || blocks[at - 1].info == block.info);
            assert!(
                !is_output || follows,
                "{}:{}: output of no block",
                page.display(),
                block.line
            );
            let behind = &blocks[at + 1..];
            let kind = behind.first().map_or("", |next| &*next.info);
            let told = if kind.starts_with(OUTPUT) {
                behind.split(|next| next.info != kind).next().unwrap_or_default()
            } else {
                &[]
            };
            let Some(text) = commands(block, !told.is_empty()) else {
                continue;
            };
            count += 1;
            summaries.extend((kind == SUMMARY).then(|| page.file_name().unwrap_or_default().to_owned()));
            let fault = run(&text, folder).map_or_else(Some, |printed| difference(told, &printed));
            if let Some(fault) = fault {
                writeln!(faults, "{}:{}: {fault}", page.display(), block.line).expect("written to a string");
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
    assert!(count > 10, "only {count} blocks were found");
    assert_eq!(
        summaries,
        ["README.md", "getting-started.md", "summary.md"],
        "pages that show summaries"
    );
}

/// A page that shows a summary says of which command, so that it is compared.
#[test]
fn no_summary_goes_unchecked() {
    for page in pages() {
        for block in blocks(&page) {
            let shows = block.text.lines().any(|line| {
                ["Work requests ", "Link utilization ", "Network "]
                    .iter()
                    .any(|heading| line.starts_with(heading))
            });
            assert!(
                !shows || block.info.starts_with(OUTPUT),
                "{}:{}",
                page.display(),
                block.line
            );
        }
    }
}

/// The page without its fenced blocks, in which brackets are no links and `#` is no heading.
fn prose(page: &Path) -> String {
    let mut open = false;
    let mut prose = String::new();
    for line in text_of(page).lines() {
        if line.trim_start().starts_with("```") {
            open = !open;
        } else if !open {
            prose += line;
            prose.push('\n');
        }
    }
    prose
}

/// Where the links of a page lead.
fn links(page: &Path) -> Vec<String> {
    let prose = prose(page);
    prose
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .map(str::to_owned)
        .collect()
}

/// The anchors of a page's headings, as the usual viewers make them.
fn anchors(page: &Path) -> HashSet<String> {
    prose(page)
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim().to_lowercase())
        .map(|heading| {
            heading
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        })
        .collect()
}

#[test]
fn links_lead_somewhere() {
    let mut faults = String::new();
    for page in pages() {
        for link in links(&page) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() {
                page.clone()
            } else {
                page.parent().expect("a file is in a folder").join(path)
            };
            let found = target.exists()
                && (anchor.is_empty() || target.is_file() && anchors(&target).contains(anchor));
            if !found {
                writeln!(faults, "{}: {link}", page.display()).expect("written to a string");
            }
        }
    }
    assert!(faults.is_empty(), "links that lead nowhere:\n{faults}");
}

#[test]
fn every_page_is_in_the_index() {
    let index = root().join("docs/README.md");
    let linked = links(&index);
    for page in pages() {
        let name = page.strip_prefix(root().join("docs"));
        let Ok(name) = name.map(|name| name.display().to_string()) else {
            continue;
        };
        assert!(name == "README.md" || linked.contains(&name), "docs/{name}");
    }
}
