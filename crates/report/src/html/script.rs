//! Joins the modules of a page into one script.
//!
//! The files in `script/` are JavaScript modules: each names what it takes from others with `import`, and what others may take
//! with `export`. A page that is opened from a file cannot load modules, so they are joined: each one after those that it
//! imports, in one function. There, two top-level names that are equal are an error of the whole script; `tests/html/modules.rs`
//! checks that there are none, that each import exists, and that no module uses names that it does not import.

/// A file of a script.
#[derive(Debug, Clone, Copy)]
pub struct Module {
    /// The name by which others import it, such as `dom.js`.
    pub name: &'static str,
    /// Its text. An `import` is one line.
    pub text: &'static str,
}

/// Defines modules from files in a directory next to the file that names them.
#[macro_export]
macro_rules! modules {
    ($directory:literal: $($name:literal),+ $(,)?) => {
        [$($crate::html::Module {
            name: $name,
            text: include_str!(concat!($directory, "/", $name)),
        }),+]
    };
}

/// The modules that show texts, values and runs, for any source of data.
pub(super) static COMPONENTS: &[Module] = &modules!("script":
    "address.js", "ansi.js", "command.js", "conversation.js", "data.js", "detail.js", "diff.js", "dom.js", "evaluation.js",
    "exact.js", "filter.js", "graph.js", "groups.js", "handover.js", "json.js", "list.js", "main.js", "overview.js",
    "print.js", "refresh.js", "reviews.js", "screen.js", "shortened.js", "state.js", "steps.js", "text.js", "theme.js", "timeline.js",
    "topics.js", "tree.js",
);

/// The modules of a page with its data in its own file.
pub(super) static EMBEDDED: &[Module] = &modules!("script": "embedded.js", "start.js");

/// The script that starts with this module, of the report's components and others.
pub fn script(others: &[Module], start: &str) -> String {
    let mut bundle = Bundle {
        modules: [COMPONENTS, others].concat(),
        joined: Vec::new(),
        text: "(() => {\n'use strict';\n".to_owned(),
    };
    bundle.add(start);
    bundle.text + "})();\n"
}

struct Bundle {
    modules: Vec<Module>,
    joined: Vec<&'static str>,
    text: String,
}

impl Bundle {
    /// Adds a module after those that it imports.
    fn add(&mut self, name: &str) {
        let module = self.modules.iter().find(|module| module.name == name);
        let module = *module.unwrap_or_else(|| panic!("there is no module {name}"));
        if self.joined.contains(&module.name) {
            return;
        }
        self.joined.push(module.name);
        for import in module.text.lines().filter_map(imported) {
            self.add(import);
        }
        for line in module.text.lines().filter(|line| imported(line).is_none()) {
            self.text += line.strip_prefix("export ").unwrap_or(line);
            self.text.push('\n');
        }
    }
}

/// The module that a line imports.
fn imported(line: &str) -> Option<&str> {
    let (_, from) = line.strip_prefix("import ")?.split_once(" from './")?;
    from.strip_suffix("';")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(name: &'static str, text: &'static str) -> Module {
        Module { name, text }
    }

    #[test]
    fn each_module_comes_once_after_those_that_it_imports() {
        let others = [
            module(
                "last.js",
                "import { b } from './second.js';\nimport { a } from './first.js';\n\na(b);\n",
            ),
            module(
                "second.js",
                "import { a } from './first.js';\nexport const b = a;\n",
            ),
            module("first.js", "export const a = 1;\n"),
            module("unused.js", "broken"),
        ];
        assert_eq!(
            script(&others, "last.js"),
            "(() => {\n'use strict';\nconst a = 1;\nconst b = a;\n\na(b);\n})();\n"
        );
    }
}
