//! Applications and which part of the hosts runs each of their roles.

use super::components::{check_name, defaults, model};
use crate::api::error::{ApiError, ApiResult};
use packetloom_config::catalog::ModelKind;
use packetloom_config::document::{
    AppDistribution, ApplicationDefinition, DistributionEntry, DistributionPercent, Document,
};
use packetloom_config::scenario::{ApplicationKind, Role};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// Sums of shares may be off by this much, for thirds and the like.
const TOLERANCE: f64 = 1e-9;

/// A share to change.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShareChange {
    /// The application.
    pub parent_application: String,
    /// Which of its roles, such as `prScalaTrafficServer`.
    pub distribution_id: String,
    /// The new part of the hosts.
    #[schema(minimum = 0.0, maximum = 1.0)]
    pub value: f64,
}

fn value(entry: &DistributionEntry) -> f64 {
    entry.distribution_percent.value.as_f64().unwrap_or(0.0)
}

/// Makes the shares `wanted`, so that their sum is 1 exactly: the largest one, the last of several, takes what rounding left over.
fn write(entries: &mut [DistributionEntry], wanted: &[f64]) {
    // Twelve decimals: more than any number of hosts needs, and sums of them stay readable.
    let round = |share: f64| (share * 1e12).round() / 1e12;
    let largest = (0..wanted.len()).max_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    let others = wanted.iter().enumerate().filter(|(at, _)| Some(*at) != largest);
    let rest = 1.0 - others.map(|(_, share)| round(*share)).sum::<f64>();
    for (at, (entry, share)) in entries.iter_mut().zip(wanted).enumerate() {
        let share = if Some(at) == largest { rest } else { *share };
        entry.distribution_percent.value = json!(round(share));
    }
}

/// Adds an application: 1 is then split evenly over all clients and servers.
///
/// # Errors
/// 400 when the model or the name cannot be used, or the shares exceed 1 already.
pub fn add(
    document: &mut Document,
    id: &str,
    name: &str,
    version: Option<&str>,
) -> ApiResult<ApplicationDefinition> {
    let model = model(id, version, Some(ModelKind::Application))?;
    check_name(document, name)?;
    let kind = ApplicationKind::ALL
        .into_iter()
        .find(|kind| kind.model() == model.name)
        .ok_or_else(|| ApiError::invalid(format!("{} has no roles to spread over hosts", model.name)))?;
    let entries = &mut document.topology.app_distribution.random_application_distribution;
    let sum: f64 = entries.iter().map(value).sum();
    if sum > 1.0 + TOLERANCE {
        return Err(ApiError::invalid(format!(
            "the shares of the applications add up to {sum}, more than 1; change them first"
        )));
    }
    for role in [Role::Client, Role::Server] {
        entries.push(DistributionEntry {
            parent_application: name.to_owned(),
            name: format!("{name}{}", kind.role_name(role)),
            application_type: role.to_string(),
            distribution_percent: DistributionPercent {
                distribution_id: kind.distribution_id(role).to_owned(),
                value: Value::Null,
            },
        });
    }
    let even = vec![1.0 / entries.len() as f64; entries.len()];
    write(entries, &even);
    let new = ApplicationDefinition {
        kind: "application".to_owned(),
        name: name.to_owned(),
        model: model.name.to_owned(),
        version: model.version.to_owned(),
        traffic_type: Some("non-coordinated".to_owned()),
        typed_parameters: defaults(model),
    };
    document.applications.push(new.clone());
    Ok(new)
}

