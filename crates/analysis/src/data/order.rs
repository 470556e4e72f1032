//! The order in which people count: tier by tier, and `Host-2` before `Host-10`.

use super::place::Key;
use std::cmp::Ordering;

/// Orders names with numbers in them by these numbers.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        match (a.first(), b.first()) {
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (one, other) = (number(&mut a), number(&mut b));
                // Without zeros in front, the longer number is the greater one.
                let order = one.len().cmp(&other.len()).then_with(|| one.cmp(other));
                if order != Ordering::Equal {
                    return order;
                }
            }
            (Some(x), Some(y)) if x == y => {
                a = &a[1..];
                b = &b[1..];
            }
            (x, y) => return x.cmp(&y),
        }
    }
}

/// Takes the digits that `text` begins with; those in front that are zero are left out.
fn number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    &digits[zeros..]
}

/// Orders ports: by tier from the spine down, direction, name and number.
pub(super) fn by_place(a: &Key, b: &Key) -> Ordering {
    (a.tier.unwrap_or(u64::MAX), a.up)
        .cmp(&(b.tier.unwrap_or(u64::MAX), b.up))
        .then_with(|| natural(&a.name, &b.name))
        .then_with(|| (a.port, a.class, &a.name).cmp(&(b.port, b.class, &b.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_count_as_numbers() {
        let mut names = [
            "Host-10",
            "Host-2",
            "Host-1-9",
            "Host-1-10",
            "Host",
            "Rack-007",
            "Rack-7a",
            "Rack-8",
        ];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(
            names,
            [
                "Host",
                "Host-1-9",
                "Host-1-10",
                "Host-2",
                "Host-10",
                "Rack-007",
                "Rack-7a",
                "Rack-8"
            ]
        );
        assert_eq!(
            natural("a18446744073709551617", "a18446744073709551616"),
            Ordering::Greater
        );
    }

    proptest! {
        #[test]
        fn it_is_an_order(a in "[a-c0-2-]{0,6}", b in "[a-c0-2-]{0,6}", c in "[a-c0-2-]{0,6}") {
            prop_assert_eq!(natural(&a, &b), natural(&b, &a).reverse());
            prop_assert_eq!(natural(&a, &a), Ordering::Equal);
            if natural(&a, &b) != Ordering::Greater && natural(&b, &c) != Ordering::Greater {
                prop_assert_ne!(natural(&a, &c), Ordering::Greater);
            }
        }
    }
}
