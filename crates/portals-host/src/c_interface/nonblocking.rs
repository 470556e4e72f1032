//! `NB` functions that are as those without; those of data movement stand with it.

use super::pointers::{In, Out};
use super::types::{CCounter, CLe, CMd, CMe};
use super::{descriptors, entries, table, triggered};
use std::ffi::{c_int, c_uint};

macro_rules! same {
    ($($nb:ident = $plain:path, ($($name:ident: $type:ty),*);)*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $nb($($name: $type),*) -> c_int {
            $plain($($name),*)
        }
    )* };
}

same! {
    PtlPTEnableNB = table::PtlPTEnable, (ni: u32, pt_index: u32);
    PtlPTDisableNB = table::PtlPTDisable, (ni: u32, pt_index: u32);
    PtlMDBindNB = descriptors::PtlMDBind, (ni: u32, md: In<CMd>, md_handle: Out<u32>);
    PtlLEAppendNB = entries::PtlLEAppend,
        (ni: u32, pt_index: u32, le: In<CLe>, list: c_uint, user_ptr: u64, le_handle: Out<u32>);
    PtlLESearchNB = entries::PtlLESearch, (ni: u32, pt_index: u32, le: In<CLe>, mode: c_uint, user_ptr: u64);
    PtlMEAppendNB = entries::PtlMEAppend,
        (ni: u32, pt_index: u32, me: In<CMe>, list: c_uint, user_ptr: u64, me_handle: Out<u32>);
    PtlMESearchNB = entries::PtlMESearch, (ni: u32, pt_index: u32, me: In<CMe>, mode: c_uint, user_ptr: u64);
    PtlTriggeredCTIncNB = triggered::PtlTriggeredCTInc,
        (ct: u32, increment: CCounter, trig_ct: u32, threshold: u64);
    PtlTriggeredCTSetNB = triggered::PtlTriggeredCTSet, (ct: u32, new_ct: CCounter, trig_ct: u32, threshold: u64);
}
