//! [`Location`]: a bucket and a prefix in it.

use std::fmt;
use std::str::FromStr;

use object_store::path::Path;

/// The scheme of all locations.
const SCHEME: &str = "s3://";

/// Where records are stored: `s3://BUCKET/PREFIX`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    pub(crate) bucket: String,
    pub(crate) prefix: Path,
}

/// A text that is not a location.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLocation {
    /// Another scheme, or no bucket.
    #[error("must name a bucket, as in s3://bucket/prefix")]
    NoBucket,
    /// Credentials would be shown in messages and recorded.
    #[error(
        "must not contain credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment"
    )]
    Credentials,
    /// The prefix has an empty part, or one that is `.` or `..`.
    #[error("has an invalid prefix: parts cannot be empty, `.` or `..`")]
    Prefix,
}

impl Location {
    /// Whether a text is meant to be a location.
    pub fn is_meant_by(text: &str) -> bool {
        text.starts_with(SCHEME)
    }

    /// The key of something below this location.
    pub(crate) fn path_of(&self, name: &str) -> object_store::Result<Path> {
        let names = name.split('/').filter(|name| !name.is_empty());
        let mut key = self.prefix.to_string();
        for name in names {
            if !key.is_empty() {
                key.push('/');
            }
            key.push_str(name);
        }
        Ok(Path::parse(key)?)
    }

    /// The address of something below this location.
    pub(crate) fn address_of(&self, name: &str) -> String {
        format!("{self}/{name}")
    }
}

impl FromStr for Location {
    type Err = InvalidLocation;

    fn from_str(text: &str) -> Result<Location, InvalidLocation> {
        let rest = text.strip_prefix(SCHEME).ok_or(InvalidLocation::NoBucket)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.contains('@') {
            return Err(InvalidLocation::Credentials);
        }
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        if bucket.is_empty() || !bucket.bytes().all(is_allowed) {
            return Err(InvalidLocation::NoBucket);
        }
        let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
        Ok(Location {
            bucket: bucket.to_owned(),
            prefix: Path::parse(prefix).map_err(|_| InvalidLocation::Prefix)?,
        })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{SCHEME}{}", self.bucket)?;
        if self.prefix.as_ref().is_empty() {
            return Ok(());
        }
        write!(f, "/{}", self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_has_a_bucket_and_may_have_a_prefix() {
        for (text, shown) in [
            ("s3://ci-records", "s3://ci-records"),
            ("s3://ci-records/", "s3://ci-records"),
            ("s3://ci.records/shop/main/", "s3://ci.records/shop/main"),
        ] {
            let location: Location = text.parse().unwrap();
            assert_eq!(location.to_string(), shown);
        }
        let location: Location = "s3://b/a/c".parse().unwrap();
        assert_eq!(location.address_of("run"), "s3://b/a/c/run");
    }

    #[test]
    fn other_texts_are_refused() {
        use InvalidLocation::{Credentials, NoBucket, Prefix};
        for (text, error) in [
            ("", NoBucket),
            ("ci-records", NoBucket),
            ("https://example.com/bucket", NoBucket),
            ("s3://", NoBucket),
            ("s3:///prefix", NoBucket),
            ("s3://bucket?region=x", NoBucket),
            ("s3://key:secret@bucket/x", Credentials),
            ("s3://bucket/a//b", Prefix),
            ("s3://bucket/../b", Prefix),
        ] {
            assert_eq!(text.parse::<Location>(), Err(error), "{text}");
        }
    }
}
