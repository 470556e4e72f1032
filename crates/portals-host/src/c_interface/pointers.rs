//! Pointers that a program gave: the only place where they are followed.
//!
//! A program is free to give any number as a pointer. Null is told; any other wrong pointer faults here as it would in the
//! program itself, and is reported as that program's crash. Nothing of ours lies where a right pointer points, so that no
//! reference of ours is ever overlapped.

use std::ffi::{CStr, c_char};

/// Where a program wants a value.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Out<T>(pub *mut T);

impl<T: Copy> Out<T> {
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Writes `value`, unless the pointer is null.
    pub fn set(self, value: T) {
        if !self.is_null() {
            // SAFETY: the program says that a T may be written here; see the module.
            unsafe { self.0.write_unaligned(value) }
        }
    }

    /// Writes `values` one behind the other, unless the pointer is null.
    pub fn fill(self, values: impl IntoIterator<Item = T>) {
        if !self.is_null() {
            for (place, value) in values.into_iter().enumerate() {
                // SAFETY: the program says that so many T may be written here; see the module.
                unsafe { self.0.add(place).write_unaligned(value) }
            }
        }
    }
}

impl Out<c_char> {
    /// Writes `text` with a zero byte behind it; false, with nothing written: it has no room in `length` bytes.
    pub fn set_text(self, text: &[u8], length: usize) -> bool {
        let fits = !self.is_null() && text.len() < length;
        if fits {
            self.fill(text.iter().chain(&[0]).map(|&byte| byte as c_char));
        }
        fits
    }
}

/// What a program points to, to be read.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct In<T>(pub *const T);

impl<T: Copy> In<T> {
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The value; `None`: the pointer is null.
    pub fn get(self) -> Option<T> {
        // SAFETY: the program says that a T is here; see the module.
        (!self.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// So many values one behind the other; `None`: the pointer is null, and they are not none.
    pub fn list(self, length: usize) -> Option<Vec<T>> {
        if length == 0 {
            return Some(Vec::new());
        }
        (!self.is_null()).then(|| {
            (0..length)
                // SAFETY: the program says that so many T are here; see the module.
                .map(|place| unsafe { self.0.add(place).read_unaligned() })
                .collect()
        })
    }
}

impl In<c_char> {
    /// The bytes before the zero byte; `None`: the pointer is null.
    pub fn text(self) -> Option<Vec<u8>> {
        // SAFETY: the program says that text with a zero byte behind it is here; see the module.
        (!self.is_null()).then(|| unsafe { CStr::from_ptr(self.0) }.to_bytes().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_told_and_written_to_by_nobody() {
        assert!(In::<u32>(std::ptr::null()).get().is_none());
        assert!(In::<u32>(std::ptr::null()).list(1).is_none());
        assert_eq!(In::<u32>(std::ptr::null()).list(0), Some(Vec::new()));
        assert!(In::<c_char>(std::ptr::null()).text().is_none());
        Out::<u32>(std::ptr::null_mut()).set(1);
        Out::<u32>(std::ptr::null_mut()).fill([1, 2]);
        assert!(!Out::<c_char>(std::ptr::null_mut()).set_text(b"a", 10));
    }

    #[test]
    fn text_needs_room_for_its_zero_byte() {
        let mut room = [1 as c_char; 4];
        assert!(!Out(room.as_mut_ptr()).set_text(b"four", 4));
        assert_eq!(room, [1; 4]);
        assert!(Out(room.as_mut_ptr()).set_text(b"abc", 4));
        assert_eq!(In(room.as_ptr()).text(), Some(b"abc".to_vec()));
    }
}
