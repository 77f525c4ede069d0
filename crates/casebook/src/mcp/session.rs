//! [`Session`]: what all requests of a client share.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};

use casebook_record::Redactor;
use parking_lot::Mutex;
use serde_json::Value;

use crate::arguments::mcp::Mcp;
use crate::caller::Root;
use crate::context::Context;
use crate::error::CommandError;

/// Complete results kept for `casebook://results/N`.
const KEPT_RESULTS: usize = 20;

pub(super) struct Session {
    pub(super) root: Root,
    pub(super) is_read_only: bool,
    pub(super) environment: BTreeMap<String, String>,
    redactor: Redactor,
    results: Mutex<VecDeque<(u64, String)>>,
    next_result: AtomicU64,
}

impl Session {
    pub(super) fn new(arguments: &Mcp, context: &Context) -> Result<Session, CommandError> {
        let dir = match &arguments.root {
            Some(root) => context.dir.join(root),
            None => context.dir.clone(),
        };
        let root = Root::new(&dir).map_err(|source| CommandError::Root { path: dir, source })?;
        let mut environment = context.environment.clone();
        environment.insert("PWD".to_owned(), root.dir().display().to_string());
        Ok(Session {
            root,
            is_read_only: arguments.read_only,
            environment,
            redactor: context.redactor(&[])?,
            results: Mutex::default(),
            next_result: AtomicU64::new(1),
        })
    }

    /// The value without secrets of the environment.
    pub(super) fn redacted(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.redactor.text(&text).into(),
            Value::Array(values) => values
                .into_iter()
                .map(|value| self.redacted(value))
                .collect(),
            Value::Object(fields) => {
                let fields = fields.into_iter();
                let fields = fields.map(|(name, value)| (name, self.redacted(value)));
                Value::Object(fields.collect())
            }
            value => value,
        }
    }

    /// Keeps a result that is too long for a response, and returns its address.
    pub(super) fn keep_result(&self, text: String) -> String {
        let number = self.next_result.fetch_add(1, Ordering::SeqCst);
        let mut results = self.results.lock();
        results.push_back((number, text));
        if results.len() > KEPT_RESULTS {
            results.pop_front();
        }
        format!("casebook://results/{number}")
    }

    pub(super) fn result(&self, number: &str) -> Option<String> {
        let number: u64 = number.parse().ok()?;
        let results = self.results.lock();
        let found = results.iter().find(|(kept, _)| *kept == number);
        found.map(|(_, text)| text.clone())
    }
}
