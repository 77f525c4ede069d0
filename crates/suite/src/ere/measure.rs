//! Estimates the cost of a pattern for the C library without calling it.
//!
//! The GNU library expands repetitions, recurses over parentheses and over runs of optional parts, and stores for each
//! state the list of states reachable without a character (its epsilon closure). Anchors make it copy these lists. Loops
//! around parts that can be empty make it discard them, so that it follows every path through nested optional parts
//! repeatedly. Therefore this module counts characters, depth, choices, anchors and paths. The limits were found by
//! experiment, with random patterns that were selected to be expensive.

use super::error::InvalidEre;
use super::syntax::{Kind, Repeat, tokens};

pub(super) const MAX_LENGTH: usize = 32 * 1024;
pub(super) const MAX_DEPTH: usize = 100;
pub(super) const MAX_SIZE: u64 = 32 * 1024;
pub(super) const MAX_CHOICES: u64 = 2_000;
const MAX_ANCHORS: u64 = 16;
/// Anchors times choices.
const MAX_ANCHORED_CHOICES: u64 = 2_000;
/// Paths without a character, if anchors or loops make the library follow all of them.
const MAX_PATHS: u64 = 256;

/// A quantity that accumulates over consecutive parts until a character is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    /// Before the first required character.
    leading: u64,
    /// After the last required character.
    trailing: u64,
    /// The maximum anywhere.
    max: u64,
}

impl Run {
    const fn of(value: u64) -> Run {
        Run {
            leading: value,
            trailing: value,
            max: value,
        }
    }

    /// The value of a sequence; `nullable` is whether each of the two parts can match without a character.
    fn then(self, next: Run, nullable: [bool; 2], join: fn(u64, u64) -> u64) -> Run {
        let joined = |yes: bool, one: u64, other: u64| if yes { join(one, other) } else { one };
        Run {
            leading: joined(nullable[0], self.leading, next.leading),
            trailing: joined(nullable[1], next.trailing, self.trailing),
            max: self
                .max
                .max(next.max)
                .max(join(self.trailing, next.leading)),
        }
    }

    fn or(self, other: Run, join: fn(u64, u64) -> u64) -> Run {
        let leading = join(self.leading, other.leading);
        let trailing = join(self.trailing, other.trailing);
        Run {
            leading,
            trailing,
            max: self.max.max(other.max).max(leading).max(trailing),
        }
    }

    fn at_least(self, value: u64) -> Run {
        Run {
            leading: self.leading.max(value),
            trailing: self.trailing.max(value),
            max: self.max.max(value),
        }
    }
}

/// The cost of a part of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PatternCost {
    /// Characters, with repetitions expanded.
    size: u64,
    /// Choices, with repetitions expanded.
    choices: u64,
    /// Anchors, with repetitions expanded; loops that can be empty multiply them.
    anchors: Run,
    /// The number of paths through it without a character.
    empty_paths: u64,
    /// The product of these paths over consecutive parts.
    paths: Run,
    /// Whether there is an anchor or a loop around a part that can be empty.
    follows_all_paths: bool,
    /// Whether it matches the empty string at the start of every text.
    empty_at_start: bool,
    /// Whether it matches the empty string at the end of every text.
    empty_at_end: bool,
}

impl PatternCost {
    const EMPTY: PatternCost = PatternCost {
        size: 0,
        choices: 0,
        anchors: Run::of(0),
        empty_paths: 1,
        paths: Run::of(1),
        follows_all_paths: false,
        empty_at_start: true,
        empty_at_end: true,
    };

    const CHARACTER: PatternCost = PatternCost {
        size: 1,
        empty_paths: 0,
        empty_at_start: false,
        empty_at_end: false,
        ..PatternCost::EMPTY
    };

