//! The modules of the pages' scripts, which are joined in one scope: no name is declared twice, each import exists and is used,
//! and no module uses or changes a name of another one that it does not import.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

type Names = BTreeSet<String>;

/// A module: its top-level names, and what its code refers to.
#[derive(Debug, Default)]
struct Module {
    declared: Vec<String>,
    exported: Names,
    imports: Vec<(String, String)>,
    /// Names that are neither properties nor keys.
    used: Names,
    /// Names that a parameter or a variable of a function has.
    bound: Names,
    assigned: Names,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Name(String),
    Sign(String),
    Literal,
}

impl Token {
    fn is(&self, sign: &str) -> bool {
        matches!(self, Token::Sign(own) | Token::Name(own) if own == sign)
    }

    fn name(&self) -> Option<&str> {
        match self {
            Token::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// The names and signs of a script. Comments, texts and regular expressions are skipped.
fn tokens(text: &str) -> Vec<Token> {
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut found, mut braces) = (0, Vec::new(), Vec::new());
    while at < text.len() {
        let (c, next) = (text[at], text.get(at + 1).copied().unwrap_or(' '));
        let is_template = c == '`' || (c == '}' && braces.last() == Some(&'`'));
        at = match c {
            _ if c.is_whitespace() => at + 1,
            '/' if next == '/' => end_of(&text, at, "\n"),
            '/' if next == '*' => end_of(&text, at + 2, "*/"),
            _ if is_template => {
                if c == '}' {
                    braces.pop();
                }
                found.push(Token::Literal);
                let (end, is_open) = end_of_template(&text, at + 1);
                if is_open {
                    braces.push('`');
                    found.push(Token::Sign("(".into()));
                }
                end
            }
            '\'' | '"' => {
                found.push(Token::Literal);
                end_of_literal(&text, at, c)
            }
            '/' if starts_an_expression(found.last()) => {
                found.push(Token::Literal);
                let end = end_of_literal(&text, at, '/');
                end + text[end..].iter().take_while(|c| c.is_alphabetic()).count()
            }
            _ if c.is_alphanumeric() || c == '_' => {
                let word = |c: &&char| c.is_alphanumeric() || **c == '_';
                let name: String = text[at..].iter().take_while(word).collect();
                let end = at + name.chars().count();
                found.push(if c.is_numeric() {
                    Token::Literal
                } else {
                    Token::Name(name)
                });
                end
            }
            _ => {
                match c {
                    '{' => braces.push('{'),
                    '}' => drop(braces.pop()),
                    _ => {}
                }
                let is_spread = text[at..].starts_with(&['.', '.', '.']);
                let pair: String = [c, next].iter().collect();
                let is_pair = [
                    "=>", "?.", "==", "!=", "<=", ">=", "+=", "-=", "&&", "||", "??",
                ]
                .contains(&pair.as_str());
                let sign = match (is_spread, is_pair) {
                    (true, _) => "...".to_owned(),
                    (false, true) => pair,
                    (false, false) => c.to_string(),
                };
                let end = at + sign.chars().count();
                found.push(Token::Sign(sign));
                end
            }
        };
    }
    found
}

fn end_of(text: &[char], from: usize, end: &str) -> usize {
    let end: Vec<char> = end.chars().collect();
    let length = end.len();
    (from..text.len())
        .find(|at| text[*at..].starts_with(&end))
        .map_or(text.len(), |at| at + length)
}

/// Where a text or a regular expression that starts here ends.
fn end_of_literal(text: &[char], start: usize, quote: char) -> usize {
    let (mut at, mut is_class) = (start + 1, false);
    while text[at] != quote || is_class {
        match text[at] {
            '\\' => at += 1,
            '[' if quote == '/' => is_class = true,
            ']' => is_class = false,
            _ => {}
        }
        at += 1;
    }
    at + 1
}

/// Where this part of a template ends, and whether an expression follows.
fn end_of_template(text: &[char], start: usize) -> (usize, bool) {
    let mut at = start;
    loop {
        match text[at] {
            '`' => return (at + 1, false),
            '$' if text[at + 1] == '{' => return (at + 2, true),
            '\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn starts_an_expression(before: Option<&Token>) -> bool {
    match before {
        None => true,
        Some(Token::Sign(sign)) => ![")", "]", "}"].contains(&sign.as_str()),
        Some(Token::Name(name)) => ["return", "typeof", "of", "in"].contains(&name.as_str()),
        Some(Token::Literal) => false,
    }
}

impl Module {
    fn of(text: &str) -> Module {
        let mut module = Module::default();
        let mut code = String::new();
        for line in text.lines() {
            if let Some((names, from)) = line
                .strip_prefix("import { ")
                .and_then(|rest| rest.split_once(" } from './"))
            {
                let from = from.strip_suffix("';").unwrap();
                let names = names
                    .split(", ")
                    .map(|name| (name.to_owned(), from.to_owned()));
                module.imports.extend(names);
                continue;
            }
            let (line, is_exported) = line
                .strip_prefix("export ")
                .map_or((line, false), |rest| (rest, true));
            if let Some(name) = declared(line) {
                module.exported.extend(is_exported.then(|| name.clone()));
                module.declared.push(name);
            }
            code += line;
            code.push('\n');
        }
        module.read(&tokens(&code));
        module
    }

    fn read(&mut self, tokens: &[Token]) {
        for (at, token) in tokens.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            let after = tokens.get(at + 1);
            let is = |token: Option<&Token>, signs: &[&str]| {
                token.is_some_and(|token| signs.iter().any(|sign| token.is(sign)))
            };
            if token.is("=>") || (token.is(")") && is(after, &["{"])) {
                let end = if token.is("=>") { at - 1 } else { at };
                self.bound.extend(parameters(tokens, end));
            }
            if is(Some(token), &["const", "let"]) {
                self.bound.extend(pattern(&tokens[at + 1..]));
            }
            let Some(name) = token.name() else { continue };
            let is_property = is(before, &[".", "?."]);
            let is_key = is(after, &[":"]) && is(before, &["{", ","]);
            if !is_property && !is_key {
                self.used.insert(name.to_owned());
                if is(after, &["=", "+=", "-="])
                    && !is(before, &["const", "let", ",", "(", "{", "["])
                {
                    self.assigned.insert(name.to_owned());
                }
            }
        }
        let declared: Names = self.declared.iter().cloned().collect();
        self.bound = self.bound.difference(&declared).cloned().collect();
    }
}

/// The name that a line at the top level declares.
fn declared(line: &str) -> Option<String> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    let kinds = ["const ", "let ", "class ", "function "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    Some(
        rest.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect(),
    )
}

/// The names of the parameters that end here, and that of their method.
fn parameters(tokens: &[Token], end: usize) -> Vec<String> {
    if let Some(name) = tokens[end].name() {
        return vec![name.to_owned()];
    }
    let mut depth = 0;
    let start = (0..=end).rev().find(|at| {
        depth += i32::from(tokens[*at].is(")")) - i32::from(tokens[*at].is("("));
        depth == 0
    });
    let start = start.unwrap_or(end).saturating_sub(1);
    let is_condition = ["if", "while", "switch"]
        .iter()
        .any(|word| tokens[start].is(word));
    let inside = tokens[start..end].iter().filter(|_| !is_condition);
    inside.filter_map(Token::name).map(str::to_owned).collect()
}

/// The names that `const` or `let` declares.
fn pattern(tokens: &[Token]) -> Vec<String> {
    let end = tokens
        .iter()
        .position(|token| ["=", "of", "in", ";"].iter().any(|sign| token.is(sign)));
    tokens[..end.unwrap_or(0)]
        .iter()
        .filter_map(Token::name)
        .map(str::to_owned)
        .collect()
}

/// All problems of the scripts in these directories that start with these modules.
pub(crate) fn problems(dirs: &[&Path], starts: &[&str]) -> Vec<String> {
    let files = dirs.iter().flat_map(|dir| std::fs::read_dir(dir).unwrap());
    let paths = files.map(|file| file.unwrap().path());
    let scripts = paths.filter(|path| path.extension().is_some_and(|kind| kind == "js"));
    let modules: BTreeMap<String, Module> = scripts
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, Module::of(&std::fs::read_to_string(path).unwrap()))
        })
        .collect();
    let mut found: Vec<_> = starts
        .iter()
        .flat_map(|start| in_script(&modules, start))
        .collect();
    found.sort();
    found.dedup();
    found
}

