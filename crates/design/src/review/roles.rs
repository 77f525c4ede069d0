//! The roles of names in a spec: objects under test, and doubles.

use crate::outline::{Group, Outline, SetupBlock};

/// The names defined in a spec, by role.
#[derive(Debug, Default)]
pub(super) struct SpecRoles {
    /// Names of subjects.
    pub(super) subjects: Vec<String>,
    /// Names of objects under test: the subjects, their receivers, and instances of the described class.
    pub(super) tested: Vec<String>,
    /// Names of doubles and spies of every kind.
    pub(super) doubles: Vec<String>,
    /// Names of all `let`s.
    pub(super) lets: Vec<String>,
}

impl SpecRoles {
    /// The roles in a spec; for one that cannot be parsed, only `subject` and `described_class`.
    pub(super) fn of(outline: Option<&Outline>) -> SpecRoles {
        let mut blocks = Vec::new();
        for group in outline
            .iter()
            .flat_map(|outline| outline.groups.iter().chain(&outline.shared))
        {
            collect(group, &mut blocks);
        }
        let mut roles = SpecRoles::default();
        roles.subjects.push("subject".to_owned());
        for block in blocks {
            roles.add(block);
        }
        roles.tested.extend(roles.subjects.iter().cloned());
        roles.tested.push("described_class".to_owned());
        let doubles = std::mem::take(&mut roles.doubles);
        roles.tested.retain(|name| !doubles.contains(name));
        roles.doubles = doubles;
        roles
    }

    fn add(&mut self, block: &SetupBlock) {
        let name = block.name.clone();
        match block.kind {
            "subject" | "subject!" => {
                self.subjects.extend(name);
                self.tested
                    .extend(receiver_name(&block.code).map(str::to_owned));
            }
            "let" | "let!" => {
                self.lets.extend(name.clone());
                if block.code.starts_with("described_class.new") {
                    self.tested.extend(name);
                } else if is_double(&block.code) {
                    self.doubles.extend(name);
                }
            }
            _ => {}
        }
    }
}

/// The receiver: `order` of `order.total`.
fn receiver_name(code: &str) -> Option<&str> {
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

fn collect<'g>(group: &'g Group, blocks: &mut Vec<&'g SetupBlock>) {
    blocks.extend(&group.setup_blocks);
    for inner in group.groups().chain(&group.shared) {
        collect(inner, blocks);
    }
}
