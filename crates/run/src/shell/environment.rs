//! The environment of a script or command.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

/// Variables of a test, on top of a shared base.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    shared: Arc<Vec<(OsString, OsString)>>,
    /// `None` unsets a shared variable. Copied on change.
    own: Arc<Vec<(OsString, Option<OsString>)>>,
}

impl Environment {
    /// The last value of a name counts. Variables with NUL bytes are dropped, because no process can have them.
    pub(crate) fn new(variables: Vec<(OsString, OsString)>) -> Environment {
        let mut shared: Vec<(OsString, OsString)> = Vec::with_capacity(variables.len());
        for (name, value) in variables {
            if has_nul(&name) || has_nul(&value) {
                continue;
            }
            match shared.iter_mut().find(|(existing, _)| *existing == name) {
                Some((_, existing)) => *existing = value,
                None => shared.push((name, value)),
            }
        }
        Environment {
            shared: Arc::new(shared),
            own: Arc::default(),
        }
    }

    pub(crate) fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.put(name.into(), Some(value.into()));
    }

    pub(crate) fn unset(&mut self, name: impl Into<OsString>) {
        self.put(name.into(), None);
    }

    fn put(&mut self, name: OsString, value: Option<OsString>) {
        let own = Arc::make_mut(&mut self.own);
        match own.iter_mut().find(|(own, _)| *own == name) {
            Some((_, own)) => *own = value,
            None => own.push((name, value)),
        }
    }

    /// The value of a variable.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        let mut all = self.iter();
        all.find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// All variables, each once.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let is_own = |name: &OsStr| self.own.iter().any(|(own, _)| own == name);
        let shared = self.shared.iter();
        let shared = shared.map(|(name, value)| (name.as_os_str(), value.as_os_str()));
        let shared = shared.filter(move |(name, _)| !is_own(name));
        let own = self.own.iter();
        let own = own.filter_map(|(name, value)| Some((name.as_os_str(), value.as_deref()?)));
        shared.chain(own)
    }
}

fn has_nul(text: &OsStr) -> bool {
    text.as_bytes().contains(&0)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd as _;
    use std::path::Path;

    use super::super::program::Program;
    use super::*;

    fn environment() -> Environment {
        let variables = [("A", "1"), ("B", "2"), ("A", "3"), ("C", "4")];
        let mut environment = Environment::new(
            variables
                .map(|(name, value)| (name.into(), value.into()))
                .into(),
        );
        environment.set("B", "5");
        environment.set("D", "6");
        environment.set("D", "7");
        environment.unset("C");
        environment
    }

    #[test]
    fn each_variable_is_listed_once_with_its_last_value() {
        let environment = environment();
        let all: Vec<_> = environment.iter().collect();
        assert_eq!(
            all,
            [("A", "3"), ("B", "5"), ("D", "7")]
                .map(|(name, value)| (OsStr::new(name), OsStr::new(value)))
        );
        assert_eq!(environment.get("C"), None);
    }

    #[test]
    fn nul_bytes_are_dropped_or_an_error() {
        let variables = vec![("A".into(), "a\0b".into())];
        assert_eq!(Environment::new(variables).iter().count(), 0);
        let mut environment = environment();
        environment.set("E", "a\0b");
        let null = std::fs::File::open("/dev/null").unwrap();
        let streams = [null.as_fd(); 3];
        let program = Program::new("/bin/true", "true");
        let started = program.start(&environment, streams, Path::new("/"));
        assert!(started.is_err());
    }
}
