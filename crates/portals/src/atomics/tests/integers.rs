//! Operators on integers: worked values, and arithmetic of 128 bits for any.

use super::*;
use proptest::prelude::*;

/// Target, operand and swap operand of one element each, as numbers, and what the target becomes.
fn outcome(operator: u32, datatype: u32, target: i128, operand: i128, given: i128) -> i128 {
    let size = size_of(datatype).expect("a type");
    let mut bytes = target.to_le_bytes()[..size].to_vec();
    apply(
        operator,
        datatype,
        &mut bytes,
        &operand.to_le_bytes()[..size],
        &operand_of(&given.to_le_bytes()[..size]),
    );
    wrapped(
        datatype,
        i128::from_le_bytes(std::array::from_fn(|place| {
            bytes.get(place).copied().unwrap_or(0)
        })),
    )
}

/// `value` as an element of the type holds it.
fn wrapped(datatype: u32, value: i128) -> i128 {
    let bits = 8 * size_of(datatype).expect("a type");
    let low = value & ((1 << bits) - 1);
    let signed = matches!(datatype, INT8 | INT16 | INT32 | INT64);
    if signed && low >> (bits - 1) == 1 {
        low - (1 << bits)
    } else {
        low
    }
}

/// The rule of each operator, in numbers that do not overflow.
fn rule(operator: u32, target: i128, operand: i128, given: i128) -> i128 {
    let (a, b) = (target != 0, operand != 0);
    let if_so = |condition: bool| if condition { operand } else { target };
    match operator {
        MIN => target.min(operand),
        MAX => target.max(operand),
        SUM => target + operand,
        PROD => target.wrapping_mul(operand),
        LOR => (a || b).into(),
        LAND => (a && b).into(),
        LXOR => (a != b).into(),
        BOR => target | operand,
        BAND => target & operand,
        BXOR => target ^ operand,
        SWAP => operand,
        CSWAP => if_so(given == target),
        CSWAP_NE => if_so(given != target),
        CSWAP_LE => if_so(given <= target),
        CSWAP_LT => if_so(given < target),
        CSWAP_GE => if_so(given >= target),
        CSWAP_GT => if_so(given > target),
        MSWAP => (target & !given) | (operand & given),
        _ => unreachable!("an operator"),
    }
}

/// 12 = 0b1100 and 10 = 0b1010; the operand of swaps is 6 = 0b0110, then 12, then 20.
#[test]
fn worked_values_on_every_type() {
    let expected: [(u32, [i128; 3]); 18] = [
        (MIN, [10; 3]),
        (MAX, [12; 3]),
        (SUM, [22; 3]),
        (PROD, [120; 3]),
        (LOR, [1; 3]),
        (LAND, [1; 3]),
        (BOR, [14; 3]),
        (BAND, [8; 3]),
        (LXOR, [0; 3]),
        (BXOR, [6; 3]),
        (SWAP, [10; 3]),
        (CSWAP, [12, 10, 12]),
        (CSWAP_NE, [10, 12, 10]),
        (CSWAP_LE, [10, 10, 12]),
        (CSWAP_LT, [10, 12, 12]),
        (CSWAP_GE, [12, 10, 10]),
        (CSWAP_GT, [12, 12, 10]),
        // At the bits of 00110, 01100 and 10100, 01100 takes 01010's: 01010, 01000, 01000.
        (MSWAP, [10, 8, 8]),
    ];
    for datatype in INTEGERS {
        for (operator, outcomes) in expected {
            let got = [6, 12, 20].map(|given| outcome(operator, datatype, 12, 10, given));
            assert_eq!(got, outcomes, "operator {operator}, type {datatype}");
        }
    }
}

#[test]
fn signs_wraps_and_truth() {
    // -1 is below 1 with a sign, and above without.
    assert_eq!(outcome(MIN, INT8, -1, 1, 0), -1);
    assert_eq!(outcome(MIN, UINT8, 255, 1, 0), 1);
    assert_eq!(outcome(MAX, INT64, -1, 1, 0), 1);
    assert_eq!(outcome(MAX, UINT64, u64::MAX.into(), 1, 0), u64::MAX.into());
    // 127 + 1 = -128; 200 + 100 = 300 - 256; -128 times -1 = 128 - 256; 65535 squared = 0xfffe0001.
    assert_eq!(outcome(SUM, INT8, 127, 1, 0), -128);
    assert_eq!(outcome(SUM, UINT8, 200, 100, 0), 44);
    assert_eq!(outcome(PROD, INT8, -128, -1, 0), -128);
    assert_eq!(outcome(PROD, UINT16, 65535, 65535, 0), 1);
    assert_eq!(outcome(SUM, INT32, i32::MAX.into(), 1, 0), i32::MIN.into());
    assert_eq!(outcome(SUM, UINT64, u64::MAX.into(), 2, 0), 1);
    // What is not 0 is true.
    assert_eq!(
        [(0, 0), (0, 2), (4, 0), (4, 2)].map(|(a, b)| outcome(LOR, INT16, a, b, 0)),
        [0, 1, 1, 1]
    );
    assert_eq!(
        [(0, 0), (0, 2), (4, 0), (4, 2)].map(|(a, b)| outcome(LAND, INT16, a, b, 0)),
        [0, 0, 0, 1]
    );
    assert_eq!(
        [(0, 0), (0, 2), (4, 0), (4, 2)].map(|(a, b)| outcome(LXOR, INT16, a, b, 0)),
        [0, 1, 1, 0]
    );
    // The operand is on the left: -2 <= 3 swaps with a sign, 254 <= 3 does not.
    assert_eq!(outcome(CSWAP_LE, INT8, 3, 9, -2), 9);
    assert_eq!(outcome(CSWAP_LE, UINT8, 3, 9, 254), 3);
    // The upper half of the bits comes from the operand.
    assert_eq!(outcome(MSWAP, UINT16, 0x1234, 0xabcd, 0xff00), 0xab34);
}

proptest! {
    #[test]
    fn any_values_follow_the_rule(
        operator in 0u32..18,
        which in 0usize..8,
        numbers in prop::array::uniform3(prop_oneof![any::<i64>(), -3i64..4, Just(i64::MAX), Just(i64::MIN)]),
    ) {
        let datatype = INTEGERS[which];
        let [target, operand, given] = numbers.map(|number| wrapped(datatype, number.into()));
        prop_assert_eq!(
            outcome(operator, datatype, target, operand, given),
            wrapped(datatype, rule(operator, target, operand, given)),
            "operator {}, type {}: {} {} {}", operator, datatype, target, operand, given
        );
    }
}