    const fn anchor(weight: u64, at_start: bool, at_end: bool) -> PatternCost {
        PatternCost {
            size: weight,
            anchors: Run::of(weight),
            empty_paths: weight,
            paths: Run::of(weight),
            follows_all_paths: true,
            empty_at_start: at_start,
            empty_at_end: at_end,
            ..PatternCost::EMPTY
        }
    }

    /// Whether it matches the empty string at the start or the end of every text.
    pub(super) fn empty_somewhere(self) -> bool {
        self.empty_at_start || self.empty_at_end
    }

    /// Whether it can match the empty string.
    fn is_nullable(self) -> bool {
        self.empty_paths > 0
    }

    fn then(self, next: PatternCost) -> PatternCost {
        let nullable = [self.is_nullable(), next.is_nullable()];
        PatternCost {
            size: self.size.saturating_add(next.size),
            choices: self.choices.saturating_add(next.choices),
            anchors: self
                .anchors
                .then(next.anchors, nullable, u64::saturating_add),
            empty_paths: self.empty_paths.saturating_mul(next.empty_paths),
            paths: self.paths.then(next.paths, nullable, u64::saturating_mul),
            follows_all_paths: self.follows_all_paths || next.follows_all_paths,
            empty_at_start: self.empty_at_start && next.empty_at_start,
            empty_at_end: self.empty_at_end && next.empty_at_end,
        }
    }

    fn or(self, other: PatternCost) -> PatternCost {
        let empty_paths = self.empty_paths.saturating_add(other.empty_paths);
        PatternCost {
            size: self.size.saturating_add(other.size),
            choices: self.choices.saturating_add(other.choices).saturating_add(1),
            anchors: self.anchors.or(other.anchors, u64::saturating_add),
            empty_paths,
            paths: self.paths.or(other.paths, u64::max).at_least(empty_paths),
            follows_all_paths: self.follows_all_paths || other.follows_all_paths,
            empty_at_start: self.empty_at_start || other.empty_at_start,
            empty_at_end: self.empty_at_end || other.empty_at_end,
        }
    }

    /// The library makes `min` copies, then one in a loop, or `max - min` optional ones.
    fn repeated(self, repeat: Repeat) -> PatternCost {
        let optional = repeat.max.map_or(1, |max| max.saturating_sub(repeat.min));
        let copies = repeat.min.saturating_add(optional).max(1);
        let skippable = repeat.min == 0;
        let empty_paths = self.paths_repeated(repeat.min, optional);
        PatternCost {
            size: self.size.saturating_mul(copies),
            choices: self.choices.saturating_mul(copies).saturating_add(optional),
            anchors: self.anchors_repeated(repeat, copies),
            empty_paths,
            paths: self
                .paths
                .then(self.paths, [false; 2], u64::saturating_mul)
                .at_least(empty_paths),
            follows_all_paths: self.follows_all_paths
                || (self.is_nullable() && repeat.max.is_none()),
            empty_at_start: self.empty_at_start || skippable,
            empty_at_end: self.empty_at_end || skippable,
        }
    }

    /// Optional copies are nested, so each of them adds an exit.
    fn paths_repeated(self, min: u64, optional: u64) -> u64 {
        let power = |exponent: u64| {
            self.empty_paths
                .saturating_pow(u32::try_from(exponent).unwrap_or(u32::MAX))
        };
        let exits = if self.is_nullable() {
            optional.saturating_add(1)
        } else {
            1
        };
        let optional_paths = power(optional).max(1).saturating_mul(exits);
        power(min).saturating_mul(optional_paths)
    }

    /// In a loop around a nullable part the library tries every sequence of anchors on every path.
    fn anchors_repeated(self, repeat: Repeat, copies: u64) -> Run {
        if !self.is_nullable() {
            return self
                .anchors
                .then(self.anchors, [false; 2], u64::saturating_add);
        }
        let each = self.anchors.max;
        let looped = each
            .saturating_mul(self.choices.saturating_add(1))
            .saturating_mul(3);
        let all = match repeat.max {
            Some(_) => each.saturating_mul(copies),
            None => each.saturating_mul(repeat.min).saturating_add(looped),
        };
        Run::of(all)
    }

