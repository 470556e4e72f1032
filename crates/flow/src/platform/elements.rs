//! Hosts, routers and links.

use super::Host;
use super::read::Reader;
use crate::deployment::property;
use crate::error::{Error, show};
use crate::link::{Link, Profile, Sharing};
use crate::profile::{self, Quality};
use crate::routing::{Kind, ZoneId};
use crate::units;
use crate::xml::{self, Element};
use std::sync::Arc;

/// How a link is shared, as it is written.
pub(super) const SHARING: [&str; 5] = ["SHARED", "FATPIPE", "SPLITDUPLEX", "FULLDUPLEX", "WIFI"];

impl<'a> Reader<'a> {
    pub(super) fn host(&mut self, element: Element<'a>, zone: ZoneId) -> Result<(), Error> {
        element.allow(&[
            "id",
            "speed",
            "core",
            "pstate",
            "availability_file",
            "speed_file",
            "state_file",
            "coordinates",
        ])?;
        let mut host = Host {
            name: element.required("id")?.to_owned(),
            speed: self.speed(element)?,
            cores: cores(element)?,
            properties: Vec::new(),
            speed_profile: self.profile(element, "speed_file", Quality::Speed)?,
            state_profile: self.profile(element, "state_file", Quality::State)?,
        };
        if element.optional("availability_file").is_some() {
            let place = element.value_place("availability_file");
            self.warnings
                .push(format!("{place}: \"availability_file\" is now \"speed_file\""));
            let older = self.profile(element, "availability_file", Quality::Speed)?;
            host.speed_profile = host.speed_profile.or(older);
        }
        for child in element.children()? {
            match child.tag() {
                "prop" => property(child, &mut host.properties, &mut self.warnings)?,
                "disk" => {
                    let place = child.place();
                    self.warnings.push(format!("{place}: <disk> is not simulated"));
                }
                _ => return Err(child.unexpected("host", &["prop", "disk"])),
            }
        }
        self.add_host(element, "id", host, zone)?;
        Ok(())
    }

    /// The speed in the state that `pstate` picks from the list, which is the first one unless it says otherwise.
    pub(super) fn speed(&mut self, element: Element<'_>) -> Result<f64, Error> {
        let mut speeds = Vec::new();
        for text in element.required("speed")?.split(',') {
            speeds.push(self.above_0(element, "speed", text.trim(), units::speed, "f")?);
        }
        let state = element.optional("pstate").unwrap_or("0");
        let number = state.trim().parse::<f64>().ok();
        let place = number.filter(|number| *number >= 0.0 && number.fract() == 0.0);
        let speed = place.and_then(|place| speeds.get(place as usize));
        speed.copied().ok_or_else(|| {
            let message = format!("{} is no state of {} speeds", show(state), speeds.len());
            element.wrong_value(
                "pstate",
                message,
                format!("give a number from 0 to {}", speeds.len() - 1),
            )
        })
    }

    pub(super) fn router(&mut self, element: Element<'a>, zone: ZoneId) -> Result<(), Error> {
        element.allow(&["id", "coordinates"])?;
        let name = element.required("id")?;
        self.point(element, "id", name, Kind::Router, Some(zone))?;
        match element.children()?.first() {
            Some(child) => Err(child.unexpected("router", &[])),
            None => Ok(()),
        }
    }

    pub(super) fn link_element(&mut self, element: Element<'a>) -> Result<(), Error> {
        element.allow(&[
            "id",
            "bandwidth",
            "latency",
            "sharing_policy",
            "bandwidth_file",
            "latency_file",
            "state_file",
        ])?;
        let bandwidth = element.required("bandwidth")?;
        let latency = element.optional("latency").unwrap_or("0");
        let (sharing, is_split) = self.sharing(element, "sharing_policy", "SHARED")?;
        let link = Link {
            name: element.required("id")?.to_owned(),
            bandwidth: self.above_0(element, "bandwidth", bandwidth, units::bandwidth, "Bps")?,
            latency: self.quantity(element, "latency", latency, units::time, "s")?,
            sharing,
            bandwidth_profile: self.profile(element, "bandwidth_file", Quality::Bandwidth)?,
            latency_profile: self.profile(element, "latency_file", Quality::Latency)?,
            state_profile: self.profile(element, "state_file", Quality::State)?,
        };
        if is_split {
            self.split_link(element, link)?;
        } else {
            self.link(element, link)?;
        }
        for child in element.children()? {
            match child.tag() {
                "prop" => child.allow(&["id", "value"])?,
                _ => return Err(child.unexpected("link", &["prop"])),
            }
        }
        Ok(())
    }

    /// How a link is shared, and whether it is two.
    pub(super) fn sharing(
        &mut self,
        element: Element<'_>,
        attribute: &str,
        otherwise: &'static str,
    ) -> Result<(Sharing, bool), Error> {
        let choice = match element.optional(attribute) {
            None => otherwise,
            Some(_) => element.choice(attribute, &SHARING)?,
        };
        match choice {
            "SHARED" => Ok((Sharing::Shared, false)),
            "FATPIPE" => Ok((Sharing::FatPipe, false)),
            "WIFI" => Err(element.wrong_value(
                attribute,
                "\"WIFI\" is not simulated",
                "use SHARED, FATPIPE or SPLITDUPLEX",
            )),
            policy => {
                if policy == "FULLDUPLEX" {
                    let place = element.value_place(attribute);
                    self.warnings
                        .push(format!("{place}: \"FULLDUPLEX\" is now \"SPLITDUPLEX\""));
                }
                Ok((Sharing::Shared, true))
            }
        }
    }

    /// The profile in the file that an attribute names, if it names one.
    pub(super) fn profile(
        &mut self,
        element: Element<'_>,
        attribute: &str,
        quality: Quality,
    ) -> Result<Option<Arc<Profile>>, Error> {
        let Some(path) = element.optional(attribute) else {
            return Ok(None);
        };
        let Some(base) = self.base else {
            let message = format!("{} names a file, and files are not read here", show(attribute));
            return Err(element.wrong_value(attribute, message, "read the platform from its own file"));
        };
        let path = base.join(path);
        let text = xml::read(&path).map_err(|error| match error {
            Error::File { path, source } => element.wrong_value(
                attribute,
                format!("{} cannot be read: {source}", show(&path.display().to_string())),
                "give the path of a profile, from the folder of this file",
            ),
            other => other,
        })?;
        let profile = profile::parse(&text, &path.display().to_string(), 1, None, quality)?;
        Ok(Some(Arc::new(profile)))
    }
}

/// How many cores a host has.
pub(super) fn cores(element: Element<'_>) -> Result<u32, Error> {
    let text = element.optional("core").unwrap_or("1");
    let cores = text.trim().parse::<u32>().ok();
    cores.filter(|cores| *cores > 0).ok_or_else(|| {
        let message = format!("{} is no number of cores", show(text));
        element.wrong_value("core", message, "give a whole number of 1 or more")
    })
}
