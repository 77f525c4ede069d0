//! The JSON Schema of suite files, for editors, built from the same list of fields as the checker.
//!
//! Everything that the schema rejects is also rejected by the checker. The reverse is not true: a schema cannot express,
//! for example, that a fragment exists or that variables have no cycle.

use serde_json::{Map, Value, json};

use crate::fields::conversation::{BOUNDS, CHECK, PATTERN};
use crate::fields::{FILE, Field, SUITE, Shape, TEST};

/// Words that are booleans in YAML 1.1. Where a boolean or a string is allowed, they are neither.
const OLD_BOOLEANS: &str = "^([Yy]|[Yy][Ee][Ss]|[Oo][Nn]|[Nn]|[Nn][Oo]|[Oo][Ff][Ff])$";

/// Matches a string with variables, which is allowed in place of a number or boolean.
const VARIABLES: &str = r"\{\{";

/// The JSON Schema of suite files, in draft 7, which editors support best.
pub fn schema() -> Value {
    let mut suite = object(SUITE);
    suite["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    suite["title"] = json!("Casebook suite");
    suite["required"] = json!(["tests"]);
    suite["patternProperties"] =
        json!({"^x-": {"description": "Custom field, for example for YAML anchors"}});
    let mut test = object(TEST);
    // With `$ref` no field is required: the fragments may provide it.
    test["anyOf"] = json!([
        {"required": ["name", "command"]},
        {"required": ["name", "steps"]},
        {"required": ["name", "conversation"]},
        {"required": ["name", "simulate"]},
        {"required": ["$ref"]}
    ]);
    suite["definitions"] = json!({
        "test": test,
        "fragment": object(TEST),
        "file": file(),
        "check": check(),
        "bounds": bounds(),
        "condition": condition(),
    });
    suite
}

/// One condition and at most one option of it.
fn check() -> Value {
    let mut check = object(CHECK);
    check["minProperties"] = json!(1);
    check["maxProperties"] = json!(2);
    check
}

fn bounds() -> Value {
    let mut bounds = object(BOUNDS);
    bounds["minProperties"] = json!(1);
    // `latency` may have a unit.
    for limit in ["min", "max"] {
        bounds["properties"][limit]["anyOf"][1]["pattern"] =
            json!(format!(r"{VARIABLES}|^[0-9]*\.?[0-9]+(ms|s|m|h)?$"));
    }
    bounds
}

/// Conditions on a JSON value.
fn condition() -> Value {
    let mut condition = object(PATTERN);
    condition["minProperties"] = json!(1);
    condition
}

fn file() -> Value {
    let mut file = object(FILE);
    file["minProperties"] = json!(1);
    file
}

fn object(fields: &[Field]) -> Value {
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| (field.name.to_owned(), property(field)))
        .collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn property(field: &Field) -> Value {
    let mut property = shape(field.shape);
    // Draft 7 ignores all keywords next to `$ref`.
    if property.get("$ref").is_some() {
        property = json!({"allOf": [property]});
    }
    property["description"] = json!(field.about);
    property
}

/// A string without quotes may be a number or a boolean for YAML.
fn text() -> Value {
    json!({"type": ["string", "number", "boolean"]})
}

fn non_empty_text() -> Value {
    json!({"type": ["string", "number", "boolean"], "minLength": 1})
}

fn one_or_many(item: &Value) -> Value {
    json!({"anyOf": [item, {"type": "array", "items": item, "minItems": 1}]})
}

/// `true` and `false` without quotes are booleans for YAML.
fn choice(words: &[&str]) -> Value {
    let booleans = words.iter().filter_map(|word| word.parse::<bool>().ok());
    let mut all: Vec<Value> = booleans.map(Value::from).collect();
    all.extend(words.iter().map(|word| Value::from(*word)));
    json!({"anyOf": [{"enum": all}, {"type": "string", "pattern": VARIABLES}]})
}

fn map_of(values: &Value) -> Value {
    json!({"type": "object", "additionalProperties": values})
}

fn shape(shape: Shape) -> Value {
    match shape {
        Shape::Text => text(),
        Shape::NonEmptyText => non_empty_text(),
        Shape::Texts | Shape::Patterns => one_or_many(&non_empty_text()),
        Shape::List => json!({"type": "array", "items": text()}),
        Shape::TextMap => map_of(&json!({"type": ["string", "number", "boolean", "null"]})),
        Shape::Bool => {
            json!({"anyOf": [{"type": "boolean"}, {"type": "string", "pattern": format!("{VARIABLES}|^([Tt]rue|TRUE|[Ff]alse|FALSE)$")}]})
        }
        Shape::BoolOrText => {
            json!({"anyOf": [{"type": "boolean"}, {"type": "string", "minLength": 1, "not": {"pattern": OLD_BOOLEANS}}, {"type": "number"}]})
        }
        Shape::Integer(max) => json!({"anyOf": [
            {"type": "integer", "minimum": 0, "maximum": max},
            {"type": "string", "pattern": format!("{VARIABLES}|^[0-9]+$")}
        ]}),
        Shape::Duration => json!({"anyOf": [
            {"type": "number", "exclusiveMinimum": 0},
            {"type": "string", "pattern": format!(r"{VARIABLES}|^[0-9]*\.?[0-9]+(ms|s|m|h)?$")}
        ]}),
        Shape::Json => {
            json!({"type": "object", "minProperties": 1, "propertyNames": {"pattern": "^(/|$)"}})
        }
        Shape::JsonConditions => {
            json!({"type": "object", "minProperties": 1, "propertyNames": {"pattern": "^(/|$)"}, "additionalProperties": {"$ref": "#/definitions/condition"}})
        }
        Shape::Any => json!({}),
        Shape::Files => {
            json!({"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/definitions/file"}})
        }
        Shape::Fragments => json!({
            "type": "object",
            "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_-]*$"},
            "additionalProperties": {"$ref": "#/definitions/fragment"}
        }),
        Shape::Tests => {
            json!({"type": "array", "items": {"$ref": "#/definitions/test"}, "minItems": 1})
        }
        Shape::Choice(words) => choice(words),
        Shape::Count(max) => json!({"anyOf": [
            {"type": "integer", "minimum": 1, "maximum": max},
            {"type": "string", "pattern": format!("{VARIABLES}|^[0-9]+$")}
        ]}),
        Shape::Number => json!({"anyOf": [
            {"type": "number"},
            {"type": "string", "pattern": format!(r"{VARIABLES}|^-?[0-9]*\.?[0-9]+$")}
        ]}),
        Shape::Bounds => json!({"$ref": "#/definitions/bounds"}),
        Shape::Check => json!({"$ref": "#/definitions/check"}),
        Shape::Mapping => json!({"type": "object"}),
        Shape::Object(fields) => object(fields),
        Shape::Each(values) => map_of(&self::shape(*values)),
        Shape::Many(item) => json!({"type": "array", "items": self::shape(*item), "minItems": 1}),
        Shape::OneOrMany(item) => one_or_many(&self::shape(*item)),
        Shape::Either(one, other) => {
            json!({"anyOf": [self::shape(*one), self::shape(*other)]})
        }
        Shape::References => {
            json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})
        }
    }
}
