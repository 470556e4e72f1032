//! From a platform and a deployment to nodes with their processes and NICs.

use super::options::{Options, is_true};
use packetloom_flow::{Actor, Deployment, HostId, Platform};
use packetloom_portals::nic::{Features, Vn};
use std::collections::BTreeMap;

/// What keeps a deployment from being run on a platform.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// A file is wrong, or a host or route is missing.
    #[error(transparent)]
    Flow(#[from] packetloom_flow::Error),
    /// An actor cannot be.
    #[error("{file}:{line}: actor {function} on host {host}: {problem}")]
    Actor {
        /// The deployment
        file: String,
        /// Where the actor stands in it
        line: u32,
        /// Its function
        function: String,
        /// Its host
        host: String,
        /// What is wrong, and what would be right
        problem: String,
    },
    /// There is nothing to run.
    #[error("{file}: no actor user_app: add <actor host=\"...\" function=\"user_app\"/> for each process")]
    NoProcess {
        /// The deployment
        file: String,
    },
    /// Ranks leave a gap.
    #[error("{file}: the ranks of user_app actors are not 0 to {last}: rank {missing} is missing")]
    Ranks {
        /// The deployment
        file: String,
        /// The last there should be
        last: u32,
        /// The first that is not there
        missing: u32,
    },
}

/// A process to start.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Its place among the nodes
    pub node: u32,
    /// Its host
    pub host: HostId,
    /// Its host's name
    pub host_name: String,
    /// Its node identifier
    pub nid: u32,
    /// Arguments of the deployment
    pub arguments: Vec<String>,
    /// It does not keep the run going
    pub daemon: bool,
    /// Its operations travel on the networks of services
    pub service: bool,
    /// Its payloads are copied
    pub real_memory: bool,
    /// Seconds until it comes to the first barrier
    pub start_time: f64,
    /// Seconds it waits behind that barrier
    pub delay: f64,
}

/// A node to build.
#[derive(Clone, Debug, PartialEq)]
pub struct NodePlan {
    /// Its identifier
    pub nid: u32,
    /// The host of its processes
    pub cpu: HostId,
    /// Its NIC
    pub nic: HostId,
    /// What it models
    pub features: Features,
    /// Its transmitters, by virtual network
    pub transmitters: Vec<Vn>,
    /// Its receivers, by virtual network
    pub receivers: Vec<Vn>,
}

/// Nodes and processes, by rank.
#[derive(Debug)]
pub struct Machine {
    /// The nodes
    pub nodes: Vec<NodePlan>,
    /// The processes, by rank
    pub launches: Vec<Launch>,
    /// What is odd, but can be run
    pub warnings: Vec<String>,
}

#[derive(Default)]
struct Draft {
    first_cpu: Option<HostId>,
    cpu: Option<HostId>,
    model_pci: Option<bool>,
    model_pci_commands: Option<bool>,
    e2e: bool,
    transmitters: Vec<Vn>,
    receivers: Vec<Vn>,
    classes: [bool; 2],
}

