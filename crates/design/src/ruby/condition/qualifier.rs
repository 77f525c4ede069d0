//! Words in the code that distinguish a condition from another one with the same name (rule E14): the bound of a
//! comparison, arguments, a block, the rest of the receiver.

use ruby_prism::{BlockNode, CallNode, KeywordHashNode, Node};

use crate::name::Name;
use crate::ruby::condition::draft::Absence;
use crate::ruby::condition::value_name::{last_identifier, value_name};
use crate::ruby::syntax::node::{arguments, assigned_value, bare, called, source, text};
use crate::ruby::syntax::words::{is_number, literal_word, plain, snake};

/// The greatest number of words that are taken from a list of arguments or from a pattern.
const MAX_WORDS: usize = 3;

/// The length up to which a word makes a name clearer than a number does.
const MAX_LENGTH: usize = 40;

/// Begins the words of an origin.
const FROM: &str = "from_";

/// A word that is added to a name.
#[derive(Debug, Clone)]
pub(crate) enum Qualifier {
    /// In front of the name: the object that the receiver belongs to.
    Owner(String),
    /// After the name, but before the word that names a state.
    Detail(String),
    /// Like a detail: the beginning of the expression that a variable was assigned.
    Origin(String),
    /// Like a detail, with a preposition or verb in front of it.
    Related(&'static str, String),
    /// Like a detail, but with this preposition or verb in front of it if the detail alone makes no difference.
    Detailed(&'static str, String),
}

impl Qualifier {
    /// The words that it adds, best first. They are only composed for a name that is in use.
    pub(crate) fn words(&self) -> Vec<String> {
        match self {
            Qualifier::Owner(word) | Qualifier::Detail(word) => vec![word.clone()],
            Qualifier::Origin(origin) => origin_words(origin),
            Qualifier::Related(relation, word) => vec![format!("{relation}_{word}")],
            Qualifier::Detailed(relation, word) => {
                vec![word.clone(), format!("{relation}_{word}")]
            }
        }
    }

    /// Whether this is one of its words.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        let is_related = |relation: &str, own: &str| {
            let rest = word.strip_prefix(relation);
            rest.and_then(|rest| rest.strip_prefix('_')) == Some(own)
        };
        match self {
            Qualifier::Owner(own) | Qualifier::Detail(own) => own == word,
            Qualifier::Origin(origin) => {
                word.starts_with(FROM) && origin_words(origin).iter().any(|own| own == word)
            }
            Qualifier::Related(relation, own) => is_related(relation, own),
            Qualifier::Detailed(relation, own) => own == word || is_related(relation, own),
        }
    }

    /// The name with one of these words. `None` if a number is more readable.
    pub(crate) fn apply(&self, name: &Name, word: &str) -> Option<Name> {
        if word.len() > MAX_LENGTH {
            return None;
        }
        let name = name.clone();
        Some(match self {
            Qualifier::Owner(_) => name.with_owner(word),
            _ => name.with_detail(word),
        })
    }
}

/// The words in a call, best first.
pub(crate) fn of_call(call: &CallNode<'_>) -> Vec<Qualifier> {
    let details = [argument_words(call), block_word(call)];
    let details = details.into_iter().flatten().map(Qualifier::Detail);
    let owner = call.receiver().and_then(|receiver| owner(&bare(receiver)));
    details.chain(owner.map(Qualifier::Owner)).collect()
}

/// The words of an expression that is tested itself.
pub(crate) fn of_value(node: &Node<'_>) -> Vec<Qualifier> {
    if let Some(value) = assigned_value(node) {
        return of_assigned(&value).into_iter().collect();
    }
    match node.as_call_node() {
        Some(call) => of_call(&call),
        None => Vec::new(),
    }
}

/// The word for a value that is assigned. A literal has none.
pub(crate) fn of_assigned(value: &Node<'_>) -> Option<Qualifier> {
    origin(value).map(Qualifier::Origin)
}

