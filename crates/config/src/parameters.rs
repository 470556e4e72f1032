//! Changing some attributes of a tree, checked against their declaration.
//!
//! A patch is a tree of leaves like a document's, each written out: `{"MSS": {"type": "bytes", "value": 2048, "unit": "B"}}`.

use crate::catalog::{self, Model};
use crate::document::Parameters;
use crate::global::{self, GlobalParameters};
use packetloom_params::problem::{did_you_mean, join};
use packetloom_params::{Attributes, Errors, Group, Kind, Leaf, Member};
use serde_json::{Map, Value};

/// What a free text may not hold: characters that mean something to a shell.
const FORBIDDEN: &str = "[]{}()'\";$*?#~!&<>";

/// Whose attributes they are.
#[derive(Clone, Copy, Debug)]
pub enum Owner {
    /// An instance of a model.
    Model(&'static Model),
    /// The whole run.
    Global,
}

impl Owner {
    fn declaration(self) -> Group {
        match self {
            Owner::Model(model) => model.declaration(),
            Owner::Global => GlobalParameters::declaration(),
        }
    }

    fn judge(self, given: &Parameters) -> Errors {
        match self {
            Owner::Model(model) => model.judge(given),
            Owner::Global => catalog::judge::<GlobalParameters>(&global::known_sections(given)),
        }
    }

    /// `stored` with everything left out filled in, as full leaves. Values that are wrong stand as they are stored.
    pub fn filled(self, stored: &Parameters) -> Parameters {
        let full = match self {
            Owner::Model(model) => model.full_leaves(stored),
            Owner::Global => catalog::fill::<GlobalParameters>(&global::known_sections(stored)),
        };
        let mut full = match full {
            Value::Object(full) => full,
            _ => Map::new(),
        };
        for (path, _) in self.declaration().leaves() {
            let names = self.names(&path);
            let Some(value) = get(stored, &names) else {
                continue;
            };
            if self.is_wrong(&names, value) {
                put(&mut full, &names, value.clone());
                continue;
            }
            // As it was given, not in the unit of the default.
            let given = ["value", "unit"].map(|part| value.get(part).filter(|part| !part.is_null()));
            if let ([Some(value), unit], Some(Value::Object(leaf))) = (given, get_mut(&mut full, &names)) {
                leaf.insert("value".to_owned(), value.clone());
                if let Some(unit) = unit {
                    leaf.insert("unit".to_owned(), unit.clone());
                }
            }
        }
        full
    }

    fn is_wrong(self, names: &[&str], value: &Value) -> bool {
        let mut alone = Map::new();
        put(&mut alone, names, value.clone());
        !self.judge(&alone).is_empty()
    }

    /// The names along the path of a leaf of the declaration; a name may hold dots.
    fn names(self, path: &str) -> Vec<&'static str> {
        fn walk(members: &[Member], rest: &str, names: &mut Vec<&'static str>) {
            for member in members {
                let Some(after) = rest.strip_prefix(member.name()) else {
                    continue;
                };
                match member {
                    Member::Leaf(leaf) if after.is_empty() => return names.push(leaf.name),
                    Member::Group(group) if after.starts_with('.') => {
                        names.push(group.name);
                        return walk(&group.members, &after[1..], names);
                    }
                    _ => {}
                }
            }
        }
        let mut names = Vec::new();
        walk(&self.declaration().members, path, &mut names);
        names
    }
}

fn get<'a>(tree: &'a Parameters, names: &[&str]) -> Option<&'a Value> {
    let (last, groups) = names.split_last()?;
    let mut at = tree;
    for name in groups {
        at = at.get(*name)?.as_object()?;
    }
    at.get(*last)
}

fn get_mut<'a>(tree: &'a mut Parameters, names: &[&str]) -> Option<&'a mut Value> {
    let (last, groups) = names.split_last()?;
    let mut at = tree;
    for name in groups {
        at = at.get_mut(*name)?.as_object_mut()?;
    }
    at.get_mut(*last)
}

fn put(tree: &mut Parameters, names: &[&str], value: Value) {
    let Some((last, groups)) = names.split_last() else {
        return;
    };
    let mut at = tree;
    for name in groups {
        let group = at.entry(*name).or_insert_with(|| Value::Object(Map::new()));
        if !group.is_object() {
            *group = Value::Object(Map::new());
        }
        let Value::Object(group) = group else { return };
        at = group;
    }
    at.insert((*last).to_owned(), value);
}

