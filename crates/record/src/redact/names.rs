//! [`SecretNames`]: which environment variables are secret.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::decoded;

/// Name patterns of environment variables whose values are secret by default.
const SECRET: [&str; 6] = [
    "*KEY*",
    "*TOKEN*",
    "*SECRET*",
    "*PASS*",
    "*CREDENTIAL*",
    "*_PAT",
];

/// Names that the default patterns do not select: their values are paths.
const NOT_SECRET: [&str; 3] = ["*_PATH", "*_FILE", "*_DIR"];

/// A name pattern that is not a valid glob.
#[derive(Debug, thiserror::Error)]
#[error("invalid name pattern `{pattern}` (expected a glob such as *TOKEN*): {reason}")]
pub struct InvalidPattern {
    pattern: String,
    reason: String,
}

/// Selects secrets among environment variables: the values of those whose names match a default pattern (`*KEY*`,
/// `*TOKEN*`, `*SECRET*`, `*PASS*`, `*CREDENTIAL*`, `*_PAT`, but not `*_PATH`, `*_FILE` or `*_DIR`) or an additional one,
/// and the passwords inside URLs of all variables.
#[derive(Debug, Clone)]
pub struct SecretNames {
    default: GlobSet,
    not_secret: GlobSet,
    additional: GlobSet,
}

impl SecretNames {
    /// The default patterns and these (`*` and `?`, case-insensitive).
    pub fn new<'a>(
        additional: impl IntoIterator<Item = &'a str>,
    ) -> Result<SecretNames, InvalidPattern> {
        Ok(SecretNames {
            default: globs(SECRET)?,
            not_secret: globs(NOT_SECRET)?,
            additional: globs(additional)?,
        })
    }

    /// The secrets in these variables.
    pub fn secrets<'a>(
        &self,
        environment: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> impl Iterator<Item = String> {
        environment.into_iter().flat_map(|(name, value)| {
            let named = self.is_match(name).then(|| value.to_owned());
            named.into_iter().chain(url_passwords(value))
        })
    }

    fn is_match(&self, name: &str) -> bool {
        self.additional.is_match(name)
            || self.default.is_match(name) && !self.not_secret.is_match(name)
    }
}

fn globs<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<GlobSet, InvalidPattern> {
    let mut names = GlobSetBuilder::new();
    for pattern in patterns {
        let invalid = |error: globset::Error| InvalidPattern {
            pattern: pattern.into(),
            reason: error.kind().to_string(),
        };
        let glob = GlobBuilder::new(pattern).case_insensitive(true).build();
        names.add(glob.map_err(invalid)?);
    }
    names.build().map_err(|error| InvalidPattern {
        pattern: String::new(),
        reason: error.kind().to_string(),
    })
}

/// The passwords in `scheme://user:password@host`, as written and decoded. A password that equals the user is a
/// well-known default (`postgres:postgres`) and would redact the name of the user.
fn url_passwords(value: &str) -> Vec<String> {
    let mut passwords = Vec::new();
    for (index, separator) in value.match_indices("://") {
        let rest = &value[index + separator.len()..];
        let ends = |c: char| matches!(c, '/' | '?' | '#' | '"' | '\'') || c.is_whitespace();
        let authority = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let user_info = authority.rsplit_once('@').map(|(user_info, _)| user_info);
        let Some((user, password)) = user_info.and_then(|user_info| user_info.split_once(':'))
        else {
            continue;
        };
        if user == password {
            continue;
        }
        passwords.push(password.to_owned());
        let decoded = decoded::percent_encoding(password.as_bytes());
        passwords.extend(decoded.and_then(|decoded| String::from_utf8(decoded.bytes).ok()));
    }
    passwords
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(additional: &[&str], environment: &[(&str, &str)]) -> Vec<String> {
        let names = SecretNames::new(additional.iter().copied()).unwrap();
        names.secrets(environment.iter().copied()).collect()
    }

    #[test]
    fn names_select_secrets() {
        for name in [
            "API_KEY",
            "my_token",
            "SECRETS",
            "PGPASSWORD",
            "DB_PASS",
            "PASSPHRASE",
            "AWS_CREDENTIALS",
            "GITHUB_PAT",
            "KEY_PATHS",
        ] {
            assert_eq!(secrets(&[], &[(name, "value")]), ["value"], "{name}");
        }
        for name in [
            "KEY_PATH",
            "token_file",
            "PASSWORD_STORE_DIR",
            "PATH",
            "PATIENCE",
            "HOME",
        ] {
            let none: [&str; 0] = [];
            assert_eq!(secrets(&[], &[(name, "value")]), none, "{name}");
        }
    }

    #[test]
    fn additional_patterns_also_select_paths() {
        let environment = [("KEY_FILE", "a"), ("PLAIN", "b"), ("OTHER", "c")];
        assert_eq!(secrets(&["*_FILE", "pl?in"], &environment), ["a", "b"]);
        assert!(SecretNames::new(["[z-"]).is_err());
    }

    #[test]
    fn passwords_inside_urls_are_secret() {
        for (value, passwords) in [
            ("postgres://u:hunter22@host/db", vec!["hunter22"]),
            ("redis://:hunter22@host", vec!["hunter22"]),
            ("https://u:a%40b%2Fc@host?x=1", vec!["a%40b%2Fc", "a@b/c"]),
            ("amqp://u:p@ss:w@host", vec!["p@ss:w"]),
            ("a://u:one1@h b://u:two2@h", vec!["one1", "two2"]),
            ("postgres://postgres:postgres@localhost/test", vec![]),
            ("https://host:80/u:p@x", vec![]),
            ("https://u@host", vec![]),
        ] {
            assert_eq!(secrets(&[], &[("A_URL", value)]), passwords, "{value}");
        }
    }
}