impl Machine {
    /// Finds out what `deployment` runs where on `platform`.
    ///
    /// # Errors
    ///
    /// Actors on hosts that are not there, with functions nobody knows, or with properties that cannot be; ranks twice or
    /// with gaps; nodes without identifier, or two with one.
    pub fn new(
        platform: &Platform,
        deployment: &Deployment,
        options: &Options,
    ) -> Result<Self, MachineError> {
        deployment.check(platform)?;
        let mut warnings: Vec<String> = platform.warnings().to_vec();
        warnings.extend(deployment.warnings.iter().cloned());
        let mut drafts: BTreeMap<String, Draft> = BTreeMap::new();
        // Nodes in the order in which the deployment names them.
        let mut order: Vec<String> = Vec::new();
        let mut processes: Vec<(u32, String, Launch, &Actor)> = Vec::new();
        let mut profiled_hosts: Vec<HostId> = Vec::new();
        for actor in &deployment.actors {
            let wrong = |problem: String| MachineError::Actor {
                file: deployment.name.clone(),
                line: actor.line,
                function: actor.function.clone(),
                host: actor.host.clone(),
                problem,
            };
            let host = platform
                .host(&actor.host)
                .ok_or_else(|| wrong("there is no such host".into()))?;
            let is_nic = actor.host.ends_with("_NIC");
            let name = node_name(&actor.host).to_owned();
            let draft = drafts.entry(name.clone()).or_insert_with(|| {
                order.push(name.clone());
                Draft::default()
            });
            if actor.kill_time.is_some() || actor.restarts {
                warnings.push(format!(
                    "{}:{}: kill_time and on_failure have no effect: actors run to their ends",
                    deployment.name, actor.line
                ));
            }
            let of_host = &platform.hosts()[host.0 as usize];
            let profiled = of_host.speed_profile.is_some() || of_host.state_profile.is_some();
            if profiled && !profiled_hosts.contains(&host) {
                profiled_hosts.push(host);
                warnings.push(format!(
                    "profiles of host {} have no effect: its speed and state stay; those of links are followed",
                    actor.host
                ));
            }
            match actor.function.as_str() {
                "user_app" if is_nic => {
                    return Err(wrong(format!(
                        "a process runs on a processor: host=\"{name}\" is expected"
                    )));
                }
                "user_app" => {
                    draft.first_cpu.get_or_insert(host);
                    if actor.host == name {
                        draft.cpu = Some(host);
                    }
                    for (property, into) in [
                        ("model_pci", &mut draft.model_pci),
                        ("model_pci_commands", &mut draft.model_pci_commands),
                    ] {
                        let Some(value) = actor.property(property) else {
                            continue;
                        };
                        let value = is_true(value);
                        if into.is_some_and(|before| before != value) {
                            return Err(wrong(format!(
                                "property {property} differs from that of another process of the node: one value a node is expected"
                            )));
                        }
                        *into = Some(value);
                    }
                    let service = actor.property("service_mode").is_some_and(is_true);
                    draft.classes[usize::from(!service)] = true;
                    let seconds = |property: &str| match actor.property(property) {
                        None => Ok(0.0),
                        Some(text) => text
                            .trim()
                            .parse::<f64>()
                            .ok()
                            .filter(|span| span.is_finite() && *span >= 0.0)
                            .ok_or_else(|| {
                                wrong(format!(
                                    "property {property} is {text}: seconds of at least 0 are expected"
                                ))
                            }),
                    };
                    let rank = match actor.property("rank") {
                        None => processes.len() as u32,
                        Some(text) => text.trim().parse().map_err(|_| {
                            wrong(format!("property rank is {text}: a whole number is expected"))
                        })?,
                    };
                    if let Some(other) = processes.iter().find(|other| other.0 == rank) {
                        return Err(wrong(format!(
                            "rank {rank} is that of the actor on line {}: a rank once is expected",
                            other.3.line
                        )));
                    }
                    let launch = Launch {
                        node: 0,
                        host,
                        host_name: actor.host.clone(),
                        nid: 0,
                        arguments: actor.arguments.clone(),
                        daemon: actor.property("is_daemon").is_some_and(is_true),
                        service,
                        real_memory: options.real_memory
                            && actor.property("use_real_memory").is_none_or(is_true),
                        start_time: actor.start_time,
                        delay: seconds("delay_start")?,
                    };
                    processes.push((rank, name, launch, actor));
                }
                function @ ("nic_initiator" | "nic_target" | "nic_e2e") => {
                    if !is_nic {
                        return Err(wrong(format!(
                            "a part of a NIC runs on a NIC: host=\"{name}_NIC\" is expected"
                        )));
                    }
                    if function == "nic_e2e" {
                        draft.e2e = true;
                        continue;
                    }
                    let vn = actor
                        .property("VN")
                        .ok_or_else(|| {
                            wrong("property VN is missing: 0 to 3 is expected (1 requests, 3 responses of computations)".into())
                        })?
                        .trim()
                        .parse()
                        .ok()
                        .and_then(Vn::from_number)
                        .ok_or_else(|| wrong("property VN is not one of 0, 1, 2 and 3".into()))?;
                    if function == "nic_initiator" {
                        draft.transmitters.push(vn);
                    } else {
                        draft.receivers.push(vn);
                    }
                }
                other => {
                    return Err(wrong(format!(
                        "function {other} is not known: user_app, nic_initiator, nic_target or nic_e2e is expected"
                    )));
                }
            }
        }
        if processes.is_empty() {
            return Err(MachineError::NoProcess {
                file: deployment.name.clone(),
            });
        }
        processes.sort_by_key(|process| process.0);
        if let Some((missing, _)) = (0..).zip(&processes).find(|(rank, process)| *rank != process.0) {
            return Err(MachineError::Ranks {
                file: deployment.name.clone(),
                last: processes.len() as u32 - 1,
                missing,
            });
        }
        let mut nodes = Vec::new();
        let mut places: BTreeMap<&str, u32> = BTreeMap::new();
        let mut nids: BTreeMap<u32, &str> = BTreeMap::new();
        for name in &order {
            let draft = &drafts[name];
            let actor = deployment
                .actors
                .iter()
                .find(|actor| node_name(&actor.host) == name)
                .expect("the node comes from an actor");
            let wrong = |problem: String| MachineError::Actor {
                file: deployment.name.clone(),
                line: actor.line,
                function: actor.function.clone(),
                host: actor.host.clone(),
                problem,
            };
            let nic_name = format!("{name}_NIC");
            let nic = platform.host(&nic_name).ok_or_else(|| {
                wrong(format!(
                    "its node has no NIC: the platform needs a host {nic_name}"
                ))
            })?;
            let nid = node_identifier(platform, nic, name).map_err(wrong)?;
            if let Some(other) = nids.insert(nid, name) {
                return Err(wrong(format!(
                    "node identifier {nid} is that of node {other} too: give {nic_name} a property nid of its own"
                )));
            }
            // A node without processes only receives what nobody takes.
            let cpu = draft
                .cpu
                .or(draft.first_cpu)
                .or_else(|| platform.host(name))
                .unwrap_or(nic);
            let pci = draft.model_pci.unwrap_or(true);
            let mut plan = NodePlan {
                nid,
                cpu,
                nic,
                features: Features {
                    pci: pci && options.model_pci,
                    pci_commands: pci
                        && draft.model_pci_commands.unwrap_or(true)
                        && options.model_pci
                        && options.model_pci_commands,
                    e2e: draft.e2e && !options.e2e_off,
                },
                transmitters: draft.transmitters.clone(),
                receivers: draft.receivers.clone(),
            };
            for (class, used) in draft.classes.iter().enumerate() {
                if *used {
                    complete(&mut plan, class as u8, &nic_name, &mut warnings);
                }
            }
            places.insert(name, nodes.len() as u32);
            nodes.push(plan);
        }
        let launches = processes
            .iter()
            .map(|(_, name, launch, _)| {
                let node = places[name.as_str()];
                Launch {
                    node,
                    nid: nodes[node as usize].nid,
                    ..launch.clone()
                }
            })
            .collect();
        Ok(Self {
            nodes,
            launches,
            warnings,
        })
    }
}

