//! See the workspace's ARCHITECTURE.md.
