//! [`RubyError`]: why a file or a method cannot be analyzed.

/// Greatest dependency depth. A deeper method is too complex to be tested case by case (rule E16).
pub(super) const MAX_LEVEL: usize = 6;

/// Greatest number of characteristics. A method with more is data written as code, and a spec with so many contexts is
/// not useful.
pub(super) const MAX_CHARACTERISTICS: usize = 2_000;

/// Why a file or a method cannot be analyzed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RubyError {
    /// The file is not valid Ruby.
    #[error("line {line}: {message}")]
    Syntax {
        /// 1-based.
        line: usize,
        /// The parser's message.
        message: String,
    },
    /// The code is nested deeper than the stack allows.
    #[error("the code is nested too deeply to be analyzed")]
    TooDeep,
    /// No method matches the query.
    #[error("{reason}")]
    NoMethod {
        /// Why no method was selected.
        reason: String,
        /// The methods of the file.
        found: Vec<String>,
    },
    /// Several methods match the query.
    #[error("{}", several(name.as_deref()))]
    SeveralMethods {
        /// The name that was requested, if any.
        name: Option<String>,
        /// The methods that match.
        found: Vec<String>,
    },
    /// More conditions than can be tested.
    #[error(
        "`{method}` is too complex: it has {count} characteristics, at most {MAX_CHARACTERISTICS} can be tested; split it"
    )]
    TooMany {
        /// The id of the method.
        method: String,
        /// The number of characteristics.
        count: usize,
    },
    /// More levels of dependency than can be tested.
    #[error(
        "`{method}` is too complex: its conditions depend on one another {depth} levels deep, at most {MAX_LEVEL} can be tested; split it"
    )]
    TooComplex {
        /// The id of the method.
        method: String,
        /// The number of levels.
        depth: usize,
    },
}

fn several(name: Option<&str>) -> String {
    match name {
        Some(name) => format!("several methods are named `{name}`; name the class as well"),
        None => "several public methods found; name one".to_owned(),
    }
}
