//! Which attributes of a model a test can set, and what its predicates then return.

use crate::ruby::analyze::{Analysis, analyze_all, attributes_of, methods};
use crate::ruby::branch::outcome::BranchOutcome;
use crate::ruby::error::RubyError;
use crate::ruby::method::id::MethodType;
use crate::ruby::options::AnalysisOptions;
use crate::ruby::rails::column_mapping::column_mapping;
use crate::ruby::rails::enums::Enum;
use crate::ruby::rails::schema::{Column, ColumnType, Table};
use crate::ruby::syntax::words::{singular, snake};

/// Facts about a model class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelFacts {
    /// Attributes that are read back as they were written.
    pub attributes: Vec<String>,
    /// Predicates that depend on one attribute.
    pub predicates: Vec<PredicateMethod>,
    /// Columns of its table that are read back as they were written.
    pub columns: Vec<Column>,
    /// Columns that are enums.
    pub enums: Vec<Enum>,
    /// Columns whose values a validation or a constraint may reject.
    validated: Vec<String>,
}

impl ModelFacts {
    /// Whether an attribute that is set to this literal is read back as it was written.
    pub(crate) fn accepts(&self, attribute: &str, literal: &str, is_stored: bool) -> bool {
        let column = self.columns.iter().find(|column| column.name == attribute);
        match column {
            Some(column) => {
                let is_free = !(is_stored && self.validated.iter().any(|name| name == attribute));
                is_free && column.accepts(literal, is_stored)
            }
            None => {
                self.enum_of(attribute)
                    .is_some_and(|one| one.accepts(literal))
                    || self.attributes.iter().any(|name| name == attribute)
            }
        }
    }

    /// The enum of an attribute.
    pub(crate) fn enum_of(&self, attribute: &str) -> Option<&Enum> {
        self.enums.iter().find(|one| one.attribute == attribute)
    }
}

/// A predicate that depends on the value of one attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredicateMethod {
    /// Its name, including `?`.
    pub method: String,
    /// The attribute it depends on.
    pub attribute: String,
    /// A Ruby literal that makes it true, and one that makes it false.
    pub values: [Option<String>; 2],
}

/// The facts about a class in a file; `tables` are those of the database schema.
pub fn model_facts(
    source: &[u8],
    file: &str,
    class: &str,
    tables: &[Table],
) -> Result<ModelFacts, RubyError> {
    let attributes = attributes_of(source, class)?;
    let (columns, validated) = columns(source, class, tables);
    let enums = column_mapping(source, class).map(|mapping| mapping.enums);
    let enums = enums.unwrap_or_default();
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let names = [attributes.as_slice(), &names].concat();
    let mut predicates: Vec<PredicateMethod> =
        analyze_all(source, file, AnalysisOptions::default())?
            .into_iter()
            .flatten()
            .filter(|found| found.method.class == class)
            .filter_map(|found| predicate_method(&found, &names))
            .collect();
    let defined: Vec<String> = methods(source)?
        .into_iter()
        .map(|method| method.name)
        .collect();
    predicates.extend(
        columns
            .iter()
            .filter_map(|column| default_predicate(column, &defined)),
    );
    let enum_predicates = enums.iter().flat_map(Enum::predicates);
    predicates.extend(enum_predicates.filter(|one| !defined.contains(&one.method)));
    Ok(ModelFacts {
        attributes,
        predicates,
        columns,
        enums,
        validated,
    })
}

/// The columns that are not overridden, and the names of those that are validated.
fn columns(source: &[u8], class: &str, tables: &[Table]) -> (Vec<Column>, Vec<String>) {
    let Some(mapping) = column_mapping(source, class) else {
        return Default::default();
    };
    let last = class.rsplit("::").next().unwrap_or(class);
    let is_own = |table: &&Table| match &mapping.table {
        Some(name) => table.name == *name,
        None => singular(&table.name) == snake(last) && last == class,
    };
    let Some(table) = tables.iter().find(is_own) else {
        return Default::default();
    };
    let is_read = |column: &&Column| !mapping.overridden.contains(&column.name);
    let columns: Vec<Column> = table.columns.iter().filter(is_read).cloned().collect();
    let validated = if mapping.has_custom_validation || table.has_checks {
        columns.iter().map(|column| column.name.clone()).collect()
    } else {
        mapping.validated
    };
    (columns, validated)
}

/// The predicate that Rails defines for every attribute: `active?`.
fn default_predicate(column: &Column, defined: &[String]) -> Option<PredicateMethod> {
    let method = format!("{}?", column.name);
    let values = match column.column_type {
        ColumnType::Boolean => ["true", "false"],
        ColumnType::Integer | ColumnType::Number => ["1", "0"],
        ColumnType::Text => return None,
    };
    (!defined.contains(&method)).then(|| PredicateMethod {
        method,
        attribute: column.name.clone(),
        values: values.map(|value| Some(value.to_owned())),
    })
}

fn predicate_method(found: &Analysis, attributes: &[String]) -> Option<PredicateMethod> {
    let [only] = found.characteristics.as_slice() else {
        return None;
    };
    let attribute = only
        .tested
        .as_ref()
        .filter(|name| attributes.contains(name))?;
    let is_predicate =
        found.method.method_type == MethodType::Instance && found.parameters.is_empty();
    let value = |truth: bool| {
        let expected = BranchOutcome::Returns(truth.to_string());
        let branch = found.branches.iter().find(|branch| {
            found.at(branch.state_ref).0.name == only.name
                && branch.is_certain
                && branch.outcome.as_ref() == Some(&expected)
        })?;
        only.values.get(branch.state_ref.state).cloned().flatten()
    };
    is_predicate.then(|| PredicateMethod {
        method: found.method.name.clone(),
        attribute: attribute.clone(),
        values: [value(true), value(false)],
    })
}
