//! Options of a run of Portals programs: S4BXI's environment variables, by their names.

use packetloom_portals::nic::Settings;

/// Options of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The NIC's own
    pub nic: Settings,
    /// `S4BXI_MODEL_PCI`: whether payload crosses PCI on nodes that say so
    pub model_pci: bool,
    /// `S4BXI_MODEL_PCI_COMMANDS`: whether commands and events do
    pub model_pci_commands: bool,
    /// `S4BXI_E2E_OFF`: nothing is acknowledged end to end, whatever nodes say
    pub e2e_off: bool,
    /// Seconds from the last arrival at a barrier to its release (`BarrierLatency`): a barrier is no message of the network,
    /// and with 0 it outruns what is under way
    pub barrier_latency: f64,
    /// `S4BXI_USE_REAL_MEMORY`: whether payload is copied, of processes that do not say otherwise
    pub real_memory: bool,
    /// `S4BXI_MAX_MEMCPY`: bytes that are copied of each run of a payload at most; none: all
    pub most_copied: Option<u64>,
    /// `S4BXI_LOG_COMPUTATION`: whether the log of operations has computations
    pub log_computation: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            nic: Settings::default(),
            model_pci: true,
            model_pci_commands: true,
            e2e_off: false,
            barrier_latency: 0.0,
            real_memory: true,
            most_copied: None,
            log_computation: true,
        }
    }
}

/// A variable that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("environment variable {name}={value}: {expected}")]
pub struct BadVariable {
    name: String,
    value: String,
    expected: &'static str,
}

/// How S4BXI reads a truth value: true is `TRUE`, `true` or `1`, everything else is false.
pub fn is_true(value: &str) -> bool {
    matches!(value, "TRUE" | "true" | "1")
}

/// Variables that S4BXI knows and that change nothing here, with the reason.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("PRIVATIZE_LIBS", "libraries in the program's folder are private"),
    ("KEEP_TEMPS", "copies of the program are removed at once"),
    ("CPU_THRESHOLD", "measured time is added as it is"),
    ("CPU_ACCUMULATE", "measured time is added as it is"),
    ("NO_DLCLOSE", "images stay loaded until the run ends"),
    ("USE_PUGIXML", "there is one reader of XML"),
    (
        "SHARED_MALLOC",
        "malloc is private; programs share memory by the macro of that name",
    ),
    ("SHARED_MALLOC_THRESH", "malloc is private, whatever its size"),
    ("SHARED_MALLOC_BLOCKSIZE", "shared memory is not folded"),
    (
        "SHARED_MALLOC_HUGEPAGE",
        "shared memory has pages of the usual size",
    ),
];

