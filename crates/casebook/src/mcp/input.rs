//! [`Input`]: the arguments of a tool, checked.

use std::fmt::Display;

use casebook_source::closest_match;
use serde_json::Value;

use super::message::Params;
use crate::caller::Root;

/// The arguments of a call. The errors tell the client what to change.
pub(super) struct Input<'i> {
    arguments: &'i Params,
    root: &'i Root,
}

impl<'i> Input<'i> {
    /// Checks the names of the arguments against the schema of the tool.
    pub(super) fn new(
        arguments: &'i Params,
        schema: &Value,
        root: &'i Root,
    ) -> Result<Input<'i>, String> {
        let known: Vec<&str> = schema["properties"]
            .as_object()
            .into_iter()
            .flat_map(|properties| properties.keys().map(String::as_str))
            .collect();
        for name in arguments.keys() {
            if !known.contains(&name.as_str()) {
                let hint = closest_match(name, known.iter().copied()).map_or_else(
                    || format!("the arguments are {}", known.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                return Err(format!("unknown argument `{name}`: {hint}"));
            }
        }
        Ok(Input { arguments, root })
    }

    fn get(&self, name: &str) -> Option<&'i Value> {
        self.arguments.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'i str>, String> {
        let text = |value: &'i Value| {
            let text = value.as_str();
            text.ok_or_else(|| format!("`{name}` must be a string"))
        };
        self.get(name).map(text).transpose()
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, String> {
        let flag = |value: &Value| {
            let flag = value.as_bool();
            flag.ok_or_else(|| format!("`{name}` must be true or false"))
        };
        Ok(self.get(name).map(flag).transpose()?.unwrap_or_default())
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, String> {
        let number = |value: &Value| {
            let number = value.as_u64().filter(|number| *number > 0);
            number.ok_or_else(|| format!("`{name}` must be a whole number of at least 1"))
        };
        self.get(name).map(number).transpose()
    }

    /// A list of strings; a single one is a list too.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<&'i str>, String> {
        let wrong = || format!("`{name}` must be a list of strings");
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text]),
            Some(Value::Array(values)) => values
                .iter()
                .map(|value| value.as_str().ok_or_else(wrong))
                .collect(),
            Some(_) => Err(wrong()),
        }
    }

    /// A text that begins with a path, or names something recorded.
    pub(super) fn path(&self, name: &str) -> Result<Option<&'i str>, String> {
        let path = self.text(name)?;
        path.map(|path| self.below_root(path)).transpose()
    }

    pub(super) fn required_path(&self, name: &str) -> Result<&'i str, String> {
        self.path(name)?
            .ok_or_else(|| format!("`{name}` is required"))
    }

    pub(super) fn paths(&self, name: &str) -> Result<Vec<&'i str>, String> {
        let paths = self.texts(name)?.into_iter();
        paths.map(|path| self.below_root(path)).collect()
    }

    /// Checks that a path is below the root. RSpec and Ruby would read a leading `~` as the home directory.
    pub(super) fn below_root<'p>(&self, path: &'p str) -> Result<&'p str, String> {
        if path.starts_with(['-', '~']) {
            return Err(format!("`{path}` is not a path; write `./{path}`"));
        }
        match self.root.check_argument(path) {
            Ok(()) => Ok(path),
            Err(error) => Err(format!("cannot use `{path}`: {error}")),
        }
    }
}

/// The words of a command.
#[derive(Default)]
pub(super) struct Words(Vec<String>);

impl Words {
    pub(super) fn new(words: &[&str]) -> Words {
        Words(words.iter().map(|word| (*word).to_owned()).collect())
    }

    /// Adds `--name=value` if there is a value.
    pub(super) fn option(mut self, name: &str, value: Option<impl Display>) -> Words {
        self.0
            .extend(value.map(|value| format!("--{name}={value}")));
        self
    }

    pub(super) fn options(self, name: &str, values: Vec<impl Display>) -> Words {
        values
            .into_iter()
            .fold(self, |words, value| words.option(name, Some(value)))
    }

    pub(super) fn flag(mut self, name: &str, is_set: bool) -> Words {
        self.0.extend(is_set.then(|| format!("--{name}")));
        self
    }

    pub(super) fn all<'w>(mut self, words: impl IntoIterator<Item = &'w str>) -> Words {
        self.0.extend(words.into_iter().map(str::to_owned));
        self
    }

    pub(super) fn done(self) -> Vec<String> {
        self.0
    }
}
