//! [`Step`]: the steps, the keys that each may write, and the progress of a document (rules P3 to P5).

use serde_json::{Value, json};

use crate::metadata::document::Document;
use crate::metadata::freshness::is_analyzed;
use crate::metadata::read::{Layout, layout, plans};

/// A step of the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Finds characteristics.
    Analyzer,
    /// Validates the metadata.
    Validator,
    /// Writes the skeleton.
    Skeleton,
    /// Describes contexts and examples.
    Architect,
    /// Writes setup and expectations.
    Implementer,
    /// Makes factory calls cheaper.
    Optimizer,
    /// Lints and runs the spec.
    Polisher,
    /// Writes a review report.
    Reviewer,
}

impl Step {
    /// All steps, in their order.
    pub const ALL: [Step; 8] = [
        Step::Analyzer,
        Step::Validator,
        Step::Skeleton,
        Step::Architect,
        Step::Implementer,
        Step::Optimizer,
        Step::Polisher,
        Step::Reviewer,
    ];

    /// Its name in the metadata (rule P5). Messages use its [`command`](Step::command).
    pub fn name(self) -> &'static str {
        match self {
            Step::Analyzer => "analyzer",
            Step::Validator => "validator",
            Step::Skeleton => "skeleton",
            Step::Architect => "architect",
            Step::Implementer => "implementer",
            Step::Optimizer => "factory_optimizer",
            Step::Polisher => "polisher",
            Step::Reviewer => "reviewer",
        }
    }

    /// The command that runs it.
    pub fn command(self) -> &'static str {
        match self {
            Step::Analyzer => "analyze",
            Step::Validator => "validate",
            Step::Skeleton => "skeleton",
            Step::Architect => "architect",
            Step::Implementer => "implement",
            Step::Optimizer => "optimize",
            Step::Polisher => "polish",
            Step::Reviewer => "review",
        }
    }

    /// Parses any of its names: in the metadata, of its command, or of the agent for it in one of the formats.
    pub fn parse(text: &str) -> Option<Step> {
        let plain = text.replace('-', "_");
        let plain = plain.strip_prefix("rspec_").unwrap_or(&plain);
        let step = Step::ALL
            .into_iter()
            .find(|step| step.name() == plain || step.command() == plain);
        step.or_else(|| agent(plain))
    }

    /// The step that must be done before this one. Optional steps are not required.
    pub(super) fn needs(self) -> Option<Step> {
        match self {
            Step::Analyzer => None,
            Step::Validator => Some(Step::Analyzer),
            Step::Skeleton => Some(Step::Validator),
            Step::Architect => Some(Step::Skeleton),
            Step::Implementer => Some(Step::Architect),
            Step::Optimizer | Step::Polisher | Step::Reviewer => Some(Step::Implementer),
        }
    }

    /// The key in `automation` that marks it as done.
    fn flag(self) -> String {
        match self {
            Step::Skeleton => "skeleton_generated".to_owned(),
            step => format!("{}_completed", step.name()),
        }
    }

    /// Whether a document marks it as done. A skipped step counts as done.
    pub fn is_done(self, document: &Document) -> bool {
        let is_set = |key: &str| document.at(&["automation", key]) == Some(&Value::Bool(true));
        match self {
            Step::Analyzer => is_analyzed(document),
            // The plugin layout has no `validation` section. The steps after the validator validate it themselves.
            Step::Validator if layout(document.value()) == Layout::Plugin => {
                is_analyzed(document)
                    && document.at(&["automation", "validation_passed"])
                        != Some(&Value::Bool(false))
            }
            Step::Validator => {
                document.at(&["validation", "completed"]) == Some(&Value::Bool(true))
            }
            step => is_set(&step.flag()) || is_set(&format!("{}_skipped", step.name())),
        }
    }

    /// Whether it is done for these methods. A document with several methods may mark it per method.
    pub(super) fn is_done_for(self, document: &Document, methods: &[String]) -> bool {
        let done = self.methods(document);
        self.is_done(document)
            || !methods.is_empty() && methods.iter().all(|method| done.contains(&method.as_str()))
    }

    /// The methods for which a document marks it as done.
    fn methods(self, document: &Document) -> Vec<&str> {
        let done = document.at(&["automation", &self.list()]);
        let done = done.and_then(Value::as_array).into_iter().flatten();
        done.filter_map(Value::as_str).collect()
    }

    /// The key of the list of methods for which it is done.
    fn list(self) -> String {
        format!("{}_methods", self.name())
    }

    /// Records that it is done for some methods of a document. When it is done for all, it is recorded for the document.
    pub(super) fn finish_for(self, document: &mut Document, version: &str, methods: &[String]) {
        let all = plans(document, None).unwrap_or_default();
        let mut done: Vec<String> = self
            .methods(document)
            .into_iter()
            .map(ToOwned::to_owned)
            .collect();
        let new = methods.iter().filter(|method| !done.contains(method));
        done.extend(new.cloned().collect::<Vec<_>>());
        let is_incomplete = all.iter().any(|plan| !done.contains(&plan.id()));
        if self == Step::Validator || !is_incomplete {
            return self.finish(document, version);
        }
        document.set_in("automation", &self.list(), &json!(done));
    }

    /// Records that it is done. The flag is written last.
    pub(super) fn finish(self, document: &mut Document, version: &str) {
        if self == Step::Validator {
            return;
        }
        if self != Step::Skeleton {
            document.set_in(
                "automation",
                &format!("{}_version", self.name()),
                &json!(version),
            );
        }
        // The plugin's own name of this step.
        if self == Step::Implementer && layout(document.value()) == Layout::Plugin {
            document.set_in("automation", "spec_writer_completed", &Value::Bool(true));
        }
        document.set_in("automation", &self.flag(), &Value::Bool(true));
    }

    /// The sections and keys that it may write. A key that ends with `*` means all keys with this prefix.
    pub fn own_keys(self) -> &'static [&'static str] {
        match self {
            Step::Analyzer => &[
                "analyzer",
                "test_level",
                "target",
                "characteristics",
                "factories_detected",
                "automation.analyzer_*",
                "automation.factories_detected",
            ],
            Step::Validator => &["validation", "automation.validation_passed"],
            Step::Skeleton => &["automation.skeleton_*"],
            Step::Architect => &["automation.architect_*"],
            Step::Implementer => &["automation.implementer_*"],
            Step::Optimizer => &["automation.factory_optimiz*", "automation.warnings"],
            Step::Polisher => &[
                "automation.polisher_*",
                "automation.linter",
                "automation.warnings",
            ],
            Step::Reviewer => &[],
        }
    }

    /// Whether the step may write a key of the document, given as `section`, `section.key` or `automation.key`.
    pub(super) fn may_write(self, path: &str) -> bool {
        let section = path.split('.').next().unwrap_or(path);
        self.own_keys()
            .iter()
            .any(|own| match own.strip_suffix('*') {
                Some(start) => path.starts_with(start),
                None => *own == path || *own == section,
            })
    }
}

