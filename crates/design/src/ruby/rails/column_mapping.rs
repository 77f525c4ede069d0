//! Finds out whether a model reads and writes its columns directly, without code in between.

use ruby_prism::{CallNode, ClassNode, Node, Visit};

use crate::ruby::rails::enums::{Enum, declared};
use crate::ruby::syntax::node::{argument, arguments, called, source, text};
use crate::ruby::syntax::traverse::visit_children;
use crate::ruby::syntax::words::{literal_text, mentioned};

/// What a model class declares about its columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ColumnMapping {
    /// The table name, if it is set explicitly.
    pub(crate) table: Option<String>,
    /// Attributes declared with `enum`.
    pub(crate) enums: Vec<Enum>,
    /// Attributes whose reader or writer is overridden.
    pub(crate) overridden: Vec<String>,
    /// Attributes that are validated before they are stored.
    pub(crate) validated: Vec<String>,
    /// Whether a custom validation applies to the complete record.
    pub(crate) has_custom_validation: bool,
}

/// The mapping of the class with that name. `None` if it is not a model, or if something in it may change the values
/// that are read.
pub(crate) fn column_mapping(source: &[u8], class: &str) -> Option<ColumnMapping> {
    let parsed = ruby_prism::parse(source);
    let mut finder = Finder {
        class,
        path: Vec::new(),
        found: Vec::new(),
    };
    finder.visit(&parsed.node());
    // A class that is reopened may declare anything in the other part.
    match finder.found.as_slice() {
        [only] => only.clone(),
        _ => None,
    }
}

/// Whether `ApplicationRecord` does not affect the columns of models.
pub fn is_plain_base(source: &[u8]) -> bool {
    let base = column_mapping(source, "ApplicationRecord");
    base.is_some_and(|base| {
        base.overridden.is_empty() && !base.has_custom_validation && base.validated.is_empty()
    })
}

struct Finder<'c> {
    class: &'c str,
    path: Vec<String>,
    found: Vec<Option<ColumnMapping>>,
}

impl<'pr> Visit<'pr> for Finder<'_> {
    fn visit(&mut self, node: &Node<'pr>) {
        let name = if let Some(class) = node.as_class_node() {
            let name = self::source(&class.constant_path());
            if [&self.path[..], std::slice::from_ref(&name)]
                .concat()
                .join("::")
                == self.class
            {
                self.found.push(of_class(&class));
            }
            name
        } else if let Some(module) = node.as_module_node() {
            self::source(&module.constant_path())
        } else {
            return visit_children(self, node);
        };
        self.path.push(name);
        visit_children(self, node);
        self.path.pop();
    }
}

fn of_class(class: &ClassNode<'_>) -> Option<ColumnMapping> {
    let superclass = source(&class.superclass()?);
    let superclass = superclass.trim_start_matches("::");
    if !matches!(superclass, "ApplicationRecord" | "ActiveRecord::Base") {
        return None;
    }
    let mut mapping = ColumnMapping::default();
    let body = class.body().and_then(|body| body.as_statements_node());
    for statement in body.iter().flat_map(|body| body.body().iter()) {
        mapping.statement(&statement)?;
    }
    Some(mapping)
}

impl ColumnMapping {
    /// Records a statement of the class body. `None` if its effect is unknown.
    fn statement(&mut self, node: &Node<'_>) -> Option<()> {
        if let Some(method) = node.as_def_node() {
            if method.receiver().is_some() {
                return Some(());
            }
            let name = text(method.name().as_slice());
            self.overridden.push(name.trim_end_matches('=').to_owned());
            // These methods affect all attributes.
            let affects_all = matches!(
                name,
                "initialize"
                    | "method_missing"
                    | "read_attribute"
                    | "write_attribute"
                    | "[]"
                    | "[]="
            );
            return (!affects_all).then_some(());
        }
        let is_harmless = node.as_constant_write_node().is_some()
            || node.as_class_node().is_some()
            || node.as_module_node().is_some()
            || node.as_singleton_class_node().is_some();
        match node.as_call_node() {
            Some(call) => self.call(&call),
            None => is_harmless.then_some(()),
        }
    }

    fn call(&mut self, call: &CallNode<'_>) -> Option<()> {
        let name = called(call);
        if call.receiver().is_some() {
            return match name {
                "table_name=" => {
                    self.table = argument(call).as_ref().and_then(literal_text);
                    self.table.is_some().then_some(())
                }
                "abstract_class=" => Some(()),
                _ => None,
            };
        }
        match name {
            "validate" | "validates_with" | "validates_each" => self.has_custom_validation = true,
            _ if name.starts_with("validates") => self.validated.extend(mentioned(call)),
            "enum" => {
                self.enums.extend(declared(call));
                self.overridden.extend(mentioned(call));
            }
            "attribute"
            | "serialize"
            | "normalizes"
            | "store"
            | "store_accessor"
            | "alias_attribute"
            | "attr_accessor"
            | "attr_reader"
            | "attr_writer"
            | "delegate"
            | "belongs_to"
            | "has_many"
            | "has_one"
            | "has_and_belongs_to_many" => {
                self.overridden.extend(mentioned(call));
            }
            "private" | "protected" | "public" => {
                for argument in arguments(call) {
                    if argument.as_def_node().is_some() {
                        self.statement(&argument)?;
                    }
                }
            }
            "primary_abstract_class"
            | "scope"
            | "accepts_nested_attributes_for"
            | "private_constant"
            | "private_class_method" => {}
            // A callback, a concern, or a macro of a gem.
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping_of(body: &str) -> Option<ColumnMapping> {
        let source = format!("class User < ApplicationRecord\n{body}\nend\n");
        column_mapping(source.as_bytes(), "User")
    }

    #[test]
    fn overridden_attributes_and_validations_are_found() {
        for (body, overridden) in [
            ("", Some("")),
            ("def name = 1", Some("name")),
            ("def name=(x); end", Some("name")),
            ("private def name = 1", Some("name")),
            ("enum role: { vip: 0 }", Some("role")),
            ("enum :role, [:vip]", Some("role")),
            (
                "ROLES = %w[a]\nscope :all_of, -> { where(a: 1) }\nvalidates :name, presence: true",
                Some(""),
            ),
            ("class << self; def x = 1; end", Some("")),
            ("include Named", None),
            ("after_initialize :fill", None),
            ("before_save { self.name = 'x' }", None),
            ("has_secure_password", None),
            ("def initialize(*); end", None),
            ("self.inheritance_column = 'kind'", None),
            ("private", Some("")),
        ] {
            let found = mapping_of(body).map(|mapped| mapped.overridden.join(" "));
            assert_eq!(found.as_deref(), overridden, "{body}");
        }
        for (body, is_plain) in [
            ("self.abstract_class = true", true),
            ("primary_abstract_class\n  def self.newest = last", true),
            ("include Auditable", false),
            ("def name = 'x'", false),
        ] {
            let source = format!("class ApplicationRecord < ActiveRecord::Base\n{body}\nend");
            assert_eq!(is_plain_base(source.as_bytes()), is_plain, "{body}");
        }
        let table = mapping_of("self.table_name = 'people'").unwrap().table;
        assert_eq!(table.as_deref(), Some("people"));
        let validations = mapping_of("validates :a, :b, presence: true\nvalidate :c").unwrap();
        assert!(validations.has_custom_validation);
        assert_eq!(validations.validated, ["a", "b", "presence"]);
        for source in [
            "class User; end",
            "class User < Admin; end",
            "class Other < ApplicationRecord; end",
        ] {
            assert_eq!(column_mapping(source.as_bytes(), "User"), None, "{source}");
        }
    }
}
