//! Memory descriptors.

use super::handles::{Key, Kind};
use super::interface::Interface;
use crate::constants::PTL_MD_OPTIONS_MASK;
use crate::message::{Header, Operation};
use crate::types::{Code, Handle, MdSpec, Region};

#[derive(Debug)]
pub(super) struct Descriptor {
    pub(super) region: Region,
    /// Bytes of the region.
    pub(super) length: u64,
    pub(super) options: u32,
    pub(super) queue: Option<Handle>,
    pub(super) counter: Option<Handle>,
    /// Operations of which something may still come.
    pending: u32,
}

impl Descriptor {
    pub(super) fn has(&self, option: u32) -> bool {
        self.options & option != 0
    }

    /// Whether so many bytes from an offset on are inside.
    pub(super) fn holds(&self, offset: u64, length: u64) -> bool {
        offset.checked_add(length).is_some_and(|end| end <= self.length)
    }
}

impl Interface {
    /// A region that may be described: not of more runs than `max_iovecs`.
    pub(super) fn check_region(&self, region: &Region) -> Result<(), Code> {
        match region {
            Region::Vector(runs) if runs.len() > self.limits.max_iovecs as usize => Err(Code::ArgInvalid),
            _ => Ok(()),
        }
    }

    /// `PtlMDBind`.
    pub(super) fn bind(&mut self, spec: &MdSpec) -> Result<Handle, Code> {
        if spec.options & !PTL_MD_OPTIONS_MASK != 0 {
            return Err(Code::ArgInvalid);
        }
        self.check_region(&spec.region)?;
        let queue = self.queue_argument(spec.eq)?;
        let counter = self.counter_argument(spec.ct)?;
        if self.descriptors.len() >= self.limits.max_mds as usize {
            return Err(Code::NoSpace);
        }
        let key = self.descriptors.insert(Descriptor {
            region: spec.region.clone(),
            length: spec.region.length(),
            options: spec.options,
            queue,
            counter,
            pending: 0,
        });
        Ok(key.handle(Kind::Descriptor, self.number))
    }

    /// `PtlMDRelease`: not while an operation is pending.
    pub(super) fn release(&mut self, key: Key) -> Result<(), Code> {
        let descriptor = self.descriptors.get(key).ok_or(Code::ArgInvalid)?;
        if descriptor.pending > 0 {
            return Err(Code::InUse);
        }
        self.descriptors.remove(key);
        Ok(())
    }

    pub(super) fn descriptor(&self, handle: Handle) -> Option<&Descriptor> {
        self.descriptors.get(self.key(handle, Kind::Descriptor).ok()?)
    }

    fn descriptor_mut(&mut self, handle: Handle) -> Option<&mut Descriptor> {
        let key = self.key(handle, Kind::Descriptor).ok()?;
        self.descriptors.get_mut(key)
    }

    /// An operation begins to use its descriptors.
    pub(super) fn hold_descriptors(&mut self, header: &Header) {
        for handle in descriptors_of(header).into_iter().flatten() {
            if let Some(descriptor) = self.descriptor_mut(handle) {
                descriptor.pending += 1;
            }
        }
    }

    /// An operation has done with its descriptors.
    pub(super) fn release_descriptors(&mut self, header: &Header) {
        for handle in descriptors_of(header).into_iter().flatten() {
            if let Some(descriptor) = self.descriptor_mut(handle) {
                debug_assert!(descriptor.pending > 0);
                descriptor.pending = descriptor.pending.saturating_sub(1);
            }
        }
    }
}

/// The one or two descriptors that an operation uses.
fn descriptors_of(header: &Header) -> [Option<Handle>; 2] {
    let fetches = matches!(
        header.operation,
        Operation::FetchAtomic { .. } | Operation::Swap { .. }
    );
    [Some(header.md), fetches.then_some(header.get_md)]
}