/// The agents that perform a step in other versions of the pipeline.
fn agent(name: &str) -> Option<Step> {
    Some(match name {
        "discovery_agent" | "code_analyzer" => Step::Analyzer,
        "metadata_validator" => Step::Validator,
        "skeleton_generator" | "spec_skeleton_generator" => Step::Skeleton,
        "test_architect" => Step::Architect,
        "test_implementer" | "spec_writer" => Step::Implementer,
        "optimizer" | "factory" => Step::Optimizer,
        "test_reviewer" => Step::Reviewer,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_have_several_names() {
        for (typed, step) in [
            ("analyzer", Some(Step::Analyzer)),
            ("analyze", Some(Step::Analyzer)),
            ("rspec-analyzer", Some(Step::Analyzer)),
            ("code-analyzer", Some(Step::Analyzer)),
            ("factory_optimizer", Some(Step::Optimizer)),
            ("factory-optimizer", Some(Step::Optimizer)),
            ("optimizer", Some(Step::Optimizer)),
            ("rspec-factory", Some(Step::Optimizer)),
            ("spec-writer", Some(Step::Implementer)),
            ("test-reviewer", Some(Step::Reviewer)),
            ("polish", Some(Step::Polisher)),
            ("painter", None),
        ] {
            assert_eq!(Step::parse(typed), step, "{typed}");
        }
    }
}
