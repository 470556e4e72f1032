//! Attributes of components, layers, applications and the whole run.

use crate::api::error::{ApiError, ApiResult};
use packetloom_config::catalog;
use packetloom_config::document::{Document, Parameters};
use packetloom_config::parameters::{Owner, merge};
use serde_json::Value;

/// Sections of the global parameters that nobody sets from outside.
const NOT_YOURS: [&str; 3] = [
    "SoftwareVersion",
    "ComputeConfiguration",
    "ParallelizationParameters",
];

/// Which list of the document something is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Switches, NICs, servers.
    Components,
    /// Layers.
    Links,
    /// Applications.
    Applications,
}

/// Changes attributes of the thing called `name`, and gives them all, the changed ones too.
///
/// # Errors
/// 404 when there is none, 400 when the patch is wrong.
pub fn patch(document: &mut Document, list: List, name: &str, patch: &Value) -> ApiResult<Parameters> {
    let (what, place) = match list {
        List::Components => (
            "component",
            document
                .components
                .iter_mut()
                .find(|c| c.name == name)
                .map(|c| (&c.model, &mut c.typed_parameters)),
        ),
        List::Links => (
            "link",
            document
                .links
                .iter_mut()
                .find(|c| c.name == name)
                .map(|c| (&c.model, &mut c.typed_parameters)),
        ),
        List::Applications => (
            "application",
            document
                .applications
                .iter_mut()
                .find(|a| a.name == name)
                .map(|a| (&a.model, &mut a.typed_parameters)),
        ),
    };
    let (model, stored) = place.ok_or_else(|| ApiError::not_found(what, name))?;
    let model = catalog::find_available(model).ok_or_else(|| {
        ApiError::invalid(format!(
            "the model of {name}, {model:?}, is not available, so its attributes are not known; {}",
            catalog::suggest(model, None)
        ))
    })?;
    let owner = Owner::Model(model);
    *stored = merge(owner, stored, patch)?;
    Ok(owner.filled(stored))
}

/// Changes global attributes, and gives them all.
///
/// # Errors
/// 400 when the patch is wrong, or of a section that is the server's.
pub fn patch_global(document: &mut Document, patch: &Value) -> ApiResult<Parameters> {
    let sections = patch
        .as_object()
        .into_iter()
        .flatten()
        .map(|(section, _)| section.as_str());
    if let Some(section) = sections.into_iter().find(|section| NOT_YOURS.contains(section)) {
        return Err(ApiError::invalid(format!(
            "{section}: is set by the server; leave it out"
        )));
    }
    document.global_parameters = merge(Owner::Global, &document.global_parameters, patch)?;
    Ok(Owner::Global.filled(&document.global_parameters))
}

#[cfg(test)]
mod tests {
    use super::*;
    use packetloom_config::template;
    use serde_json::json;

    #[test]
    fn attributes_of_everything_can_be_changed() {
        let mut document = template::document("rdma-16-hosts").expect("a template");
        let mss = json!({"ScalaRoceQpManager": {"MSS": {"type": "bytes", "value": 2048, "unit": "B"}}});
        let all = patch(&mut document, List::Components, "Nic", &mss).expect("right");
        assert_eq!(all["ScalaRoceQpManager"]["MSS"]["value"], json!(2048));
        assert!(all["EnableBufferStats"]["description"].is_string());
        let error = patch(&mut document, List::Components, "Nik", &mss).expect_err("none");
        assert_eq!(error.status(), 404);
        let error = patch(&mut document, List::Applications, "Rdma", &mss).expect_err("no such attribute");
        assert_eq!(error.status(), 400);
        let run = json!({"SimulationParameters": {"RunTime": {"type": "double", "value": 0.25}}});
        let all = patch_global(&mut document, &run).expect("right");
        assert_eq!(all["SimulationParameters"]["RunTime"]["value"], json!(0.25));
        assert_eq!(all["SimulationParameters"]["RunTime"]["default"], json!(0.5));
        for section in NOT_YOURS {
            let error = patch_global(&mut document, &json!({section: {}})).expect_err(section);
            assert_eq!(error.status(), 400);
        }
    }

    #[test]
    fn attributes_of_a_model_that_is_not_available_cannot() {
        let mut document = template::document("rdma-16-hosts").expect("a template");
        document.components[0].model = "ScalaUETNIC".to_owned();
        let name = document.components[0].name.clone();
        let error = patch(&mut document, List::Components, &name, &json!({})).expect_err("not known");
        assert_eq!(error.status(), 400);
    }
}