impl Options {
    /// Reads the variables `S4BXI_…` by `variable`, which knows them without that prefix; warnings go to `warn`.
    ///
    /// # Errors
    ///
    /// A number that is none, or not in its range.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<String>,
        mut warn: impl FnMut(String),
    ) -> Result<Self, BadVariable> {
        let mut options = Self::default();
        let truth = |name: &str, into: &mut bool| {
            if let Some(value) = variable(name) {
                *into = is_true(&value);
            }
        };
        truth("MODEL_PCI", &mut options.model_pci);
        truth("MODEL_PCI_COMMANDS", &mut options.model_pci_commands);
        truth("E2E_OFF", &mut options.e2e_off);
        truth("QUICK_ACKS", &mut options.nic.quick_acks);
        truth("USE_REAL_MEMORY", &mut options.real_memory);
        truth("LOG_COMPUTATION", &mut options.log_computation);
        if let Some(value) = variable("MAX_MEMCPY") {
            let most: i64 = value.trim().parse().map_err(|_| BadVariable {
                name: "S4BXI_MAX_MEMCPY".into(),
                value,
                expected: "a whole number of bytes is expected, or -1 for all",
            })?;
            options.most_copied = u64::try_from(most).ok();
        }
        let count = |name: &str, into: &mut u32| {
            let Some(value) = variable(name) else {
                return Ok(());
            };
            *into = value.parse().map_err(|_| BadVariable {
                name: format!("S4BXI_{name}"),
                value: value.clone(),
                expected: "a whole number from 0 to 4294967295 is expected",
            })?;
            Ok(())
        };
        count("MAX_RETRIES", &mut options.nic.max_retries)?;
        count("MAX_INFLIGHT_TO_TARGET", &mut options.nic.max_in_flight_to_target)?;
        count(
            "MAX_INFLIGHT_TO_PROCESS",
            &mut options.nic.max_in_flight_to_process,
        )?;
        let span = |name: &str, into: &mut f64, least: f64, expected| {
            let Some(value) = variable(name) else {
                return Ok(());
            };
            match value.parse::<f64>() {
                Ok(number) if number.is_finite() && number >= least => *into = number,
                _ => {
                    return Err(BadVariable {
                        name: format!("S4BXI_{name}"),
                        value,
                        expected,
                    });
                }
            }
            Ok(())
        };
        span(
            "RETRY_TIMEOUT",
            &mut options.nic.retry_timeout,
            1e-9,
            "a number of seconds of at least 1e-9 is expected",
        )?;
        span(
            "ACTIVE_POLLING_DELAY",
            &mut options.nic.polling_delay,
            1e-9,
            "a number of seconds of at least 1e-9 is expected: a loop of polls that take no time never ends",
        )?;
        for (name, reason) in WITHOUT_EFFECT {
            if variable(name).is_some() {
                warn(format!("S4BXI_{name} has no effect: {reason}"));
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn read(variables: &[(&str, &str)]) -> (Result<Options, BadVariable>, Vec<String>) {
        let map: BTreeMap<_, _> = variables.iter().copied().collect();
        let mut warnings = Vec::new();
        let options = Options::from_environment(
            |name| map.get(name).map(|value| (*value).to_owned()),
            |warning| warnings.push(warning),
        );
        (options, warnings)
    }

    #[test]
    fn the_defaults_are_s4bxis() {
        let options = read(&[]).0.expect("nothing is wrong");
        assert_eq!(options.nic.max_retries, 5);
        assert_eq!(options.nic.retry_timeout, 10.0);
        assert_eq!(options.nic.polling_delay, 1e-8);
        assert!(options.model_pci && options.model_pci_commands);
        assert!(!options.e2e_off && !options.nic.quick_acks);
        assert_eq!(options.nic.max_in_flight_to_target, 0);
        assert_eq!(options.nic.max_in_flight_to_process, 0);
    }

    #[test]
    fn true_is_true_in_three_spellings() {
        for (text, truth) in [
            ("TRUE", true),
            ("true", true),
            ("1", true),
            ("yes", false),
            ("", false),
        ] {
            let options = read(&[("E2E_OFF", text)]).0.expect("any text will do");
            assert_eq!(options.e2e_off, truth, "{text}");
        }
    }

    #[test]
    fn numbers_are_checked() {
        let error = read(&[("RETRY_TIMEOUT", "soon")]).0.expect_err("not a number");
        assert_eq!(
            error.to_string(),
            "environment variable S4BXI_RETRY_TIMEOUT=soon: a number of seconds of at least 1e-9 is expected"
        );
        assert!(read(&[("RETRY_TIMEOUT", "inf")]).0.is_err());
        assert!(read(&[("MAX_RETRIES", "-1")]).0.is_err());
        let options = read(&[("RETRY_TIMEOUT", "1e-6"), ("MAX_RETRIES", "50")])
            .0
            .expect("numbers");
        assert_eq!((options.nic.retry_timeout, options.nic.max_retries), (1e-6, 50));
    }

    #[test]
    fn polls_take_time() {
        let error = read(&[("ACTIVE_POLLING_DELAY", "0")]).0.expect_err("no time");
        assert_eq!(
            error.to_string(),
            "environment variable S4BXI_ACTIVE_POLLING_DELAY=0: a number of seconds of at least 1e-9 is expected: \
             a loop of polls that take no time never ends"
        );
        let options = read(&[("ACTIVE_POLLING_DELAY", "1e-9")]).0.expect("a delay");
        assert_eq!(options.nic.polling_delay, 1e-9);
    }

    #[test]
    fn memory_and_computations_can_be_left_out() {
        let options = read(&[
            ("USE_REAL_MEMORY", "false"),
            ("MAX_MEMCPY", "16"),
            ("LOG_COMPUTATION", "0"),
        ])
        .0
        .expect("values");
        assert!(!options.real_memory && !options.log_computation);
        assert_eq!(options.most_copied, Some(16));
        let options = read(&[("MAX_MEMCPY", "-1")]).0.expect("S4BXI's default");
        assert_eq!(options, Options::default());
        assert_eq!(
            read(&[("MAX_MEMCPY", "all")])
                .0
                .expect_err("no number")
                .to_string(),
            "environment variable S4BXI_MAX_MEMCPY=all: a whole number of bytes is expected, or -1 for all"
        );
    }

    #[test]
    fn all_numbers_and_switches_are_heard() {
        let (options, warnings) = read(&[
            ("MODEL_PCI", "0"),
            ("MODEL_PCI_COMMANDS", "false"),
            ("E2E_OFF", "1"),
            ("QUICK_ACKS", "true"),
            ("MAX_INFLIGHT_TO_TARGET", "3"),
            ("MAX_INFLIGHT_TO_PROCESS", "2"),
            ("CPU_FACTOR", "0"),
            ("LOG_FOLDER", "/dev/null"),
        ]);
        let options = options.expect("values");
        assert!(!options.model_pci && !options.model_pci_commands);
        assert!(options.e2e_off && options.nic.quick_acks);
        assert_eq!(options.nic.max_in_flight_to_target, 3);
        assert_eq!(options.nic.max_in_flight_to_process, 2);
        assert_eq!(warnings, [""; 0]);
    }

    #[test]
    fn what_has_no_effect_is_said() {
        let (_, warnings) = read(&[("KEEP_TEMPS", "1")]);
        assert_eq!(
            warnings,
            ["S4BXI_KEEP_TEMPS has no effect: copies of the program are removed at once"]
        );
    }

    #[test]
    fn what_the_command_line_reads_itself_is_not_said_to_have_no_effect() {
        let (_, warnings) = read(&[("LOG_FOLDER", "log"), ("CPU_FACTOR", "2")]);
        assert_eq!(warnings, [""; 0]);
    }
}
