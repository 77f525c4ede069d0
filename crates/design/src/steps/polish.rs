//! `design polish`: checks the syntax, runs the linter and the spec, and inspects the text (rule W9).

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::lint::Linter;
use super::progress::Step;
use super::skeleton::write;
use super::spec_workspace::SpecWorkspace;
use super::verify::load_error;
use super::{LOAD_ERRORS, StepContext, StepError, Target};
use crate::outline::{Example, Group, Outline, outline};

/// The result of `design polish`.
#[derive(Debug)]
pub struct Polished {
    /// The spec.
    pub path: PathBuf,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The linter that was run; `None` if the project has none.
    pub linter: Option<&'static str>,
}

/// Polishes a spec.
pub fn polish(target: &Target, context: &StepContext<'_>) -> Result<Polished, StepError> {
    polish_unless_green(target, None, context)
}

/// Polishes a spec, and does not run it again if its text is the one that just passed.
pub(super) fn polish_unless_green(
    target: &Target,
    green_text: Option<&str>,
    context: &StepContext<'_>,
) -> Result<Polished, StepError> {
    let workspace = SpecWorkspace::of(target, Step::Polisher, context)?;
    let in_spec = |source| StepError::Ruby {
        file: workspace.spec.clone(),
        source,
    };
    outline(workspace.text.as_bytes(), "spec").map_err(in_spec)?;
    let linter = Linter::of(&workspace.root);
    let mut warnings = lint(linter, &workspace, context)?;
    let text = fs::read_to_string(&workspace.spec).unwrap_or_else(|_| workspace.text.clone());
    if green_text != Some(text.as_str()) {
        warnings.extend(failures(&workspace, context));
    }
    let read = outline(text.as_bytes(), "spec").map_err(in_spec)?;
    warnings.extend(inspect(&read));
    workspace.finish(Step::Polisher, &warnings, |document| {
        let name = json!(linter.map(Linter::name));
        document.set_in("automation", "linter", &name);
    })?;
    Ok(Polished {
        path: workspace.spec,
        warnings,
        linter: linter.map(Linter::name),
    })
}

/// Corrects the spec with the project's linter.
fn lint(
    linter: Option<Linter>,
    workspace: &SpecWorkspace,
    context: &StepContext<'_>,
) -> Result<Vec<String>, StepError> {
    let Some(linter) = linter else {
        return Ok(Vec::new());
    };
    let (text, warning) =
        linter.autocorrect(&workspace.root, &workspace.spec, &workspace.text, context)?;
    if text != workspace.text {
        write(&workspace.spec, &text)?;
    }
    Ok(warning.into_iter().collect())
}

/// Runs the spec; a warning unless it passes.
fn failures(workspace: &SpecWorkspace, context: &StepContext<'_>) -> Option<String> {
    match context.rspec(&workspace.root, &workspace.spec) {
        None => Some("rspec is not installed; the spec was not run".to_owned()),
        Some(ran) if ran.output.contains(LOAD_ERRORS) => Some(format!(
            "the spec cannot be loaded: {}",
            load_error(&ran.output)
        )),
        Some(ran) if !ran.is_success => Some(format!("rspec: {}", ran.summary())),
        Some(_) => None,
    }
}

/// Reports empty examples, examples without expectations and duplicate descriptions in a group.
fn inspect(outline: &Outline) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut examples = Vec::new();
    for group in outline.groups.iter().chain(&outline.shared) {
        collect(group, &mut examples, &mut warnings);
    }
    for example in examples.iter().filter(|example| example.is_empty) {
        warnings.push(format!("line {}: the example is empty", example.line));
    }
    let expecting = examples.iter().filter(|example| example.expects);
    let (count, expecting) = (examples.len(), expecting.count());
    if count > expecting {
        let missing = count - expecting;
        let examples = if count == 1 { "example" } else { "examples" };
        let have = if missing == 1 { "has" } else { "have" };
        warnings.push(format!(
            "{missing} of {count} {examples} {have} no expectation"
        ));
    }
    warnings
}

fn collect<'o>(group: &'o Group, examples: &mut Vec<&'o Example>, warnings: &mut Vec<String>) {
    let mut seen: Vec<&str> = Vec::new();
    for example in group.examples() {
        let description = example.description.as_str();
        if description != "unknown" && seen.contains(&description) {
            warnings.push(format!(
                "line {}: '{description}' is described twice",
                example.line
            ));
        }
        seen.push(description);
        examples.push(example);
    }
    for inner in group.groups().chain(&group.shared) {
        collect(inner, examples, warnings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_about_the_text() {
        for (inside, expected) in [
            ("it('a') { expect(1).to eq 1 }", ""),
            (
                "it('a') { is_expected.to be }\nit('b') { x.should eq 1 }",
                "",
            ),
            ("it('a') { skip 'later' }", ""),
            (
                "it('expects a') { }",
                "line 2: the example is empty; 1 of 1 example has no expectation",
            ),
            (
                "it 'a' do\n  # expect nothing\nend\nit('b') { expect { x }.to raise_error }",
                "line 2: the example is empty; 1 of 2 examples has no expectation",
            ),
            ("it('a') { call }", "1 of 1 example has no expectation"),
            ("it 'a'", "1 of 1 example has no expectation"),
            (
                "it('a') { expect(1).to eq 1 }\nit('a') { expect(2).to eq 2 }",
                "line 3: 'a' is described twice",
            ),
            (
                "it('a') { expect(1).to eq 1 }\ncontext('when b') { it('a') { expect(2).to eq 2 } }",
                "",
            ),
            ("it { is_expected.to be }\nit { is_expected.to eq 1 }", ""),
            (
                "shared_examples('s') do\nit('a') { }\nend",
                "line 3: the example is empty; 1 of 1 example has no expectation",
            ),
        ] {
            let spec = format!("describe A do\n{inside}\nend\n");
            let read = outline(spec.as_bytes(), "spec").unwrap();
            assert_eq!(inspect(&read).join("; "), expected, "{inside}");
        }
    }
}
