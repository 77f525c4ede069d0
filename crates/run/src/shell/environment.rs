//! The environment of a script or command.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

/// Variables on top of those that many share.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    shared: Arc<Vec<Shared>>,
    /// Those without a value are not there, whatever is shared. A copy is made by whoever changes them.
    own: Arc<Vec<(OsString, Option<OsString>)>>,
}

/// A variable, and how a process gets it.
#[derive(Debug)]
struct Shared {
    name: OsString,
    value: OsString,
    /// `NAME=value`.
    entry: CString,
}

impl Environment {
    /// Where a name comes twice, the later value counts. What no process can be given is left out.
    pub(crate) fn new(variables: Vec<(OsString, OsString)>) -> Environment {
        let mut shared: Vec<Shared> = Vec::with_capacity(variables.len());
        for (name, value) in variables {
            let Ok(entry) = entry(&name, &value) else {
                continue;
            };
            let new = Shared { name, value, entry };
            match shared.iter_mut().find(|known| known.name == new.name) {
                Some(known) => *known = new,
                None => shared.push(new),
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
        let shared = self
            .shared_only()
            .map(|shared| (shared.name.as_os_str(), shared.value.as_os_str()));
        let own = self.own.iter();
        let own = own.filter_map(|(name, value)| Some((name.as_os_str(), value.as_deref()?)));
        shared.chain(own)
    }

    /// Those that are not replaced.
    fn shared_only(&self) -> impl Iterator<Item = &Shared> {
        let is_own = |shared: &Shared| self.own.iter().any(|(own, _)| *own == shared.name);
        self.shared.iter().filter(move |shared| !is_own(shared))
    }

    /// `NAME=value` of those that are not shared, for [`entries`](Self::entries).
    pub(crate) fn own_entries(&self) -> io::Result<Vec<CString>> {
        let own = self.own.iter();
        let given = own.filter_map(|(name, value)| Some((name, value.as_ref()?)));
        given.map(|(name, value)| entry(name, value)).collect()
    }

    /// `NAME=value` of all.
    pub(crate) fn entries<'e>(&'e self, own: &'e [CString]) -> Vec<&'e CStr> {
        let shared = self.shared_only().map(|shared| shared.entry.as_c_str());
        shared.chain(own.iter().map(CString::as_c_str)).collect()
    }
}

fn entry(name: &OsStr, value: &OsStr) -> io::Result<CString> {
    let mut entry = Vec::with_capacity(name.len() + value.len() + 2);
    entry.extend_from_slice(name.as_bytes());
    entry.push(b'=');
    entry.extend_from_slice(value.as_bytes());
    Ok(CString::new(entry)?)
}

#[cfg(test)]
mod tests {
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
    fn each_variable_is_there_once_with_the_value_that_counts() {
        let environment = environment();
        let own = environment.own_entries().unwrap();
        let entries: Vec<_> = environment.entries(&own);
        assert_eq!(entries, [c"A=3", c"B=5", c"D=7"]);
        let all: Vec<_> = environment.iter().collect();
        assert_eq!(
            all,
            [("A", "3"), ("B", "5"), ("D", "7")]
                .map(|(name, value)| (OsStr::new(name), OsStr::new(value)))
        );
        assert_eq!(environment.get("C"), None);
    }

    #[test]
    fn what_no_process_can_be_given_is_an_error() {
        let mut environment = environment();
        environment.set("E", "a\0b");
        assert!(environment.own_entries().is_err());
    }
}
