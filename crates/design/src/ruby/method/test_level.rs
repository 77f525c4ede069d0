//! Decides on which level a method is tested: rules T1 to T5.

use std::collections::BTreeSet;

use ruby_prism::{CallNode, Node};

use crate::ruby::method::body_scan::MAX_DEPTH;
use crate::ruby::method::id::Method;
use crate::ruby::syntax::node::{bare, called, constant, is_constant, text};
use crate::ruby::syntax::traverse::clone_handle;

/// How much of the program a test of the method includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TestLevel {
    /// One class.
    Unit,
    /// Several classes and a database.
    Integration,
    /// An HTTP request.
    Request,
    /// The complete application through its user interface. Never chosen by analysis, only on request (rule T5).
    E2e,
}

impl TestLevel {
    /// The word used in the metadata.
    pub fn as_str(self) -> &'static str {
        match self {
            TestLevel::Unit => "unit",
            TestLevel::Integration => "integration",
            TestLevel::Request => "request",
            TestLevel::E2e => "e2e",
        }
    }

    /// Parses the word used in the metadata.
    pub fn parse(text: &str) -> Option<TestLevel> {
        [
            TestLevel::Unit,
            TestLevel::Integration,
            TestLevel::Request,
            TestLevel::E2e,
        ]
        .into_iter()
        .find(|level| level.as_str() == text)
    }
}

const QUERIES: [&str; 14] = [
    "create",
    "create!",
    "find",
    "find_by",
    "find_by!",
    "where",
    "first",
    "last",
    "all",
    "exists?",
    "lock",
    "transaction",
    "insert_all",
    "update_all",
];

/// Constants of Ruby and of frameworks that are not models, although they have methods such as `first`, `all` or
/// `exists?`.
const NON_MODELS: [&str; 34] = [
    "ActiveRecord",
    "Array",
    "Base",
    "Comparable",
    "Data",
    "Date",
    "DateTime",
    "Dir",
    "Encoding",
    "Enumerable",
    "Etc",
    "File",
    "FileUtils",
    "Hash",
    "IO",
    "Integer",
    "JSON",
    "Kernel",
    "Module",
    "Net",
    "Object",
    "ObjectSpace",
    "Pathname",
    "Process",
    "Rails",
    "Range",
    "Regexp",
    "Set",
    "String",
    "Struct",
    "Tempfile",
    "Thread",
    "Time",
    "URI",
];

/// The result of the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LevelDecision {
    pub(crate) test_level: TestLevel,
    pub(crate) uses_models: bool,
    /// Whether the class of the method is a model.
    pub(crate) is_model: bool,
}

/// What the path of a file tells about the classes in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileRole {
    has_controllers: bool,
    has_models: bool,
}

impl FileRole {
    pub(crate) fn of(file: &str) -> FileRole {
        FileRole {
            has_controllers: is_under(file, "app/controllers"),
            has_models: is_under(file, "app/models"),
        }
    }
}

/// The test level of a method in a file of that role.
pub(crate) fn of(
    dependencies: &MethodDependencies<'_>,
    method: &Method,
    role: FileRole,
) -> LevelDecision {
    let is_controller = role.has_controllers || method.class.ends_with("Controller");
    let test_level = if is_controller || dependencies.request {
        TestLevel::Request
    } else if dependencies.is_integration() {
        TestLevel::Integration
    } else {
        TestLevel::Unit
    };
    let is_model = role.has_models || is_record(method);
    LevelDecision {
        test_level,
        uses_models: is_model || !dependencies.models.is_empty(),
        is_model,
    }
}

/// Whether the class of the method is one of Active Record.
fn is_record(method: &Method) -> bool {
    method.superclass.as_deref().is_some_and(|superclass| {
        matches!(
            superclass.trim_start_matches(':'),
            "ApplicationRecord" | "ActiveRecord::Base"
        )
    })
}

fn is_under(file: &str, dir: &str) -> bool {
    let deeper = file.match_indices('/').map(|(at, _)| &file[at + 1..]);
    std::iter::once(file).chain(deeper).any(|path| {
        let inside = path.strip_prefix(dir);
        inside.is_some_and(|inside| inside.starts_with('/'))
    })
}

/// The objects that a method works with.
#[derive(Default)]
pub(crate) struct MethodDependencies<'pr> {
    request: bool,
    models: BTreeSet<&'pr str>,
    services: BTreeSet<&'pr str>,
    writes: usize,
    has_transaction: bool,
}

