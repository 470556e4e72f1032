//! Profiles inside the platform file: `<trace>` says how, `<trace_connect>` what it belongs to.

use super::build::Wire;
use super::read::Reader;
use crate::error::{Error, did_you_mean, show};
use crate::link::{LinkId, Profile};
use crate::profile::{self, Quality};
use crate::routing::Kind;
use crate::xml::Element;
use std::sync::Arc;

impl<'a> Reader<'a> {
    /// Gives hosts and links the profiles that are connected with them.
    pub(super) fn connect_traces(&mut self) -> Result<(), Error> {
        for trace in self.traces.clone() {
            trace.allow(&["id", "file", "periodicity"])?;
            trace.required("id")?;
        }
        for connection in std::mem::take(&mut self.connections) {
            connection.allow(&["kind", "trace", "element"])?;
            let kinds = ["HOST_AVAIL", "SPEED", "LINK_AVAIL", "BANDWIDTH", "LATENCY"];
            match connection.choice("kind", &kinds)? {
                "HOST_AVAIL" => {
                    let host = self.traced_host(connection)?;
                    self.hosts[host].state_profile = Some(self.trace(connection, Quality::State)?);
                }
                "SPEED" => {
                    let host = self.traced_host(connection)?;
                    self.hosts[host].speed_profile = Some(self.trace(connection, Quality::Speed)?);
                }
                "LINK_AVAIL" => {
                    let profile = self.trace(connection, Quality::State)?;
                    for link in self.traced_links(connection)? {
                        self.links[link.0 as usize].state_profile = Some(profile.clone());
                    }
                }
                "BANDWIDTH" => {
                    let profile = self.trace(connection, Quality::Bandwidth)?;
                    for link in self.traced_links(connection)? {
                        self.links[link.0 as usize].bandwidth_profile = Some(profile.clone());
                    }
                }
                _ => {
                    let profile = self.trace(connection, Quality::Latency)?;
                    for link in self.traced_links(connection)? {
                        self.links[link.0 as usize].latency_profile = Some(profile.clone());
                    }
                }
            }
        }
        Ok(())
    }

    /// The profile that a connection names.
    fn trace(&mut self, connection: Element<'a>, quality: Quality) -> Result<Arc<Profile>, Error> {
        let name = connection.required("trace")?;
        let named = |trace: &&Element<'a>| trace.optional("id") == Some(name);
        let Some(trace) = self.traces.iter().find(named).copied() else {
            let message = format!("there is no trace {}", show(name));
            let known = self.traces.iter().filter_map(|trace| trace.optional("id"));
            let remedy = did_you_mean(name, known, "declare it with <trace>");
            return Err(connection.wrong_value("trace", message, remedy));
        };
        if let Some(profile) = self.profile(trace, "file", quality)? {
            return Ok(profile);
        }
        let text = trace.required("periodicity")?;
        let Some(period) = text
            .trim()
            .parse::<f64>()
            .ok()
            .filter(|period| period.is_finite())
        else {
            let message = format!("{} is no value of \"periodicity\"", show(text));
            return Err(trace.wrong_value(
                "periodicity",
                message,
                "write a number of seconds, or -1 for once",
            ));
        };
        let (content, line) = trace.content();
        let file = trace.place().file;
        profile::parse(content, &file, line, Some(period), quality).map(Arc::new)
    }

    fn traced_host(&self, connection: Element<'a>) -> Result<usize, Error> {
        let point = self.named(connection, "element")?;
        match self.topology.point(point).kind {
            Kind::Host(host) => Ok(host.0 as usize),
            Kind::Router | Kind::Zone(_) => {
                let message = format!("{} is not a host", show(&self.topology.point(point).name));
                Err(connection.wrong_value("element", message, "name a host"))
            }
        }
    }

    fn traced_links(&self, connection: Element<'a>) -> Result<Vec<LinkId>, Error> {
        let name = connection.required("element")?;
        match self.wires.get(name) {
            Some(Wire::One(link)) => Ok(vec![*link]),
            Some(Wire::Split(up, down)) => Ok(vec![*up, *down]),
            None => Err(self.no_link(connection, "element", name)),
        }
    }
}
