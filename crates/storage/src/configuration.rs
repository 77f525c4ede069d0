//! What the environment says about the storage: credentials, region and server, in the variables of all programs for S3.

use std::collections::BTreeMap;
use std::time::Duration;

use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey as Key};
use object_store::{BackoffConfig, ClientConfigKey, RetryConfig};

use crate::client::Connector;
use crate::error::StorageError;
use crate::location::Location;

/// The variables that are read.
const VARIABLES: [(&str, Key); 15] = [
    ("AWS_ACCESS_KEY_ID", Key::AccessKeyId),
    ("AWS_SECRET_ACCESS_KEY", Key::SecretAccessKey),
    ("AWS_SESSION_TOKEN", Key::Token),
    ("AWS_REGION", Key::Region),
    ("AWS_DEFAULT_REGION", Key::DefaultRegion),
    ("AWS_ENDPOINT_URL", Key::Endpoint),
    ("AWS_ENDPOINT_URL_S3", Key::S3Endpoint),
    ("AWS_ENDPOINT_URL_STS", Key::StsEndpoint),
    ("AWS_WEB_IDENTITY_TOKEN_FILE", Key::WebIdentityTokenFile),
    ("AWS_ROLE_ARN", Key::RoleArn),
    ("AWS_ROLE_SESSION_NAME", Key::RoleSessionName),
    (
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        Key::ContainerCredentialsRelativeUri,
    ),
    (
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        Key::ContainerCredentialsFullUri,
    ),
    (
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
        Key::ContainerAuthorizationTokenFile,
    ),
    (
        "AWS_VIRTUAL_HOSTED_STYLE_REQUEST",
        Key::VirtualHostedStyleRequest,
    ),
];

/// One of these sets of variables has credentials. Without any, the library would ask a server that exists only on
/// machines of one provider, and wait for it everywhere else.
const CREDENTIALS: [&[&str]; 4] = [
    &["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
    &["AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN"],
    &["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"],
    &[
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    ],
];

/// A server that cannot be reached is given up after some seconds.
const RETRIES: usize = 4;
const RETRY_TIMEOUT: Duration = Duration::from_secs(60);

/// The client of this bucket.
pub(crate) fn client(
    location: &Location,
    environment: &BTreeMap<String, String>,
    connector: Connector,
) -> Result<AmazonS3, StorageError> {
    let variable = |name: &str| environment.get(name).filter(|value| !value.is_empty());
    let is_set = |names: &&[&str]| names.iter().all(|name| variable(name).is_some());
    if !CREDENTIALS.iter().any(is_set) {
        return Err(StorageError::NoCredentials(location.clone()));
    }
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(&location.bucket)
        .with_retry(RetryConfig {
            backoff: BackoffConfig::default(),
            max_retries: RETRIES,
            retry_timeout: RETRY_TIMEOUT,
        })
        .with_http_connector(connector);
    for (name, key) in VARIABLES {
        if let Some(value) = variable(name) {
            builder = builder.with_config(key, value);
        }
    }
    check_variables(variable)?;
    let endpoint = variable("AWS_ENDPOINT_URL_S3").or(variable("AWS_ENDPOINT_URL"));
    // An address without TLS is set on purpose.
    if endpoint.is_some_and(|url| url.starts_with("http://")) {
        builder = builder.with_config(Key::Client(ClientConfigKey::AllowHttp), "true");
    }
    builder
        .build()
        .map_err(|error| StorageError::invalid_configuration(location, &error))
}

/// Checks what the library would not: it panics on some values.
fn check_variables<'e>(variable: impl Fn(&str) -> Option<&'e String>) -> Result<(), StorageError> {
    for (name, key) in VARIABLES {
        let Some(value) = variable(name) else {
            continue;
        };
        let is_address = matches!(
            key,
            Key::Endpoint | Key::S3Endpoint | Key::StsEndpoint | Key::ContainerCredentialsFullUri
        );
        let problem = if value.chars().any(char::is_control) {
            "contains a line break or another control character".to_owned()
        } else if is_address && !is_url(value) {
            format!("is not a URL that begins with http:// or https://: {value}")
        } else {
            continue;
        };
        return Err(StorageError::Variable { name, problem });
    }
    Ok(())
}

fn is_url(text: &str) -> bool {
    let begins = ["http://", "https://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    let uri = text.parse::<http::Uri>();
    begins && uri.is_ok_and(|uri| uri.host().is_some_and(|host| !host.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_the_library_cannot_use_are_errors() {
        for (name, value, problem) in [
            ("AWS_ENDPOINT_URL", "localhost:9000", "is not a URL"),
            ("AWS_ENDPOINT_URL", "foo", "is not a URL"),
            ("AWS_ENDPOINT_URL_S3", "http://", "is not a URL"),
            ("AWS_ENDPOINT_URL_S3", "http://a b", "is not a URL"),
            ("AWS_ENDPOINT_URL_STS", "ftp://a", "is not a URL"),
            ("AWS_ACCESS_KEY_ID", "key\n", "contains a line break"),
            ("AWS_SESSION_TOKEN", "a\rb", "contains a line break"),
        ] {
            let value = value.to_owned();
            let result = check_variables(|asked| (asked == name).then_some(&value));
            let message = result.unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("{name} {problem}")),
                "{message}"
            );
        }
        let value = "http://127.0.0.1:9000".to_owned();
        let endpoint = |asked: &str| (asked == "AWS_ENDPOINT_URL").then_some(&value);
        assert!(check_variables(endpoint).is_ok());
    }
}
