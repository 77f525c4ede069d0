//! Scenarios in files with one scenario per line: JSON Lines and CSV.

use casebook_source::{Diagnostic, SourceFile, Span, closest_match};
use serde_json::{Map, Number, Value};

use crate::codes::BAD_SCENARIO;
use crate::reader::as_bool;

/// The values of a file with their locations, and what is wrong with it.
pub(super) type Rows = (Vec<(Span, Value)>, Vec<Diagnostic>);

/// Reads JSON Lines: one JSON object per line. Empty lines are skipped.
pub(super) fn json_lines(file: &SourceFile) -> Rows {
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    let mut start = 0;
    for line in file.text().split_inclusive('\n') {
        let span = Span::new(start, start + line.trim_end().len());
        start += line.len();
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str::<Value>(line.trim_end()) {
            Ok(value) => rows.push((span, value)),
            Err(error) => {
                let message = format!(
                    "the line is not JSON (column {}): {}",
                    error.column(),
                    reason(&error)
                );
                problems.push(Diagnostic::error(BAD_SCENARIO, span, message));
            }
        }
    }
    (rows, problems)
}

/// The message of an error without its position: the line of the file is that of the diagnostic.
fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let (reason, _) = message.rsplit_once(" at line ").unwrap_or((&message, ""));
    reason.to_owned()
}

/// The type of the values in a column.
#[derive(Clone, Copy)]
enum ColumnType {
    Text,
    Number,
    Boolean,
    Json,
}

const TYPES: [(&str, ColumnType); 3] = [
    ("number", ColumnType::Number),
    ("boolean", ColumnType::Boolean),
    ("json", ColumnType::Json),
];

/// Reads CSV: the first row has the names of the columns, each with its type after a colon unless it is text.
pub(super) fn csv(file: &SourceFile) -> Rows {
    let text = file.text();
    let mut records = reader(text).into_records();
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    let mut columns = None;
    while let Some(record) = records.next() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                problems.push(unreadable(&error, text));
                break;
            }
        };
        let end = records.reader().position().byte();
        if usize::try_from(end).is_ok_and(|end| end >= text.len())
            && let Some(problem) = unclosed_quote(&record, text)
        {
            problems.push(problem);
            break;
        }
        let span = row_span(record.position(), text);
        match &columns {
            None => match header(&record, span) {
                Ok(named) => columns = Some(named),
                Err(problem) => return (Vec::new(), vec![*problem]),
            },
            Some(columns) => match row(columns, &record, span) {
                Ok(value) => rows.push((span, value)),
                Err(problem) => problems.push(*problem),
            },
        }
    }
    (rows, problems)
}

/// A reader that accepts rows of any length, so that those after a wrong one are read too.
fn reader(text: &str) -> ::csv::Reader<&[u8]> {
    ::csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes())
}

/// The problem of a last row with a quotation mark that is not closed: its value is the rest of the file.
fn unclosed_quote(record: &::csv::StringRecord, text: &str) -> Option<Diagnostic> {
    let span = row_span(record.position(), text);
    let rest = text.get(span.start..)?;
    let is_all_of = |text: &str| {
        let mut records = reader(text).into_records();
        let first = records.next().and_then(Result::ok);
        first.as_ref() == Some(record) && records.next().is_none()
    };
    // Then closing it changes nothing.
    is_all_of(&format!("{rest}\"")).then(|| {
        let message = "a quotation mark is not closed, so the rest of the file is one value";
        Diagnostic::error(BAD_SCENARIO, span, message)
            .help("add the closing `\"`; inside of a value, write `\"\"`")
    })
}

/// The line at which a row begins.
fn row_span(position: Option<&::csv::Position>, text: &str) -> Span {
    let start = position.map_or(0, ::csv::Position::byte);
    let start = usize::try_from(start).unwrap_or(usize::MAX).min(text.len());
    let line = text.get(start..).and_then(|rest| rest.lines().next());
    Span::new(start, start + line.map_or(0, str::len))
}

fn unreadable(error: &::csv::Error, text: &str) -> Diagnostic {
    let message = format!("cannot read the row: {error}");
    Diagnostic::error(BAD_SCENARIO, row_span(error.position(), text), message)
}

/// The names and types of the columns.
fn header(
    record: &::csv::StringRecord,
    span: Span,
) -> Result<Vec<(String, ColumnType)>, Box<Diagnostic>> {
    if let Some(separator) = other_separator(record) {
        let message = format!("the columns are separated by {separator} instead of commas");
        let problem = Diagnostic::error(BAD_SCENARIO, span, message);
        return Err(problem.help("save the file with commas").into());
    }
    let mut columns: Vec<(String, ColumnType)> = Vec::new();
    for cell in record {
        let cell = cell.trim_start_matches('\u{feff}').trim();
        let (name, column_type) = match cell.split_once(':') {
            None => (cell, ColumnType::Text),
            Some((name, word)) => (name.trim_end(), column_type(word.trim(), span)?),
        };
        let problem = if name.is_empty() {
            "a column has no name".to_owned()
        } else if columns.iter().any(|(known, _)| known == name) {
            format!("two columns are named `{name}`")
        } else {
            columns.push((name.to_owned(), column_type));
            continue;
        };
        return Err(Diagnostic::error(BAD_SCENARIO, span, problem).into());
    }
    Ok(columns)
}

/// The separator of a header without commas.
fn other_separator(record: &::csv::StringRecord) -> Option<&'static str> {
    let only = record.get(0).filter(|_| record.len() == 1)?;
    let separators = [(';', "`;`"), ('\t', "tabs")];
    let mut separators = separators.into_iter();
    separators.find_map(|(separator, name)| only.contains(separator).then_some(name))
}

fn column_type(word: &str, span: Span) -> Result<ColumnType, Box<Diagnostic>> {
    if let Some((_, column_type)) = TYPES.iter().find(|(name, _)| *name == word) {
        return Ok(*column_type);
    }
    let names = TYPES.iter().map(|(name, _)| *name);
    let help = match closest_match(word, names) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "a column is text, or has the type `number`, `boolean` or `json`".to_owned(),
    };
    let message = format!("unknown type `{word}` of a column");
    Err(Diagnostic::error(BAD_SCENARIO, span, message)
        .help(help)
        .into())
}

/// A row as a mapping. An empty cell of a column with a type has no value.
fn row(
    columns: &[(String, ColumnType)],
    record: &::csv::StringRecord,
    span: Span,
) -> Result<Value, Box<Diagnostic>> {
    if record.len() != columns.len() {
        let (fields, expected) = (record.len(), columns.len());
        let message = format!("wrong number of fields: {fields}, but the header has {expected}");
        return Err(Diagnostic::error(BAD_SCENARIO, span, message).into());
    }
    let mut fields = Map::new();
    for ((name, column_type), cell) in columns.iter().zip(record) {
        let trimmed = cell.trim();
        let (value, expected) = match column_type {
            ColumnType::Text => (Some(cell.into()), "text"),
            _ if trimmed.is_empty() => continue,
            ColumnType::Number => {
                let number = serde_json::from_str::<Number>(trimmed).ok();
                (number.map(Value::from), "a number")
            }
            ColumnType::Boolean => (as_bool(trimmed).map(Value::from), "true or false"),
            ColumnType::Json => (serde_json::from_str(trimmed).ok(), "JSON"),
        };
        let Some(value) = value else {
            let message = format!("`{name}` must be {expected}, got '{trimmed}'");
            return Err(Diagnostic::error(BAD_SCENARIO, span, message).into());
        };
        fields.insert(name.clone(), value);
    }
    Ok(fields.into())
}
