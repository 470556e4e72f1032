//! The plain Ethernet NIC, under TCP: one port behind one transmit buffer, without PCIe.

pub mod attributes;
