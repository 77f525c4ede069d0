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
pub(in crate::ruby) fn find_method<'pr>(
    definitions: Vec<Definition<'pr>>,
    query: &MethodQuery,
) -> Result<Definition<'pr>, RubyError> {
    let all = definitions.into_iter();
    let (mut candidates, others): (Vec<_>, Vec<_>) = all.partition(|one| query.matches(one));
    prefer_exact_class(&mut candidates, query);
    if query.name.is_some() && is_instance_and_class_method(&candidates) {
        candidates.retain(|one| one.method.method_type == MethodType::Instance);
    }
    match <[Definition<'_>; 1]>::try_from(candidates) {
        Ok([definition]) => Ok(definition),
        Err(none) if none.is_empty() => Err(RubyError::NoMethod {
            reason: query.not_found(&others),
            found: ids(&others),
        }),
        Err(several) => Err(RubyError::SeveralMethods {
            name: query.name.clone(),
            found: ids(&several),
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

fn ids(definitions: &[Definition<'_>]) -> Vec<String> {
    definitions.iter().map(|one| one.method.id()).collect()
}

/// Prefers an exact match of the class over one that only ends with it.
fn prefer_exact_class(candidates: &mut Vec<Definition<'_>>, query: &MethodQuery) {
    let is_exact = |one: &Definition<'_>| Some(&one.method.class) == query.class.as_ref();
    if candidates.iter().any(is_exact) {
        candidates.retain(is_exact);
    }
}

fn is_in_class(definition: &Definition<'_>, class: &str) -> bool {
    let full_name = &definition.method.class;
    full_name == class || full_name.ends_with(&format!("::{class}"))
}

/// Whether the candidates are an instance and a class method of the same class.
fn is_instance_and_class_method(candidates: &[Definition<'_>]) -> bool {
    let [first, second] = candidates else {
        return false;
    };
    let (first, second) = (&first.method, &second.method);
    first.class == second.class && first.method_type != second.method_type
}
