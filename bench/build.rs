//! Makes the program export what hosted Portals programs call, as `packetloom` itself does.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for names in ["Ptl*", "PMI_*", "s4bxi_*", "_s4bxi_*"] {
        println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol={names}");
    }
}
