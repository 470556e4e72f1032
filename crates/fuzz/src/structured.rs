//! Documents changed one place at a time, so that most of each stays valid, and short runs of those that are.

use crate::document::say_something;
use crate::frames::below;
use arbitrary::{Result, Unstructured};
use packetloom_config::{Scenario, catalog, check_value, template};
use packetloom_des::queue::Wheel;
use packetloom_des::{Alone, Span, Time};
use packetloom_sim::assemble::Layout;
use packetloom_sim::{RunOptions, system};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::LazyLock;

/// The largest networks that are run.
const HOSTS: usize = 64;
const LINKS: usize = 4_096;
const CONNECTIONS: usize = 256;
const OUTSTANDING: u64 = 2_048;
/// A run ends after about so many events.
const EVENTS: u64 = 1_500;

/// Makes a template of the first bytes and changes of the rest, and checks the document. What is accepted and small is put
/// together and runs until it has handled some thousand events.
pub fn document_structured(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(document) = changed(&mut u) else {
        return;
    };
    match check_value(&document, &[]) {
        Ok(scenario) => run(&scenario),
        Err(errors) => {
            for problem in &errors {
                assert!(!problem.path.is_empty(), "no path: {problem}");
            }
            say_something(&errors);
        }
    }
}

/// A document as JSON, with the places where it can be changed.
struct Given {
    value: Value,
    places: Vec<String>,
}

/// Every template as it is written, and with every attribute spelled out.
fn given() -> &'static [Given] {
    static GIVEN: LazyLock<Vec<Given>> = LazyLock::new(|| {
        let mut all = Vec::new();
        for name in template::names() {
            let text = template::text(name).expect("a template has a text");
            let read = template::document(name).expect("templates are documents");
            for value in [
                serde_json::from_str(text).expect("templates are JSON"),
                serde_json::to_value(catalog::full_leaves(&read)).expect("a document can be written"),
            ] {
                let mut places = Vec::new();
                pointers(&value, "", &mut places);
                all.push(Given { value, places });
            }
        }
        all
    });
    &GIVEN
}

/// JSON pointers of everything in a value.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let key = key.replace('~', "~0").replace('/', "~1");
                pointers(value, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(list) => {
            for (place, value) in list.iter().enumerate() {
                pointers(value, &format!("{at}/{place}"), found);
            }
        }
        _ => {}
    }
}

fn changed(u: &mut Unstructured) -> Result<Value> {
    let given = &given()[below(u, given().len() as u64)? as usize];
    let mut document = given.value.clone();
    for _ in 0..32 {
        if u.is_empty() {
            break;
        }
        let place = u.choose(&given.places)?;
        change(&mut document, place, u)?;
    }
    Ok(document)
}

/// Changes what is at `place`, if an earlier change has left something there.
fn change(document: &mut Value, place: &str, u: &mut Unstructured) -> Result<()> {
    let kind = below(u, 8)?;
    let Some(at) = document.pointer_mut(place) else {
        return Ok(());
    };
    match (kind, &mut *at) {
        // A value of the kind that is there is the likeliest to be accepted.
        (0..=3, Value::Number(_)) => *at = number(u)?,
        (0..=3, Value::String(text)) => *text = word(u)?,
        (0..=3, Value::Bool(flag)) => *flag = !*flag,
        (0..=3, Value::Array(list)) if !list.is_empty() => {
            let entry = below(u, list.len() as u64)? as usize;
            match kind {
                0 => {
                    let copy = list[entry].clone();
                    list.push(copy);
                }
                1 => drop(list.remove(entry)),
                _ if list[entry].is_number() => list[entry] = number(u)?,
                _ => {}
            }
        }
        (0, Value::Object(object)) => {
            let keys: Vec<String> = object.keys().cloned().collect();
            if !keys.is_empty() {
                object.remove(u.choose(&keys)?.as_str());
            }
        }
        (1..=3, Value::Object(_)) => {}
        _ => *at = any(u)?,
    }
    Ok(())
}

