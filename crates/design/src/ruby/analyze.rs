//! Analyzes the methods of a file: from its text to [`Analysis`].

use std::sync::Arc;

use ruby_prism::Node;

use crate::characteristic::Characteristic;
use crate::decision::Decision;
use crate::ruby::branch::outcome::{Branch, BranchOutcome, JointBranch, TakenBranch};
use crate::ruby::branch::tail::{plain_result, unconditional_tail};
use crate::ruby::condition::boolean_names::Flags;
use crate::ruby::condition::state_setup;
use crate::ruby::error::{MAX_CHARACTERISTICS, MAX_LEVEL, RubyError};
use crate::ruby::method::definitions::{Attribute, Definition, Definitions};
use crate::ruby::method::id::Method;
use crate::ruby::method::initializer::{has_plain_initializer, initializer};
use crate::ruby::method::lookup::{MethodQuery, find_method};
use crate::ruby::method::parameter::{self, Parameter};
use crate::ruby::method::parameter_class::ParameterClass;
use crate::ruby::method::side_effects::SideEffects;
use crate::ruby::method::test_level::{self, FileRole, TestLevel};
use crate::ruby::options::AnalysisOptions;
use crate::ruby::walk::MethodWalk;
use crate::ruby::walk::characteristics::StateRef;

/// The effect of one branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchFact {
    /// The characteristic and its state in which the branch is taken.
    pub(crate) state_ref: StateRef,
    /// The parent of the characteristic at this branch, if any.
    pub(crate) under: Option<StateRef>,
    /// What the branch returns or raises, if the code shows it directly.
    pub outcome: Option<BranchOutcome>,
    /// The effects of the calls in it, in words.
    pub effects: Vec<String>,
    /// Whether it calls methods, with or without an effect that is known.
    pub makes_calls: bool,
    /// Whether the conditions alone decide the outcome.
    pub is_certain: bool,
}

impl From<TakenBranch> for BranchFact {
    fn from(taken: TakenBranch) -> BranchFact {
        BranchFact {
            state_ref: taken.state_ref,
            under: taken.under,
            outcome: taken.branch.outcome,
            effects: taken.branch.effects,
            makes_calls: taken.branch.makes_calls,
            is_certain: taken.branch.is_certain,
        }
    }
}

/// The effect of a branch that is taken only when several conditions are in certain states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedFact {
    /// Characteristics and states, in source order.
    pub(crate) state_refs: Vec<StateRef>,
    /// What the branch returns or raises, if the code shows it directly.
    pub outcome: Option<BranchOutcome>,
    /// Whether the conditions alone decide the outcome.
    pub is_certain: bool,
}

impl From<JointBranch> for JoinedFact {
    fn from(taken: JointBranch) -> JoinedFact {
        JoinedFact {
            state_refs: taken.state_refs,
            outcome: taken.branch.outcome,
            is_certain: taken.branch.is_certain,
        }
    }
}

/// The analysis of one method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// The method.
    pub method: Method,
    /// How the method should be tested.
    pub test_level: TestLevel,
    /// Whether it works with database records.
    pub uses_models: bool,
    /// What varies in it, in source order.
    pub characteristics: Vec<Characteristic>,
    /// Conditions that could not be represented.
    pub warnings: Vec<String>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The classes of variables that the calls on them show.
    pub classes: Vec<(String, ParameterClass)>,
    /// Why a spec cannot call it, if it cannot: it or its class is private.
    pub inaccessible: Option<String>,
    /// Whether instances of its class can be created with `new`.
    pub has_new: bool,
    /// The parameters of `new`, for an instance method.
    pub initializer: Arc<Vec<Parameter>>,
    /// Whether `initialize` only stores its arguments.
    pub has_plain_initializer: bool,
    /// Where the states of its characteristics are decided.
    pub decisions: Vec<Decision>,
    /// The effects of its branches.
    pub branches: Vec<BranchFact>,
    /// The effects of branches that several conditions decide jointly.
    pub joined: Vec<JoinedFact>,
    /// The result when no branch ends the method earlier, if the code shows it directly.
    pub result: Option<BranchOutcome>,
    /// The effects of calls after the last conditional, made on every path that gets there, in words.
    pub last_effects: Vec<String>,
    /// The return value after those calls, if the code shows it directly.
    pub last_outcome: Option<BranchOutcome>,
    /// Full names of the classes and constants that the file defines.
    pub constants: Arc<Vec<String>>,
    /// Integer constants of the file, by full name.
    pub numbers: Arc<Vec<(String, i64)>>,
    /// Constants of the file that are lists of literals, or hashes with literal keys, by full name.
    pub lists: Arc<Vec<(String, Vec<String>)>>,
    /// Attributes that the classes of the file declare.
    pub(crate) attributes: Arc<Vec<Attribute>>,
    /// Its side effects and the classes it depends on.
    pub side_effects: SideEffects,
}

/// The methods of a file, in source order.
pub fn methods(source: &[u8]) -> Result<Vec<Method>, RubyError> {
    with_definitions(source, |definitions| {
        Ok(definitions
            .methods
            .into_iter()
            .map(|definition| definition.method)
            .collect())
    })
}

/// The public writable attributes of a class that are read back as they were written.
pub(crate) fn attributes_of(source: &[u8], class: &str) -> Result<Vec<String>, RubyError> {
    with_definitions(source, |definitions| {
        let own = definitions.attributes.iter();
        let own = own.filter(|one| one.is_writable && one.class == class);
        Ok(own.map(|one| one.name.clone()).collect())
    })
}

impl Analysis {
    /// The characteristic and state that a reference points to.
    pub(crate) fn at(&self, StateRef { index, state }: StateRef) -> (&Characteristic, &str) {
        let found = &self.characteristics[index];
        (found, &found.states[state])
    }

