//! From a stored document to something that can run, within what the server allows.

use crate::platform::Platform;
use packetloom_config::{Document, Scenario, catalog};
use packetloom_params::Errors;
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// Attributes that name files.
const FILES: [&str; 2] = ["RequestSizeFile", "ReplySizeFile"];

/// The folder whose files documents may name, in the folder of data.
pub fn files_folder(data: &Path) -> PathBuf {
    data.join("files")
}

/// What is wrong with the files that a document names: from here only those in one folder can be read, by a plain path within it.
pub fn confine(document: &Document) -> Errors {
    let mut errors = Errors::new();
    for (at, application) in document.applications.iter().enumerate() {
        for name in FILES {
            let text = match application.typed_parameters.get(name) {
                Some(Value::String(text)) => text,
                Some(Value::Object(leaf)) => match leaf.get("value") {
                    Some(Value::String(text)) => text,
                    _ => continue,
                },
                _ => continue,
            };
            let plain = Path::new(text)
                .components()
                .all(|part| matches!(part, Component::Normal(_)));
            if !plain {
                errors.push(
                    format!("applications[{at}].typedParameters.{name}"),
                    "leads out of the server's folder of files",
                    "name a file in the folder \"files\" of the server's data by its path from there",
                );
            }
        }
    }
    errors
}

/// The longest recording window: what `RunTime` may be.
const LONGEST_RUN: Duration = Duration::from_secs(1_000_000);

/// The duration of a simulation: `60s`, `1ms`, `1h`.
///
/// # Errors
/// What is wrong, and what would be right.
pub fn duration(text: &str) -> Result<Duration, String> {
    let right = "give a number and a unit, such as \"60s\", \"1ms\" or \"1h\"";
    let short: String = text.chars().take(40).collect();
    let plain = text.trim() == text;
    let duration = humantime::parse_duration(text).ok().filter(|_| plain);
    let duration = duration.ok_or_else(|| format!("duration: {short:?} is no length of time; {right}"))?;
    if duration.is_zero() {
        return Err(format!("duration: {short:?} is zero; {right}"));
    }
    if duration > LONGEST_RUN {
        return Err(format!(
            "duration: {short:?} is too long; give at most {}s",
            LONGEST_RUN.as_secs()
        ));
    }
    Ok(duration)
}

/// `document` with a recording window as long as `duration`.
pub fn lasting(mut document: Document, duration: Duration) -> Document {
    let section = document
        .global_parameters
        .entry("SimulationParameters")
        .or_insert_with(|| json!({}));
    if let Value::Object(section) = section {
        section.insert(
            "RunTime".to_owned(),
            json!({"type": "double", "value": duration.as_secs_f64()}),
        );
    }
    document
}

/// Checks a document as the server would run it.
///
/// # Errors
/// Everything that is wrong with it.
pub async fn scenario(app: &Platform, document: &Document) -> Result<Scenario, Errors> {
    let mut document = document.clone();
    document.base = Some(files_folder(&app.options.data));
    let failed = |what: String| Errors::one("", what, "try again");
    let _permit = app
        .heavy
        .acquire()
        .await
        .map_err(|error| failed(error.to_string()))?;
    let checked = tokio::task::spawn_blocking(move || check(&document)).await;
    checked.unwrap_or_else(|error| Err(failed(format!("the check did not end: {error}"))))
}

/// Checks a document whose files are looked for in its `base`.
///
/// # Errors
/// Everything that is wrong with it.
pub fn check(document: &Document) -> Result<Scenario, Errors> {
    let outside = confine(document);
    if !outside.is_empty() {
        // Not looked at any further: what is there is nobody's business.
        return Err(outside);
    }
    packetloom_config::validate(document)
}

/// The document with all attributes written out, as a run leaves it beside its records.
pub fn complete(document: &Document) -> Document {
    catalog::full_leaves(document)
}

#[cfg(test)]
mod tests {
    use super::*;
    use packetloom_config::template;

    #[test]
    fn files_outside_are_refused_without_a_look_at_them() {
        let mut document = template::document("tcp-16-hosts").expect("a template");
        for (name, right) in [
            ("web-search.cdf", true),
            ("sizes/web.cdf", true),
            ("/etc/passwd", false),
            ("../secret", false),
            ("a/../../secret", false),
            ("./web.cdf", false),
        ] {
            for value in [json!(name), json!({"type": "string", "value": name})] {
                document.applications[0]
                    .typed_parameters
                    .insert("ReplySizeFile".to_owned(), value);
                assert_eq!(confine(&document).is_empty(), right, "{name}");
            }
        }
        let error = check(&document).map(|_| ()).expect_err("outside");
        let first = error.iter().next().expect("one").path.clone();
        assert!(right_or_wrong(&first), "{error}");
    }

    fn right_or_wrong(path: &str) -> bool {
        path == "applications[0].typedParameters.ReplySizeFile"
    }

    #[test]
    fn durations_become_run_times() {
        assert_eq!(duration("1ms"), Ok(Duration::from_millis(1)));
        assert_eq!(duration("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("1h"), Ok(Duration::from_secs(3_600)));
        assert_eq!(duration("100us"), Ok(Duration::from_micros(100)));
        for wrong in [
            "",
            "0s",
            "60",
            "-1s",
            "1 parsec",
            "s",
            " 1ms",
            "1e3ms",
            "1000001s",
            "99999999999999h",
        ] {
            assert!(duration(wrong).expect_err(wrong).starts_with("duration: "));
        }
        let document = lasting(
            template::document("rdma-one-rack").expect("a template"),
            Duration::from_micros(50),
        );
        assert_eq!(
            check(&document)
                .expect("valid")
                .global
                .simulation_parameters
                .run_time,
            50e-6
        );
    }
}
