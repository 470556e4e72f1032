//! Signed links: a file of a simulation, for a while, for whoever has the link.

use crate::options::LINK_SECONDS;
use crate::time::now_ms;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// A link, without the address of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Path and query.
    pub path: String,
    /// When it ends to hold, in milliseconds since 1970.
    pub expires_ms: i64,
}

fn mac(key: &[u8], simulation: &str, file: &str, expires: u64) -> Option<Hmac<Sha256>> {
    // A key of any length will do.
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    mac.update(format!("{simulation}\n{file}\n{expires}").as_bytes());
    Some(mac)
}

/// A link to `file` of `simulation` that holds from now on for as long as links do.
pub(crate) fn sign(key: &[u8], simulation: &str, file: &str) -> Link {
    sign_at(key, simulation, file, now_ms())
}

/// The same from `now` on, in milliseconds since 1970.
pub(crate) fn sign_at(key: &[u8], simulation: &str, file: &str, now: i64) -> Link {
    let expires = now.max(0) as u64 / 1_000 + LINK_SECONDS;
    let signature: String = mac(key, simulation, file, expires)
        .map(|mac| {
            mac.finalize()
                .into_bytes()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect()
        })
        .unwrap_or_default();
    Link {
        path: format!(
            "/api/v1/downloads/{simulation}/{}?expires={expires}&signature={signature}",
            escaped(file)
        ),
        expires_ms: expires as i64 * 1_000,
    }
}

/// Why a link is no good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It was not signed here, or has been changed.
    Wrong,
    /// It held until a while ago.
    Expired,
}

/// Whether a link is good, in a time that does not depend on how wrong it is.
pub(crate) fn check(
    key: &[u8],
    simulation: &str,
    file: &str,
    expires: u64,
    signature: &str,
) -> Result<(), Refused> {
    check_at(key, simulation, file, expires, signature, now_ms())
}

fn check_at(
    key: &[u8],
    simulation: &str,
    file: &str,
    expires: u64,
    signature: &str,
    now: i64,
) -> Result<(), Refused> {
    let given = unhex(signature).ok_or(Refused::Wrong)?;
    let mac = mac(key, simulation, file, expires).ok_or(Refused::Wrong)?;
    mac.verify_slice(&given).map_err(|_| Refused::Wrong)?;
    match now.max(0) as u64 / 1_000 <= expires {
        true => Ok(()),
        false => Err(Refused::Expired),
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if text.len() != 64 || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    (0..64)
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok())
        .collect()
}

/// A file's name as it stands in the path of a link.
fn escaped(name: &str) -> String {
    let mut path = String::new();
    for byte in name.bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => path.push(byte as char),
            _ => path.push_str(&format!("%{byte:02X}")),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(link: &Link) -> (u64, String) {
        let (_, query) = link.path.split_once('?').expect("a query");
        let (expires, signature) = query.split_once('&').expect("two");
        (
            expires["expires=".len()..].parse().expect("a number"),
            signature["signature=".len()..].to_owned(),
        )
    }

    #[test]
    fn a_link_is_good_for_its_file_and_its_time_alone() {
        let link = sign_at(b"key", "sim_1", "a b.csv", 1_000_000);
        assert!(
            link.path.starts_with("/api/v1/downloads/sim_1/a%20b.csv?"),
            "{link:?}"
        );
        let (expires, signature) = parts(&link);
        // 1,000 s + 900 s.
        assert_eq!((expires, link.expires_ms), (1_900, 1_900_000));
        let check = |key: &[u8], sim, file, expires, signature: &str, now| {
            check_at(key, sim, file, expires, signature, now)
        };
        assert_eq!(
            check(b"key", "sim_1", "a b.csv", 1_900, &signature, 1_900_999),
            Ok(())
        );
        assert_eq!(
            check(b"key", "sim_1", "a b.csv", 1_900, &signature, 1_901_000),
            Err(Refused::Expired)
        );
        for (key, sim, file, expires, signature) in [
            (&b"yek"[..], "sim_1", "a b.csv", 1_900, signature.as_str()),
            (b"key", "sim_2", "a b.csv", 1_900, &signature),
            (b"key", "sim_1", "b.csv", 1_900, &signature),
            (b"key", "sim_1", "a b.csv", 9_999, &signature),
            (b"key", "sim_1", "a b.csv", 1_900, ""),
            (b"key", "sim_1", "a b.csv", 1_900, &signature[1..]),
            (b"key", "sim_1", "a b.csv", 1_900, &"0".repeat(64)),
            (b"key", "sim_1", "a b.csv", 1_900, &"é".repeat(32)),
        ] {
            assert_eq!(
                check(key, sim, file, expires, signature, 1_000_000),
                Err(Refused::Wrong)
            );
        }
    }
}