    fn within_limits(self) -> Result<PatternCost, InvalidEre> {
        if self.size > MAX_SIZE {
            Err(InvalidEre::TooLarge)
        } else if self.choices > MAX_CHOICES {
            Err(InvalidEre::TooManyChoices)
        } else if self.is_tangled() {
            Err(InvalidEre::TooTangled)
        } else {
            Ok(self)
        }
    }

    fn is_tangled(self) -> bool {
        let anchors = self.anchors.max;
        anchors > MAX_ANCHORS
            || anchors.saturating_mul(self.choices) > MAX_ANCHORED_CHOICES
            || (self.follows_all_paths && self.paths.max > MAX_PATHS)
    }
}

/// A group whose end has not been reached.
struct Group {
    /// The alternatives before the last `|`.
    alternatives: Option<PatternCost>,
    /// The sequence after it, without its last part.
    sequence: PatternCost,
    /// The last part, to which a repetition applies.
    last: PatternCost,
}

impl Group {
    const NEW: Group = Group {
        alternatives: None,
        sequence: PatternCost::EMPTY,
        last: PatternCost::EMPTY,
    };

    fn push(&mut self, part: PatternCost) {
        self.sequence = self.sequence.then(self.last);
        self.last = part;
    }

    fn alternate(&mut self) {
        *self = Group {
            alternatives: Some(self.cost()),
            ..Group::NEW
        };
    }

    fn cost(&self) -> PatternCost {
        let sequence = self.sequence.then(self.last);
        match self.alternatives {
            Some(before) => before.or(sequence),
            None => sequence,
        }
    }
}

/// Measures a pattern; an error if it exceeds a limit. Patterns that the library rejects may be measured too.
pub(super) fn measure(pattern: &str) -> Result<PatternCost, InvalidEre> {
    if pattern.len() > MAX_LENGTH {
        let length = pattern.len();
        return Err(InvalidEre::TooLong { length });
    }
    let mut outer = Vec::new();
    let mut group = Group::NEW;
    for token in tokens(pattern) {
        match token.kind {
            Kind::Open if outer.len() == MAX_DEPTH => return Err(InvalidEre::TooDeep),
            Kind::Open => outer.push(std::mem::replace(&mut group, Group::NEW)),
            Kind::Close => close(&mut group, outer.pop()),
            Kind::Or => group.alternate(),
            Kind::Repeat(repeat) => group.last = group.last.repeated(repeat).within_limits()?,
            Kind::Start => group.push(PatternCost::anchor(1, true, false)),
            Kind::End => group.push(PatternCost::anchor(1, false, true)),
            Kind::Escape(character) => group.push(escaped(character)),
            Kind::Character | Kind::Bracket => group.push(PatternCost::CHARACTER),
        }
    }
    while let Some(before) = outer.pop() {
        close(&mut group, Some(before));
    }
    group.cost().within_limits()
}

/// Ends a group; a `)` outside all groups is a character.
fn close(group: &mut Group, outer: Option<Group>) {
    let Some(outer) = outer else {
        return group.push(PatternCost::CHARACTER);
    };
    let cost = group.cost();
    *group = outer;
    group.push(cost);
}

/// GNU escapes that match no character. `\b` and `\B` are alternatives of two anchors each.
fn escaped(character: char) -> PatternCost {
    match character {
        '`' => PatternCost::anchor(1, true, false),
        '\'' => PatternCost::anchor(1, false, true),
        '<' | '>' => PatternCost::anchor(1, false, false),
        'b' | 'B' => PatternCost::anchor(2, false, false),
        // The group it refers to may be empty.
        '1'..='9' => PatternCost {
            empty_paths: 1,
            ..PatternCost::CHARACTER
        },
        _ => PatternCost::CHARACTER,
    }
}
