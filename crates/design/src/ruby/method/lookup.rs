//! Finds a method of a file by name.

use casebook_source::closest_match;

use crate::ruby::error::RubyError;
use crate::ruby::method::definitions::Definition;
use crate::ruby::method::id::{Method, MethodType};
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
    let (mut candidates, others): (Vec<_>, Vec<_>) =
        all.partition(|one| query.matches(&one.method));
    prefer_exact_class(&mut candidates, query);
    if query.name.is_some() && is_instance_and_class_method(&candidates) {
        candidates.retain(|one| one.method.method_type == MethodType::Instance);
    }
    match <[Definition<'_>; 1]>::try_from(candidates) {
        Ok([definition]) => Ok(definition),
        Err(none) if none.is_empty() => Err(query.not_found(others.iter().map(|one| &one.method))),
        Err(several) => Err(RubyError::SeveralMethods {
            name: query.name.clone(),
            found: several.iter().map(|one| one.method.id()).collect(),
        }),
    }
}

impl MethodQuery {
    /// Whether it selects this method.
    pub fn matches(&self, method: &Method) -> bool {
        let class = self.class.as_ref();
        let method_type = self.method_type;
        class.is_none_or(|class| is_in_class(method, class))
            && method_type.is_none_or(|kind| method.method_type == kind)
            && match &self.name {
                Some(name) => method.name == *name,
                None => method.is_public,
            }
    }

    /// Whether only the type of the method is wrong.
    fn has_other_type(&self, method: &Method) -> bool {
        let any_type = MethodQuery {
            method_type: None,
            ..self.clone()
        };
        any_type.matches(method)
    }

    /// The error if none of these methods matches.
    pub(crate) fn not_found<'m>(
        &self,
        methods: impl Iterator<Item = &'m Method> + Clone,
    ) -> RubyError {
        let is_known = |class: &str| methods.clone().any(|one| is_in_class(one, class));
        let reason = match (&self.name, &self.class) {
            (None, _) => "no public methods found".to_owned(),
            (Some(_), Some(class)) if !is_known(class) => {
                let known = methods.clone().map(|one| one.class.as_str());
                let hint = did_you_mean(class, known);
                format!("class `{class}` not found, or it has no methods{hint}")
            }
            (Some(name), _) => {
                let other = methods.clone().find(|one| self.has_other_type(one));
                other.map_or_else(|| not_found_name(name, methods.clone()), other_type)
            }
        };
        RubyError::NoMethod {
            reason,
            found: methods.map(Method::id).collect(),
        }
    }
}

fn not_found_name<'m>(name: &str, methods: impl Iterator<Item = &'m Method>) -> String {
    let known = methods.map(|one| one.name.as_str());
    format!("method `{name}` not found{}", did_you_mean(name, known))
}

/// The message for `FILE.name` if the method is not a class method, and for `FILE#name` if it is one.
fn other_type(method: &Method) -> String {
    let (name, id) = (&method.name, method.id());
    match method.method_type {
        MethodType::Instance => format!("`{id}` is an instance method: write `FILE#{name}`"),
        MethodType::Class => format!("`{id}` is a class method: write `FILE.{name}`"),
    }
}

/// A hint for a mistyped name.
pub(crate) fn did_you_mean<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    let hint = |closest| format!("; did you mean `{closest}`?");
    closest_match(name, known).map(hint).unwrap_or_default()
}

/// Prefers an exact match of the class over one that only ends with it.
fn prefer_exact_class(candidates: &mut Vec<Definition<'_>>, query: &MethodQuery) {
    let is_exact = |one: &Definition<'_>| Some(&one.method.class) == query.class.as_ref();
    if candidates.iter().any(is_exact) {
        candidates.retain(is_exact);
    }
}

fn is_in_class(method: &Method, class: &str) -> bool {
    let full_name = &method.class;
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
