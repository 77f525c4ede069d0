//! Finds a method of a file by name.

use crate::ruby::error::RubyError;
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
    pub options: AnalysisOptions,
}

/// The method that matches the query, or an error with the possible choices.
pub(in crate::ruby) fn find_method<'d, 'pr>(
    definitions: &'d [Definition<'pr>],
    query: &MethodQuery,
) -> Result<&'d Definition<'pr>, RubyError> {
    let matching = definitions.iter().filter(|one| query.matches(one));
    let candidates = prefer_exact_class(matching.collect(), query);
    if let (Some(_), Some(own)) = (&query.name, instance_method(&candidates)) {
        return Ok(own);
    }
    match candidates.as_slice() {
        [definition] => Ok(definition),
        [] => Err(RubyError::NoMethod {
            reason: query.not_found(definitions),
            found: ids(definitions.iter()),
        }),
        several => Err(RubyError::SeveralMethods {
            name: query.name.clone(),
            found: ids(several.iter().copied()),
        }),
    }
}

impl MethodQuery {
    fn matches(&self, definition: &Definition<'_>) -> bool {
        let method = &definition.method;
        let class = self.class.as_ref();
        let method_type = self.method_type;
        class.is_none_or(|class| is_in_class(definition, class))
            && method_type.is_none_or(|kind| method.method_type == kind)
            && match &self.name {
                Some(name) => method.name == *name,
                None => method.is_public,
            }
    }

    /// Why none of the definitions matches.
    fn not_found(&self, definitions: &[Definition<'_>]) -> String {
        let is_known = |class: &str| definitions.iter().any(|one| is_in_class(one, class));
        match (&self.name, &self.class) {
            (None, _) => "no public methods found".to_owned(),
            (Some(_), Some(class)) if !is_known(class) => {
                format!("class `{class}` not found, or it has no methods")
            }
            (Some(name), _) => format!("method `{name}` not found"),
        }
    }
}

fn ids<'d, 'pr: 'd>(definitions: impl Iterator<Item = &'d Definition<'pr>>) -> Vec<String> {
    definitions.map(|one| one.method.id()).collect()
}

/// Prefers an exact match of the class over one that only ends with it.
fn prefer_exact_class<'d, 'pr>(
    mut candidates: Vec<&'d Definition<'pr>>,
    query: &MethodQuery,
) -> Vec<&'d Definition<'pr>> {
    let is_exact = |one: &&Definition<'_>| Some(&one.method.class) == query.class.as_ref();
    if candidates.iter().any(is_exact) {
        candidates.retain(is_exact);
    }
    candidates
}

fn is_in_class(definition: &Definition<'_>, class: &str) -> bool {
    let full_name = &definition.method.class;
    full_name == class || full_name.ends_with(&format!("::{class}"))
}

/// The instance method, if the two candidates are an instance and a class method of the same class.
fn instance_method<'d, 'pr>(candidates: &[&'d Definition<'pr>]) -> Option<&'d Definition<'pr>> {
    let [first, second] = candidates else {
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
