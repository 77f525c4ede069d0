//! Ruby code, read by Ruby's own parser: which methods there are and what varies in them.
//!
//! The rules are numbered as in the contract: `definitions` finds methods (E1), `walk` goes through a body (E1b to E3, E7
//! to E10), `leaf` turns one condition into a characteristic (E5, E6, E11, E12), `collect` puts it among the others
//! (E14 to E16), `level` says how the method is to be tested (T1 to T5).

mod analyze;
mod chain;
mod changes;
mod children;
mod choose;
mod collect;
mod decided;
mod definitions;
mod draft;
mod either;
mod ending;
mod exits;
mod flags;
mod interval;
mod leaf;
mod level;
mod lifecycle;
mod look;
mod made;
mod mapped;
mod method;
mod name;
mod node;
mod outcome;
mod parameter;
mod pattern;
mod reach;
mod reading;
mod record;
mod result;
mod roots;
mod sample;
mod schema;
mod setup;
mod test;
mod tiers;
mod walk;
mod when;
mod words;

/// What others who read Ruby code need of it.
pub(crate) mod syntax {
    pub(crate) use super::children::visit_children;
    pub(crate) use super::node::{
        argument, arguments, assignment, called, constant, keyword, last_line, line, source,
        string_text,
    };
    pub(crate) use super::words::{literal_text, mentioned};
}

pub(crate) use analyze::syntax_error;
pub(crate) use reach::is_http_client;
pub(crate) use sample::members;
pub(crate) use words::{singular, snake};

pub use analyze::{Analysis, BranchFact, JoinedFact, RubyError, analyze, analyze_all, methods};
pub use choose::Wanted;
pub use level::TestLevel;
pub use mapped::is_plain_base;
pub use method::{Method, MethodType};
pub use outcome::{Called, Outcome};
pub use parameter::{Parameter, ParameterKind};
pub use reach::{Effect, EffectKind, Reach};
pub use reading::Reading;
pub use record::{Answer, RecordFacts, record};
pub use schema::{Column, Holds, Table, tables};