fn in_script(modules: &BTreeMap<String, Module>, start: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let (mut joined, mut next) = (BTreeSet::new(), vec![start.to_owned()]);
    while let Some(name) = next.pop() {
        match modules.get(&name) {
            None => problems.push(format!("there is no module {name}")),
            Some(module) if joined.insert(name) => {
                next.extend(module.imports.iter().map(|(_, from)| from.clone()));
            }
            Some(_) => {}
        }
    }
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    let parts = || modules.iter().filter(|(name, _)| joined.contains(*name));
    for (name, module) in parts() {
        for declared in &module.declared {
            if let Some(other) = owners.insert(declared, name) {
                problems.push(format!("{declared} is declared in {other} and {name}"));
            }
        }
    }
    for (name, module) in parts() {
        let imported: Names = module
            .imports
            .iter()
            .map(|(imported, _)| imported.clone())
            .collect();
        for (import, from) in &module.imports {
            if !modules[from].exported.contains(import) {
                problems.push(format!("{name}: {from} does not export {import}"));
            }
            if !module.used.contains(import) {
                problems.push(format!("{name}: {import} is imported and not used"));
            }
            if module.assigned.contains(import) && !module.bound.contains(import) {
                problems.push(format!(
                    "{name}: {import} is changed, which only {from} can"
                ));
            }
        }
        let is_own = |used: &&String| {
            imported.contains(*used)
                || module.bound.contains(*used)
                || module.declared.contains(*used)
        };
        for used in module.used.iter().filter(|used| !is_own(used)) {
            if let Some(owner) = owners.get(used.as_str()) {
                problems.push(format!(
                    "{name}: {used} of {owner} is used and not imported"
                ));
            }
        }
    }
    problems
}

#[test]
fn what_would_break_a_page_is_found() {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [
        (
            "start.js",
            "import { a, gone } from './a.js';\nimport { c } from './c.js';\n\na();\nconst twice = 1;\nc = 2;\n",
        ),
        (
            "a.js",
            "export const a = () => `${hidden} ${[1].map((c) => c)}`;\nconst twice = 2;\n",
        ),
        (
            "c.js",
            "// twice\nexport let c = /['`]/.test('twice');\nconst hidden = { twice: c };\n",
        ),
    ] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    assert_eq!(
        problems(&[dir.path()], &["start.js"]),
        [
            "a.js: hidden of c.js is used and not imported",
            "start.js: a.js does not export gone",
            "start.js: c is changed, which only c.js can",
            "start.js: gone is imported and not used",
            "twice is declared in a.js and start.js",
        ]
    );
}
