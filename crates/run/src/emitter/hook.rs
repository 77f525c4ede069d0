//! Failed hooks in the record.

use casebook_record::Metadata;
use casebook_record::event::{ExampleFailed, ExampleStarted};
use casebook_suite::model::Script;
use serde_json::{Map, Value};

use super::{EventEmitter, SourceQuote, source_quote};
use crate::plan::PlannedSuite;
use crate::seconds::seconds;
use crate::shell::capture::trimmed;
use crate::shell::{Hook, HookFailure, HookReason};

impl EventEmitter<'_> {
    /// Emits a failed `teardownFile` as an additional example, because it belongs to no test.
    pub(crate) fn teardown_file_failed(&self, suite: &PlannedSuite, hook: &HookFailure) {
        let Some(last) = suite.tests.last() else {
            return;
        };
        let path =
            casebook_record::canonical_path([&*suite.suite.name, Hook::TeardownFile.name()], None);
        let id = format!("{}-teardownFile", last.id);
        let full_description = format!("{} {}", suite.suite.name, Hook::TeardownFile.name());
        let data = self.hook_data(suite, hook);
        let line = data
            .get("line")
            .map_or_else(|| "1".to_owned(), Value::to_string);
        let location = format!("{}:{line}", suite.name());
        let file = suite.name();
        self.sink.publish(
            ExampleStarted {
                time: self.clock.now(),
                example_id: id.clone(),
                stable_id: None,
                canonical_path: Some(path),
                description: Hook::TeardownFile.name().to_owned(),
                full_description: full_description.clone(),
                location: location.clone(),
                scenario: None,
                position: Some(last.position as u64),
                metadata: Metadata::from_iter([
                    ("suite", suite.suite.name.as_str()),
                    ("file", file),
                ]),
            }
            .into(),
        );
        self.sink.publish(
            ExampleFailed {
                time: self.clock.now(),
                example_id: id,
                stable_id: None,
                description: Hook::TeardownFile.name().to_owned(),
                full_description,
                location,
                duration: 0.0,
                message: Some(hook_message(hook)),
                backtrace: None,
                exception_class: Some("Casebook::TeardownFailed".to_owned()),
                metadata: Metadata::from_iter([("hook", Value::Object(data))]),
            }
            .into(),
        );
    }

    pub(super) fn hook_data(&self, suite: &PlannedSuite, hook: &HookFailure) -> Map<String, Value> {
        let mut data = Map::from_iter([
            ("name".to_owned(), hook.hook.name().into()),
            ("message".to_owned(), hook_message(hook).into()),
        ]);
        if let Some(code) = hook.exit_code {
            data.insert("exit_code".into(), code.into());
        }
        if hook.timed_out.is_some() {
            data.insert("timed_out".into(), true.into());
        }
        let (output, _) = self.budget.excerpt(trimmed(&hook.output));
        data.insert("output".into(), output.into());
        let hooks = &suite.suite.hooks;
        let script: Option<&Script> = match hook.hook {
            Hook::SetupFile => hooks.setup_file.as_ref(),
            Hook::Setup => hooks.setup.as_ref(),
            Hook::Teardown => hooks.teardown.as_ref(),
            Hook::TeardownFile => hooks.teardown_file.as_ref(),
        };
        if let Some(script) = script {
            let SourceQuote { file, line, source } = source_quote(&suite.suite.file, script.span);
            data.insert("file".into(), file.into());
            data.insert("line".into(), line.into());
            data.insert("source".into(), source.into());
        }
        data
    }
}

/// Describes a hook failure in one line.
pub(crate) fn hook_message(hook: &HookFailure) -> String {
    let name = hook.hook.name();
    match hook {
        HookFailure {
            reason: Some(HookReason::CommandNotStarted),
            ..
        } => "cannot start the command".to_owned(),
        HookFailure {
            reason: Some(HookReason::SuiteNotPrepared(why)),
            ..
        } => format!("cannot open the suite: {why}"),
        HookFailure {
            reason: Some(HookReason::Hook(reason)),
            ..
        } => format!("`{name}` {reason}"),
        HookFailure {
            timed_out: Some(given),
            ..
        } => {
            format!(
                "`{name}` took longer than {} and was killed",
                seconds(*given)
            )
        }
        HookFailure {
            exit_code: Some(0), ..
        } => {
            format!("`{name}` called `exit`: end a hook with `return` instead")
        }
        HookFailure {
            exit_code: Some(code),
            ..
        } => format!("`{name}` failed with exit code {code}"),
        HookFailure { .. } => format!("`{name}` failed"),
    }
}
