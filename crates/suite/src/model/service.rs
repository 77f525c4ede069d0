//! [`Service`]: a program that runs while tests run.

use std::time::Duration;

use casebook_source::Span;

use super::Script;
use crate::run_time::substitute_known;

/// A program that is started before the tests that use it and stopped after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// Its name.
    pub name: String,
    /// The location of its name in the suite.
    pub span: Span,
    /// Runs with `bash -c`.
    pub command: Script,
    /// Added to its environment.
    pub env: Vec<(String, String)>,
    /// Its working directory, relative to the suite's directory.
    pub workdir: Option<String>,
    /// How it is known to be ready; `None`: it has run for a moment without exiting.
    pub ready: Option<Ready>,
    /// The time in which it must be ready.
    pub within: Duration,
    /// Whether it runs once for the suite or once for each test.
    pub scope: ServiceScope,
    /// How it is stopped.
    pub stop: Stop,
    /// The services that must be ready before it starts.
    pub needs: Vec<String>,
}

/// How long a service runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceScope {
    /// From the first to the last test of the suite.
    File,
    /// For one test.
    Test,
}

/// The condition under which a service is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ready {
    /// It accepts connections on this port of 127.0.0.1.
    Port(String),
    /// A request has this status.
    Http {
        /// The URL.
        url: String,
        /// The status.
        status: u16,
    },
    /// Its output matches this POSIX ERE.
    Log(String),
    /// This file exists, relative to its working directory.
    File(String),
    /// This command has exit code 0.
    Command(Script),
}

/// How a service is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// The signal, without `SIG`.
    pub signal: &'static str,
    /// The time after which it is killed.
    pub within: Duration,
}

impl Service {
    /// The name under which its port is known in texts: `services.NAME.port`.
    pub fn port_name(&self) -> String {
        format!("services.{}.port", self.name)
    }

    /// The environment variable with its port: `NAME_PORT`.
    pub fn port_variable(&self) -> String {
        port_variable(&self.name)
    }

    /// The service with these values in its texts.
    #[must_use]
    pub fn with_known_values<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> Service {
        let text = |text: &str| substitute_known(text, &value).into_owned();
        let env = self.env.iter();
        Service {
            command: self.command.map_text(text),
            env: env
                .map(|(name, value)| (name.clone(), text(value)))
                .collect(),
            workdir: self.workdir.as_deref().map(text),
            ready: self.ready.as_ref().map(|ready| ready.map_texts(&text)),
            ..self.clone()
        }
    }

    /// The texts that may contain values known at run time.
    pub(crate) fn texts(&self) -> Vec<&str> {
        let mut texts = vec![self.command.text.as_str()];
        texts.extend(self.env.iter().map(|(_, value)| value.as_str()));
        texts.extend(self.workdir.as_deref());
        texts.extend(self.ready.as_ref().map(Ready::text));
        texts
    }
}

impl Ready {
    fn text(&self) -> &str {
        match self {
            Ready::Port(text)
            | Ready::Http { url: text, .. }
            | Ready::Log(text)
            | Ready::File(text) => text,
            Ready::Command(script) => &script.text,
        }
    }

    fn map_texts(&self, change: &impl Fn(&str) -> String) -> Ready {
        match self {
            Ready::Port(port) => Ready::Port(change(port)),
            Ready::Http { url, status } => Ready::Http {
                url: change(url),
                status: *status,
            },
            Ready::Log(pattern) => Ready::Log(change(pattern)),
            Ready::File(path) => Ready::File(change(path)),
            Ready::Command(script) => Ready::Command(script.map_text(change)),
        }
    }
}

/// The environment variable with the port of a service.
pub(crate) fn port_variable(service: &str) -> String {
    format!("{}_PORT", service.to_uppercase().replace('-', "_"))
}
