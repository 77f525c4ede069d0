//! One metadata file: its text, and what it says.
//!
//! Changes are made in the text, so that comments, order and unknown keys stay. Every change is read again before it is
//! believed: where the text is written in a way that the change does not fit, the whole document is written anew.

mod edit;

use casebook_source::SourceFile;
use casebook_source::yaml::{self, INVALID_YAML, Node, NodeKind};
use serde_json::{Map, Value};

use super::yaml::to_yaml;
use edit::{remove_entry, set_entry};

/// Why a file is no metadata.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// It cannot be read as YAML.
    #[error("line {line}: {message}")]
    Yaml {
        /// Counted from 1.
        line: usize,
        /// What the parser says.
        message: String,
    },
    /// It holds a list or a single value.
    #[error("the top level is {0}, not a mapping")]
    NotAMapping(&'static str),
}

/// A metadata file.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    text: String,
    value: Map<String, Value>,
}

impl Document {
    /// Reads a file's text. An empty one is an empty mapping.
    pub fn parse(name: &str, text: impl Into<String>) -> Result<Document, DocumentError> {
        let file = SourceFile::new(name, text);
        let tree = tree(&file)?;
        let value = match &tree {
            None => Map::new(),
            Some(node) if node.is_null() => Map::new(),
            Some(node) => match to_value(node) {
                Value::Object(map) => map,
                _ => return Err(DocumentError::NotAMapping(node.describe())),
            },
        };
        Ok(Document {
            text: file.text().to_owned(),
            value,
        })
    }

    /// A new file.
    pub fn new(value: Map<String, Value>) -> Document {
        Document {
            text: to_yaml(&value),
            value,
        }
    }

    /// Whether it says nothing: no text, or nothing but comments.
    pub fn is_blank(&self) -> bool {
        let file = SourceFile::new("metadata", self.text.as_str());
        !matches!(tree(&file), Ok(Some(node)) if node.as_map().is_some())
    }

    /// As it stands on the disk.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it says.
    pub fn value(&self) -> &Map<String, Value> {
        &self.value
    }

    /// What it says at this path.
    pub fn at(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter()
            .try_fold(self.value.get(*first)?, |value, key| value.get(*key))
    }

    /// Sets a key of the top level, wherever it stands; a new one goes where the format shows it.
    pub fn set(&mut self, key: &str, value: &Value) {
        let mut wanted = self.value.clone();
        insert_in_order(&mut wanted, key, value.clone());
        let edited = self.edited(|node, text| set_entry(text, node, key, value, behind(node, key)));
        self.accept(edited.or_else(|| self.first_entry(&wanted)), wanted);
    }

    /// Comments that stood alone stay above what is written first.
    fn first_entry(&self, wanted: &Map<String, Value>) -> Option<String> {
        let comments = self.text.trim_end();
        let is_first = self.value.is_empty() && !comments.is_empty();
        is_first.then(|| format!("{comments}\n{}", to_yaml(wanted)))
    }

    /// Sets a key of a section.
    pub fn set_in(&mut self, section: &str, key: &str, value: &Value) {
        let mut map = match self.value.get(section) {
            Some(Value::Object(map)) => map.clone(),
            _ => Map::new(),
        };
        let is_new = map.is_empty();
        map.insert(key.to_owned(), value.clone());
        if is_new {
            return self.set(section, &Value::Object(map));
        }
        let mut wanted = self.value.clone();
        wanted.insert(section.to_owned(), Value::Object(map));
        let text = self.edited(|node, text| {
            let inner = node.get(section)?;
            set_entry(text, inner, key, value, None)
        });
        self.accept(text, wanted);
    }

    /// Sets a key of mappings in a list, by their places.
    pub fn set_in_items(&mut self, list: &str, key: &str, values: &[(usize, Value)]) {
        let mut wanted = self.value.clone();
        for (index, value) in values {
            let item = wanted.get_mut(list).and_then(|list| list.get_mut(*index));
            let Some(map) = item.and_then(Value::as_object_mut) else {
                return;
            };
            map.insert(key.to_owned(), value.clone());
        }
        let mut backwards: Vec<_> = values.iter().collect();
        backwards.sort_by_key(|(index, _)| std::cmp::Reverse(*index));
        // From the last to the first, so that a change moves nothing that is still to be changed.
        let text = self.edited(|node, text| {
            let items = node.get(list)?.as_list()?;
            backwards
                .into_iter()
                .try_fold(text.to_owned(), |text, (index, value)| {
                    set_entry(&text, items.get(*index)?, key, value, None)
                })
        });
        self.accept(text, wanted);
    }

