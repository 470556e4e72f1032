//! Identifiers: a prefix that says of what, and a KSUID.

use sha2::{Digest, Sha256};
use svix_ksuid::{Ksuid, KsuidLike};

/// What an identifier is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A workspace.
    Workspace,
    /// A configuration.
    Configuration,
    /// A simulation.
    Simulation,
    /// A model.
    Model,
    /// A template.
    Template,
}

/// Characters of a KSUID.
const LENGTH: usize = 27;

/// The workspace that is always there.
pub const DEFAULT_WORKSPACE: &str = "workspace_000000000000000000000000000";

impl Kind {
    /// What its identifiers begin with.
    pub fn prefix(self) -> &'static str {
        match self {
            Kind::Workspace => "workspace_",
            Kind::Configuration => "config_",
            Kind::Simulation => "sim_",
            Kind::Model => "model_",
            Kind::Template => "template_",
        }
    }

    /// A new identifier; later ones sort behind earlier ones, to the second.
    pub fn new_id(self) -> String {
        format!(
            "{}{}",
            self.prefix(),
            Ksuid::new(None::<std::time::SystemTime>, None)
        )
    }

    /// The identifier of something that comes with the program and has `name`: the same in every installation.
    pub fn fixed_id(self, name: &str) -> String {
        let digest = Sha256::digest(name.as_bytes());
        let mut bytes = [0; 20];
        // The first four bytes are a time; these are older than everything.
        bytes[4..].copy_from_slice(&digest[..16]);
        format!("{}{}", self.prefix(), Ksuid::from_bytes(bytes))
    }

    /// Whether `text` has the form of such an identifier.
    pub fn fits(self, text: &str) -> bool {
        text.strip_prefix(self.prefix())
            .is_some_and(|rest| rest.len() == LENGTH && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_their_form() {
        for kind in [
            Kind::Workspace,
            Kind::Configuration,
            Kind::Simulation,
            Kind::Model,
            Kind::Template,
        ] {
            let id = kind.new_id();
            assert!(kind.fits(&id), "{id}");
            assert_ne!(id, kind.new_id());
            assert!(kind.fits(&kind.fixed_id("ScalaSwitch")));
        }
        assert_eq!(
            Kind::Model.fixed_id("ScalaSwitch"),
            Kind::Model.fixed_id("ScalaSwitch")
        );
        assert_ne!(
            Kind::Model.fixed_id("ScalaSwitch"),
            Kind::Model.fixed_id("ScalaNic")
        );
        assert!(Kind::Workspace.fits(DEFAULT_WORKSPACE));
        for wrong in [
            "",
            "sim_",
            "sim_123",
            "config_000000000000000000000000000",
            "sim_00000000000000000000000000/",
            "sim_0000000000000000000000000000",
        ] {
            assert!(!Kind::Simulation.fits(wrong), "{wrong}");
        }
    }
}
