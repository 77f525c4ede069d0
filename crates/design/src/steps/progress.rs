//! Which steps there are, what each may write, and how far a file has come: rules P3 to P5.

use serde_json::{Value, json};

use crate::metadata::document::Document;
use crate::metadata::freshness::is_analyzed;
use crate::metadata::read::{Layout, layout, plans};

/// A step of the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Finds what varies.
    Analyzer,
    /// Checks the metadata.
    Validator,
    /// Writes the skeleton.
    Skeleton,
    /// Says what examples are about.
    Architect,
    /// Fills them in.
    Implementer,
    /// Makes factories cheap.
    Optimizer,
    /// Lints and runs.
    Polisher,
    /// Reports.
    Reviewer,
}

impl Step {
    /// In the order they are done.
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

    /// Its name in the metadata (rule P5).
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

    /// The command that does it.
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

    /// From any of its names: in the metadata, of its command, or of the agent that does it in one of the formats.
    pub fn parse(text: &str) -> Option<Step> {
        let plain = text.replace('-', "_");
        let plain = plain.strip_prefix("rspec_").unwrap_or(&plain);
        let step = Step::ALL
            .into_iter()
            .find(|step| step.name() == plain || step.command() == plain);
        step.or_else(|| agent(plain))
    }

    /// The step whose work this one needs; optional ones are passed over.
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

    /// The flag that says it is done.
    fn flag(self) -> String {
        match self {
            Step::Skeleton => "skeleton_generated".to_owned(),
            step => format!("{}_completed", step.name()),
        }
    }

    /// Whether a document says that it is done; a skipped step counts.
    pub fn is_done(self, document: &Document) -> bool {
        let says = |key: &str| document.at(&["automation", key]) == Some(&Value::Bool(true));
        match self {
            Step::Analyzer => is_analyzed(document),
            // The layout of many methods has no section for it: the steps after it look for themselves.
            Step::Validator if layout(document.value()) == Layout::Plugin => {
                is_analyzed(document)
                    && document.at(&["automation", "validation_passed"])
                        != Some(&Value::Bool(false))
            }
            Step::Validator => {
                document.at(&["validation", "completed"]) == Some(&Value::Bool(true))
            }
            step => says(&step.flag()) || says(&format!("{}_skipped", step.name())),
        }
    }

    /// Whether it is done for these methods; a document of many methods may say so of each.
    pub(super) fn is_done_for(self, document: &Document, methods: &[String]) -> bool {
        let told = self.methods(document);
        self.is_done(document)
            || !methods.is_empty() && methods.iter().all(|method| told.contains(&method.as_str()))
    }

    /// The methods of which a document says that it is done.
    fn methods(self, document: &Document) -> Vec<&str> {
        let told = document.at(&["automation", &self.list()]);
        let told = told.and_then(Value::as_array).into_iter().flatten();
        told.filter_map(Value::as_str).collect()
    }

    /// The key under which methods are told apart.
    fn list(self) -> String {
        format!("{}_methods", self.name())
    }

    /// Records that it is done for some of a document's methods: as a whole once none is left.
    pub(super) fn finish_for(self, document: &mut Document, version: &str, methods: &[String]) {
        let all = plans(document, None).unwrap_or_default();
        let mut told: Vec<String> = self
            .methods(document)
            .into_iter()
            .map(ToOwned::to_owned)
            .collect();
        let new = methods.iter().filter(|method| !told.contains(method));
        told.extend(new.cloned().collect::<Vec<_>>());
        let is_left = all.iter().any(|plan| !told.contains(&plan.id()));
        if self == Step::Validator || !is_left {
            return self.finish(document, version);
        }
        document.set_in("automation", &self.list(), &json!(told));
    }

    /// Records that it is done, its flag last.
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
        document.set_in("automation", &self.flag(), &Value::Bool(true));
    }

    /// Whether a step may write a key of the document: `section`, or `automation.key`.
    pub fn may_write(self, path: &str) -> bool {
        let own = |key: &str| {
            path.strip_prefix("automation.")
                .is_some_and(|rest| rest.starts_with(key))
        };
        match self {
            Step::Analyzer => {
                let sections = [
                    "analyzer",
                    "test_level",
                    "target",
                    "characteristics",
                    "factories_detected",
                ];
                sections.contains(&path.split('.').next().unwrap_or(path))
                    || own("analyzer_")
                    || path == "automation.factories_detected"
            }
            Step::Validator => {
                path.split('.').next() == Some("validation")
                    || path == "automation.validation_passed"
            }
            Step::Skeleton => own("skeleton_"),
            Step::Architect => own("architect_"),
            Step::Implementer => own("implementer_"),
            Step::Optimizer => own("factory_optimiz") || path == "automation.warnings",
            Step::Polisher => {
                own("polisher_") || matches!(path, "automation.linter" | "automation.warnings")
            }
            Step::Reviewer => false,
        }
    }
}

/// The agents that other versions have for a step.
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
