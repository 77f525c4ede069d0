//! Braces around a name and more, such as `{{name.field}}` and `{{name|filter}}`: probably a mistake if the name is known.

use casebook_source::{Diagnostic, Span, closest_match};

use super::pieces::SHELL_FILTER;
use super::{Scope, Variables};
use crate::codes::UNDEFINED_VARIABLE;

/// The length from which a name that is similar to a known one counts as that name. Many short words are similar.
const MIN_SIMILAR: usize = 4;

impl Variables<'_> {
    /// What braces around this name and more were probably meant to be; `None` if they are text for another program's templates.
    pub(super) fn probably_meant(
        &self,
        name: &str,
        more: &str,
        scope: Scope<'_>,
    ) -> Option<String> {
        if let Some(service) = self.meant_service(name, more) {
            return Some(format!("`{{{{services.{service}.port}}}}`"));
        }
        if name.eq_ignore_ascii_case("env") {
            let variable = more.trim_start_matches('.').trim_end();
            let is_set = self.environment.contains_key(variable);
            return is_set.then(|| format!("`{{{{env.{variable}}}}}`"));
        }
        let known = self.meant_name(name, scope)?;
        Some(if more.contains('|') {
            format!("`{{{{{known}|{SHELL_FILTER}}}}}` to quote it for the shell")
        } else {
            format!("`{{{{{known}}}}}`")
        })
    }

    /// The service whose port was meant: `api.port`, `api.prot`, `apo.port`, `service.api.port`.
    fn meant_service(&self, name: &str, more: &str) -> Option<&str> {
        let services = || self.services.iter().map(String::as_str);
        let field = more.trim_start_matches('.').trim_end();
        let is_prefix = closest_match(name, ["services"]).is_some();
        if let Some(path) = Some(field).filter(|_| is_prefix) {
            let given = path.split('.').next().unwrap_or(path);
            return services().find(|service| *service == given);
        }
        let exact = services().find(|service| *service == name);
        let is_port = field == "port";
        exact.or_else(|| closest_match(name, services().filter(|_| is_port)))
    }

    /// The known name that is the given one or similar to it. A path with a filter, such as `env.HOME`, is always known.
    fn meant_name<'s>(&'s self, name: &'s str, scope: Scope<'s>) -> Option<&'s str> {
        if name.contains('.') {
            return Some(name);
        }
        let values = scope.values.iter().map(|(key, _)| key.as_str());
        let run_time = scope.run_time.iter().map(|known| known.name.as_str());
        let defined = self.defined.keys().copied();
        let mut known: Vec<&str> = defined.chain(values).chain(run_time).collect();
        known.sort_unstable();
        let exact = known.iter().find(|known| **known == name).copied();
        let is_long = name.len() >= MIN_SIMILAR;
        exact.or_else(|| closest_match(name, known.into_iter().filter(|_| is_long)))
    }
}

/// The error for such braces.
pub(super) fn not_a_variable(written: &str, meant: &str, span: Span) -> Diagnostic {
    let message = format!("`{written}` is not a variable");
    let help = format!("write {meant}, or for literal braces write `\\{{{{`");
    Diagnostic::error(UNDEFINED_VARIABLE, span, message).help(help)
}
