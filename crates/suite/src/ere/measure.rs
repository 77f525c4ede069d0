//! How large a pattern is for the C library, found without asking it.
//!
//! GNU's library writes repetitions out, recurses over parentheses and over runs of optional parts, and keeps for each
//! place the list of all places that can be reached from there without a character. Anchors make it copy such lists,
//! and loops around what can be empty make it forget them, so that it walks every way through optional parts of
//! optional parts again and again. Hence what is counted here: characters, depth, choices, anchors and ways. The limits
//! were found by trial, with patterns made at random to be as bad as can be.

use super::error::InvalidEre;
use super::syntax::{Kind, Repeat, tokens};

pub(super) const MAX_LENGTH: usize = 32 * 1024;
pub(super) const MAX_DEPTH: usize = 100;
pub(super) const MAX_SIZE: u64 = 32 * 1024;
pub(super) const MAX_CHOICES: u64 = 2_000;
const MAX_ANCHORS: u64 = 16;
/// Anchors times choices.
const MAX_ANCHORED_CHOICES: u64 = 2_000;
/// Ways without a character, where there are anchors or loops that make the library walk them all.
const MAX_WAYS: u64 = 256;

/// Something that adds up as long as no character is required in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    /// Before the first required character.
    leading: u64,
    /// After the last required character.
    trailing: u64,
    /// The most there is anywhere.
    most: u64,
}

impl Run {
    const fn of(value: u64) -> Run {
        Run {
            leading: value,
            trailing: value,
            most: value,
        }
    }

    /// One after the other; `hollow` says of each whether it can match without a character.
    fn then(self, next: Run, hollow: [bool; 2], join: fn(u64, u64) -> u64) -> Run {
        let joined = |yes: bool, one: u64, other: u64| if yes { join(one, other) } else { one };
        Run {
            leading: joined(hollow[0], self.leading, next.leading),
            trailing: joined(hollow[1], next.trailing, self.trailing),
            most: self
                .most
                .max(next.most)
                .max(join(self.trailing, next.leading)),
        }
    }

    fn or(self, other: Run, join: fn(u64, u64) -> u64) -> Run {
        let leading = join(self.leading, other.leading);
        let trailing = join(self.trailing, other.trailing);
        Run {
            leading,
            trailing,
            most: self.most.max(other.most).max(leading).max(trailing),
        }
    }

    fn at_least(self, value: u64) -> Run {
        Run {
            leading: self.leading.max(value),
            trailing: self.trailing.max(value),
            most: self.most.max(value),
        }
    }
}

/// What there is to know about a part of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PatternCost {
    /// Characters once repetitions are written out.
    size: u64,
    /// Ways that fork, once repetitions are written out.
    choices: u64,
    /// Anchors, once repetitions are written out; many times over in loops that can be empty.
    anchors: Run,
    /// How many ways lead through it without a character.
    through: u64,
    /// The product of such ways in a row.
    ways: Run,
    /// Whether there is an anchor or a loop around something that can be empty.
    knotted: bool,
    /// Whether it matches the empty text at the start of every text.
    empty_at_start: bool,
    /// Whether it matches the empty text at the end of every text.
    empty_at_end: bool,
}

impl PatternCost {
    const EMPTY: PatternCost = PatternCost {
        size: 0,
        choices: 0,
        anchors: Run::of(0),
        through: 1,
        ways: Run::of(1),
        knotted: false,
        empty_at_start: true,
        empty_at_end: true,
    };

    const CHARACTER: PatternCost = PatternCost {
        size: 1,
        through: 0,
        empty_at_start: false,
        empty_at_end: false,
        ..PatternCost::EMPTY
    };

    const fn anchor(weight: u64, at_start: bool, at_end: bool) -> PatternCost {
        PatternCost {
            size: weight,
            anchors: Run::of(weight),
            through: weight,
            ways: Run::of(weight),
            knotted: true,
            empty_at_start: at_start,
            empty_at_end: at_end,
            ..PatternCost::EMPTY
        }
    }

    /// Whether every text has a place where the pattern matches nothing at all.
    pub(super) fn empty_somewhere(self) -> bool {
        self.empty_at_start || self.empty_at_end
    }

    /// Whether it can match without a character.
    fn is_nullable(self) -> bool {
        self.through > 0
    }

