//! Every operator on every type.

mod integers;
mod reals;

use super::*;

const INTEGERS: [u32; 8] = [INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64];
const REALS: [u32; 3] = [FLOAT, DOUBLE, LONG_DOUBLE];
const COMPLEX: [u32; 3] = [FLOAT_COMPLEX, DOUBLE_COMPLEX, LONG_DOUBLE_COMPLEX];

/// The operand of swaps with `bytes` first, and something behind that nothing may read.
fn operand_of(bytes: &[u8]) -> [u8; 32] {
    let mut operand = [0xee; 32];
    operand[..bytes.len()].copy_from_slice(bytes);
    operand
}

/// The sizes of the C types on x86-64.
#[test]
fn sizes_are_those_of_c() {
    let sizes: Vec<Option<usize>> = (0..15).map(size_of).collect();
    let expected = [1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 8, 16, 16, 32];
    assert_eq!(sizes[..14], expected.map(Some));
    assert_eq!((sizes[14], size_of(u32::MAX)), (None, None));
}

/// `PTL_MIN` and the like take all but complex types, `PTL_SUM` all, logical and bitwise ones integers only; the swaps
/// belong to `PtlSwap` alone, and nothing else does.
#[test]
fn operators_go_with_types_and_functions() {
    for operator in 0..20 {
        for datatype in 0..16 {
            let complex = COMPLEX.contains(&datatype);
            let integer = INTEGERS.contains(&datatype);
            let known = complex || integer || REALS.contains(&datatype);
            let takes = known
                && match operator {
                    // MIN, MAX, and CSWAP_LE, LT, GE, GT
                    0 | 1 | 13..=16 => !complex,
                    // SUM, PROD, SWAP, CSWAP, CSWAP_NE
                    2 | 3 | 10 | 11 | 12 => true,
                    // LOR, LAND, BOR, BAND, LXOR, BXOR, MSWAP
                    4..=9 | 17 => integer,
                    _ => false,
                };
            let swap = operator >= 10;
            let place = format!("operator {operator}, type {datatype}");
            assert_eq!(
                is_valid(operator, datatype, false, false),
                takes && !swap,
                "{place}"
            );
            assert_eq!(
                is_valid(operator, datatype, true, false),
                takes && !swap,
                "{place}"
            );
            assert_eq!(is_valid(operator, datatype, true, true), takes && swap, "{place}");
            assert!(
                !is_valid(operator, datatype, false, true),
                "{place}: a swap fetches"
            );
        }
    }
    assert!(!is_valid(u32::MAX, INT8, true, false) && !is_valid(SUM, u32::MAX, true, false));
}

#[test]
fn one_element_only_is_for_conditional_and_masked_swaps() {
    let single: Vec<u32> = (0..20).filter(|&operator| is_single(operator)).collect();
    assert_eq!(
        single,
        [CSWAP, CSWAP_NE, CSWAP_LE, CSWAP_LT, CSWAP_GE, CSWAP_GT, MSWAP]
    );
}

#[test]
fn what_is_not_valid_changes_nothing() {
    for (operator, datatype) in [
        (BAND, FLOAT),
        (MIN, FLOAT_COMPLEX),
        (MSWAP, LONG_DOUBLE),
        (99, INT8),
        (SUM, 99),
    ] {
        let mut target = [0x5a; 32];
        apply(operator, datatype, &mut target, &[0xa5; 32], &[0xff; 32]);
        assert_eq!(target, [0x5a; 32], "operator {operator}, type {datatype}");
    }
}

/// Elements are taken one by one; what is left over at the end stays.
#[test]
fn elements_do_not_carry_into_each_other() {
    let mut target = [0xff, 0xff, 1, 0, 9];
    apply(SUM, UINT16, &mut target, &[1, 0, 1, 0, 1], &[0; 32]);
    assert_eq!(target, [0, 0, 2, 0, 9]);
    let mut target = [0xff, 0xff, 1, 0, 9];
    apply(SUM, UINT8, &mut target, &[1, 0, 1, 0], &[0; 32]);
    assert_eq!(target, [0, 0xff, 2, 0, 9]);
    let mut target = [1; 3];
    apply(SUM, UINT32, &mut target, &[1; 8], &[0; 32]);
    assert_eq!(target, [1; 3]);
}

#[test]
fn a_swap_replaces_all_elements_of_any_type() {
    for datatype in 0..14 {
        let operand: Vec<u8> = (1..=64).collect();
        let mut target = vec![0; 64];
        apply(SWAP, datatype, &mut target, &operand, &[0xff; 32]);
        assert_eq!(target, operand, "type {datatype}");
    }
}
