//! Runs a finished spec in the sandbox.

use std::path::Path;

use serde_json::Value;

use super::Learner;
use super::project::main_files;
use crate::sandbox::{SandboxOutput, SandboxProgram};

/// How RSpec is started, most faithful first. A project's own options may need gems that are not installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    Bundled,
    Plain,
    WithoutOptions,
}

impl Learner {
    /// The results of RSpec's JSON formatter, one for each way to start RSpec that wrote any. Each way is only tried when
    /// the result before it is rejected.
    pub(crate) fn spec_results(
        &self,
        root: &Path,
        spec: &Path,
    ) -> impl Iterator<Item = Result<Value, String>> {
        let bundled = root
            .join("Gemfile.lock")
            .is_file()
            .then_some(Start::Bundled);
        let starts = bundled
            .into_iter()
            .chain([Start::Plain, Start::WithoutOptions]);
        starts.map(move |start| {
            let output = self.run_spec(root, spec, start);
            output.and_then(|output| result_in(&output))
        })
    }

    fn run_spec(&self, root: &Path, spec: &Path, start: Start) -> Result<SandboxOutput, String> {
        let (root_text, spec) = (root.to_string_lossy(), spec.to_string_lossy());
        let main_files: Vec<_> = main_files(root)
            .iter()
            .map(|file| file.to_string_lossy().into_owned())
            .collect();
        let mut words = vec!["-C", &root_text, "-I", "lib", "-I", "spec", "-S"];
        match start {
            Start::Bundled => words.extend(["bundle", "exec", "rspec"]),
            Start::Plain => words.push("rspec"),
            // The options usually require a helper, which loads the project.
            Start::WithoutOptions => {
                words.extend(["rspec", "--options", "/dev/null"]);
                words.extend(main_files.iter().flat_map(|file| ["--require", file]));
            }
        }
        words.extend(["--no-color", "--format", "json", &spec]);
        let arguments: Vec<_> = words.into_iter().map(ToOwned::to_owned).collect();
        let program = SandboxProgram {
            program: "ruby",
            arguments: &arguments,
            input: &[],
            project: root,
            readable: &[],
        };
        self.sandbox
            .run(&program)
            .map_err(|error| error.to_string())
    }
}

/// The object that RSpec prints. The specs may print other lines.
fn result_in(output: &SandboxOutput) -> Result<Value, String> {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let objects = stdout
        .lines()
        .rev()
        .filter(|line| line.contains("{\"version\":"));
    let mut objects = objects.filter_map(|line| {
        let start = line.find("{\"version\":")?;
        serde_json::from_str(&line[start..]).ok()
    });
    objects.next().ok_or_else(|| {
        let mut lines = output.stderr.lines().chain(stdout.lines()).map(str::trim);
        let line = lines.find(|line| !line.is_empty());
        line.unwrap_or("rspec wrote no result").to_owned()
    })
}