/// The beginning of an expression: the names in it up to the first argument. `None` for a literal.
pub(crate) fn origin(value: &Node<'_>) -> Option<String> {
    let source = value.location().as_slice();
    let starts_name = |first: &u8| first.is_ascii_alphabetic() || b"_@$".contains(first);
    let is_name = |byte: &u8| !b"({ \n".contains(byte);
    let end = source
        .iter()
        .take(MAX_LENGTH)
        .take_while(|byte| is_name(byte));
    let begin = &source[..end.count()];
    let is_literal = matches!(begin, b"nil" | b"true" | b"false");
    (begin.first().is_some_and(starts_name) && !is_literal)
        .then(|| String::from_utf8_lossy(begin).into_owned())
}

/// The last name in the beginning of an expression, or all of them.
fn origin_words(origin: &str) -> Vec<String> {
    let last = origin.rsplit('.').next().unwrap_or(origin);
    let mut words = vec![snake(last), snake(origin)];
    words.dedup();
    words.retain(|word| !word.is_empty());
    let words = words.into_iter();
    words.map(|word| [FROM, &word].concat()).collect()
}

/// The word for the value that something is compared with, or the pattern that it is matched with.
pub(crate) fn of_operand(node: &Node<'_>) -> Option<Qualifier> {
    operand_word(node).map(Qualifier::Detail)
}

/// The word for the value of an equality. A number alone would look like the number of the condition.
pub(crate) fn of_equal(value: &Node<'_>) -> Option<Qualifier> {
    let word = operand_word(value)?;
    Some(if is_number(value) {
        Qualifier::Related("is", word)
    } else {
        Qualifier::Detailed("is", word)
    })
}

/// The word for the bound of a comparison.
pub(crate) fn of_bound(operator: &str, bound: &Node<'_>) -> Option<Qualifier> {
    let relation = match operator {
        "<" => "below",
        "<=" => "at_most",
        ">" => "above",
        _ => "at_least",
    };
    operand_word(bound).map(|word| Qualifier::Detailed(relation, word))
}

/// The words for both bounds of a range.
pub(crate) fn of_bounds(call: &CallNode<'_>) -> Option<Qualifier> {
    if called(call) == "between?" {
        return argument_words(call).map(|words| Qualifier::Related("between", words));
    }
    of_collection(&bare(call.receiver()?))
}

/// The words for a collection that contains a value.
pub(crate) fn of_collection(node: &Node<'_>) -> Option<Qualifier> {
    let words = match node.as_array_node() {
        Some(array) => {
            let words = array.elements().iter().filter_map(|one| literal_word(&one));
            let words: Vec<String> = words.take(MAX_WORDS).collect();
            words.join("_or_")
        }
        None => operand_word(node)?,
    };
    (!words.is_empty()).then_some(Qualifier::Related("in", words))
}

/// The words for a class: its last part, or all of them.
pub(crate) fn of_class(node: &Node<'_>) -> Vec<Qualifier> {
    let path = node
        .as_constant_path_node()
        .map(|path| snake(&source(&path.as_node())));
    let words = [operand_word(node), path].into_iter().flatten();
    words.map(Qualifier::Detail).collect()
}

/// The states of a characteristic with more than two of them, if they are few.
pub(crate) fn of_states(states: &[String]) -> Option<Qualifier> {
    let values = states.iter().filter(|state| *state != "other");
    let values: Vec<&str> = values.map(String::as_str).collect();
    (values.len() <= MAX_WORDS).then(|| Qualifier::Detail(values.join("_or_")))
}

/// The word for a second test of the presence of the same value.
pub(crate) fn of_absence(absence: Absence) -> Option<Qualifier> {
    let word = match absence {
        Absence::Nil => "value",
        Absence::Empty => "content",
        Absence::Blank => return None,
    };
    Some(Qualifier::Detail(word.to_owned()))
}

/// The word for the constant before the last part of a constant: `admin` of `Admin::Flag`.
pub(crate) fn of_constant(node: &Node<'_>) -> Option<Qualifier> {
    let path = node.as_constant_path_node()?.parent()?;
    Some(Qualifier::Owner(snake(&source(&path))))
}

