//! Reads `db/schema.rb`: the tables of a project, and the columns whose values are certainly read back as they were
//! written.

use ruby_prism::{BlockNode, CallNode, Node, Visit};

use crate::ruby::syntax::node::{argument, arguments, called};
use crate::ruby::syntax::traverse::visit_children;
use crate::ruby::syntax::words::literal_text;

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The name in the database.
    pub name: String,
    /// The columns with simple types.
    pub columns: Vec<Column>,
    /// Whether the table has check constraints.
    pub has_checks: bool,
}

/// A column whose values are read back as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub column_type: ColumnType,
    /// Whether it may be NULL.
    pub is_nullable: bool,
    /// Whether the length of texts is limited.
    pub is_limited: bool,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Texts. A symbol would be read back as a text.
    Text,
    /// Integers.
    Integer,
    /// Any numbers. An integer equals the value that is read back.
    Number,
    /// Booleans.
    Boolean,
}

impl Column {
    /// Whether a literal is read back as it was written and, if `is_stored`, whether the database accepts it.
    pub(crate) fn accepts(&self, literal: &str, is_stored: bool) -> bool {
        let number = literal.parse::<i32>();
        match self.column_type {
            _ if literal == "nil" => self.is_nullable || !is_stored,
            ColumnType::Text => is_plain_text(literal) && !(is_stored && self.is_limited),
            ColumnType::Integer | ColumnType::Number => number.is_ok(),
            ColumnType::Boolean => matches!(literal, "true" | "false"),
        }
    }
}

fn is_plain_text(literal: &str) -> bool {
    let quoted = |quote: char| literal.strip_prefix(quote)?.strip_suffix(quote);
    let text = quoted('\'').or_else(|| quoted('"'));
    text.is_some_and(|text| !text.contains(['\\', '#', '\'', '"']))
}

/// The tables of a schema; empty if it is not valid Ruby.
pub fn tables(source: &[u8]) -> Vec<Table> {
    let parsed = ruby_prism::parse(source);
    if parsed.errors().next().is_some() {
        return Vec::new();
    }
    let mut schema = Schema::default();
    schema.visit(&parsed.node());
    for table in &mut schema.tables {
        table.has_checks |= schema.checked.contains(&table.name);
    }
    schema.tables
}

#[derive(Default)]
struct Schema {
    tables: Vec<Table>,
    /// Tables with check constraints that are declared outside of `create_table`.
    checked: Vec<String>,
}

impl<'pr> Visit<'pr> for Schema {
    fn visit(&mut self, node: &Node<'pr>) {
        let Some(call) = node.as_call_node() else {
            return visit_children(self, node);
        };
        let name = argument(&call).as_ref().and_then(literal_text);
        match (called(&call), name, block_of(&call)) {
            ("create_table", Some(name), Some(block)) => {
                self.tables.push(table(name, &block));
            }
            ("add_check_constraint", Some(name), _) => self.checked.push(name),
            _ => visit_children(self, node),
        }
    }
}

fn block_of<'pr>(call: &CallNode<'pr>) -> Option<BlockNode<'pr>> {
    call.block().and_then(|block| block.as_block_node())
}

fn table(name: String, block: &BlockNode<'_>) -> Table {
    let body = block.body().and_then(|body| body.as_statements_node());
    let mut table = Table {
        name,
        columns: Vec::new(),
        has_checks: false,
    };
    let statements = body.iter().flat_map(|body| body.body().iter());
    for call in statements.filter_map(|statement| statement.as_call_node()) {
        table.has_checks |= called(&call) == "check_constraint";
        table.columns.extend(column(&call));
    }
    table
}

fn column(call: &CallNode<'_>) -> Option<Column> {
    let column_type = match called(call) {
        "string" | "text" => ColumnType::Text,
        "integer" | "bigint" => ColumnType::Integer,
        "float" | "decimal" => ColumnType::Number,
        "boolean" => ColumnType::Boolean,
        _ => return None,
    };
    let mut column = Column {
        name: argument(call).as_ref().and_then(literal_text)?,
        column_type,
        is_nullable: true,
        is_limited: false,
    };
    let arguments = arguments(call);
    let options = arguments.iter().filter_map(Node::as_keyword_hash_node);
    for option in options.flat_map(|options| options.elements().iter().collect::<Vec<_>>()) {
        let option = option.as_assoc_node()?;
        match literal_text(&option.key())?.as_str() {
            "null" => column.is_nullable = option.value().as_false_node().is_none(),
            "limit" => column.is_limited = true,
            "default" | "comment" | "precision" | "scale" | "collation" => {}
            // An array, a computed column, or an unknown option.
            _ => return None,
        }
    }
    Some(column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_the_values_they_accept() {
        let schema = "ActiveRecord::Schema.define(version: 1) do\n  create_table \"users\", force: :cascade do |t|\n    \
                      t.string \"role\", limit: 10\n    t.text \"bio\", null: false, default: \"\"\n    t.integer :age\n    \
                      t.decimal \"balance\", precision: 8, scale: 2\n    t.boolean \"active\"\n    t.string \"tags\", array: true\n    \
                      t.datetime \"seen_at\"\n    t.index [\"role\"], name: \"i\"\n  end\n  \
                      create_table \"carts\" do |t|\n    t.integer \"size\"\n  end\n  add_check_constraint \"carts\", \"size > 0\"\nend\n";
        let tables = tables(schema.as_bytes());
        let [users, carts] = tables.as_slice() else {
            panic!("{tables:?}")
        };
        let names: Vec<_> = users.columns.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["role", "bio", "age", "balance", "active"]);
        assert!(carts.has_checks && !users.has_checks);
        for (column, literal, built, stored) in [
            ("role", "'vip'", true, false),
            ("role", ":vip", false, false),
            ("role", "5", false, false),
            ("bio", "\"x\"", true, true),
            ("bio", "\"#{x}\"", false, false),
            ("bio", "nil", true, false),
            ("age", "19", true, true),
            ("age", "nil", true, true),
            ("age", "1.5", false, false),
            ("age", "3000000000", false, false),
            ("balance", "-3", true, true),
            ("active", "true", true, true),
            ("active", "1", false, false),
        ] {
            let found = users.columns.iter().find(|one| one.name == column).unwrap();
            let accepted = [found.accepts(literal, false), found.accepts(literal, true)];
            assert_eq!(accepted, [built, stored], "{column} {literal}");
        }
        assert_eq!(super::tables(b"create_table \"a\" do"), []);
    }
}
