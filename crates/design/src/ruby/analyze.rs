//! From the text of a file to what varies in its methods.

use std::sync::Arc;

use crate::characteristic::Characteristic;
use crate::ruby::branch::outcome::{Branch, BranchCall, BranchOutcome};
use crate::ruby::branch::tail::{plain_result, unconditional_tail};
use crate::ruby::condition::boolean_names::Flags;
use crate::ruby::condition::state_setup;
use crate::ruby::method::body_scan::BodyScan;
use crate::ruby::method::definitions::{Attribute, Definition, Definitions};
use crate::ruby::method::id::Method;
use crate::ruby::method::initializer::{has_plain_initializer, initializer};
use crate::ruby::method::lookup::{MethodQuery, find_method};
use crate::ruby::method::parameter::{self, Parameter};
use crate::ruby::method::side_effects::SideEffects;
use crate::ruby::method::test_level::{self, TestLevel};
use crate::ruby::options::AnalysisOptions;
use crate::ruby::walk::MethodWalk;
use crate::ruby::walk::characteristics::StateRef;

/// Deeper than this, a method is too complex to be tested by cases (rule E16).
const MAX_LEVEL: usize = 6;

/// More than this in one method is data in the form of code: nobody writes that many contexts.
const MAX_CHARACTERISTICS: usize = 2_000;

/// Why a file or a method cannot be analyzed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RubyError {
    /// The file is not valid Ruby.
    #[error("line {line}: {message}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// What the parser says.
        message: String,
    },
    /// Nested beyond all measure.
    #[error("the code is nested too deeply to be analyzed")]
    TooDeep,
    /// There is no such method, or it is not clear which one is meant.
    #[error("{reason}")]
    NoMethod {
        /// What is wrong.
        reason: String,
        /// The methods of the file.
        found: Vec<String>,
    },
    /// More conditions than can be tested.
    #[error(
        "`{method}` is too complex: it has {count} characteristics, and {MAX_CHARACTERISTICS} are the most that can be tested; split it"
    )]
    TooMany {
        /// Which method.
        method: String,
        /// How many.
        count: usize,
    },
    /// More levels of dependency than can be tested.
    #[error(
        "`{method}` is too complex: its conditions depend on one another {depth} levels deep, and {MAX_LEVEL} are the most that can be tested; split it"
    )]
    TooComplex {
        /// Which method.
        method: String,
        /// How deep.
        depth: usize,
    },
}

/// What a branch does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchFact {
    /// The characteristic that decides, in this state of it.
    pub(crate) place: StateRef,
    /// The characteristic that it hangs on here, and the state of that.
    pub(crate) under: Option<StateRef>,
    /// How it ends, if the code says it plainly.
    pub outcome: Option<BranchOutcome>,
    /// What it calls.
    pub calls: Vec<BranchCall>,
    /// Whether the outcome follows from the conditions alone.
    pub is_certain: bool,
}

/// What a branch does that is taken only when all of several conditions are in these states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedFact {
    /// Characteristics and states, in the order of the code.
    pub(crate) places: Vec<StateRef>,
    /// How it ends, if the code says it plainly.
    pub outcome: Option<BranchOutcome>,
    /// Whether the outcome follows from the conditions alone.
    pub is_certain: bool,
}

/// What is known about a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// Which one.
    pub method: Method,
    /// How it is to be tested.
    pub test_level: TestLevel,
    /// Whether it has to do with database records.
    pub uses_models: bool,
    /// What varies in it, in the order of the source.
    pub characteristics: Vec<Characteristic>,
    /// What could not be expressed.
    pub warnings: Vec<String>,
    /// What it takes.
    pub parameters: Vec<Parameter>,
    /// What `new` takes, for an instance method.
    pub initializer: Vec<Parameter>,
    /// Whether `new` does nothing but keep what it is given.
    pub is_plainly_made: bool,
    /// What its branches do.
    pub branches: Vec<BranchFact>,
    /// What branches do that several conditions decide together.
    pub joined: Vec<JoinedFact>,
    /// What it comes to where no branch ends it before, if the code says so plainly.
    pub result: Option<BranchOutcome>,
    /// What is called behind the last conditional, on every way that comes so far.
    pub last_calls: Vec<BranchCall>,
    /// What the method then returns, where it is plainly said.
    pub last_outcome: Option<BranchOutcome>,
    /// The classes and constants that the file defines, by full name.
    pub constants: Arc<Vec<String>>,
    /// Constants of the file that are whole numbers, by full name.
    pub numbers: Arc<Vec<(String, i64)>>,
    /// Constants of the file that are lists of literals, or hashes with such keys, by full name.
    pub lists: Arc<Vec<(String, Vec<String>)>>,
    /// What the classes of its file declare.
    pub(crate) attributes: Arc<Vec<Attribute>>,
    /// What it does to the world around it.
    pub reach: SideEffects,
}

/// The methods of a file, in the order of the source.
pub fn methods(source: &[u8]) -> Result<Vec<Method>, RubyError> {
    with_definitions(source, |definitions| {
        Ok(definitions
            .methods
            .iter()
            .map(|definition| definition.method.clone())
            .collect())
    })
}

/// The attributes of a class that anybody may set, and that are read as they were set.
pub(crate) fn attributes_of(source: &[u8], class: &str) -> Result<Vec<String>, RubyError> {
    with_definitions(source, |definitions| {
        let own = definitions.attributes.iter();
        let own = own.filter(|one| one.is_writable && one.class == class);
        Ok(own.map(|one| one.name.clone()).collect())
    })
}