/// The words that a regular expression matches literally, without its escapes.
fn regexp_words(pattern: &str) -> String {
    let mut letters = String::with_capacity(pattern.len());
    let mut rest = pattern.chars();
    while let Some(letter) = rest.next() {
        if letter == '\\' {
            rest.next();
        }
        letters.push(if letter.is_alphanumeric() {
            letter
        } else {
            ' '
        });
    }
    first_words(&snake(&letters))
}

fn first_words(words: &str) -> String {
    let words = words.split('_').filter(|word| !word.is_empty());
    words.take(MAX_WORDS).collect::<Vec<_>>().join("_")
}

fn operand_word(node: &Node<'_>) -> Option<String> {
    let pattern = node.as_regular_expression_node();
    pattern
        .map(|pattern| regexp_words(text(pattern.unescaped())))
        .or_else(|| literal_word(node))
        .or_else(|| value_name(node).map(|name| name.full))
        .filter(|word| !word.is_empty())
}

fn argument_words(call: &CallNode<'_>) -> Option<String> {
    let arguments = arguments(call).into_iter().map(bare);
    let words = arguments.flat_map(|argument| match argument.as_keyword_hash_node() {
        Some(pairs) => keys(&pairs),
        None => operand_word(&argument).into_iter().collect(),
    });
    let words: Vec<String> = words.take(MAX_WORDS).collect();
    (!words.is_empty()).then(|| words.join("_"))
}

/// The keys of keyword arguments.
fn keys(pairs: &KeywordHashNode<'_>) -> Vec<String> {
    let pairs = pairs.elements().iter();
    let keys = pairs.filter_map(|pair| Some(pair.as_assoc_node()?.key()));
    keys.filter_map(|key| literal_word(&key)).collect()
}

/// The method that a block calls last, or the value that it compares.
fn block_word(call: &CallNode<'_>) -> Option<String> {
    let block = call.block()?;
    if let Some(argument) = block.as_block_argument_node() {
        let expression = argument.expression()?;
        let symbol = expression.as_symbol_node();
        return match symbol {
            Some(symbol) => Some(plain(text(symbol.unescaped())).to_owned()),
            None => value_name(&expression).map(|name| name.full),
        };
    }
    last_in_block(&block.as_block_node()?).and_then(|last| result_word(&last))
}

fn last_in_block<'pr>(block: &BlockNode<'pr>) -> Option<Node<'pr>> {
    let statements = block.body()?;
    let last = statements.as_statements_node()?.body().last();
    last.map(bare)
}

fn result_word(node: &Node<'_>) -> Option<String> {
    let word = match node.as_call_node() {
        Some(call) if called(&call) == "!" => result_word(&bare(call.receiver()?))?,
        Some(call) if matches!(called(&call), "==" | "===" | "!=") => {
            let compared = arguments(&call).into_iter().next();
            compared.and_then(|value| operand_word(&bare(value)))?
        }
        Some(call) if called(&call).ends_with('?') => {
            let words = [Some(plain(called(&call)).to_owned()), argument_words(&call)];
            words.into_iter().flatten().collect::<Vec<_>>().join("_")
        }
        _ => value_name(node)?.full,
    };
    Some(word).filter(|word| !word.is_empty())
}

/// The object that a receiver is an attribute of: `order` of `order.customer`.
fn owner(receiver: &Node<'_>) -> Option<String> {
    if let Some(Qualifier::Owner(word)) = of_constant(receiver) {
        return Some(word);
    }
    if receiver.as_self_node().is_some() {
        return Some("self".to_owned());
    }
    let call = receiver.as_call_node()?;
    last_identifier(&bare(call.receiver()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_regular_expressions() {
        for (pattern, words) in [
            (r"\Ahttps?:\/\/", "https"),
            (r"^data-(\w+)$", "data"),
            (r"\A\d+\z", ""),
            ("a|b|c|d", "a_b_c"),
        ] {
            assert_eq!(regexp_words(pattern), words, "{pattern}");
        }
    }
}
