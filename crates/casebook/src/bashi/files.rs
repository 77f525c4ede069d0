//! Finds the suites of Bashi's arguments.

use casebook_suite::{DiscoveredSuite, Reason, discover};

use crate::context::Context;

/// The suites, sorted by path, each once. As with Bashi, a pattern without matches is reported and ignored if another pattern
/// matches; a missing file is an error.
pub(super) fn find(patterns: &[String], context: &Context) -> Option<Vec<DiscoveredSuite>> {
    let mut found = discover(patterns, &context.dir);
    let mut is_ok = true;
    for unmatched in &found.unmatched {
        let problem = match &unmatched.reason {
            reason @ Reason::NoSuchFile { .. } => {
                format!("File not found: {}: {reason}", unmatched.pattern)
            }
            _ => unmatched.to_string(),
        };
        context.messages.info(&format!("Error: {problem}"));
        is_ok &= matches!(
            unmatched.reason,
            Reason::NothingMatchesGlob | Reason::NoSuchDirectory { .. }
        );
    }
    if found.files.is_empty() {
        context.messages.info("Error: No test files found");
        return None;
    }
    found.files.sort_by(|one, other| one.path.cmp(&other.path));
    is_ok.then_some(found.files)
}
