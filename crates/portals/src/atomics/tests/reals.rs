//! Operators on reals and complex numbers.

use super::*;

/// Bytes of a small number in a type of reals; the spare bytes of `long double` are `spare`.
fn bytes(datatype: u32, value: f64, spare: u8) -> Vec<u8> {
    match datatype {
        FLOAT => (value as f32).to_le_bytes().to_vec(),
        DOUBLE => value.to_le_bytes().to_vec(),
        _ => long_double(value, spare),
    }
}

/// A double as a `long double`: 15 bits of exponent with an excess of 16,383 for 11 with one of 1,023, and the first bit
/// of the significand written out. For NaN, infinities, 0 and normal numbers.
fn long_double(value: f64, spare: u8) -> Vec<u8> {
    let bits = value.to_bits();
    let sign = ((bits >> 63) as u16) << 15;
    let fraction = bits & ((1 << 52) - 1);
    let (exponent, significand) = match (bits >> 52) & 0x7ff {
        0 => (0, 0),
        0x7ff => (0x7fff, 1 << 63 | fraction << 11),
        exponent => (exponent as u16 + 16_383 - 1_023, 1 << 63 | fraction << 11),
    };
    let mut bytes = significand.to_le_bytes().to_vec();
    bytes.extend((sign | exponent).to_le_bytes());
    bytes.extend([spare; 6]);
    bytes
}

fn complex(datatype: u32, value: (f64, f64), spare: u8) -> Vec<u8> {
    let part = match datatype {
        FLOAT_COMPLEX => FLOAT,
        DOUBLE_COMPLEX => DOUBLE,
        _ => LONG_DOUBLE,
    };
    [bytes(part, value.0, spare), bytes(part, value.1, spare)].concat()
}

/// Target 1.5, operand -2.0; the operand of swaps is 1.0, then 1.5, then 2.0.
#[test]
fn worked_values_on_every_type() {
    let expected: [(u32, [f64; 3]); 11] = [
        (MIN, [-2.0; 3]),
        (MAX, [1.5; 3]),
        (SUM, [-0.5; 3]),
        (PROD, [-3.0; 3]),
        (SWAP, [-2.0; 3]),
        (CSWAP, [1.5, -2.0, 1.5]),
        (CSWAP_NE, [-2.0, 1.5, -2.0]),
        (CSWAP_LE, [-2.0, -2.0, 1.5]),
        (CSWAP_LT, [-2.0, 1.5, 1.5]),
        (CSWAP_GE, [1.5, -2.0, -2.0]),
        (CSWAP_GT, [1.5, 1.5, -2.0]),
    ];
    for datatype in REALS {
        for (operator, outcomes) in expected {
            for (given, outcome) in [1.0, 1.5, 2.0].into_iter().zip(outcomes) {
                let mut target = bytes(datatype, 1.5, 7);
                apply(
                    operator,
                    datatype,
                    &mut target,
                    &bytes(datatype, -2.0, 7),
                    &operand_of(&bytes(datatype, given, 9)),
                );
                assert_eq!(
                    target,
                    bytes(datatype, outcome, 7),
                    "operator {operator}, type {datatype}, {given}"
                );
            }
        }
    }
}

/// (1 + 2i)(3 - 4i) = 3 + 8 + (-4 + 6)i = 11 + 2i.
#[test]
fn worked_values_on_complex_types() {
    let (target, operand) = ((1.0, 2.0), (3.0, -4.0));
    let expected = [
        (SUM, (1.0, 2.0), (4.0, -2.0)),
        (PROD, (1.0, 2.0), (11.0, 2.0)),
        (SWAP, (1.0, 2.0), operand),
        (CSWAP, (1.0, 2.0), operand),
        (CSWAP, (1.0, 3.0), target),
        (CSWAP, (0.0, 2.0), target),
        (CSWAP_NE, (1.0, 2.0), target),
        (CSWAP_NE, (1.0, 3.0), operand),
        (CSWAP_NE, (0.0, 2.0), operand),
    ];
    for datatype in COMPLEX {
        for (operator, given, outcome) in expected {
            let mut bytes = complex(datatype, target, 7);
            apply(
                operator,
                datatype,
                &mut bytes,
                &complex(datatype, operand, 7),
                &operand_of(&complex(datatype, given, 9)),
            );
            assert_eq!(
                bytes,
                complex(datatype, outcome, 7),
                "operator {operator}, type {datatype}, {given:?}"
            );
        }
    }
}

