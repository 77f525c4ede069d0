//! Who plays in a spec: what is tested, and what stands in for others.

use crate::outline::{Group, Outline, SetupBlock};

/// The names of a spec by what they stand for.
#[derive(Debug, Default)]
pub(super) struct SpecRoles {
    /// The subjects by their names.
    pub(super) subjects: Vec<String>,
    /// What is tested: the subjects, what they are asked of, and what is made of the class under test.
    pub(super) tested: Vec<String>,
    /// Doubles of every kind.
    pub(super) doubles: Vec<String>,
    /// Whatever a `let` names.
    pub(super) lets: Vec<String>,
}

impl SpecRoles {
    /// Everybody in a spec; of one that cannot be read, nobody but `subject`.
    pub(super) fn of(outline: Option<&Outline>) -> SpecRoles {
        let mut pieces = Vec::new();
        for group in outline
            .iter()
            .flat_map(|outline| outline.groups.iter().chain(&outline.shared))
        {
            collect(group, &mut pieces);
        }
        let mut cast = SpecRoles::default();
        cast.subjects.push("subject".to_owned());
        for piece in pieces {
            cast.add(piece);
        }
        cast.tested.extend(cast.subjects.iter().cloned());
        cast.tested.push("described_class".to_owned());
        let doubles = std::mem::take(&mut cast.doubles);
        cast.tested.retain(|name| !doubles.contains(name));
        cast.doubles = doubles;
        cast
    }

    fn add(&mut self, piece: &SetupBlock) {
        let name = piece.name.clone();
        match piece.kind {
            "subject" | "subject!" => {
                self.subjects.extend(name);
                self.tested.extend(asked(&piece.code).map(str::to_owned));
            }
            "let" | "let!" => {
                self.lets.extend(name.clone());
                if piece.code.starts_with("described_class.new") {
                    self.tested.extend(name);
                } else if is_double(&piece.code) {
                    self.doubles.extend(name);
                }
            }
            _ => {}
        }
    }
}

/// `order` of `order.total`.
fn asked(code: &str) -> Option<&str> {
    let end = code.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    let (name, rest) = code.split_at(end);
    let is_name = name.starts_with(|first: char| first.is_lowercase() || first == '_');
    (is_name && (rest.starts_with('.') || rest.starts_with("&."))).then_some(name)
}

fn is_double(code: &str) -> bool {
    let called: &str = code
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .next()
        .unwrap_or_default();
    let kind = called
        .strip_prefix("instance_")
        .or_else(|| called.strip_prefix("class_"))
        .or_else(|| called.strip_prefix("object_"))
        .unwrap_or(called);
    matches!(kind, "double" | "spy")
}

fn collect<'g>(group: &'g Group, pieces: &mut Vec<&'g SetupBlock>) {
    pieces.extend(&group.pieces);
    for inner in group.groups().chain(&group.shared) {
        collect(inner, pieces);
    }
}
