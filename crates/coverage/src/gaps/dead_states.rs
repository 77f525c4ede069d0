//! States that a test cannot bring about: every object has the method, or the platform decides.

use super::GapReason;

/// Methods that every object has, unless it inherits from `BasicObject`.
const OF_EVERY_OBJECT: [&str; 24] = [
    "to_s",
    "inspect",
    "hash",
    "class",
    "dup",
    "clone",
    "freeze",
    "frozen?",
    "nil?",
    "is_a?",
    "kind_of?",
    "instance_of?",
    "respond_to?",
    "send",
    "public_send",
    "tap",
    "then",
    "method",
    "methods",
    "instance_variable_get",
    "instance_variable_set",
    "equal?",
    "eql?",
    "object_id",
];

/// Constants that are the same for a whole run.
const PLATFORM: [&str; 6] = [
    "RUBY_VERSION",
    "RUBY_ENGINE",
    "RUBY_PLATFORM",
    "RbConfig",
    "Gem.win_platform?",
    "RUBY_PATCHLEVEL",
];

/// Why this state of a characteristic with these conditions needs no test; `None` if it does.
pub(super) fn reason(conditions: &[String], state: usize) -> Option<GapReason> {
    let [condition] = conditions else {
        return None;
    };
    if PLATFORM.iter().any(|name| condition.contains(name)) {
        return Some(GapReason::Platform);
    }
    // The second state of a predicate is its negation.
    let is_dead =
        state == 1 && asked_method(condition).is_some_and(|name| OF_EVERY_OBJECT.contains(&name));
    is_dead.then_some(GapReason::Dead)
}

/// `to_s` of `value.respond_to?(:to_s)`.
fn asked_method(condition: &str) -> Option<&str> {
    let (_, arguments) = condition.split_once("respond_to?")?;
    let name = arguments.trim_start_matches(['(', ' ']).strip_prefix(':')?;
    let end = name.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '?' | '!')));
    Some(&name[..end.unwrap_or(name.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_no_value_can_reach_is_dead() {
        for (condition, state, expected) in [
            ("value.respond_to?(:to_s)", 1, Some(GapReason::Dead)),
            ("value.respond_to? :inspect", 1, Some(GapReason::Dead)),
            ("value.respond_to?(:to_s)", 0, None),
            ("value.respond_to?(:to_str)", 1, None),
            ("respond_to?(name)", 1, None),
            ("RUBY_VERSION >= '3.0'", 0, Some(GapReason::Platform)),
            ("version >= '3.0'", 0, None),
        ] {
            assert_eq!(
                reason(&[condition.to_owned()], state),
                expected,
                "{condition}"
            );
        }
    }
}