/// A comparison with NaN is false, but for "not equal".
#[test]
fn nan_moves_nothing_but_where_unequal_is_asked_for() {
    for datatype in REALS {
        let (one, nan) = (bytes(datatype, 1.0, 0), bytes(datatype, f64::NAN, 0));
        for operator in [MIN, MAX] {
            for (target, operand) in [(&one, &nan), (&nan, &one)] {
                let mut bytes = target.clone();
                apply(operator, datatype, &mut bytes, operand, &[0; 32]);
                assert_eq!(&bytes, target, "operator {operator}, type {datatype}");
            }
        }
        for operator in [CSWAP, CSWAP_NE, CSWAP_LE, CSWAP_LT, CSWAP_GE, CSWAP_GT] {
            for (target, given) in [(&one, &nan), (&nan, &one), (&nan, &nan)] {
                let mut bytes = target.clone();
                let operand = self::bytes(datatype, 5.0, 0);
                apply(operator, datatype, &mut bytes, &operand, &operand_of(given));
                let expected = if operator == CSWAP_NE { &operand } else { target };
                assert_eq!(&bytes, expected, "operator {operator}, type {datatype}");
            }
        }
        for operator in [SUM, PROD] {
            let mut bytes = one.clone();
            apply(operator, datatype, &mut bytes, &nan, &[0; 32]);
            assert_ne!(bytes, one, "operator {operator}, type {datatype}");
        }
    }
}

#[test]
fn zeroes_of_either_sign_are_equal() {
    for datatype in REALS {
        let mut target = bytes(datatype, 0.0, 0);
        apply(
            CSWAP,
            datatype,
            &mut target,
            &bytes(datatype, 5.0, 0),
            &operand_of(&bytes(datatype, -0.0, 0)),
        );
        assert_eq!(target, bytes(datatype, 5.0, 0), "type {datatype}");
    }
}

/// 2^24 + 1 needs 25 bits, 2^53 + 1 needs 54, 2^63 + 1 needs 64: each type rounds where its precision ends, ties to even.
#[test]
fn each_type_rounds_at_its_own_precision() {
    let sum = |datatype, a: f64, b: f64| {
        let mut target = bytes(datatype, a, 0);
        apply(SUM, datatype, &mut target, &bytes(datatype, b, 0), &[0; 32]);
        target
    };
    let (two_24, two_53, two_63, two_64) = (2f64.powi(24), 2f64.powi(53), 2f64.powi(63), 2f64.powi(64));
    assert_eq!(sum(FLOAT, two_24, 1.0), bytes(FLOAT, two_24, 0));
    assert_eq!(sum(FLOAT, two_24, 3.0), bytes(FLOAT, two_24 + 4.0, 0));
    assert_eq!(sum(DOUBLE, two_53, 1.0), bytes(DOUBLE, two_53, 0));
    assert_eq!(sum(DOUBLE, two_53, 3.0), bytes(DOUBLE, two_53 + 4.0, 0));
    // Significand 0x8000000000000001 at the exponent of 2^63: 16,383 + 63 = 0x403e.
    let mut exact = 0x8000_0000_0000_0001_u64.to_le_bytes().to_vec();
    exact.extend([0x3e, 0x40, 0, 0, 0, 0, 0, 0]);
    assert_eq!(sum(LONG_DOUBLE, two_63, 1.0), exact);
    assert_eq!(sum(LONG_DOUBLE, two_64, 1.0), bytes(LONG_DOUBLE, two_64, 0));
}

/// The largest double squared is infinite as a double, and a number as a long double.
#[test]
fn long_double_has_the_wider_range() {
    let product = |datatype| {
        let mut target = bytes(datatype, 2f64.powi(1000), 0);
        apply(
            PROD,
            datatype,
            &mut target,
            &bytes(datatype, 2f64.powi(1000), 0),
            &[0; 32],
        );
        target
    };
    assert_eq!(product(DOUBLE), bytes(DOUBLE, f64::INFINITY, 0));
    // 2^2000: 16,383 + 2,000 = 18,383 = 0x47cf.
    let mut expected = (1_u64 << 63).to_le_bytes().to_vec();
    expected.extend([0xcf, 0x47, 0, 0, 0, 0, 0, 0]);
    assert_eq!(product(LONG_DOUBLE), expected);
}

#[test]
fn the_spare_bytes_of_the_target_stay() {
    let mut target = bytes(LONG_DOUBLE, 1.0, 0xaa);
    apply(
        SUM,
        LONG_DOUBLE,
        &mut target,
        &bytes(LONG_DOUBLE, 1.0, 0x55),
        &[0; 32],
    );
    assert_eq!(target, bytes(LONG_DOUBLE, 2.0, 0xaa));
}
