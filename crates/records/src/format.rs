//! In which formats a run leaves its records.

use crate::error::RecordsError;

/// In which formats a run leaves its records. It always writes CSV as it goes; Parquet files are made from that at its
/// end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formats {
    /// Whether the CSV files stay.
    pub csv: bool,
    /// Whether there are Parquet files.
    pub parquet: bool,
}

impl Default for Formats {
    /// CSV alone.
    fn default() -> Self {
        Formats {
            csv: true,
            parquet: false,
        }
    }
}

impl Formats {
    /// Whether this build can write them.
    ///
    /// # Errors
    /// When Parquet is wanted of a build without it.
    pub fn check(self) -> Result<(), RecordsError> {
        if self.parquet && !cfg!(feature = "parquet") {
            return Err(RecordsError::NoParquet);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_is_always_there() {
        assert!(Formats::default().check().is_ok());
    }

    /// What a build without the feature says, tested whatever this one has.
    #[test]
    fn a_build_without_parquet_says_how_to_get_it() {
        let error = RecordsError::NoParquet;
        assert!(error.is_input());
        assert_eq!(
            error.to_string(),
            "this build has no Parquet; build it with: cargo build --release --features parquet; or leave parquet out of \
             --format"
        );
        let wanted = Formats {
            csv: false,
            parquet: true,
        };
        assert_eq!(wanted.check().is_ok(), cfg!(feature = "parquet"));
    }
}