    /// Removes a key of a section.
    pub fn remove_in(&mut self, section: &str, key: &str) {
        let Some(Value::Object(map)) = self.value.get(section) else {
            return;
        };
        let mut map = map.clone();
        if map.shift_remove(key).is_none() {
            return;
        }
        let mut wanted = self.value.clone();
        wanted.insert(section.to_owned(), Value::Object(map));
        let text = self.edited(|node, text| remove_entry(text, node.get(section)?, key));
        self.accept(text, wanted);
    }

    /// Adds a line to a list of a section.
    pub fn append_in(&mut self, section: &str, key: &str, line: &str) {
        let mut list = match self.at(&[section, key]) {
            Some(Value::Array(list)) => list.clone(),
            _ => Vec::new(),
        };
        list.push(Value::String(line.to_owned()));
        self.set_in(section, key, &Value::Array(list));
    }

    fn edited(&self, edit: impl FnOnce(&Node, &str) -> Option<String>) -> Option<String> {
        let file = SourceFile::new("metadata", self.text.as_str());
        let node = tree(&file).ok()??;
        node.as_map()?;
        edit(&node, &self.text)
    }

    /// Takes the edited text if it says what is wanted, and nothing else.
    fn accept(&mut self, text: Option<String>, wanted: Map<String, Value>) {
        let edited = text.and_then(|text| Document::parse("metadata", text).ok());
        *self = match edited {
            Some(edited) if edited.value == wanted => edited,
            _ => Document::new(wanted),
        };
    }
}

/// The order in which the format shows its sections.
const ORDER: [&str; 7] = [
    "analyzer",
    "validation",
    "test_level",
    "target",
    "characteristics",
    "factories_detected",
    "automation",
];

fn insert_in_order(map: &mut Map<String, Value>, key: &str, value: Value) {
    let known = map.contains_key(key);
    let position = map.keys().position(|other| comes_after(other, key));
    match position {
        Some(position) if !known => {
            map.shift_insert(position, key.to_owned(), value);
        }
        _ => {
            map.insert(key.to_owned(), value);
        }
    }
}

fn comes_after(other: &str, key: &str) -> bool {
    let rank = |name: &str| ORDER.iter().position(|known| *known == name);
    match (rank(other), rank(key)) {
        (Some(other), Some(key)) => other > key,
        _ => false,
    }
}

/// The entry that a new one goes before.
fn behind(node: &Node, key: &str) -> Option<usize> {
    node.as_map()?
        .iter()
        .position(|entry| comes_after(&entry.key, key))
}

fn tree(file: &SourceFile) -> Result<Option<Node<'_>>, DocumentError> {
    let parsed = yaml::parse(file);
    let broken = parsed
        .diagnostics
        .iter()
        .find(|problem| problem.code == INVALID_YAML || problem.code != yaml::UNKNOWN_TAG);
    if let Some(problem) = broken {
        return Err(DocumentError::Yaml {
            line: file.position(problem.span.start).line,
            message: problem.message.clone(),
        });
    }
    Ok(parsed.documents.into_iter().next())
}

/// A node as a value, by the rules of YAML 1.2: `no` and `on` are texts.
fn to_value(node: &Node) -> Value {
    match &node.kind {
        NodeKind::List(items) => Value::Array(items.iter().map(to_value).collect()),
        NodeKind::Map(entries) => Value::Object(
            entries
                .iter()
                .map(|entry| (entry.key.to_string(), to_value(&entry.value)))
                .collect(),
        ),
        NodeKind::Scalar(_) if node.is_null() => Value::Null,
        NodeKind::Scalar(scalar) if scalar.plain => plain_value(&scalar.text),
        NodeKind::Scalar(scalar) => Value::String(scalar.text.to_string()),
    }
}

fn plain_value(text: &str) -> Value {
    match text {
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    if let Ok(number) = text.parse::<i64>() {
        return Value::from(number);
    }
    let is_decimal = text.contains(['.', 'e', 'E'])
        && text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let number = text
        .parse::<f64>()
        .ok()
        .filter(|number| is_decimal && number.is_finite());
    match number.and_then(serde_json::Number::from_f64) {
        Some(number) => Value::Number(number),
        None => Value::String(text.to_owned()),
    }
}
