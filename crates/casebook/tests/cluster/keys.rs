//! Keys and certificates of a test: a CA, the certificate of a server, and a `.creds` file of an operator's account.

use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use nkeys::KeyPair;
use serde_json::{Value, json};

use crate::support::Project;

/// Writes `ca.crt`, `server.crt` and `server.key`.
pub(crate) fn write_certificates(project: &Project) {
    let script = "
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=ca \
  -addext basicConstraints=critical,CA:TRUE -keyout ca.key -out ca.crt
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=queue -keyout server.key -out request
echo subjectAltName=IP:127.0.0.1,DNS:localhost > extensions
openssl x509 -req -in request -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile extensions -out server.crt";
    let output = Command::new("bash")
        .args(["-euc", script])
        .current_dir(project.at("."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// The configuration of a server with an operator, and a `.creds` file for it.
pub(crate) fn operator() -> (String, String) {
    let (operator, system) = (KeyPair::new_operator(), KeyPair::new_account());
    let (account, user) = (KeyPair::new_account(), KeyPair::new_user());
    let own = sign(&operator, &operator, "operator", json!({}));
    let limits = json!({"limits": {
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true,
        "conn": -1, "leaf": -1, "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
    }});
    let mut system_limits = limits.clone();
    for name in ["mem_storage", "disk_storage", "streams", "consumer"] {
        system_limits["limits"][name] = 0.into();
    }
    let (system_id, account_id) = (system.public_key(), account.public_key());
    let config = format!(
        "operator: {own}\nsystem_account: {system_id}\nresolver: MEMORY\n\
         resolver_preload: {{\n  {system_id}: {}\n  {account_id}: {}\n}}\n",
        sign(&operator, &system, "account", system_limits),
        sign(&operator, &account, "account", limits),
    );
    let unlimited = json!({"subs": -1, "data": -1, "payload": -1});
    let creds = format!(
        "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
        sign(&account, &user, "user", unlimited),
        user.seed().unwrap()
    );
    (config, creds)
}

/// What `issuer` states about `subject`.
fn sign(issuer: &KeyPair, subject: &KeyPair, kind: &str, mut claims: Value) -> String {
    claims["type"] = kind.into();
    claims["version"] = 2.into();
    let body = json!({
        "jti": "1", "iat": 1_700_000_000, "iss": issuer.public_key(), "sub": subject.public_key(),
        "name": kind, "nats": claims,
    });
    let encode = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
    let header = json!({"typ": "JWT", "alg": "ed25519-nkey"});
    let text = format!(
        "{}.{}",
        encode(header.to_string().as_bytes()),
        encode(body.to_string().as_bytes())
    );
    let signature = issuer.sign(text.as_bytes()).unwrap();
    format!("{text}.{}", encode(&signature))
}
