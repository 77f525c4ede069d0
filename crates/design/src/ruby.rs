//! Analyzes Ruby code with Prism, Ruby's own parser: which methods a file defines and what varies in them.
//!
//! The rules are described in `docs/design-rules.md`: `method` finds methods (rule E1), `walk` visits a body (rules E1b
//! to E3 and E7 to E10), `condition` turns one condition into a characteristic (rules E5, E6, E11 and E12),
//! `walk::characteristics` adds it to the others (rules E14 to E16), `method::test_level` decides how the method is
//! tested (rules T1 to T5).

mod analyze;
mod branch;
mod condition;
mod error;
mod method;
mod options;
mod rails;
pub(crate) mod syntax;
mod walk;

pub(crate) use analyze::syntax_error;
pub(crate) use condition::sample_values::members;
pub(crate) use method::lookup::did_you_mean;
pub(crate) use method::parameter::of as parameters_of;
pub(crate) use method::side_effects::is_http_client;
pub(crate) use syntax::words::{singular, snake};

pub use analyze::{Analysis, BranchFact, JoinedFact, analyze, analyze_all, methods};
pub use branch::outcome::BranchOutcome;
pub use error::RubyError;
pub use method::id::{Method, MethodType};
pub use method::lookup::MethodQuery;
pub use method::parameter::{Parameter, ParameterKind};
pub use method::parameter_class::ParameterClass;
pub use method::side_effects::{Effect, EffectKind, SideEffects};
pub use method::test_level::TestLevel;
pub use options::AnalysisOptions;
pub use rails::column_mapping::is_plain_base;
pub use rails::enums::Enum;
pub use rails::model::{ModelFacts, PredicateMethod, model_facts};
pub use rails::schema::{Column, ColumnType, Table, tables};
