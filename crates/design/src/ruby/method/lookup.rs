//! Which of a file's methods is meant.

use crate::ruby::analyze::RubyError;
use crate::ruby::method::definitions::Definition;
use crate::ruby::method::id::MethodType;
use crate::ruby::options::AnalysisOptions;

/// Which method is meant, and how it is to be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MethodQuery {
    /// Its class, if it was named.
    pub class: Option<String>,
    /// Its bare name; without it, the only public one.
    pub name: Option<String>,
    /// Instance or class, if it was said.
    pub method_type: Option<MethodType>,
    /// What counts in it.
    pub reading: AnalysisOptions,
}

/// The method that is meant, or the choice there is.
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
                    format!("there is no class `{class}` with methods")
                }
                _ => format!("there is no method `{name}`"),
            },
            found: list(&definitions.iter().collect::<Vec<_>>()),
        }),
        ([], None) => Err(RubyError::NoMethod {
            reason: "there is no public method".to_owned(),
            found: list(&definitions.iter().collect::<Vec<_>>()),
        }),
        (several, Some(name)) => Err(RubyError::NoMethod {
            reason: format!("there are several methods `{name}`: name the class, too"),
            found: list(several),
        }),
        (several, None) => Err(RubyError::NoMethod {
            reason: "there are several public methods: name one".to_owned(),
            found: list(several),
        }),
    }
}

/// Those of the very class that was named, where there are such.
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

/// Of an instance method and a method of the same class: the one that `#` is written for.
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
