//! The options that the tool `rspec` passes to RSpec. A path among them must be below the root, so each word is read as
//! RSpec reads it; what is not in the table is rejected.

use std::iter::Peekable;

use crate::mcp::input::Input;

/// What follows an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Nothing,
    /// Only after `=`, or directly after the letter.
    Attached,
    /// A number, also as the next word.
    Number,
    Any,
    Path,
    /// Paths with `:` between them.
    Paths,
    /// Globs with `,` between them.
    Globs,
}

/// The names of an option: the letter is 0 if it has none. A long name is complete: RSpec's abbreviations are rejected.
const OPTIONS: [(u8, &str, Value); 31] = [
    (b'I', "", Value::Paths),
    (b'r', "require", Value::Path),
    (b'O', "options", Value::Path),
    (b'o', "out", Value::Path),
    (0, "deprecation-out", Value::Path),
    (0, "default-path", Value::Path),
    (b'P', "pattern", Value::Globs),
    (0, "exclude-pattern", Value::Globs),
    (0, "order", Value::Any),
    (0, "seed", Value::Any),
    (0, "failure-exit-code", Value::Any),
    (0, "error-exit-code", Value::Any),
    (b'f', "format", Value::Any),
    (b'e', "example", Value::Any),
    (b'E', "example-matches", Value::Any),
    (b't', "tag", Value::Any),
    (0, "fail-fast", Value::Attached),
    (0, "no-fail-fast", Value::Nothing),
    (b'p', "profile", Value::Number),
    (0, "no-profile", Value::Nothing),
    (b'b', "backtrace", Value::Nothing),
    (b'c', "color", Value::Nothing),
    (0, "colour", Value::Nothing),
    (0, "force-color", Value::Nothing),
    (0, "force-colour", Value::Nothing),
    (0, "no-color", Value::Nothing),
    (0, "no-colour", Value::Nothing),
    (0, "dry-run", Value::Nothing),
    (b'w', "warnings", Value::Nothing),
    (0, "only-failures", Value::Nothing),
    (b'n', "next-failure", Value::Nothing),
];

/// Checks the words after `--`.
pub(super) fn check(words: &[&str], input: &Input<'_>) -> Result<(), String> {
    let mut words = words.iter().copied().peekable();
    while let Some(word) = words.next() {
        if let Some(long) = word.strip_prefix("--").filter(|long| !long.is_empty()) {
            check_long(word, long, &mut words, input)?;
        } else if let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')) {
            check_short(word, letters, &mut words, input)?;
        } else {
            return Err(format!(
                "`{word}` in `options` is not an option; put files and directories into `specs`"
            ));
        }
    }
    Ok(())
}

fn check_long<'w>(
    word: &str,
    long: &'w str,
    rest: &mut Peekable<impl Iterator<Item = &'w str>>,
    input: &Input<'_>,
) -> Result<(), String> {
    let (name, attached) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    };
    let known = OPTIONS.iter().find(|(_, known, _)| *known == name);
    let (.., value) = known.ok_or_else(|| unknown(word))?;
    check_value(*value, word, attached, rest, input)
}

/// Several letters may share a word; the first one with a value takes the rest of it.
fn check_short<'w>(
    word: &str,
    letters: &'w str,
    rest: &mut Peekable<impl Iterator<Item = &'w str>>,
    input: &Input<'_>,
) -> Result<(), String> {
    for (at, letter) in letters.char_indices() {
        let known = OPTIONS
            .iter()
            .find(|(short, ..)| *short != 0 && char::from(*short) == letter);
        let (.., value) = known.ok_or_else(|| unknown(word))?;
        if *value != Value::Nothing {
            let attached = &letters[at + letter.len_utf8()..];
            let attached = attached.strip_prefix('=').unwrap_or(attached);
            let attached = Some(attached).filter(|value| !value.is_empty());
            return check_value(*value, word, attached, rest, input);
        }
    }
    if letters.is_empty() {
        return Err(unknown(word));
    }
    Ok(())
}

fn unknown(word: &str) -> String {
    let known = OPTIONS.iter().filter(|(_, long, _)| !long.is_empty());
    let known: Vec<_> = known.map(|(_, long, _)| format!("--{long}")).collect();
    format!(
        "`{word}` cannot be passed to RSpec by this tool; the options are -I, {}",
        known.join(", ")
    )
}