/// Makes sure that requests and responses of a class have a transmitter and a receiver.
fn complete(plan: &mut NodePlan, class: u8, nic: &str, warnings: &mut Vec<String>) {
    for number in [class, class + 2] {
        let vn = Vn::from_number(number).expect("classes are 0 and 1");
        for (units, function) in [
            (&mut plan.transmitters, "nic_initiator"),
            (&mut plan.receivers, "nic_target"),
        ] {
            if !units.contains(&vn) {
                units.push(vn);
                warnings.push(format!(
                    "{nic} has no {function} with VN {number}: it was given one"
                ));
            }
        }
    }
}

/// The node a host belongs to: its name without `_NIC` or `_CPU` and a number.
fn node_name(host: &str) -> &str {
    if let Some(name) = host.strip_suffix("_NIC") {
        return name;
    }
    match host.rsplit_once("_CPU") {
        Some((name, number)) if !name.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Property `nid` of the NIC, or the first number in the node's name.
fn node_identifier(platform: &Platform, nic: HostId, name: &str) -> Result<u32, String> {
    let nic = &platform.hosts()[nic.0 as usize];
    if let Some(text) = nic.property("nid") {
        return text.trim().parse().map_err(|_| {
            format!(
                "property nid of host {} is {text}: a whole number from 0 to 4294967295 is expected",
                nic.name
            )
        });
    }
    let digits: String = name
        .chars()
        .skip_while(|character| !character.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().map_err(|_| {
        format!(
            "its node has no identifier: give host {} a property nid, or the node a name with a number",
            nic.name
        )
    })
}
