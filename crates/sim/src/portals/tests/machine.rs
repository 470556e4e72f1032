//! What files say that changes nothing is told.

use super::super::{Machine, Options};
use super::script::star;
use packetloom_flow::{Deployment, Platform};

#[test]
fn what_has_no_effect_is_said() {
    let text = star(&[1]).replace(
        "</zone>",
        "</zone><trace id=\"t\" periodicity=\"-1\">0 1</trace>\
         <trace_connect trace=\"t\" kind=\"SPEED\" element=\"m1\"/>",
    );
    let platform = Platform::parse(&text, "p.xml", None).expect("a platform");
    let deployment = "<platform version=\"4.1\">\n\
         <actor host=\"m1\" function=\"user_app\" kill_time=\"3\"/>\n\
         <actor host=\"m1\" function=\"user_app\" on_failure=\"RESTART\"/></platform>";
    let deployment = Deployment::parse(deployment, "d.xml").expect("a deployment");
    let machine = Machine::new(&platform, &deployment, &Options::default()).expect("a machine");
    let told = &machine.warnings[..3];
    assert_eq!(
        told,
        [
            "d.xml:2: kill_time and on_failure have no effect: actors run to their ends",
            "profiles of host m1 have no effect: its speed and state stay; those of links are followed",
            "d.xml:3: kill_time and on_failure have no effect: actors run to their ends",
        ]
    );
}