impl Analysis {
    /// The characteristic at a place, and its state there.
    pub(crate) fn at(&self, StateRef { index, state }: StateRef) -> (&Characteristic, &str) {
        let found = &self.characteristics[index];
        (found, &found.states[state])
    }

    /// Whether this is the state of that name of the characteristic of that name.
    pub(crate) fn is_at(&self, place: StateRef, name: &str, state: &str) -> bool {
        let (found, its_state) = self.at(place);
        found.name == name && its_state == state
    }
}

/// What varies in one method of a file; `file` is its path from the project's root.
pub fn analyze(source: &[u8], file: &str, wanted: &MethodQuery) -> Result<Analysis, RubyError> {
    with_definitions(source, |definitions| {
        let definition = find_method(&definitions.methods, wanted)?;
        analyze_one(definition, definitions, file, wanted.reading)
    })
}

/// What varies in every public method of a file. A method that is too complex does not hide the others.
pub fn analyze_all(
    source: &[u8],
    file: &str,
    reading: AnalysisOptions,
) -> Result<Vec<Result<Analysis, RubyError>>, RubyError> {
    with_definitions(source, |definitions| {
        let methods = definitions.methods.iter();
        let public = methods.filter(|definition| definition.method.is_public);
        // An analysis is large: a list that grows would move all of them, again and again.
        let mut all = Vec::with_capacity(public.clone().count());
        all.extend(public.map(|one| analyze_one(one, definitions, file, reading)));
        Ok(all)
    })
}

fn with_definitions<T>(
    source: &[u8],
    then: impl FnOnce(&Definitions<'_>) -> Result<T, RubyError>,
) -> Result<T, RubyError> {
    let parsed = ruby_prism::parse(source);
    if let Some(error) = syntax_error(&parsed) {
        return Err(error);
    }
    let definitions = Definitions::of(&parsed.node());
    if definitions.is_too_deep {
        return Err(RubyError::TooDeep);
    }
    then(&definitions)
}

/// The first thing that is wrong with a file's syntax.
pub(crate) fn syntax_error(parsed: &ruby_prism::ParseResult<'_>) -> Option<RubyError> {
    let errors = parsed.errors();
    let error = errors.into_iter().next()?;
    Some(RubyError::Syntax {
        line: usize::try_from(error.location().start_line()).unwrap_or(1),
        message: String::from_utf8_lossy(error.message()).into_owned(),
    })
}

fn analyze_one(
    definition: &Definition<'_>,
    definitions: &Definitions<'_>,
    file: &str,
    reading: AnalysisOptions,
) -> Result<Analysis, RubyError> {
    let Definition { method, node } = definition;
    let BodyScan {
        assigned,
        surroundings,
        reach,
    } = BodyScan::at(node);
    let flags = Flags::of(node, assigned);
    let mut walk = MethodWalk::new(&flags, &definitions.machines, reading);
    let mut result = None;
    let mut last = Branch::default();
    if let Some(body) = node.body() {
        walk.body(&body);
        if let Some(statements) = body.as_statements_node() {
            result = plain_result(&statements);
            last = Branch::at_the_end(&unconditional_tail(&statements));
        }
    }
    let level = test_level::of(&surroundings, method, file);
    if walk.found.len() > MAX_CHARACTERISTICS {
        return Err(RubyError::TooMany {
            method: method.id(),
            count: walk.found.len(),
        });
    }
    let (mut characteristics, warnings) = walk.found.finish(&flags);
    let depth = characteristics
        .iter()
        .map(|found| found.level)
        .max()
        .unwrap_or(0);
    if depth > MAX_LEVEL {
        return Err(RubyError::TooComplex {
            method: method.id(),
            depth,
        });
    }
    let parameters = parameter::of(node);
    let is_model = test_level::is_model(method, file);
    let machines = &definitions.machines;
    state_setup::resolve_setup(
        &mut characteristics,
        &method.class,
        is_model,
        machines,
        &parameters,
    );
    forget_changed(&mut characteristics, &flags);
    let joined = walk.joined.into_iter().map(|taken| JoinedFact {
        places: taken.places,
        outcome: taken.branch.outcome,
        is_certain: taken.branch.is_certain,
    });
    let joined = joined.collect();
    let branches = walk.outcomes.into_iter().map(|taken| BranchFact {
        place: taken.place,
        under: taken.under,
        outcome: taken.branch.outcome,
        calls: taken.branch.calls,
        is_certain: taken.branch.is_certain,
    });
    let branches = branches.collect();
    Ok(Analysis {
        method: method.clone(),
        test_level: level.test_level,
        uses_models: level.uses_models,
        characteristics,
        warnings,
        parameters,
        initializer: initializer(definitions, method),
        is_plainly_made: has_plain_initializer(definitions, method),
        branches,
        joined,
        result,
        last_calls: last.calls,
        last_outcome: last.outcome,
        constants: Arc::clone(&definitions.constants),
        numbers: Arc::clone(&definitions.numbers),
        lists: Arc::clone(&definitions.lists),
        attributes: Arc::clone(&definitions.attributes),
        reach: reach.excluding_class(&method.class),
    })
}

/// What the method itself changes cannot be brought about from outside.
fn forget_changed(characteristics: &mut [Characteristic], flags: &Flags) {
    for found in characteristics {
        found.tested.take_if(|name| flags.is_assigned(name));
        found.asked.take_if(|asked| flags.is_assigned(&asked.of));
    }
}