    /// Whether a reference points to the characteristic and state with these names.
    pub(crate) fn is_at(&self, state_ref: StateRef, name: &str, state: &str) -> bool {
        let (found, found_state) = self.at(state_ref);
        found.name == name && found_state == state
    }
}

/// Analyzes one method of a file; `file` is its path from the project root.
pub fn analyze(source: &[u8], file: &str, query: &MethodQuery) -> Result<Analysis, RubyError> {
    with_definitions(source, |mut definitions| {
        let definition = find_method(std::mem::take(&mut definitions.methods), query)?;
        analyze_one(definition, &definitions, FileRole::of(file), query.options)
    })
}

/// Analyzes every public method of a file. A method that is too complex does not affect the others.
pub fn analyze_all(
    source: &[u8],
    file: &str,
    options: AnalysisOptions,
) -> Result<Vec<Result<Analysis, RubyError>>, RubyError> {
    with_definitions(source, |mut definitions| {
        let mut methods = std::mem::take(&mut definitions.methods);
        methods.retain(|definition| definitions.inaccessible(&definition.method).is_none());
        let role = FileRole::of(file);
        let methods = methods.into_iter();
        Ok(methods
            .map(|one| analyze_one(one, &definitions, role, options))
            .collect())
    })
}

fn with_definitions<T>(
    source: &[u8],
    analyze: impl FnOnce(Definitions<'_>) -> Result<T, RubyError>,
) -> Result<T, RubyError> {
    let parsed = ruby_prism::parse(source);
    if let Some(error) = syntax_error(&parsed) {
        return Err(error);
    }
    let definitions = Definitions::of(&parsed.node());
    if definitions.is_too_deep {
        return Err(RubyError::TooDeep);
    }
    analyze(definitions)
}

/// The first syntax error of a file.
pub(crate) fn syntax_error(parsed: &ruby_prism::ParseResult<'_>) -> Option<RubyError> {
    let errors = parsed.errors();
    let error = errors.into_iter().next()?;
    Some(RubyError::Syntax {
        line: usize::try_from(error.location().start_line()).unwrap_or(1),
        message: String::from_utf8_lossy(error.message()).into_owned(),
    })
}

/// The result of the last statement, and the branch after the last conditional.
fn end_of_body(
    body: Option<&Node<'_>>,
    last_conditional: Option<u32>,
) -> (Option<BranchOutcome>, Branch) {
    match body.and_then(Node::as_statements_node) {
        Some(statements) => (
            plain_result(&statements),
            Branch::of_tail(&unconditional_tail(&statements, last_conditional)),
        ),
        None => (None, Branch::default()),
    }
}

fn check_count(count: usize, method: &Method) -> Result<(), RubyError> {
    if count > MAX_CHARACTERISTICS {
        let method = method.id();
        return Err(RubyError::TooMany { method, count });
    }
    Ok(())
}

fn check_depth(characteristics: &[Characteristic], method: &Method) -> Result<(), RubyError> {
    let levels = characteristics.iter().map(|found| found.level);
    let depth = levels.max().unwrap_or(0);
    if depth > MAX_LEVEL {
        let method = method.id();
        return Err(RubyError::TooComplex { method, depth });
    }
    Ok(())
}

fn analyze_one(
    definition: Definition<'_>,
    definitions: &Definitions<'_>,
    role: FileRole,
    options: AnalysisOptions,
) -> Result<Analysis, RubyError> {
    let Definition { method, node, scan } = definition;
    let flags = Flags::of(&node, scan.assignments);
    let mut walk = MethodWalk::new(&flags, &definitions.machines, options);
    let body = node.body();
    if let Some(body) = &body {
        walk.body(body);
    }
    let (result, last) = end_of_body(body.as_ref(), scan.last_conditional);
    let level = test_level::of(&scan.dependencies, &method, role);
    check_count(walk.characteristics.len(), &method)?;
    let (mut characteristics, warnings) = walk.characteristics.finish(&flags);
    check_depth(&characteristics, &method)?;
    let parameters = parameter::of(&node);
    let machines = &definitions.machines;
    state_setup::resolve_setup(
        &mut characteristics,
        &method.class,
        level.is_model,
        machines,
        &parameters,
    );
    clear_assigned_variables(&mut characteristics, &flags);
    Ok(Analysis {
        test_level: level.test_level,
        uses_models: level.uses_models,
        characteristics,
        warnings,
        parameters,
        classes: scan.classes.resolve(),
        inaccessible: definitions.inaccessible(&method),
        has_new: definitions.has_new(&method.class),
        initializer: initializer(definitions, &method),
        has_plain_initializer: has_plain_initializer(definitions, &method),
        decisions: walk.decisions,
        branches: walk.outcomes.into_iter().map(BranchFact::from).collect(),
        joined: walk.joined.into_iter().map(JoinedFact::from).collect(),
        result,
        last_effects: last.effects,
        last_outcome: last.outcome,
        constants: Arc::clone(&definitions.constants),
        numbers: Arc::clone(&definitions.numbers),
        lists: Arc::clone(&definitions.lists),
        attributes: Arc::clone(&definitions.attributes),
        side_effects: scan.side_effects.excluding_class(&method.class),
        method,
    })
}

/// Clears variables that the method itself assigns: a test cannot set them from outside.
fn clear_assigned_variables(characteristics: &mut [Characteristic], flags: &Flags<'_>) {
    for found in characteristics {
        found.tested.take_if(|name| flags.is_assigned(name));
        found
            .attribute_call
            .take_if(|call| flags.is_assigned(&call.variable));
    }
}