fn check_value<'w>(
    value: Value,
    word: &str,
    attached: Option<&'w str>,
    rest: &mut Peekable<impl Iterator<Item = &'w str>>,
    input: &Input<'_>,
) -> Result<(), String> {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let text = match value {
        Value::Nothing | Value::Attached => return Ok(()),
        Value::Number if attached.is_some_and(|text| !is_number(text)) => {
            return Err(format!("`{word}` needs a number"));
        }
        Value::Number => {
            let is_separate = attached.is_none();
            rest.next_if(|word| is_separate && is_number(word));
            return Ok(());
        }
        _ => match attached {
            Some(text) => text,
            None => rest
                .next()
                .ok_or_else(|| format!("`{word}` needs a value"))?,
        },
    };
    match value {
        Value::Path => input.below_root(text).map(drop),
        Value::Paths => text.split(':').try_for_each(|path| below(path, input)),
        Value::Globs => check_globs(text, input),
        _ => Ok(()),
    }
}

fn below(path: &str, input: &Input<'_>) -> Result<(), String> {
    match path {
        "" => Ok(()),
        path => input.below_root(path).map(drop),
    }
}

/// Braces and brackets could spell `..` or the begin of an absolute path, so each part must be below the root, and a dot is
/// followed by a name.
fn check_globs(globs: &str, input: &Input<'_>) -> Result<(), String> {
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '/');
    let mut after_dots = globs.split('.').skip(1);
    if after_dots.any(|after| !after.starts_with(is_name)) {
        return Err(format!(
            "cannot use `{globs}`: write the pattern without `..` and with a name after each `.`"
        ));
    }
    globs
        .split([',', '{', '}'])
        .try_for_each(|part| below(part.trim(), input))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::caller::Root;
    use crate::mcp::message::Params;

    #[test]
    fn paths_in_options_are_below_the_root() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::new(dir.path()).unwrap();
        let arguments = Params::new();
        let schema = json!({});
        let input = Input::new(&arguments, &schema, &root).unwrap();
        let outside = "it is outside of";
        let bare = "put files and directories into `specs`";
        let unknown = "cannot be passed to RSpec";
        let glob = "write the pattern without `..`";
        for (words, expected) in [
            ("--tag ~slow -t a:b -tfast --tag=x", ""),
            ("--seed 3 --order rand:1 -e total --example=x -fd", ""),
            ("-bw --fail-fast --fail-fast=2 --no-color --dry-run", ""),
            ("-p --profile -p3 --profile=4 --profile 5 -p 6 -b", ""),
            (
                "-I lib:spec -Ilib -r spec_helper -r./spec/x -rrails/all",
                "",
            ),
            ("-o out.txt --out=a/b.txt --options .rspec", ""),
            (
                "-P spec/**/*_spec.rb --pattern=a_spec.rb,./b/{c,d}_spec.rb",
                "",
            ),
            ("--default-path spec --exclude-pattern **/x/**", ""),
            ("spec/a_spec.rb", bare),
            ("/outside/own_spec.rb", bare),
            ("-b /outside/own_spec.rb", bare),
            ("-p /outside/own_spec.rb", bare),
            ("--profile=3 4", bare),
            ("--fail-fast /outside/own_spec.rb", bare),
            ("--tag slow /outside/own_spec.rb", bare),
            ("-- /outside/own_spec.rb", bare),
            ("-", unknown),
            ("-r /outside/x.rb", outside),
            ("-r/outside/x.rb", outside),
            ("-r=/outside/x.rb", outside),
            ("-br/outside/x.rb", outside),
            ("-bwr ../x.rb", outside),
            ("--require /outside/x.rb", outside),
            ("--require=../x.rb", outside),
            ("--requir=../x.rb", unknown),
            ("-r ~/x.rb", "write `./~/x.rb`"),
            ("-I lib:/outside", outside),
            ("-Ilib:../x", outside),
            ("-o /outside/x", outside),
            ("--out=/outside/x", outside),
            ("--deprecation-out /outside/x", outside),
            ("-O ../.rspec", outside),
            ("--default-path=/outside", outside),
            ("-P /outside/**/*_spec.rb", outside),
            ("--pattern a.rb,/outside/b.rb", outside),
            ("-P{/outside/b.rb,a}", outside),
            ("--pattern ../*.rb", glob),
            ("--pattern {..}/x/.", glob),
            ("--pattern .{./x,b}/*.rb", glob),
            ("--pattern [.][.]/x.rb", glob),
            ("--exclude-pattern=.?/x.rb", glob),
            ("--bisect", unknown),
            ("-X", unknown),
            ("--drb", unknown),
            ("--init", unknown),
            ("-bX", unknown),
            ("-r", "`-r` needs a value"),
            ("-pten", "needs a number"),
        ] {
            let list: Vec<&str> = words.split(' ').collect();
            let error = check(&list, &input).err().unwrap_or_default();
            assert_eq!(expected.is_empty(), error.is_empty(), "{words}: {error}");
            assert!(error.contains(expected), "{words}: {error}");
        }
    }
}
