//! A long file is read in pieces, all at once.
//!
//! Most of a long file is one list, the value of a key that is not indented. Between its elements it can be cut: nothing that
//! begins in one element reaches into the next, and a line that looks like an element but is not leaves a piece behind that
//! cannot be read. Whenever a piece is not just what it should be, the file is read as a whole.

use std::thread;

use super::build::{Piece, read};
use super::node::{Entry, Kind, Node};
use crate::file::SourceFile;
use crate::span::Span;

/// Shorter pieces are not worth a thread.
const PIECE: usize = 64 << 10;
const MAX_PIECES: usize = 8;

/// Reads the file in pieces; nothing if it has to be read as a whole.
pub(super) fn parse(file: &SourceFile) -> Option<Node<'_>> {
    parse_by(file, PIECE)
}

fn parse_by(file: &SourceFile, size: usize) -> Option<Node<'_>> {
    let text = file.text();
    let cuts = (text.len() >= 2 * size).then(|| cuts(text))??;
    let pieces = pieces(&cuts, text.len(), size);
    // Each ends with the mark of the element that the next one begins with, as the places of texts depend on what follows.
    let mut read = thread::scope(|scope| {
        let others: Vec<_> = pieces[1..]
            .iter()
            .map(|piece| {
                let thread = thread::Builder::new();
                thread.spawn_scoped(scope, move || read_alone(file, *piece))
            })
            .collect();
        let first = read_alone(file, pieces[0]);
        let others = others.into_iter().map(|thread| thread.ok()?.join().ok()?);
        std::iter::once(first)
            .chain(others)
            .collect::<Option<Vec<_>>>()
    })?
    .into_iter();
    let mut root = read.next()?;
    let after = cuts.end.and_then(|_| read.next_back());
    let others = read.map(list).collect::<Option<Vec<_>>>()?;
    extend(&mut root, others, after)?;
    Some(root)
}

/// Where a text may be cut.
struct Cuts {
    indent: usize,
    /// Before each element of the list.
    elements: Vec<usize>,
    /// Where something else follows the list.
    end: Option<usize>,
}

/// Finds the longest list that is the value of a key at the beginning of a line.
fn cuts(text: &str) -> Option<Cuts> {
    let mut longest: Option<(usize, Cuts)> = None;
    let mut open: Option<Cuts> = None;
    let mut start = 0;
    let mut after_key = false;
    for line in text.split_inclusive('\n') {
        let place = start;
        start += line.len();
        let indent = line.len() - line.trim_start_matches(' ').len();
        let rest = line[indent..].trim_end();
        if rest.is_empty() || rest.starts_with('#') {
            continue;
        }
        let is_element = rest == "-" || rest.starts_with("- ");
        // A second document, or something about the documents: only the whole tells what belongs to which.
        if indent == 0
            && (rest.starts_with("---") || rest.starts_with("...") || rest.starts_with('%'))
            && place > 0
        {
            return None;
        }
        if let Some(cuts) = &mut open
            && is_element
            && indent == cuts.indent
        {
            cuts.elements.push(place);
        } else if after_key && is_element {
            open = Some(Cuts {
                indent,
                elements: vec![place],
                end: None,
            });
        } else if indent == 0 {
            keep(&mut longest, open.take(), Some(place), place);
        }
        after_key = indent == 0 && !is_element && rest.ends_with(':');
    }
    keep(&mut longest, open, None, text.len());
    longest.map(|(_, cuts)| cuts)
}

fn keep(longest: &mut Option<(usize, Cuts)>, open: Option<Cuts>, end: Option<usize>, place: usize) {
    if let Some(cuts) = open
        && let length = place - cuts.elements[0]
        && longest.as_ref().is_none_or(|(other, _)| *other < length)
    {
        *longest = Some((length, Cuts { end, ..cuts }));
    }
}

/// The beginning of the file with the first elements, the other elements in pieces of one length, and the rest.
fn pieces(cuts: &Cuts, length: usize, size: usize) -> Vec<Piece> {
    let (first, end) = (cuts.elements[0], cuts.end.unwrap_or(length));
    let wanted = ((end - first) / size).clamp(1, MAX_PIECES);
    let size = (end - first).div_ceil(wanted);
    let mut starts = vec![0];
    for element in &cuts.elements[1..] {
        if element - first >= starts.len() * size {
            starts.push(*element);
        }
    }
    let mark = cuts.indent + 1;
    let ends = starts[1..].iter().map(|start| start + mark).chain([end]);
    let spans = starts.iter().zip(ends);
    let mut pieces: Vec<_> = spans
        .map(|(start, end)| Piece {
            span: Span::new(*start, end),
            depth: usize::from(*start > 0),
        })
        .collect();
    pieces.extend(cuts.end.map(|start| Piece {
        span: Span::new(start, length),
        depth: 0,
    }));
    pieces
}

/// The one document that a piece is, if nothing is strange about it.
fn read_alone(file: &SourceFile, piece: Piece) -> Option<Node<'_>> {
    let (mut parsed, is_plain) = read(file, piece);
    let is_one = parsed.documents.len() == 1 && parsed.diagnostics.is_empty();
    parsed.documents.pop().filter(|_| is_one && is_plain)
}

