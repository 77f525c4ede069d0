//! Finds a method of a file by name.

use crate::ruby::analyze::RubyError;
use crate::ruby::method::definitions::Definition;
use crate::ruby::method::id::MethodType;
use crate::ruby::options::AnalysisOptions;

/// Selects a method and sets the options of its analysis.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MethodQuery {
    /// Its class, if given.
    pub class: Option<String>,
    /// Its name without the class; `None` selects the only public method.
    pub name: Option<String>,
    /// Whether it is an instance or class method, if given.
    pub method_type: Option<MethodType>,
    /// Options of the analysis.
    pub reading: AnalysisOptions,
}

/// The method that matches the query, or an error with the possible choices.
pub(in crate::ruby) fn find_method<'d, 'pr>(
    definitions: &'d [Definition<'pr>],
    wanted: &MethodQuery,
) -> Result<&'d Definition<'pr>, RubyError> {
    let fits = |definition: &&Definition<'_>| {
        let method = &definition.method;
        wanted
            .class
            .as_ref()
            .is_none_or(|class| is_of(definition, class))
            && wanted
                .method_type
                .is_none_or(|kind| method.method_type == kind)
            && match &wanted.name {
                Some(name) => method.name == *name,
                None => method.is_public,
            }
    };
    let fitting = nearest(definitions.iter().filter(fits).collect(), wanted);
    let list = |definitions: &[&Definition<'_>]| {
        definitions
            .iter()
            .map(|definition| definition.method.id())
            .collect()
    };
    if let (Some(_), Some(own)) = (&wanted.name, of_instances(&fitting)) {
        return Ok(own);
    }
    match (fitting.as_slice(), &wanted.name) {
        ([definition], _) => Ok(definition),
        ([], Some(name)) => Err(RubyError::NoMethod {
            reason: match &wanted.class {
                Some(class) if !definitions.iter().any(|one| is_of(one, class)) => {
                    format!("class `{class}` not found, or it has no methods")
                }
                _ => format!("method `{name}` not found"),
            },
            found: list(&definitions.iter().collect::<Vec<_>>()),
        }),
        ([], None) => Err(RubyError::NoMethod {
            reason: "no public methods found".to_owned(),
            found: list(&definitions.iter().collect::<Vec<_>>()),
        }),
        (several, Some(name)) => Err(RubyError::NoMethod {
            reason: format!("several methods are named `{name}`; name the class as well"),
            found: list(several),
        }),
        (several, None) => Err(RubyError::NoMethod {
            reason: "several public methods found; name one".to_owned(),
            found: list(several),
        }),
    }
}

/// Prefers an exact match of the class over one that only ends with it.
fn nearest<'d, 'pr>(
    mut fitting: Vec<&'d Definition<'pr>>,
    wanted: &MethodQuery,
) -> Vec<&'d Definition<'pr>> {
    let is_exact = |one: &&Definition<'_>| Some(&one.method.class) == wanted.class.as_ref();
    if fitting.iter().any(is_exact) {
        fitting.retain(is_exact);
    }
    fitting
}

fn is_of(definition: &Definition<'_>, class: &str) -> bool {
    let home = &definition.method.class;
    home == class || home.ends_with(&format!("::{class}"))
}

/// The instance method, if the two candidates are an instance and a class method of the same class.
fn of_instances<'d, 'pr>(fitting: &[&'d Definition<'pr>]) -> Option<&'d Definition<'pr>> {
    let [first, second] = fitting else {
        return None;
    };
    if first.method.class != second.method.class {
        return None;
    }
    match (first.method.method_type, second.method.method_type) {
        (MethodType::Instance, MethodType::Class) => Some(first),
        (MethodType::Class, MethodType::Instance) => Some(second),
        _ => None,
    }
}
