//! Makes the tests' programs export what hosted Portals programs call, as the program itself does.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for names in ["Ptl*", "PMI_*", "s4bxi_*", "_s4bxi_*"] {
        println!("cargo:rustc-link-arg-tests=-Wl,--export-dynamic-symbol={names}");
    }
}