/// `stored` with the attributes that `patch` names replaced, value and unit together.
///
/// # Errors
/// Everything that is wrong with the patch: nothing in it, names that the declaration does not have, leaves where groups
/// belong and the reverse, types, units, ranges, choices, read-only attributes, and texts with characters of a shell.
pub fn merge(owner: Owner, stored: &Parameters, patch: &Value) -> Result<Parameters, Errors> {
    let mut errors = Errors::new();
    let Value::Object(given) = patch else {
        return Err(Errors::one(
            "",
            "the patch is no object",
            "give a tree of attributes: {\"NAME\": {\"type\", \"value\", \"unit\"}}",
        ));
    };
    let mut leaves = Vec::new();
    collect(
        &owner.declaration(),
        given,
        "",
        &mut Vec::new(),
        &mut leaves,
        &mut errors,
    );
    if leaves.is_empty() && errors.is_empty() {
        return Err(Errors::one(
            "",
            "the patch names no attribute",
            "give at least one: {\"NAME\": {\"type\", \"value\", \"unit\"}}",
        ));
    }
    // Judged by themselves, so that what was wrong before is no reason to refuse.
    let mut alone = Map::new();
    let mut merged = stored.clone();
    for (names, value) in leaves {
        put(&mut alone, &names, value.clone());
        put(&mut merged, &names, value);
    }
    errors.append(owner.judge(&alone));
    errors.or(merged)
}

