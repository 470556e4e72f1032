//! Deployment files: which function runs on which host, with which arguments and properties.
//!
//! What a function is called means nothing here; who runs the actors knows them.

use crate::error::{Error, Place, did_you_mean, show};
use crate::platform::{ELEMENTS, Platform, check_version};
use crate::xml::{self, Element, Text};
use std::path::Path;

/// An actor.
#[derive(Clone, Debug, PartialEq)]
pub struct Actor {
    /// The name of the host it runs on
    pub host: String,
    /// What it runs
    pub function: String,
    /// The arguments of the function
    pub arguments: Vec<String>,
    /// Properties, in the order of the file
    pub properties: Vec<(String, String)>,
    /// When it starts, seconds
    pub start_time: f64,
    /// When it is killed, seconds, if it is
    pub kill_time: Option<f64>,
    /// Whether it starts again when its host has failed and is back
    pub restarts: bool,
    /// The line of the file it stands on
    pub line: u32,
}

impl Actor {
    /// The value of a property.
    pub fn property(&self, name: &str) -> Option<&str> {
        let found = self.properties.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// The actors of a deployment file, in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Deployment {
    /// The file as it was named
    pub name: String,
    /// The actors
    pub actors: Vec<Actor>,
    /// What was read but looks like a mistake
    pub warnings: Vec<String>,
}

impl Deployment {
    /// Reads a deployment file.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, and what [`parse`](Self::parse) refuses.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Self::parse(&xml::read(path)?, &path.display().to_string())
    }

    /// Reads the text of a deployment file that messages call `name`.
    ///
    /// # Errors
    ///
    /// Text that is not XML, elements and attributes that are unknown or missing, values that cannot be, and a file without an
    /// actor.
    pub fn parse(text: &str, name: &str) -> Result<Self, Error> {
        let text = Text::new(text, name);
        let document = text.parse()?;
        let root = Element::root(&text, &document);
        let mut deployment = Self {
            name: name.to_owned(),
            actors: Vec::new(),
            warnings: Vec::new(),
        };
        check_version(root, &mut deployment.warnings)?;
        for element in root.children()? {
            match element.tag() {
                "actor" | "process" => {
                    let actor = actor(element, &mut deployment.warnings)?;
                    deployment.actors.push(actor);
                }
                // A file may hold both the platform and the deployment.
                tag if ELEMENTS.contains(&tag) => {}
                _ => return Err(element.unexpected("platform", &["actor"])),
            }
        }
        if deployment.actors.is_empty() {
            return Err(root.wrong("no actor", "add <actor host=\"...\" function=\"...\"/>"));
        }
        Ok(deployment)
    }

    /// Whether every actor has its host.
    ///
    /// # Errors
    ///
    /// The first actor on a host that the platform does not have.
    pub fn check(&self, platform: &Platform) -> Result<(), Error> {
        let unknown = |actor: &&Actor| platform.host(&actor.host).is_none();
        let Some(actor) = self.actors.iter().find(unknown) else {
            return Ok(());
        };
        let hosts = platform.hosts().iter().map(|host| host.name.as_str());
        let place = Place {
            file: self.name.clone(),
            line: actor.line,
            column: 1,
        };
        let message = format!(
            "the host {} of {} is not in {}",
            show(&actor.host),
            show(&actor.function),
            platform.name()
        );
        let remedy = did_you_mean(&actor.host, hosts, "name a host of the platform");
        Err(Error::wrong(place, message, remedy))
    }
}

fn actor(element: Element<'_>, warnings: &mut Vec<String>) -> Result<Actor, Error> {
    element.allow(&["host", "function", "start_time", "kill_time", "on_failure"])?;
    if element.tag() == "process" {
        warnings.push(format!("{}: <process> is now <actor>", element.place()));
    }
    let mut actor = Actor {
        host: element.required("host")?.to_owned(),
        function: element.required("function")?.to_owned(),
        arguments: Vec::new(),
        properties: Vec::new(),
        start_time: seconds(element, "start_time")?.unwrap_or(0.0),
        kill_time: seconds(element, "kill_time")?,
        restarts: element.choice("on_failure", &["DIE", "RESTART"])? == "RESTART",
        line: element.place().line,
    };
    for child in element.children()? {
        match child.tag() {
            "argument" => {
                child.allow(&["value"])?;
                actor.arguments.push(child.required("value")?.to_owned());
            }
            "prop" => property(child, &mut actor.properties, warnings)?,
            _ => return Err(child.unexpected(element.tag(), &["argument", "prop"])),
        }
    }
    Ok(actor)
}

/// Adds a `<prop>` to properties. The first of a name holds, as in SimGrid.
pub(crate) fn property(
    element: Element<'_>,
    properties: &mut Vec<(String, String)>,
    warnings: &mut Vec<String>,
) -> Result<(), Error> {
    element.allow(&["id", "value"])?;
    let id = element.required("id")?;
    let value = element.required("value")?;
    if properties.iter().any(|(known, _)| known == id) {
        warnings.push(format!(
            "{}: a second property {}; the first one holds",
            element.place(),
            show(id)
        ));
    } else {
        properties.push((id.to_owned(), value.to_owned()));
    }
    Ok(())
}

