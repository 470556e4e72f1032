//! The sizes of a traffic generator's requests and replies, from its attributes and its files.

use packetloom_des::Bytes;
use packetloom_params::Errors;
use packetloom_traffic::generator::cdf::Cdf;
use packetloom_traffic::generator::sizes::{Sizes, SizesError};
use packetloom_traffic::generator_attributes::{SizeDistribution, TrafficGeneratorAttributes};
use serde_json::{Map, Value};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// The largest file of cumulative probabilities that is read; a larger one is something else.
const LARGEST: u64 = 16 << 20;

/// What a document says of the sizes of requests, or of those of replies.
struct Given<'a> {
    /// `Request` or `Reply`.
    what: &'static str,
    distribution: SizeDistribution,
    min: Bytes,
    max: Bytes,
    /// Whether the document gives `max`, so that it is no default.
    max_is_given: bool,
    average: Bytes,
    file: &'a str,
}

/// How requests and replies are drawn. The attributes, as `written` in the document, stand at `path`, and `errors` are those
/// of reading them: sizes with one of these have a stand-in. Files are looked for from the folder `base`.
pub(super) fn sizes(
    given: &TrafficGeneratorAttributes,
    written: &Map<String, Value>,
    path: &str,
    base: Option<&Path>,
    errors: &mut Errors,
    warnings: &mut Vec<String>,
) -> (Sizes, Sizes) {
    let request = Given {
        what: "Request",
        distribution: given.request_size_distribution,
        min: given.request_size_min,
        max: given.request_size_max,
        max_is_given: written.contains_key("RequestSizeMax"),
        average: given.average_request_size,
        file: &given.request_size_file,
    };
    let reply = Given {
        what: "Reply",
        distribution: given.reply_size_distribution,
        min: given.reply_size_min,
        max: given.reply_size_max,
        max_is_given: written.contains_key("ReplySizeMax"),
        average: given.average_reply_size,
        file: &given.reply_size_file,
    };
    let mut one = |given: Given| {
        let found = match given.readable(path, errors) {
            true => given.sizes(path, base, errors, warnings),
            false => None,
        };
        found.unwrap_or_else(|| Sizes::constant(Bytes(1)).expect("a size of 1 B can be drawn"))
    };
    (one(request), one(reply))
}

impl Given<'_> {
    /// Whether each of its attributes is what the document says.
    fn readable(&self, path: &str, errors: &Errors) -> bool {
        let (own, average) = (
            format!("{path}.{}Size", self.what),
            format!("{path}.Average{}Size", self.what),
        );
        !errors
            .iter()
            .any(|problem| problem.path.starts_with(&own) || problem.path == average)
    }

    /// How sizes are drawn; none when that cannot be.
    fn sizes(
        &self,
        path: &str,
        base: Option<&Path>,
        errors: &mut Errors,
        warnings: &mut Vec<String>,
    ) -> Option<Sizes> {
        let what = self.what;
        let wrong = |error: SizesError, errors: &mut Errors| {
            let attribute = match error {
                SizesError::OutOfReach { .. } | SizesError::FarOff { .. } => {
                    format!("{path}.Average{what}Size")
                }
                _ => format!("{path}.{what}SizeMin"),
            };
            // The message says what to do about it.
            errors.push(attribute, error.to_string(), "");
        };
        // Contradictory, though not every distribution uses both.
        if self.max_is_given && self.min > self.max {
            let (min, max) = (self.min, self.max);
            wrong(SizesError::MinAboveMax { min, max }, errors);
            return None;
        }
        let file = format!("{path}.{what}SizeFile");
        if self.distribution == SizeDistribution::Empirical {
            return self.empirical(&file, base, errors);
        }
        if !self.file.is_empty() {
            warnings.push(format!(
                "{file} has no effect: {what}SizeDistribution is {}, not empirical",
                self.distribution.as_str()
            ));
        }
        let sizes = match self.distribution {
            SizeDistribution::Uniform => Sizes::uniform(self.min, self.max),
            SizeDistribution::Normal => Sizes::normal(self.min, self.max, self.average),
            // The other attributes are not used.
            SizeDistribution::Constant | SizeDistribution::Empirical => Sizes::constant(self.min),
        };
        sizes.map_err(|error| wrong(error, errors)).ok()
    }

    fn empirical(&self, at: &str, base: Option<&Path>, errors: &mut Errors) -> Option<Sizes> {
        if self.file.is_empty() {
            let message = format!("is missing, though {}SizeDistribution is empirical", self.what);
            errors.push(at, message, "name a file of cumulative probabilities");
            return None;
        }
        let file = match base {
            Some(base) => base.join(self.file),
            None => Path::new(self.file).to_path_buf(),
        };
        let shown = file.display();
        let text = match text(&file) {
            Ok(text) => text,
            Err(fault) => {
                let from = match base {
                    Some(_) => "the folder of the document",
                    None => "the current folder",
                };
                let remedy = format!("name a file of cumulative probabilities, as seen from {from}");
                errors.push(at, format!("{shown}: {fault}"), remedy);
                return None;
            }
        };
        match Cdf::parse(&text) {
            Ok(cdf) => Some(Sizes::empirical(Arc::new(cdf))),
            Err(fault) => {
                let message = format!("{shown}, line {}: {}", fault.line, fault.message);
                errors.push(at, message, fault.remedy);
                None
            }
        }
    }
}

/// The text of a file, or what is wrong with it.
fn text(path: &Path) -> Result<String, String> {
    let wrong = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "may not be read".to_owned(),
        io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput => {
            "is not a path of a file".to_owned()
        }
        _ => format!("cannot be read: {error}"),
    };
    // What is no file, such as a device, may have no end.
    if !fs::metadata(path).map_err(wrong)?.is_file() {
        return Err("is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(wrong)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(wrong)?;
    if bytes.len() as u64 > LARGEST {
        return Err("is larger than 16 MiB".to_owned());
    }
    String::from_utf8(bytes).map_err(|_| "is not text in UTF-8".to_owned())
}
