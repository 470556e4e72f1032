//! Where a document is wrong already, so that what merely follows from that is not reported too.

use packetloom_params::Errors;
use std::collections::BTreeSet;
use std::ops::Bound;

/// The paths of parts that could not be read and have stand-ins.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    places: BTreeSet<String>,
    /// Lists with an entry whose name could not be read.
    nameless: BTreeSet<String>,
}

/// Whether `path` lies below `above`, as `a.b` and `a[0]` below `a`; everything lies below the empty path.
fn is_below(path: &str, above: &str) -> bool {
    above.is_empty()
        || path
            .strip_prefix(above)
            .is_some_and(|rest| rest.starts_with(['.', '[']))
}

impl Faults {
    /// These places and those of all problems.
    pub fn with(&self, errors: &Errors) -> Self {
        let mut faults = Faults::default();
        let problems = errors.iter().map(|problem| &problem.path);
        for place in self.places.iter().chain(problems) {
            faults.add(place.clone());
        }
        faults
    }

    /// Adds a place.
    pub fn add(&mut self, place: String) {
        let entry = place.strip_suffix(".name").unwrap_or(&place);
        if let Some((list, _)) = entry.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
            self.nameless.insert(list.to_owned());
        }
        self.places.insert(place);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether a place, or what it is a part of, is wrong.
    pub fn cover(&self, path: &str) -> bool {
        let above = path.match_indices(['.', '[']).map(|(end, _)| &path[..end]);
        above.chain(["", path]).any(|place| self.places.contains(place))
    }

    /// Whether a place, what it is a part of, or a part of it is wrong.
    pub fn touch(&self, path: &str) -> bool {
        let from = (Bound::Excluded(path), Bound::Unbounded);
        self.cover(path)
            || self
                .places
                .range::<str, _>(from)
                .take_while(|place| place.starts_with(path))
                .any(|place| is_below(place, path))
    }

    /// Whether something in a list of declarations has no name that could be read.
    pub fn hide_names(&self, list: &str) -> bool {
        self.cover(list) || self.nameless.contains(list)
    }

    /// Whether it is unknown which hosts there are.
    pub fn hide_hosts(&self) -> bool {
        const HARMLESS: [&str; 4] = [
            ".typedParameters",
            ".version",
            ".trafficType",
            ".allowedComponents",
        ];
        self.places.iter().any(|fault| {
            let part = |list: &str| fault == list || is_below(fault, list);
            let harmless =
                HARMLESS.iter().any(|name| fault.contains(name)) || part("topology.appDistribution");
            fault.is_empty() || ["components", "containers", "topology"].into_iter().any(part) && !harmless
        })
    }

    /// Those of `errors` that do not follow from what is wrong already.
    pub fn news(&self, errors: Errors) -> Errors {
        let mut news = Errors::new();
        for problem in errors {
            // What a whole list lacks may be in the entry that could not be read.
            let whole = !problem.path.ends_with(']');
            if !(self.cover(&problem.path) || whole && self.touch(&problem.path)) {
                news.push(problem.path, problem.message, problem.remedy);
            }
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(paths: &[&str]) -> Faults {
        let mut faults = Faults::default();
        for path in paths {
            faults.add((*path).to_owned());
        }
        faults
    }

    #[test]
    fn a_fault_covers_its_place_and_what_is_below() {
        let faults = faults(&["components[1].typedParameters"]);
        assert!(faults.cover("components[1].typedParameters.ScalaRoceQpManager.MSS"));
        assert!(!faults.cover("components[1]"));
        assert!(faults.touch("components[1]") && faults.touch("components"));
        assert!(!faults.touch("components[10]") && !faults.touch("components[1].type"));
    }

    #[test]
    fn names_are_hidden_by_entries_and_lists_that_cannot_be_read() {
        for hiding in ["components", "components[3]", "components[3].name", ""] {
            assert!(faults(&[hiding]).hide_names("components"), "{hiding}");
        }
        for other in [
            "components[3].model",
            "components[3].components[0].name",
            "containers[0]",
        ] {
            assert!(!faults(&[other]).hide_names("components"), "{other}");
        }
    }
}