fn number(u: &mut Unstructured) -> Result<Value> {
    Ok(match below(u, 6)? {
        0 | 1 => json!(u.int_in_range(0..=9u8)?),
        2 => json!(u.arbitrary::<u16>()?),
        3 => json!(u.arbitrary::<u64>()? >> below(u, 64)?),
        4 => json!(f64::from(u.arbitrary::<u8>()?) / 100.0),
        _ => json!(u.arbitrary::<f64>()?),
    })
}

fn word(u: &mut Unstructured) -> Result<String> {
    const WORDS: [&str; 40] = [
        "B",
        "KB",
        "MB",
        "KiB",
        "bps",
        "Kbps",
        "Mbps",
        "Gbps",
        "ps",
        "ns",
        "us",
        "ms",
        "s",
        "m",
        "Nic",
        "Rack",
        "Pod",
        "Server",
        "RackSwitch",
        "FabricSwitch",
        "Rdma",
        "RdmaInitiator",
        "RdmaResponder",
        "rack",
        "pod",
        "nic",
        "switch",
        "server",
        "client",
        "application",
        "RoundRobin",
        "WeightedRoundRobin",
        "StrictPriority",
        "crc32",
        "hash",
        "dpr",
        "dprWithFallback",
        "sequential",
        "uniform",
        "queue-pair",
    ];
    Ok(match below(u, 8)? {
        0 => u.arbitrary::<&str>()?.to_owned(),
        1 => {
            let amount = u.arbitrary::<u64>()? >> below(u, 64)?;
            format!("{amount}{}", u.choose(&WORDS[..13])?)
        }
        _ => (*u.choose(&WORDS)?).to_owned(),
    })
}

fn any(u: &mut Unstructured) -> Result<Value> {
    Ok(match below(u, 8)? {
        0 => Value::Null,
        1 => u.arbitrary::<bool>()?.into(),
        2 => word(u)?.into(),
        3 => json!({}),
        4 => json!([]),
        5 => {
            let entries: Result<Vec<Value>> = (0..8).map(|_| number(u)).collect();
            entries?.into()
        }
        _ => number(u)?,
    })
}

/// Puts the scenario together and runs it for a while with ever longer steps, then checks its books.
fn run(scenario: &Scenario) {
    if scenario.plan.hosts() > HOSTS {
        return;
    }
    // A document is refused before the first event or not at all.
    let layout = Layout::new(scenario).expect("an accepted document can be laid out");
    let connections = layout.instances.len();
    let pending = |application: &packetloom_config::scenario::Application| {
        application
            .attributes
            .rdma()
            .map_or(0, |rdma| rdma.max_pending_wqes)
    };
    let most = scenario.applications.iter().map(pending).max().unwrap_or(0);
    if layout.topology.links().count() > LINKS
        || connections > CONNECTIONS
        || most.saturating_mul(connections as u64) > OUTSTANDING
    {
        return;
    }
    let options = RunOptions::new("fuzz", "");
    let mut engine = layout
        .engine::<Wheel>(scenario, &options)
        .expect("an accepted document can be assembled");
    // Nothing happens before the clients start.
    for start in [layout.timeline.client_window.0, layout.timeline.data_start()] {
        let (mut step, budget) = (Span::from_ns(100), engine.events() + EVENTS);
        let mut until = start.max(engine.now());
        while engine.events() < budget && until < layout.timeline.stop {
            until = until.saturating_add(step).min(layout.timeline.stop);
            step = step * 2;
            let flow = engine.run_until(until, &mut Alone, |partitions, _| {
                let events: u64 = partitions.iter().map(|partition| partition.events()).sum();
                if events < budget {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
            if flow.is_break() || engine.now() == Time::NEVER {
                break;
            }
        }
    }
    let now = engine.now();
    system::settle(&mut engine, now);
    system::check(&engine);
}