fn list(node: Node<'_>) -> Option<Vec<Node<'_>>> {
    match node.kind {
        Kind::List(nodes) => Some(nodes),
        _ => None,
    }
}

/// Puts the pieces together.
fn extend<'f>(
    root: &mut Node<'f>,
    others: Vec<Vec<Node<'f>>>,
    after: Option<Node<'f>>,
) -> Option<()> {
    let Kind::Map(entries) = &mut root.kind else {
        return None;
    };
    let last = entries.last_mut()?;
    let Kind::List(elements) = &mut last.value.kind else {
        return None;
    };
    for nodes in others {
        // Nothing follows the mark that is in both.
        elements.pop().filter(Node::is_null)?;
        elements.extend(nodes);
    }
    let end = elements.last()?.span.end;
    last.value.span.end = end;
    root.span.end = end;
    let Some(after) = after else { return Some(()) };
    let Kind::Map(others) = after.kind else {
        return None;
    };
    let is_new = |entry: &Entry<'_>| entries.iter().all(|own| own.key != entry.key);
    if !others.iter().all(is_new) {
        return None;
    }
    entries.extend(others);
    root.span.end = after.span.end;
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::yaml::build::whole;

    /// Short, so that many can be tried.
    const SHORT: usize = 300;

    /// So many elements, after and before something else.
    fn long(before: &str, element: &str, after: &str) -> SourceFile {
        let element = element.replace('\n', "\n  ");
        let many = format!("  {}\n", element.trim_end()).repeat(3 * SHORT / element.len() + 2);
        SourceFile::new("a.yaml", format!("{before}tests:\n{many}{after}"))
    }

    /// What is read in pieces is what is read as a whole; whether it is read in pieces.
    fn is_cut(file: &SourceFile) -> bool {
        let whole = whole(file);
        match parse_by(file, SHORT) {
            Some(root) => {
                assert!(whole.diagnostics.is_empty());
                assert!(whole.documents == [root], "{:.200}", file.text());
                true
            }
            None => false,
        }
    }

    #[test]
    fn what_is_read_in_pieces_is_the_same() {
        let element = "- name: x\n  command: |\n    - a\n\n    b: 'c\n  expect: [{a: \"ü\"}, [1,\n    2]]\n  # - no";
        for element in [
            element,
            "- a",
            "- {a: b}",
            "-\n  a: 1",
            "- 'two\n  lines'",
            "- |+\n  x\n\n",
        ] {
            for before in [
                "",
                "# first\nname: x\nenv: {A: b}\n",
                "---\nlist:\n- a\n- b\n",
            ] {
                for after in ["", "# last\n", "name2: [1]\nother:\n  - 1\n"] {
                    assert!(
                        is_cut(&long(before, element, after)),
                        "{before}{element}{after}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_reaches_over_a_cut_is_read_as_a_whole() {
        for (before, element, after) in [
            ("a: &x 1\n", "- *x", ""),
            ("", "- &x [a]", ""),
            ("", "- [", ""),
            ("", "- \"a", ""),
            ("", "- a", "tests: []\n"),
            ("", "- a", "---\nb: 1\n"),
            ("", "- a", "...\n"),
            ("", "- !tag a", ""),
            ("", "- a: 1\n  a: 2", ""),
            ("", "- a", "- b\n"),
            ("<<: {a: 1}\n", "- a", ""),
        ] {
            assert!(
                !is_cut(&long(before, element, after)),
                "{before}{element}{after}"
            );
        }
        assert!(!is_cut(&SourceFile::new("a.yaml", "tests:\n  - a\n")));
        assert!(!is_cut(&SourceFile::new("a.yaml", "- a\n".repeat(SHORT))));
        let text = format!("tests: |\n{}", "  - a\n".repeat(SHORT));
        assert!(!is_cut(&SourceFile::new("a.yaml", text)));
        let text = format!("tests:\n  \"\n{}  \"\n", "  - a\n".repeat(SHORT));
        assert!(!is_cut(&SourceFile::new("a.yaml", text)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        /// Lines of all kinds in any order: whatever is read in pieces is the same as a whole.
        #[test]
        fn nothing_else_comes_of_pieces(lines in proptest::collection::vec(line(), 1..12)) {
            let lines = lines.concat();
            let text = format!("name: x\ntests:\n{}", lines.repeat(3 * SHORT / lines.len() + 1));
            is_cut(&SourceFile::new("a.yaml", text));
        }
    }

    fn line() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "  - a\n",
            "  - b: c\n",
            "    d: e\n",
            "  -\n",
            "    - f\n",
            "\n",
            "# g\n",
            "  # h\n",
            "  - |\n",
            "  - >-\n",
            "      i\n",
            "  - 'j\n",
            "    k'\n",
            "  - [l,\n",
            "    m]\n",
            "  - {n: o,\n",
            "    p: q}\n",
            "  - \"r\n",
            "    s\"\n",
            "- t\n",
            "u: v\n",
            "w:\n",
            "  x: y\n",
            "   - z\n",
            "  - ? a\n",
            "    : b\n",
        ])
    }
}
