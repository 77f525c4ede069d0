//! [`Document`]: one metadata file, with its text and its parsed value.
//!
//! Edits change the text, which preserves comments, order and unknown keys. Every edited text is parsed again and compared
//! with the expected value. If they differ, the whole document is rewritten from the value.

mod edit;

use casebook_source::SourceFile;
use casebook_source::yaml::{self, INVALID_YAML, Node, NodeKind};
use serde_json::{Map, Value};

use super::yaml::to_yaml;
use edit::{remove_entry, set_entry};

/// Why a file is not a metadata document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The text is not valid YAML.
    #[error("line {line}: {message}")]
    Yaml {
        /// 1-based.
        line: usize,
        /// The parser's message.
        message: String,
    },
    /// The document is a list or a scalar.
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
    /// Parses a file's text. An empty text is an empty mapping.
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

    /// Creates a document with a newly written text.
    pub fn new(value: Map<String, Value>) -> Document {
        Document {
            text: to_yaml(&value),
            value,
        }
    }

    /// Whether there are no entries: no text, or only comments.
    pub fn is_blank(&self) -> bool {
        let file = SourceFile::new("metadata", self.text.as_str());
        !matches!(tree(&file), Ok(Some(node)) if node.as_map().is_some())
    }

    /// The text, as it is written to the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The parsed content.
    pub fn value(&self) -> &Map<String, Value> {
        &self.value
    }

    /// The value at a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter()
            .try_fold(self.value.get(*first)?, |value, key| value.get(*key))
    }

    /// Sets a key of the top level. A new key is inserted at the position that the format gives it.
    pub fn set(&mut self, key: &str, value: &Value) {
        let mut expected = self.value.clone();
        insert_in_order(&mut expected, key, value.clone());
        let edited =
            self.edited(|node, text| set_entry(text, node, key, value, insertion_index(node, key)));
        self.accept(edited.or_else(|| self.first_entry(&expected)), expected);
    }

    /// The new text of a document that contained only comments. They are kept above the first entry.
    fn first_entry(&self, expected: &Map<String, Value>) -> Option<String> {
        let comments = self.text.trim_end();
        let is_first = self.value.is_empty() && !comments.is_empty();
        is_first.then(|| format!("{comments}\n{}", to_yaml(expected)))
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
        let mut expected = self.value.clone();
        expected.insert(section.to_owned(), Value::Object(map));
        let text = self.edited(|node, text| {
            let inner = node.get(section)?;
            set_entry(text, inner, key, value, None)
        });
        self.accept(text, expected);
    }

    /// Sets a key in several mappings of a list, given by their indexes. Does nothing if one of them does not exist.
    pub fn set_in_items(&mut self, list: &str, key: &str, values: &[(usize, Value)]) {
        let mut expected = self.value.clone();
        for (index, value) in values {
            let item = expected.get_mut(list).and_then(|list| list.get_mut(*index));
            let Some(map) = item.and_then(Value::as_object_mut) else {
                return;
            };
            map.insert(key.to_owned(), value.clone());
        }
        let mut backwards: Vec<_> = values.iter().collect();
        backwards.sort_by_key(|(index, _)| std::cmp::Reverse(*index));
        // From the last to the first, so that the spans of the remaining items stay valid.
        let text = self.edited(|node, text| {
            let items = node.get(list)?.as_list()?;
            backwards
                .into_iter()
                .try_fold(text.to_owned(), |text, (index, value)| {
                    set_entry(&text, items.get(*index)?, key, value, None)
                })
        });
        self.accept(text, expected);
    }

    /// Removes a key from a section.
    pub fn remove_in(&mut self, section: &str, key: &str) {
        let Some(Value::Object(map)) = self.value.get(section) else {
            return;
        };
        let mut map = map.clone();
        if map.shift_remove(key).is_none() {
            return;
        }
        let mut expected = self.value.clone();
        expected.insert(section.to_owned(), Value::Object(map));
        let text = self.edited(|node, text| remove_entry(text, node.get(section)?, key));
        self.accept(text, expected);
    }

    /// Appends a text to a list in a section.
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

    /// Uses the edited text if it parses to exactly the expected value; otherwise rewrites the document.
    fn accept(&mut self, text: Option<String>, expected: Map<String, Value>) {
        let edited = text.and_then(|text| Document::parse("metadata", text).ok());
        *self = match edited {
            Some(edited) if edited.value == expected => edited,
            _ => Document::new(expected),
        };
    }
}

/// The order of the sections in the format.
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
    let exists = map.contains_key(key);
    let position = map.keys().position(|other| comes_after(other, key));
    match position {
        Some(position) if !exists => {
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

/// The index of the entry before which a new key is inserted; `None` for the end.
fn insertion_index(node: &Node, key: &str) -> Option<usize> {
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

/// Converts a node by the rules of YAML 1.2, in which `no` and `on` are texts.
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
