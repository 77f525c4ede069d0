//! The two versions of the protocol: with a handshake (2025-11-25), and stateless (2026-07-28), in which every request names its version.

use serde_json::{Value, json};

use super::message::{Params, RpcError};

/// The versions in which a client introduces itself with `initialize`, newest first.
const WITH_HANDSHAKE: [&str; 2] = ["2025-11-25", "2025-06-18"];
const STATELESS: &str = "2026-07-28";

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const UNSUPPORTED_VERSION: i64 = -32_022;

/// How long a client may keep lists and pages that do not change while the server runs.
const LONG: u64 = 3_600_000;

const INSTRUCTIONS: &str = "Casebook tests command-line programs and conversational agents with YAML suites, and designs RSpec tests from Ruby code. \
     Write or change a suite, then `check` it, `run` it, and read `report`. For Ruby: `design_read` survey and method, then \
     `design_pipeline`, `rspec`, `coverage`. All paths are relative to the root of the server.";

/// The rules for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Handshake,
    Stateless,
}

/// How long a result may be kept by the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Freshness {
    /// It is not a result that clients keep.
    None,
    /// It does not change.
    Constant,
    /// It may be different next time.
    Volatile,
}

impl Protocol {
    /// The version that the request names, if any.
    pub(super) fn of(params: &Params) -> Result<Protocol, RpcError> {
        let version = params.get("_meta").and_then(|meta| meta.get(VERSION_KEY));
        match version {
            None => Ok(Protocol::Handshake),
            Some(version) if version == STATELESS => Ok(Protocol::Stateless),
            Some(version) => {
                let requested = version.as_str().unwrap_or_default();
                let message = format!("the protocol version `{requested}` is not supported");
                Err(RpcError {
                    data: Some(json!({ "supported": versions(), "requested": requested })),
                    ..RpcError::new(UNSUPPORTED_VERSION, message)
                })
            }
        }
    }

    /// Adds what every result of this version contains.
    pub(super) fn complete(self, mut result: Value, freshness: Freshness) -> Value {
        if self == Protocol::Handshake {
            return result;
        }
        result["resultType"] = json!("complete");
        let ttl = match freshness {
            Freshness::None => None,
            Freshness::Constant => Some(LONG),
            Freshness::Volatile => Some(0),
        };
        if let Some(ttl) = ttl {
            result["ttlMs"] = json!(ttl);
            result["cacheScope"] = json!("private");
        }
        result["_meta"] = json!({ "io.modelcontextprotocol/serverInfo": server_info() });
        result
    }
}

fn versions() -> Vec<&'static str> {
    std::iter::once(STATELESS).chain(WITH_HANDSHAKE).collect()
}

/// The answer to `initialize`: the client's version if it is supported, otherwise the newest with a handshake.
pub(super) fn initialize(params: &Params) -> Value {
    let requested = params.get("protocolVersion").and_then(Value::as_str);
    let known = WITH_HANDSHAKE.into_iter();
    let version = known.clone().find(|known| Some(*known) == requested);
    json!({
        "protocolVersion": version.unwrap_or(WITH_HANDSHAKE[0]),
        "capabilities": capabilities(),
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    })
}

/// The answer to `server/discover`.
pub(super) fn discover() -> Value {
    json!({
        "supportedVersions": versions(),
        "capabilities": capabilities(),
        "instructions": INSTRUCTIONS,
    })
}

fn capabilities() -> Value {
    json!({ "tools": {}, "resources": {}, "prompts": {} })
}

fn server_info() -> Value {
    json!({ "name": "casebook", "title": "Casebook", "version": env!("CARGO_PKG_VERSION") })
}
