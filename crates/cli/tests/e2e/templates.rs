//! Somebody starts from a template and looks up attributes.

use crate::lab::Lab;

/// Names that `packetloom template` lists.
fn listed(lab: &Lab) -> Vec<String> {
    let list = lab.packetloom(&["template"]).succeeded().stdout;
    // The first line is the heading.
    list.lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_template_is_valid_as_it_is() {
    let lab = Lab::new();
    let names = listed(&lab);
    assert!(!names.is_empty());
    for name in names {
        lab.packetloom(&["validate", &format!("template:{name}")])
            .succeeded();
        let document = lab.packetloom(&["template", &name]).succeeded().stdout;
        lab.write("copy.json", &document);
        lab.packetloom(&["validate", "copy.json"]).succeeded();
    }
}

#[test]
fn an_unknown_template_is_refused_with_the_known_ones() {
    let lab = Lab::new();
    for arguments in [
        ["template", "no-such"],
        ["validate", "template:no-such"],
        ["run", "template:no-such"],
    ] {
        lab.packetloom(&arguments).failed(2).says(&["no-such"]);
    }
    assert!(lab.listing(".").is_empty());
}

#[test]
fn models_are_listed_and_each_has_its_table() {
    let lab = Lab::new();
    let list = lab.packetloom(&["models"]).succeeded().stdout;
    assert!(
        list.contains("ScalaRoceNic") && list.contains("ScalaSwitch"),
        "{list}"
    );
    let table = lab.packetloom(&["models", "ScalaRoceNic"]).succeeded().stdout;
    let line = table
        .lines()
        .find(|line| line.starts_with("TransportProcessingLayers.RoceTransportLayer.AckThreshold"));
    let line = line.unwrap_or_else(|| panic!("no AckThreshold in {table}"));
    assert!(line.contains("uint") && line.contains("16"), "{line}");
    lab.packetloom(&["models", "ScalaRoceNick"])
        .failed(2)
        .says(&["ScalaRoceNick", "ScalaRoceNic"]);
}
