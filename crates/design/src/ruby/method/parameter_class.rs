//! Infers the class of a parameter from the calls that a method makes on it: `opts[:fast]` makes `opts` a Hash.

use ruby_prism::{CallNode, Node};

use crate::ruby::syntax::node::{argument, variable};

/// A class of which a spec can write an instance as a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterClass {
    /// A string.
    String,
    /// A hash.
    Hash,
    /// An array.
    Array,
    /// An integer.
    Integer,
    /// A block or lambda.
    Proc,
}

impl ParameterClass {
    /// A literal that is neither nil nor empty.
    pub(crate) fn present_value(self) -> &'static str {
        match self {
            ParameterClass::String => "'value'",
            ParameterClass::Hash => "{ key: 'value' }",
            ParameterClass::Array => "['value']",
            ParameterClass::Integer => "1",
            ParameterClass::Proc => "proc {}",
        }
    }

    /// An empty literal, if there is one.
    pub(crate) fn empty_value(self) -> Option<&'static str> {
        match self {
            ParameterClass::String => Some("''"),
            ParameterClass::Hash => Some("{}"),
            ParameterClass::Array => Some("[]"),
            ParameterClass::Integer | ParameterClass::Proc => None,
        }
    }
}

/// The classes that the calls on each variable suggest, in source order.
#[derive(Debug, Default)]
pub(crate) struct ParameterClasses<'pr> {
    /// Variable, class, and whether only this class has the method.
    found: Vec<(&'pr str, ParameterClass, bool)>,
}

impl<'pr> ParameterClasses<'pr> {
    /// Records a call on a variable of the method with this name.
    pub(crate) fn call(&mut self, method: &str, call: &CallNode<'pr>) {
        let receiver = call.receiver();
        let Some(name) = receiver.as_ref().and_then(variable) else {
            return;
        };
        if let Some((class, is_only)) = class_of(method, call) {
            self.found.push((name, class, is_only));
        }
    }

    /// Records `*list` and `**hash` in the arguments of a call, in an array or in a hash.
    pub(crate) fn record(&mut self, node: &Node<'pr>) {
        let splat = node.as_splat_node().and_then(|splat| splat.expression());
        let hash = node.as_assoc_splat_node().and_then(|splat| splat.value());
        for (value, class) in [(splat, ParameterClass::Array), (hash, ParameterClass::Hash)] {
            if let Some(name) = value.as_ref().and_then(variable) {
                self.found.push((name, class, false));
            }
        }
    }

    /// The class of each variable. A variable with calls that no single class has is left out.
    pub(crate) fn resolve(&self) -> Vec<(String, ParameterClass)> {
        let mut classes: Vec<(String, ParameterClass)> = Vec::new();
        for (name, _, _) in &self.found {
            if classes.iter().any(|(known, _)| known == name) {
                continue;
            }
            if let Some(class) = self.class_of(name) {
                classes.push(((*name).to_owned(), class));
            }
        }
        classes
    }

    fn class_of(&self, name: &str) -> Option<ParameterClass> {
        let own = self.found.iter().filter(|(found, ..)| *found == name);
        let (certain, likely): (Vec<_>, Vec<_>) = own.partition(|(_, _, is_only)| *is_only);
        let candidates = if certain.is_empty() { likely } else { certain };
        let (_, first, _) = candidates.first()?;
        let is_same = candidates.iter().all(|(_, class, _)| class == first);
        is_same.then_some(*first)
    }
}

/// The class whose instances have the called method, and whether no other class in the table has it.
fn class_of(method: &str, call: &CallNode<'_>) -> Option<(ParameterClass, bool)> {
    let has_key = argument(call)
        .is_some_and(|key| key.as_symbol_node().is_some() || key.as_string_node().is_some());
    let has_number = argument(call).is_some_and(|number| number.as_integer_node().is_some());
    Some(match method {
        "[]" | "[]=" | "fetch" | "dig" | "delete" | "slice" | "except" if has_key => {
            (ParameterClass::Hash, true)
        }
        "+" | "-" | "*" | "/" | "%" | "**" if has_number => (ParameterClass::Integer, true),
        "strip" | "lstrip" | "rstrip" | "chomp" | "chop" | "upcase" | "downcase" | "capitalize"
        | "gsub" | "sub" | "gsub!" | "sub!" | "split" | "start_with?" | "end_with?" | "tr"
        | "squeeze" | "lines" | "chars" | "bytes" | "bytesize" | "scan" | "match" | "match?"
        | "encoding" | "force_encoding" | "encode" | "each_line" | "each_char" | "ljust"
        | "rjust" | "unpack" | "unpack1" | "hex" | "=~" | "to_sym" | "valid_encoding?"
        | "casecmp?" | "delete_prefix" | "delete_suffix" | "tr_s" | "swapcase" => {
            (ParameterClass::String, true)
        }
        "keys" | "values" | "each_pair" | "key?" | "has_key?" | "merge" | "merge!"
        | "transform_values" | "transform_keys" | "symbolize_keys" | "stringify_keys"
        | "each_key" | "each_value" | "values_at" | "update" | "value?" | "invert" => {
            (ParameterClass::Hash, true)
        }
        "push" | "pop" | "shift" | "unshift" | "join" | "flatten" | "compact" | "concat"
        | "each_slice" | "transpose" | "product" | "rotate" => (ParameterClass::Array, true),
        "times" | "upto" | "downto" | "even?" | "odd?" | "zero?" | "positive?" | "negative?"
        | "divmod" | "digits" | "pred" | "chr" => (ParameterClass::Integer, true),
        "each" | "map" | "select" | "reject" | "inject" | "reduce" | "sort" | "sort_by"
        | "flat_map" | "zip" | "each_with_index" | "each_with_object" | "all?" | "find"
        | "collect" | "detect" | "partition" | "group_by" | "uniq" | "first" | "last" | "min"
        | "max" | "sum" | "any?" | "none?" => (ParameterClass::Array, false),
        "call" | "arity" | "curry" => (ParameterClass::Proc, false),
        _ => return None,
    })
}
