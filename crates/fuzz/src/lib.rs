//! What the fuzz targets do with arbitrary bytes.
//!
//! Each target is a function from bytes to nothing that panics when something is wrong. `fuzz/` gives these functions to
//! libFuzzer, one binary each; the test of this crate calls them with every input kept in `fuzz/corpus/`, so that what was
//! once found stays mended without a second build.
//!
//! | Target | What the bytes are | What must hold |
//! | --- | --- | --- |
//! | [`document()`] | the text of a document and overrides | an answer, and every problem says where |
//! | [`overrides()`] | overrides of a template | an answer, and every problem says where |
//! | [`configuration()`] | a body as a server gets it, and a patch of attributes | what is taken is the same when read or merged again |
//! | [`document_structured()`] | changes of a template | the same; what is accepted runs, and its books balance |
//! | [`codec()`] | header bytes, and the fields of a frame | decoding undoes encoding |
//! | [`nic()`] | a NIC's attributes, then frames, doorbells and waits | its books balance; in the end all work is done |
//! | [`ethernet()`] | a plain NIC's buffer, then segments to send, frames, pauses and waits | its books balance; all is sent |
//! | [`tcp()`] | settings of two ends, then what they do and what becomes of their segments | their books balance; every byte arrives |
//! | [`cdf()`] | the text of a file of sizes | an answer that names a line; sizes within the range |
//! | [`platform()`] | the text of a platform or deployment file | an answer of one line that says where; routes of its own links |
//! | [`switch()`] | a switch's buffer, then frames, pauses and waits | its books balance; in the end it is empty |

mod cdf;
mod codec;
mod configuration;
mod document;
mod ethernet;
mod frames;
mod nic;
mod platform;
mod stage;
mod structured;
mod switch;
mod tcp;

pub use cdf::cdf;
pub use codec::codec;
pub use configuration::configuration;
pub use document::{document, overrides};
pub use ethernet::ethernet;
pub use nic::nic;
pub use platform::platform;
pub use structured::document_structured;
pub use switch::switch;
pub use tcp::tcp;

/// A target: its name, which is also that of its binary and its folder of kept inputs, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 11] = [
    ("document", document),
    ("overrides", overrides),
    ("configuration", configuration),
    ("document_structured", document_structured),
    ("codec", codec),
    ("nic", nic),
    ("ethernet", ethernet),
    ("switch", switch),
    ("tcp", tcp),
    ("cdf", cdf),
    ("platform", platform),
];