type Found = (Vec<&'static str>, Value);

fn collect(
    group: &Group,
    given: &Parameters,
    path: &str,
    names: &mut Vec<&'static str>,
    leaves: &mut Vec<Found>,
    errors: &mut Errors,
) {
    for (key, value) in given {
        let place = join(path, key);
        let member = group.members.iter().find(|member| member.name() == key);
        match (member, value) {
            (None, _) => errors.push(
                place,
                "is not known here",
                did_you_mean(key, group.members.iter().map(Member::name)),
            ),
            (Some(Member::Group(inner)), Value::Object(object)) => {
                names.push(inner.name);
                collect(inner, object, &place, names, leaves, errors);
                names.pop();
            }
            (Some(Member::Group(_)), _) => errors.push(
                place,
                "is a group of attributes",
                "give an object with some of them",
            ),
            (Some(Member::Leaf(leaf)), Value::Object(object)) => {
                if let Some(value) = written(leaf, object, &place, errors) {
                    names.push(leaf.name);
                    leaves.push((names.clone(), value));
                    names.pop();
                }
            }
            (Some(Member::Leaf(_)), _) => errors.push(
                place,
                "is an attribute, to be written out",
                "give {\"type\", \"value\"} and, where it has one, \"unit\"",
            ),
        }
    }
}

/// The leaf to store, if its form is right; ranges and choices are judged later.
fn written(leaf: &Leaf, object: &Parameters, place: &str, errors: &mut Errors) -> Option<Value> {
    let before = errors.len();
    let described = [
        "type",
        "value",
        "unit",
        "default",
        "defaultUnit",
        "description",
        "min",
        "max",
        "enum",
        "readonly",
    ];
    for key in object.keys().filter(|key| !described.contains(&key.as_str())) {
        errors.push(
            join(place, key),
            "is no part of an attribute",
            did_you_mean(key, described),
        );
    }
    match object.get("type") {
        Some(Value::String(text)) if Kind::from_text(text) == Some(leaf.kind) => {}
        Some(Value::String(text)) => errors.push(
            join(place, "type"),
            format!(
                "is \"{}\", but the attribute is of type {}",
                text.escape_debug(),
                leaf.kind.as_str()
            ),
            format!("make it \"{}\"", leaf.kind.as_str()),
        ),
        _ => errors.push(
            join(place, "type"),
            "is missing",
            format!("make it \"{}\"", leaf.kind.as_str()),
        ),
    }
    if object.get("value").is_none_or(Value::is_null) {
        errors.push(join(place, "value"), "is missing", "give the new value");
    }
    if let Some(quantity) = leaf.kind.quantity()
        && object.get("unit").is_none_or(Value::is_null)
    {
        let units: Vec<&str> = quantity.units.iter().map(|unit| unit.0).collect();
        errors.push(
            join(place, "unit"),
            "is missing: value and unit are replaced together",
            format!("give one of {}", units.join(", ")),
        );
    }
    if leaf.readonly {
        errors.push(place, "cannot be changed", "leave it out");
    }
    let free = leaf.kind == Kind::String && !leaf.list && leaf.allowed.is_empty();
    if let Some(Value::String(text)) = object.get("value").filter(|_| free)
        && let Some(wrong) = text.chars().find(|c| FORBIDDEN.contains(*c))
    {
        errors.push(
            join(place, "value"),
            format!("holds {wrong:?}"),
            format!("leave out the characters {FORBIDDEN}"),
        );
    }
    let mut kept = Map::new();
    for key in ["type", "value", "unit"] {
        if let Some(value) = object.get(key).filter(|value| !value.is_null()) {
            kept.insert(key.to_owned(), value.clone());
        }
    }
    (errors.len() == before).then_some(Value::Object(kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn nic() -> Owner {
        Owner::Model(catalog::find_available("ScalaRoceNic").expect("there is one"))
    }

    fn refused(owner: Owner, patch: Value) -> String {
        merge(owner, &Map::new(), &patch)
            .expect_err("refused")
            .to_string()
    }

    #[test]
    fn attributes_are_replaced_value_and_unit_together() {
        let stored = json!({"ScalaRoceQpManager": {"MSS": "4096B"}, "EnableBufferStats": true});
        let patch = json!({"ScalaRoceQpManager": {"MSS": {"type": "bytes", "value": 2, "unit": "KB", "default": "4096"}}});
        let merged = merge(nic(), stored.as_object().unwrap(), &patch).expect("right");
        assert_eq!(
            merged["ScalaRoceQpManager"]["MSS"],
            json!({"type": "bytes", "value": 2, "unit": "KB"})
        );
        assert_eq!(merged["EnableBufferStats"], json!(true));
        let full = nic().filled(&merged);
        assert_eq!(full["ScalaRoceQpManager"]["MSS"]["value"], json!(2));
        assert_eq!(
            full["NetworkInterface"]["UplinkNetworkInterface"]["DataRate"]["value"],
            json!(400)
        );
        // A name with a dot in it.
        let lanes =
            "HostInterface.NICSide.PCIeGen3.0.NicDeviceLayer.NicPCIeInterface.PhysicalLayer.LaneCount";
        assert_eq!(nic().names(lanes)[2], "PCIeGen3.0");
    }

    #[test]
    fn what_is_wrong_already_is_shown_as_it_is_and_no_reason_to_refuse() {
        let stored = json!({"ScalaRoceQpManager": {"MSS": "much"}});
        let stored = stored.as_object().unwrap();
        let patch = json!({"EnableBufferStats": {"type": "bool", "value": true}});
        let merged = merge(nic(), stored, &patch).expect("right");
        assert_eq!(nic().filled(&merged)["ScalaRoceQpManager"]["MSS"], json!("much"));
    }

    #[test]
    fn every_fault_of_a_patch_is_told_with_its_place() {
        for (patch, part) in [
            (json!([]), "no object"),
            (json!({}), "names no attribute"),
            (json!({"ScalaRoceQpManager": {}}), "names no attribute"),
            (
                json!({"EnableBufferStat": {"type": "bool", "value": true}}),
                "did you mean \"EnableBufferStats\"",
            ),
            (
                json!({"EnableBufferStats": {"type": "bool", "value": {"type": "x"}}}),
                "EnableBufferStats",
            ),
            (json!({"EnableBufferStats": true}), "to be written out"),
            (json!({"ScalaRoceQpManager": 5}), "is a group"),
            (
                json!({"ScalaRoceQpManager": {"MSS": {"type": "uint", "value": 2048}}}),
                "ScalaRoceQpManager.MSS.type: is \"uint\"",
            ),
            (
                json!({"ScalaRoceQpManager": {"MSS": {"value": 2048, "unit": "B"}}}),
                "ScalaRoceQpManager.MSS.type: is missing",
            ),
            (
                json!({"ScalaRoceQpManager": {"MSS": {"type": "bytes", "value": 2048}}}),
                "ScalaRoceQpManager.MSS.unit: is missing",
            ),
            (
                json!({"ScalaRoceQpManager": {"MSS": {"type": "bytes", "unit": "B"}}}),
                "ScalaRoceQpManager.MSS.value: is missing",
            ),
            (
                json!({"ScalaRoceQpManager": {"MSS": {"type": "bytes", "value": 2048, "unit": "Gbps"}}}),
                "Gbps",
            ),
            // 9216 B is the largest.
            (
                json!({"ScalaRoceQpManager": {"MSS": {"type": "bytes", "value": 9217, "unit": "B"}}}),
                "9216 B",
            ),
            (
                json!({"EnableBufferStats": {"type": "bool", "value": "yes"}}),
                "true",
            ),
            (
                json!({"NumDownLinks": {"type": "uint", "value": 1}}),
                "cannot be changed",
            ),
        ] {
            let error = refused(nic(), patch.clone());
            assert!(error.contains(part), "{patch}: {error}");
        }
        let two = json!({"NoSuch": 1, "EnableBufferStats": 1});
        assert_eq!(refused(nic(), two).lines().count(), 2);
    }

    #[test]
    fn numbers_choices_lists_and_texts_have_their_rules() {
        let switch = Owner::Model(catalog::find_available("ScalaSwitch").expect("there is one"));
        let generator =
            Owner::Model(catalog::find_available("ScalaTrafficGeneratorApplication").expect("there is one"));
        for value in [json!(-1), json!(1.5), json!("1")] {
            let patch = json!({"NumUpLinks": {"type": "uint", "value": value}});
            assert!(refused(switch, patch).contains("NumUpLinks"), "{value}");
        }
        let choice = json!({"EcmpHashMethod": {"type": "string", "value": "crc33"}});
        assert!(refused(switch, choice).contains("crc32"));
        for list in ["[0.5, 0.5, 0, 0, 0, 0, 0, 0]", "0.5, 0.5, 0, 0, 0, 0, 0, 0"] {
            let patch =
                json!({"SharedBufferManager": {"PoolAllocationMap": {"type": "string", "value": list}}});
            assert!(merge(switch, &Map::new(), &patch).is_ok(), "{list}");
        }
        for text in ["a;b", "$HOME", "x'", "a[1]", "~/x", "a&b", "<x>"] {
            let patch = json!({"RequestSizeFile": {"type": "string", "value": text}});
            assert!(refused(generator, patch).contains("leave out"), "{text}");
        }
        let fine = json!({"RequestSizeFile": {"type": "string", "value": "web-search.cdf"}});
        assert!(merge(generator, &Map::new(), &fine).is_ok());
        let time = json!({"SimulationParameters": {"RunTime": {"type": "double", "value": 0.01}}});
        assert!(merge(Owner::Global, &Map::new(), &time).is_ok());
        assert!(
            refused(
                Owner::Global,
                json!({"SimulationParameters": {"RunTime": {"type": "double", "value": -1}}})
            )
            .contains("RunTime")
        );
    }

    #[test]
    fn values_at_their_limits_are_taken_and_beyond_them_not() {
        let mss = |value: Value, unit: &str| json!({"ScalaRoceQpManager": {"MSS": {"type": "bytes", "value": value, "unit": unit}}});
        // 9216 B is the largest MSS; 9 KB are 9000 B, 10 KB 10,000 B.
        for (value, unit, right) in [
            (json!(9216), "B", true),
            (json!(9217), "B", false),
            (json!(9), "KB", true),
            (json!(10), "KB", false),
            (json!(-1), "B", false),
            (json!("4096"), "B", false),
            (json!("much"), "B", false),
            (json!([4096]), "B", false),
            (json!(true), "B", false),
            (json!(4096), "b", false),
            (json!(4096), "", false),
        ] {
            let result = merge(nic(), &Map::new(), &mss(value.clone(), unit));
            assert_eq!(result.is_ok(), right, "{value} {unit}: {:?}", result.err());
        }
    }

    #[test]
    fn truths_are_written_plainly() {
        let patch = |value: Value| json!({"EnableBufferStats": {"type": "bool", "value": value}});
        for value in [json!(true), json!(false)] {
            assert!(merge(nic(), &Map::new(), &patch(value)).is_ok());
        }
        for value in [json!(0), json!(1), json!("on"), json!([true])] {
            assert!(refused(nic(), patch(value)).contains("EnableBufferStats"));
        }
        // A null is as if left out.
        assert!(refused(nic(), patch(Value::Null)).contains("EnableBufferStats.value: is missing"));
    }

    #[test]
    fn what_a_full_leaf_says_of_itself_may_be_sent_back() {
        // As they come from a server, without what cannot be changed.
        for model in catalog::models() {
            let owner = Owner::Model(model);
            let mut full = owner.filled(&Map::new());
            for (path, leaf) in owner.declaration().leaves() {
                let names = owner.names(&path);
                let shown = get(&full, &names).unwrap_or_else(|| panic!("{} {path}", model.name));
                let fit = !leaf.readonly && shown.get("value").is_some_and(|value| !value.is_null());
                if !fit {
                    take(&mut full, &names);
                }
            }
            if full.is_empty() {
                continue;
            }
            let merged = merge(owner, &Map::new(), &Value::Object(full.clone()));
            let merged = merged.unwrap_or_else(|errors| panic!("{}: {errors}", model.name));
            let again = owner.filled(&merged);
            for (path, _) in owner.declaration().leaves() {
                let names = owner.names(&path);
                if let Some(before) = get(&full, &names) {
                    assert_eq!(get(&again, &names), Some(before), "{} {path}", model.name);
                }
            }
        }
    }

    /// Takes a leaf away, and the groups that are empty then.
    fn take(tree: &mut Parameters, names: &[&str]) {
        let Some((first, rest)) = names.split_first() else {
            return;
        };
        let empty = match tree.get_mut(*first) {
            Some(Value::Object(inner)) if !rest.is_empty() => {
                take(inner, rest);
                inner.is_empty()
            }
            _ => true,
        };
        if empty {
            tree.shift_remove(*first);
        }
    }

    #[test]
    fn no_free_text_holds_a_character_of_a_shell() {
        let generator =
            Owner::Model(catalog::find_available("ScalaTrafficGeneratorApplication").expect("there is one"));
        for wrong in "[]{}()'\";$*?#~!&<>".chars() {
            let patch = json!({"RequestSizeFile": {"type": "string", "value": format!("a{wrong}b")}});
            let error = refused(generator, patch);
            assert!(
                error.starts_with("RequestSizeFile.value: holds"),
                "{wrong}: {error}"
            );
        }
        let switch = Owner::Model(catalog::find_available("ScalaSwitch").expect("there is one"));
        for list in ["[0.5; 0.5]", "$(x)", "[0.5, 'a']", "[0.5, 0.5"] {
            let patch =
                json!({"SharedBufferManager": {"PoolAllocationMap": {"type": "string", "value": list}}});
            assert!(refused(switch, patch).contains("PoolAllocationMap"), "{list}");
        }
    }

    #[test]
    fn branches_keep_what_a_patch_does_not_name() {
        let stored = json!({"ScalaRoceQpManager": {"MSS": {"type": "bytes", "value": 1024, "unit": "B"}},
            "NetworkInterface": {"UplinkNetworkInterface": {"DataRate": {"type": "datarate", "value": 100, "unit": "Gbps"}}}});
        let patch = json!({"NetworkInterface": {"TransmissionMedium": {"Delay": {"type": "timeval", "value": 1, "unit": "us"}}}});
        let merged = merge(nic(), stored.as_object().unwrap(), &patch).expect("right");
        assert_eq!(merged["ScalaRoceQpManager"], stored["ScalaRoceQpManager"]);
        let interface = &merged["NetworkInterface"];
        assert_eq!(
            interface["UplinkNetworkInterface"],
            stored["NetworkInterface"]["UplinkNetworkInterface"]
        );
        assert_eq!(interface["TransmissionMedium"]["Delay"]["value"], json!(1));
        // In its own unit, not that of the default.
        let full = nic().filled(&merged);
        let rate = &full["NetworkInterface"]["UplinkNetworkInterface"]["DataRate"];
        assert_eq!((&rate["value"], &rate["unit"]), (&json!(100), &json!("Gbps")));
    }
}
