//! An outline as JSON.

use serde_json::{Value, json};

use super::{Example, FocusMark, Group, Node, Outline, Setup};

impl Outline {
    /// As `casebook design outline` prints it.
    pub fn to_json(&self) -> Value {
        let mut counts = Counts::default();
        for group in &self.groups {
            counts.group(group);
        }
        json!({
            "file": self.file,
            "describe_blocks": self.groups.iter().map(group).collect::<Vec<_>>(),
            "stats": {
                "total_contexts": counts.groups,
                "total_examples": counts.examples,
                "max_nesting_depth": self.max_depth(),
                "has_subject": counts.subject > 0,
                "has_let": counts.lets > 0,
                "has_let!": counts.eager_lets > 0,
                "has_before": counts.before > 0,
            },
        })
    }
}

#[derive(Default)]
struct Counts {
    groups: usize,
    examples: usize,
    subject: usize,
    lets: usize,
    eager_lets: usize,
    before: usize,
}

impl Counts {
    fn group(&mut self, group: &Group) {
        self.groups += 1;
        self.subject += group.setup.subject.len();
        self.lets += group.setup.lets.len();
        self.eager_lets += group.setup.eager_lets.len();
        self.before += group.setup.before.len();
        self.examples += group.examples().count();
        for inner in group.groups() {
            self.group(inner);
        }
    }
}

fn node(node: &Node) -> Value {
    match node {
        Node::Group(inner) => group(inner),
        Node::Example(inner) => example(inner),
    }
}

fn group(group: &Group) -> Value {
    let mut value = json!({
        "type": group.kind,
        "description": group.description,
        "line": group.line,
        "depth": group.depth,
        "setup": setup(&group.setup),
        "children": group.children.iter().map(node).collect::<Vec<_>>(),
    });
    mark(&mut value, group.mark);
    let more = [
        ("shared_examples", &group.shared_examples),
        ("it_behaves_like", &group.includes),
    ];
    for (key, names) in more {
        if !names.is_empty() {
            value[key] = json!(names);
        }
    }
    value
}

fn setup(setup: &Setup) -> Value {
    json!({
        "subject": setup.subject,
        "let": setup.lets,
        "let!": setup.eager_lets,
        "before": setup.before,
        "after": setup.after,
    })
}

fn example(example: &Example) -> Value {
    let mut value = json!({
        "type": example.kind,
        "description": example.description,
        "line": example.line,
        "depth": example.depth,
    });
    mark(&mut value, example.mark);
    if !example.has_block && example.mark == FocusMark::Plain {
        value["pending"] = json!(true);
    }
    value
}

/// Written only when set, so that a plain node has the form of rule O1.
fn mark(value: &mut Value, mark: FocusMark) {
    match mark {
        FocusMark::Plain => {}
        FocusMark::Focused => value["focused"] = json!(true),
        FocusMark::Pending => value["pending"] = json!(true),
    }
}