/// A time of an actor; a negative one is none.
fn seconds(element: Element<'_>, name: &str) -> Result<Option<f64>, Error> {
    let Some(value) = element.optional(name) else {
        return Ok(None);
    };
    match value.trim().parse::<f64>() {
        Ok(time) if time.is_finite() => Ok((time >= 0.0).then_some(time)),
        _ => {
            let message = format!("{} is no value of {}", show(value), show(name));
            Err(element.wrong_value(name, message, "write a number of seconds without a unit"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(actors: &str) -> Result<Deployment, Error> {
        Deployment::parse(
            &format!("<platform version=\"4.1\">\n{actors}\n</platform>"),
            "d.xml",
        )
    }

    #[test]
    fn actors_stand_in_the_order_of_the_file_with_all_they_say() {
        let deployment = parse(
            "<actor host='a' function='user_app' start_time='2.5' kill_time='7' on_failure='RESTART'>\n\
             <argument value='one'/><argument value=''/><prop id='rank' value='3'/><prop id='model_pci' value='false'/>\n\
             </actor>\n<process host='a_NIC' function='nic_target'/>",
        )
        .unwrap();
        assert_eq!(
            deployment.actors[0],
            Actor {
                host: "a".to_owned(),
                function: "user_app".to_owned(),
                arguments: vec!["one".to_owned(), String::new()],
                properties: vec![
                    ("rank".to_owned(), "3".to_owned()),
                    ("model_pci".to_owned(), "false".to_owned())
                ],
                start_time: 2.5,
                kill_time: Some(7.0),
                restarts: true,
                line: 2,
            }
        );
        assert_eq!(deployment.actors[0].property("model_pci"), Some("false"));
        assert_eq!(deployment.actors[0].property("service_mode"), None);
        let second = &deployment.actors[1];
        assert_eq!((second.host.as_str(), second.line), ("a_NIC", 5));
        assert_eq!(
            (second.start_time, second.kill_time, second.restarts),
            (0.0, None, false)
        );
        assert_eq!(deployment.warnings, ["d.xml:5:1: <process> is now <actor>"]);
    }

    #[test]
    fn a_negative_time_is_none_and_a_second_property_is_told() {
        let deployment = parse(
            "<actor host='a' function='f' start_time='-1.0' kill_time='-1.0'><prop id='x' value='1'/><prop id='x' value='2'/></actor>",
        )
        .unwrap();
        let actor = &deployment.actors[0];
        assert_eq!((actor.start_time, actor.kill_time), (0.0, None));
        assert_eq!(actor.property("x"), Some("1"));
        assert_eq!(
            deployment.warnings,
            ["d.xml:2:89: a second property \"x\"; the first one holds"]
        );
    }

    #[test]
    fn faults_say_what_would_be_right() {
        for (actors, expected) in [
            (
                "",
                "d.xml:1:1: no actor; add <actor host=\"...\" function=\"...\"/>",
            ),
            (
                "<actor function='f'/>",
                "d.xml:2:1: <actor> has no attribute \"host\"; add host=\"...\"",
            ),
            (
                "<actor host='h' fonction='f'/>",
                "d.xml:2:17: unknown attribute \"fonction\" of <actor>; did you mean \"function\"?",
            ),
            (
                "<actr host='h' function='f'/>",
                "d.xml:2:1: unknown element <actr> in <platform>; did you mean \"actor\"?",
            ),
            (
                "<actor host='h' function='f'><arg value='1'/></actor>",
                "d.xml:2:30: unknown element <arg> in <actor>; did you mean \"argument\"?",
            ),
            (
                "<actor host='h' function='f' start_time='1s'/>",
                "d.xml:2:42: \"1s\" is no value of \"start_time\"; write a number of seconds without a unit",
            ),
            (
                "<actor host='h' function='f' on_failure='die'/>",
                "d.xml:2:42: \"die\" is no value of \"on_failure\"; did you mean \"DIE\"?",
            ),
            (
                "<actor host='h' function='f'>x</actor>",
                "d.xml:2:30: text inside <actor>; only elements may stand here",
            ),
        ] {
            assert_eq!(parse(actors).unwrap_err().to_string(), expected, "{actors}");
        }
    }

    #[test]
    fn an_actor_without_its_host_is_named_with_the_host_that_is_meant() {
        let text = "<platform version='4.1'><zone id='z' routing='Full'><host id='node0' speed='1Gf'/></zone></platform>";
        let platform = Platform::parse(text, "p.xml", None).unwrap();
        let deployment =
            parse("<actor host='node0' function='f'/>\n<actor host='nod0' function='g'/>").unwrap();
        assert_eq!(
            deployment.check(&platform).unwrap_err().to_string(),
            "d.xml:3:1: the host \"nod0\" of \"g\" is not in p.xml; did you mean \"node0\"?"
        );
    }
}