/// Takes an application away, its roles on servers too; the shares of the others grow in proportion until their sum is 1.
///
/// # Errors
/// 404 when there is none.
pub fn remove(document: &mut Document, name: &str) -> ApiResult<()> {
    let before = document.applications.len();
    document
        .applications
        .retain(|application| application.name != name);
    if document.applications.len() == before {
        return Err(ApiError::not_found("application", name));
    }
    for component in &mut document.components {
        component.components.retain(|child| {
            child.kind != "application" || child.parent_application_name.as_deref() != Some(name)
        });
    }
    let entries = &mut document.topology.app_distribution.random_application_distribution;
    entries.retain(|entry| entry.parent_application != name);
    let sum: f64 = entries.iter().map(value).sum();
    let scaled: Vec<f64> = if sum > 0.0 {
        entries.iter().map(|entry| value(entry) / sum).collect()
    } else {
        // Nothing to scale: as if they had just been added.
        vec![1.0 / entries.len() as f64; entries.len()]
    };
    write(entries, &scaled);
    Ok(())
}

/// Changes one share.
///
/// # Errors
/// 400 when the value is out of range or a field is empty, 404 when there is no such share.
pub fn set_share(document: &mut Document, change: &ShareChange) -> ApiResult<AppDistribution> {
    for (name, text) in [
        ("parentApplication", &change.parent_application),
        ("distributionId", &change.distribution_id),
    ] {
        if text.trim().is_empty() {
            return Err(ApiError::invalid(format!("{name}: is empty; give a name")));
        }
    }
    if !(0.0..=1.0).contains(&change.value) {
        return Err(ApiError::invalid(format!(
            "value: {} is out of range; give 0 to 1",
            change.value
        )));
    }
    let distribution = &mut document.topology.app_distribution;
    if distribution.random_application_distribution.is_empty() {
        return Err(ApiError::invalid(
            "the topology has no appDistribution yet; add an application first",
        ));
    }
    let entry = distribution
        .random_application_distribution
        .iter_mut()
        .find(|entry| {
            entry.parent_application == change.parent_application
                && entry.distribution_percent.distribution_id == change.distribution_id
        });
    let Some(entry) = entry else {
        return Err(ApiError::not_found(
            &format!("share of {:?} called", change.parent_application),
            &change.distribution_id,
        ));
    };
    entry.distribution_percent.value = json!(change.value);
    Ok(distribution.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use packetloom_config::{template, validate};

    fn shares(document: &Document) -> Vec<f64> {
        document
            .topology
            .app_distribution
            .random_application_distribution
            .iter()
            .map(value)
            .collect()
    }

    fn bare() -> Document {
        let mut document = template::document("tcp-16-hosts").expect("a template");
        document.applications.clear();
        document.topology.app_distribution = AppDistribution::default();
        document
    }

    #[test]
    fn one_is_split_evenly_and_scaled_back() {
        let mut document = bare();
        add(&mut document, "ScalaTrafficGeneratorApplication", "A", None).expect("added");
        assert_eq!(shares(&document), [0.5, 0.5]);
        add(&mut document, "ScalaTrafficGeneratorApplication", "B", None).expect("added");
        assert_eq!(shares(&document), [0.25; 4]);
        assert!(validate(&document).is_ok(), "{:?}", validate(&document).err());
        add(&mut document, "ScalaTrafficGeneratorApplication", "C", None).expect("added");
        // Sixths do not end; what is left over goes to the last.
        assert_eq!(shares(&document)[0], 0.166666666667);
        assert!(validate(&document).is_ok(), "{:?}", validate(&document).err());
        let change = ShareChange {
            parent_application: "A".to_owned(),
            distribution_id: "prScalaTrafficServer".to_owned(),
            value: 0.4,
        };
        set_share(&mut document, &change).expect("changed");
        remove(&mut document, "C").expect("there");
        // 1/6, 0.4, 1/6, 1/6 of 0.9: 5/27, 4/9, 5/27, 5/27.
        let left = shares(&document);
        for (share, right) in left.iter().zip([5.0 / 27.0, 4.0 / 9.0, 5.0 / 27.0, 5.0 / 27.0]) {
            assert!((share - right).abs() < 1e-11, "{left:?}");
        }
        assert!(validate(&document).is_ok(), "{:?}", validate(&document).err());
        for name in ["A", "B"] {
            remove(&mut document, name).expect("there");
        }
        assert_eq!(shares(&document), [0.0; 0]);
        assert_eq!(remove(&mut document, "A").expect_err("gone").status(), 404);
    }

    #[test]
    fn what_rounding_leaves_goes_to_the_largest_share() {
        let mut document = bare();
        for name in ["A", "B", "C"] {
            add(&mut document, "ScalaTrafficGeneratorApplication", name, None).expect("added");
        }
        let set = |document: &mut Document, values: [f64; 6]| {
            let all = &mut document.topology.app_distribution.random_application_distribution;
            for (entry, value) in all.iter_mut().zip(values) {
                entry.distribution_percent.value = json!(value);
            }
        };
        // 0.4, 0.1, 0.1, 0 of 0.6: 2/3 is rounded up, 1/6 twice too, and 0 stays 0.
        set(&mut document, [0.4, 0.1, 0.1, 0.0, 0.2, 0.2]);
        remove(&mut document, "C").expect("there");
        assert_eq!(
            shares(&document),
            [0.666666666666, 0.166666666667, 0.166666666667, 0.0]
        );
        // Zeros cannot grow; what is left is split evenly.
        set(&mut document, [0.0, 0.0, 0.5, 0.5, 0.0, 0.0]);
        remove(&mut document, "B").expect("there");
        assert_eq!(shares(&document), [0.5, 0.5]);
    }

    #[test]
    fn names_and_roles_are_those_of_the_model() {
        let mut document = bare();
        let new = add(&mut document, "scala-rdma-application-v3.1.1", "Writes", None).expect("added");
        assert_eq!(new.model, "ScalaRdmaApplication");
        let entries = &document.topology.app_distribution.random_application_distribution;
        let ids: Vec<&str> = entries
            .iter()
            .map(|e| e.distribution_percent.distribution_id.as_str())
            .collect();
        assert_eq!(ids, ["prScalaRdmaInitiator", "prScalaRdmaResponder"]);
        assert_eq!(entries[0].application_type, "client");
        assert_eq!(
            add(&mut document, "ScalaRdmaApplication", "Writes", None)
                .expect_err("taken")
                .status(),
            400
        );
        assert_eq!(
            add(&mut document, "ScalaSwitch", "X", None)
                .expect_err("no application")
                .status(),
            400
        );
        assert_eq!(
            add(&mut document, "ScalaChakraGenerator", "X", None)
                .expect_err("not yet")
                .status(),
            400
        );
    }

    #[test]
    fn shares_above_one_are_refused() {
        let mut document = template::document("tcp-16-hosts").expect("a template");
        let mut change = ShareChange {
            parent_application: "Tcp".to_owned(),
            distribution_id: "prScalaTrafficServer".to_owned(),
            value: 1.0,
        };
        set_share(&mut document, &change).expect("in range");
        // 0.5 + 1.0.
        let error = add(&mut document, "ScalaTrafficGeneratorApplication", "B", None).expect_err("1.5");
        assert_eq!(error.status(), 400);
        for wrong in [-0.1, 1.1, f64::NAN] {
            change.value = wrong;
            assert_eq!(
                set_share(&mut document, &change).expect_err("range").status(),
                400
            );
        }
        change.value = 0.5;
        change.distribution_id = "prScalaRdmaInitiator".to_owned();
        assert_eq!(set_share(&mut document, &change).expect_err("none").status(), 404);
        change.distribution_id = String::new();
        assert_eq!(
            set_share(&mut document, &change).expect_err("empty").status(),
            400
        );
        assert_eq!(
            set_share(
                &mut bare(),
                &ShareChange {
                    distribution_id: "x".to_owned(),
                    ..change
                }
            )
            .expect_err("no distribution")
            .status(),
            400
        );
    }
}