impl<'pr> MethodDependencies<'pr> {
    fn is_integration(&self) -> bool {
        self.models.len() >= 2
            || self.writes >= 2
            || self.has_transaction
            || self.services.len() >= 2
    }

    /// Records a call of the method with this name.
    pub(crate) fn call(&mut self, name: &str, call: &CallNode<'pr>) {
        let receiver = call.receiver().map(bare);
        let Some(receiver) = receiver else {
            self.request |= matches!(name, "render" | "redirect_to" | "head");
            self.writes += usize::from(is_write(name));
            self.has_transaction |= name == "transaction" && call.block().is_some();
            return;
        };
        self.request |= name == "[]" && is_request_data(&receiver);
        self.writes += usize::from(is_write(name));
        self.has_transaction |= name == "transaction" && call.block().is_some();
        if (QUERIES.contains(&name) || name == "delete_all")
            && let Some(model) = root(&receiver).filter(|path| is_model_name(path))
        {
            self.models.insert(model);
        }
        if let Some(service) = service(name, &receiver) {
            self.services.insert(service);
        }
    }

    /// Records a node that is not a call.
    pub(crate) fn record(&mut self, node: &Node<'_>) {
        self.request |= updated_receiver(node).is_some_and(|data| is_request_data(&data));
    }
}

fn is_write(name: &str) -> bool {
    matches!(name, "create" | "create!" | "save" | "save!")
}

/// Whether this is `params`, `session` or `cookies` without a receiver. A local variable of that name is not a call.
fn is_request_data(node: &Node<'_>) -> bool {
    node.as_call_node().is_some_and(|call| {
        call.receiver().is_none()
            && call.arguments().is_none()
            && matches!(called(&call), "params" | "session" | "cookies")
    })
}

/// The receiver of `x[…] ||= y` and the like, which is read before it is written.
fn updated_receiver<'pr>(node: &Node<'pr>) -> Option<Node<'pr>> {
    if let Some(write) = node.as_index_or_write_node() {
        return write.receiver();
    }
    if let Some(write) = node.as_index_and_write_node() {
        return write.receiver();
    }
    node.as_index_operator_write_node()?.receiver()
}

/// The constant that a chain of calls starts with. A chain that is too long to be analyzed has none.
pub(crate) fn root<'pr>(node: &Node<'pr>) -> Option<&'pr str> {
    let mut node = clone_handle(node);
    for _ in 0..MAX_DEPTH {
        if is_constant(&node) {
            return Some(class_path(&node));
        }
        node = bare(node.as_call_node()?.receiver()?);
    }
    None
}

/// A constant as written, without `::` at its beginning.
pub(crate) fn class_path<'pr>(constant: &Node<'pr>) -> &'pr str {
    text(constant.location().as_slice()).trim_start_matches(':')
}

/// The last name of a constant: `Invoice` of `Billing::Invoice`.
pub(crate) fn last_name(path: &str) -> &str {
    path.rsplit(':').next().unwrap_or(path)
}

/// Whether a constant may be a model: `User` and `Billing::Invoice`, but not `LIMITS` or `File`.
fn is_model_name(path: &str) -> bool {
    is_program_class(path) && !is_service_name(path)
}

/// Whether a constant is a class that belongs neither to Ruby nor to a framework.
pub(crate) fn is_program_class(path: &str) -> bool {
    let last = last_name(path);
    let first = path.split(':').next().unwrap_or(path);
    last.chars().any(char::is_lowercase)
        && !NON_MODELS.contains(&last)
        && !NON_MODELS.contains(&first)
}

fn is_service_name(name: &str) -> bool {
    ["Service", "Interactor", "Command"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// The service that a call invokes: `X.call`, `X.new(…).call`, or any call on a constant with the name of a service.
fn service<'pr>(method: &str, receiver: &Node<'pr>) -> Option<&'pr str> {
    let instantiated = receiver
        .as_call_node()
        .filter(|call| called(call) == "new")
        .and_then(|call| call.receiver())
        .map(bare);
    let class = instantiated.as_ref().unwrap_or(receiver);
    let name = constant(class)?;
    if !name.chars().any(char::is_lowercase) {
        return None;
    }
    let invoked =
        method == "call" || is_service_name(name) && (method != "new" || instantiated.is_some());
    invoked.then(|| class_path(class))
}
