//! The headers that programs include.

macro_rules! headers {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../include/", $path)))),*]
    };
}

/// Each header: its path in the include folder, and its text.
pub const HEADERS: &[(&str, &str)] = headers![
    "pmi.h",
    "portals4.h",
    "portals4_bxiext.h",
    "portals4_nb.h",
    "portals4_services.h",
    "s4bxi/s4bxi_c_util.h",
    "s4bxi/s4bxi_sample.h",
    "s4bxi/s4bxi_shared.h",
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// What lies in the folder is what is embedded.
    #[test]
    fn no_header_is_left_out() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
        let mut found = Vec::new();
        for inner in ["", "s4bxi/"] {
            for entry in fs::read_dir(folder.join(inner)).expect("a folder") {
                let name = entry.expect("an entry").file_name().into_string().expect("text");
                if name.ends_with(".h") {
                    found.push(format!("{inner}{name}"));
                }
            }
        }
        found.sort_unstable();
        let embedded: Vec<&str> = HEADERS.iter().map(|(path, _)| *path).collect();
        assert_eq!(found, embedded);
    }
}
