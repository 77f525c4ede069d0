//! The environment of a script or command.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

/// Variables on top of those that many share.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    shared: Arc<Vec<(OsString, OsString)>>,
    own: Vec<(OsString, OsString)>,
}

impl Environment {
    pub(crate) fn new(shared: Vec<(OsString, OsString)>) -> Environment {
        Environment {
            shared: Arc::new(shared),
            own: Vec::new(),
        }
    }

    pub(crate) fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.own.push((name.into(), value.into()));
    }

    /// The value that counts.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        let own = self.own.iter().rev();
        let mut found = own
            .chain(self.shared.iter().rev())
            .filter(|(key, _)| key == name);
        found.next().map(|(_, value)| value.as_os_str())
    }

    /// All variables; where a name comes twice, the later value counts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let all = self.shared.iter().chain(&self.own);
        all.map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}
