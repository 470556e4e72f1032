#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| packetloom_fuzz::configuration(data));
