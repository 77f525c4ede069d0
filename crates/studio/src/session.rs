//! [`Session`]: the secrets of a server, and which port it used. They survive a restart, so that open pages reconnect.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use casebook_record::hex_of_sha256;
use serde::{Deserialize, Serialize};

/// A token needs this many bits.
const TOKEN_BITS: usize = 128;

/// What pages that are open need after a restart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The port, which is used again if it is free; `None` if only chosen ports were used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The value of the cookie of a server with actions.
    pub cookie: String,
}

/// A token that is easy to guess.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the token is too easy to guess: use at least 128 random bits, as from `openssl rand -hex 16`"
)]
pub struct InvalidToken;

/// Checks that a token can have 128 bits and fits in a header.
pub fn check_token(token: &str) -> Result<(), InvalidToken> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_+/=.~".contains(&byte);
    let length = token.trim_end_matches('=').len();
    let is_hex = token.bytes().all(|byte| byte.is_ascii_hexdigit());
    let bits = length * if is_hex { 4 } else { 6 };
    let mut distinct: Vec<u8> = token.bytes().collect();
    distinct.sort_unstable();
    distinct.dedup();
    // Random tokens of this length have more distinct characters, except in less than one of a billion cases.
    let is_varied = distinct.len() >= 6;
    if token.bytes().all(is_allowed) && bits >= TOKEN_BITS && is_varied {
        Ok(())
    } else {
        Err(InvalidToken)
    }
}

impl Session {
    /// The value of the cookie. That of a read-only server is not valid where tests can be started.
    pub fn cookie(&self, is_read_only: bool) -> String {
        if is_read_only {
            derived_cookie(&self.cookie, true)
        } else {
            self.cookie.clone()
        }
    }

    /// The session of the last server of this project. `None` if there is none, or if others could read its file.
    pub fn read(path: &Path) -> Option<Session> {
        let others = fs::metadata(path).ok()?.permissions().mode() & 0o077;
        let session: Session = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        (others == 0 && check_token(&session.cookie).is_ok()).then_some(session)
    }

    /// Writes a file that only its owner can read.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let dir = path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(dir)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.persist(path)?;
        Ok(())
    }
}

/// A cookie that is only known to who knows the secret, different for read-only servers.
pub(crate) fn derived_cookie(secret: &str, is_read_only: bool) -> String {
    let mode = if is_read_only { "read-only" } else { "actions" };
    hex_of_sha256(format!("casebook studio {mode} {secret}").as_bytes(), 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_128_bits() {
        let good = [
            "0123456789abcdef0123456789abcdef",
            "AbCdEfGhIjKlMnOpQrStUv==",
            "5f0c0a52-9d3a-4d0e-8a55-c3ac34ad8e21",
        ];
        let bad = [
            "",
            "secret",
            "0123456789abcdef0123456789abcde",
            "AbCdEfGhIjKlMnOpQrStU=",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "0123456789abcdef 0123456789abcdef",
        ];
        for token in good {
            assert_eq!(check_token(token), Ok(()), "{token}");
        }
        for token in bad {
            assert!(check_token(token).is_err(), "{token}");
        }
    }

    #[test]
    fn every_secret_and_mode_has_its_own_cookie() {
        let cookies = ["one", "two"].map(|secret| {
            let session = Session {
                port: None,
                cookie: secret.into(),
            };
            [
                derived_cookie(secret, false),
                derived_cookie(secret, true),
                session.cookie(false),
            ]
        });
        let mut cookies = cookies.concat();
        cookies.sort();
        cookies.dedup();
        assert_eq!(cookies.len(), 6);
    }

    #[test]
    fn a_session_is_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("studio.json");
        let session = Session {
            port: Some(4000),
            cookie: "0123456789abcdef0123456789abcdef".into(),
        };
        assert_eq!(Session::read(&path), None);
        session.write(&path).unwrap();
        assert_eq!(Session::read(&path), Some(session));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(Session::read(&path), None, "others can read it");
    }
}
