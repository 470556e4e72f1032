//! What the endpoints of a configuration do to its document, without I/O.
