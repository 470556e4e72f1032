//! What checking a document found, as clients see it.

use packetloom_config::{Document, Scenario};
use packetloom_params::Errors;
use serde::Serialize;
use utoipa::ToSchema;

/// How grave something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It cannot be run so.
    Error,
    /// It may not be what was meant.
    Warning,
    /// Good to know.
    Info,
}

/// One thing found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Finding {
    /// How grave it is.
    pub severity: Severity,
    /// Its kind, for programs: `CONSTRAINT_VIOLATION` or `PREPROCESSOR_VALIDATION_NOTE`.
    pub code: &'static str,
    /// What is wrong, and what would be right.
    pub message: String,
    /// Where in the document, such as `$.components[2].typedParameters.NumUpLinks`.
    pub path: Option<String>,
    /// The name of what is there.
    pub component: Option<String>,
    /// Its attribute.
    pub parameter: Option<String>,
}

/// What checking found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Verdict {
    /// Whether it can be run.
    pub valid: bool,
    /// `valid` or `error`.
    pub status: &'static str,
    /// What is wrong.
    pub errors: Vec<Finding>,
    /// What may not be as meant.
    pub warnings: Vec<Finding>,
    /// What is good to know.
    pub info: Vec<Finding>,
}

const VIOLATION: &str = "CONSTRAINT_VIOLATION";
const NOTE: &str = "PREPROCESSOR_VALIDATION_NOTE";

/// The verdict on `document`.
pub(crate) fn verdict(document: &Document, result: &Result<Scenario, Errors>) -> Verdict {
    let note = |message: String| Finding {
        severity: Severity::Info,
        code: NOTE,
        message,
        path: None,
        component: None,
        parameter: None,
    };
    match result {
        Ok(scenario) => Verdict {
            valid: true,
            status: "valid",
            errors: Vec::new(),
            warnings: scenario
                .warnings
                .iter()
                .map(|message| Finding {
                    severity: Severity::Warning,
                    code: VIOLATION,
                    ..note(message.clone())
                })
                .collect(),
            info: vec![note(outline(scenario))],
        },
        Err(errors) => Verdict {
            valid: false,
            status: "error",
            errors: errors.iter().map(|problem| finding(document, problem)).collect(),
            warnings: Vec::new(),
            info: Vec::new(),
        },
    }
}

/// How large it is.
fn outline(scenario: &Scenario) -> String {
    let pods = &scenario.plan.pods;
    let racks = || pods.iter().flat_map(|pod| &pod.racks);
    let switches = racks().map(|rack| rack.switches.len()).sum::<usize>()
        + pods.iter().map(|pod| pod.fabric_switches.len()).sum::<usize>()
        + scenario.plan.spine_switches();
    format!(
        "The document is valid: {} hosts, {} racks, {} pods, {} switches, {} applications",
        scenario.plan.hosts(),
        racks().count(),
        pods.len(),
        switches,
        scenario.applications.len()
    )
}

fn finding(document: &Document, problem: &packetloom_params::Problem) -> Finding {
    let message = match problem.remedy.as_str() {
        "" => problem.message.clone(),
        remedy => format!("{}; {remedy}", problem.message),
    };
    Finding {
        severity: Severity::Error,
        code: VIOLATION,
        message,
        path: (!problem.path.is_empty()).then(|| format!("$.{}", problem.path)),
        component: named_at(document, &problem.path),
        parameter: problem
            .path
            .split_once("typedParameters.")
            .map(|(_, parameter)| parameter)
            .or_else(|| problem.path.strip_prefix("globalParameters."))
            .map(str::to_owned),
    }
}

/// The name of what a path such as `components[2].model` leads into.
fn named_at(document: &Document, path: &str) -> Option<String> {
    let (list, rest) = path.split_once('[')?;
    let at: usize = rest.split_once(']')?.0.parse().ok()?;
    let name = match list {
        "components" => &document.components.get(at)?.name,
        "links" => &document.links.get(at)?.name,
        "containers" => &document.containers.get(at)?.name,
        "applications" => &document.applications.get(at)?.name,
        _ => return None,
    };
    Some(name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use packetloom_config::{template, validate};
    use serde_json::json;

    #[test]
    fn findings_name_the_place_the_component_and_the_attribute() {
        let mut document = template::document("rdma-16-hosts").expect("a template");
        let at = document
            .components
            .iter()
            .position(|c| c.name == "Nic")
            .expect("there");
        document.components[at]
            .typed_parameters
            .insert("EnableBufferStats".to_owned(), json!(5));
        let found = verdict(&document, &validate(&document));
        assert_eq!((found.valid, found.status), (false, "error"));
        assert_eq!(
            found.errors[0].path,
            Some(format!("$.components[{at}].typedParameters.EnableBufferStats"))
        );
        assert_eq!(found.errors[0].component.as_deref(), Some("Nic"));
        assert_eq!(found.errors[0].parameter.as_deref(), Some("EnableBufferStats"));
        let document = template::document("rdma-16-hosts").expect("a template");
        let found = verdict(&document, &validate(&document));
        assert!(
            found.valid && found.info[0].message.contains("16 hosts"),
            "{found:?}"
        );
    }
}
