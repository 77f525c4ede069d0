//! The fields of the suite format at a place.

use casebook_suite::fields::conversation::{BOUNDS, CHECK, PATTERN};
use casebook_suite::fields::{FILE, Field, SUITE, Shape, TEST};

use super::cursor::Step;

/// What a place may contain.
pub(super) struct Allowed(Vec<Shape>);

impl Allowed {
    pub(super) fn at(path: &[Step]) -> Allowed {
        let mut shapes = vec![Shape::Object(SUITE)];
        for step in path {
            shapes = shapes
                .into_iter()
                .flat_map(|shape| below(shape, step))
                .collect();
        }
        Allowed(shapes)
    }

    /// The fields, each once.
    pub(super) fn fields(&self) -> Vec<&'static Field> {
        let mut unique: Vec<&'static Field> = Vec::new();
        for field in self.0.iter().flat_map(|shape| fields(*shape)) {
            if !unique.iter().any(|known| known.name == field.name) {
                unique.push(field);
            }
        }
        unique
    }

    /// The words that are allowed as a value.
    pub(super) fn words(&self) -> Vec<&'static str> {
        self.0.iter().flat_map(|shape| words(*shape)).collect()
    }
}

/// The field at the end of a path.
pub(super) fn field(path: &[Step]) -> Option<&'static Field> {
    let [outer @ .., Step::Key(name)] = path else {
        return None;
    };
    let fields = Allowed::at(outer).fields();
    fields.into_iter().find(|field| field.name == name)
}

fn below(shape: Shape, step: &Step) -> Vec<Shape> {
    match (shape, step) {
        (Shape::Either(one, other), _) => {
            let both = [below(*one, step), below(*other, step)];
            both.concat()
        }
        (Shape::Tests, Step::Element) | (Shape::Fragments, Step::Key(_)) => {
            vec![Shape::Object(TEST)]
        }
        (Shape::Many(element) | Shape::OneOrMany(element), Step::Element) => vec![*element],
        (Shape::OneOrMany(element), Step::Key(_)) => below(*element, step),
        (Shape::Each(value), Step::Key(_)) => vec![*value],
        (Shape::Files, Step::Key(_)) => vec![Shape::Object(FILE)],
        (Shape::JsonConditions, Step::Key(_)) => vec![Shape::Object(PATTERN)],
        (_, Step::Key(name)) => {
            let known = fields(shape).iter().find(|field| field.name == name);
            known.map(|field| field.shape).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn fields(shape: Shape) -> &'static [Field] {
    match shape {
        Shape::Object(fields) => fields,
        Shape::Check => CHECK,
        Shape::Bounds => BOUNDS,
        Shape::OneOrMany(element) => fields(*element),
        Shape::Either(one, other) if fields(*one).is_empty() => fields(*other),
        Shape::Either(one, _) => fields(*one),
        _ => &[],
    }
}

fn words(shape: Shape) -> Vec<&'static str> {
    match shape {
        Shape::Choice(words) => words.to_vec(),
        Shape::Bool | Shape::BoolOrText => vec!["true", "false"],
        Shape::OneOrMany(element) => words(*element),
        Shape::Either(one, other) => [words(*one), words(*other)].concat(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Vec<Step> {
        let steps = text.split('.').filter(|step| !step.is_empty());
        let step = |step: &str| match step {
            "*" => Step::Element,
            key => Step::Key(key.to_owned()),
        };
        steps.map(step).collect()
    }

    #[test]
    fn fields_depend_on_what_is_around_them() {
        for (at, known, unknown) in [
            ("", "variables", "command"),
            ("tests.*", "command", "variables"),
            ("fragments.base", "command", "variables"),
            ("services.web", "ready", "exitCode"),
            ("services.web.ready", "port", "ready"),
            ("tests.*.steps.*", "capture", "steps"),
            ("tests.*.files.out/a", "contains", "command"),
            ("tests.*.conversation.*.expect", "called", "command"),
            ("tests.*.conversation.*.expect.*", "called", "command"),
            ("tests.*.conversation.*.expect.*.called", "times", "called"),
            ("agent.http", "url", "http"),
        ] {
            let names: Vec<_> = Allowed::at(&path(at))
                .fields()
                .iter()
                .map(|one| one.name)
                .collect();
            assert!(names.contains(&known), "{at}: {names:?}");
            assert!(!names.contains(&unknown), "{at}: {names:?}");
        }
        assert!(Allowed::at(&path("tests.*.command")).fields().is_empty());
        assert!(
            field(&path("services.web.scope"))
                .unwrap()
                .about
                .contains("one for the suite")
        );
        assert_eq!(
            Allowed::at(&path("services.web.scope")).words(),
            ["file", "test"]
        );
        assert_eq!(
            Allowed::at(&path("tests.*.only")).words(),
            ["true", "false"]
        );
    }
}