    fn then(self, next: PatternCost) -> PatternCost {
        let hollow = [self.is_nullable(), next.is_nullable()];
        PatternCost {
            size: self.size.saturating_add(next.size),
            choices: self.choices.saturating_add(next.choices),
            anchors: self.anchors.then(next.anchors, hollow, u64::saturating_add),
            through: self.through.saturating_mul(next.through),
            ways: self.ways.then(next.ways, hollow, u64::saturating_mul),
            knotted: self.knotted || next.knotted,
            empty_at_start: self.empty_at_start && next.empty_at_start,
            empty_at_end: self.empty_at_end && next.empty_at_end,
        }
    }

    fn or(self, other: PatternCost) -> PatternCost {
        let through = self.through.saturating_add(other.through);
        PatternCost {
            size: self.size.saturating_add(other.size),
            choices: self.choices.saturating_add(other.choices).saturating_add(1),
            anchors: self.anchors.or(other.anchors, u64::saturating_add),
            through,
            ways: self.ways.or(other.ways, u64::max).at_least(through),
            knotted: self.knotted || other.knotted,
            empty_at_start: self.empty_at_start || other.empty_at_start,
            empty_at_end: self.empty_at_end || other.empty_at_end,
        }
    }

    /// The library makes `min` copies, then one in a loop or as many optional ones as are left.
    fn repeated(self, repeat: Repeat) -> PatternCost {
        let optional = repeat.max.map_or(1, |max| max.saturating_sub(repeat.min));
        let copies = repeat.min.saturating_add(optional).max(1);
        let skippable = repeat.min == 0;
        let through = self.ways_repeated(repeat.min, optional);
        PatternCost {
            size: self.size.saturating_mul(copies),
            choices: self.choices.saturating_mul(copies).saturating_add(optional),
            anchors: self.anchors_repeated(repeat, copies),
            through,
            ways: self
                .ways
                .then(self.ways, [false; 2], u64::saturating_mul)
                .at_least(through),
            knotted: self.knotted || (self.is_nullable() && repeat.max.is_none()),
            empty_at_start: self.empty_at_start || skippable,
            empty_at_end: self.empty_at_end || skippable,
        }
    }

    /// Optional copies are nested, so that each has its own way out.
    fn ways_repeated(self, min: u64, optional: u64) -> u64 {
        let power = |exponent: u64| {
            self.through
                .saturating_pow(u32::try_from(exponent).unwrap_or(u32::MAX))
        };
        let ways_out = if self.is_nullable() {
            optional.saturating_add(1)
        } else {
            1
        };
        let optional_ways = power(optional).max(1).saturating_mul(ways_out);
        power(min).saturating_mul(optional_ways)
    }

    /// In a loop around something hollow the library tries each anchor after each, on every way.
    fn anchors_repeated(self, repeat: Repeat, copies: u64) -> Run {
        if !self.is_nullable() {
            return self
                .anchors
                .then(self.anchors, [false; 2], u64::saturating_add);
        }
        let each = self.anchors.most;
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
        let anchors = self.anchors.most;
        anchors > MAX_ANCHORS
            || anchors.saturating_mul(self.choices) > MAX_ANCHORED_CHOICES
            || (self.knotted && self.ways.most > MAX_WAYS)
    }
}

/// A group that is being read.
struct Group {
    /// The alternatives before the last `|`.
    alternatives: Option<PatternCost>,
    /// The sequence since then, without its last part.
    sequence: PatternCost,
    /// What a repetition would repeat.
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
            alternatives: Some(self.whole()),
            ..Group::NEW
        };
    }

    fn whole(&self) -> PatternCost {
        let sequence = self.sequence.then(self.last);
        match self.alternatives {
            Some(before) => before.or(sequence),
            None => sequence,
        }
    }
}

/// Measures a pattern; an error where it is beyond a limit. A pattern that the library refuses may be measured too.
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
    group.whole().within_limits()
}

/// Ends a group; a `)` outside all groups is a character.
fn close(group: &mut Group, outer: Option<Group>) {
    let Some(outer) = outer else {
        return group.push(PatternCost::CHARACTER);
    };
    let whole = group.whole();
    *group = outer;
    group.push(whole);
}

/// GNU's escapes that match no character. `\b` and `\B` are alternatives of two anchors each.
fn escaped(character: char) -> PatternCost {
    match character {
        '`' => PatternCost::anchor(1, true, false),
        '\'' => PatternCost::anchor(1, false, true),
        '<' | '>' => PatternCost::anchor(1, false, false),
        'b' | 'B' => PatternCost::anchor(2, false, false),
        // What it refers to may be empty.
        '1'..='9' => PatternCost {
            through: 1,
            ..PatternCost::CHARACTER
        },
        _ => PatternCost::CHARACTER,
    }
}
