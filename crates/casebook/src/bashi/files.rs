//! The files that Bashi's arguments mean.

use casebook_suite::{Found, Reason, discover};

use crate::context::Context;

/// The suites, by path, each once. As with Bashi, a pattern that matches nothing is told and passed over while another
/// matches; a file that was named and is not there is not.
pub(super) fn find(patterns: &[String], context: &Context) -> Option<Vec<Found>> {
    let mut found = discover(patterns, &context.folder);
    let mut may_go_on = true;
    for unmatched in &found.unmatched {
        let missing = match unmatched.reason {
            Reason::NoSuchFile { .. } => "File not found: ",
            _ => "",
        };
        context
            .messages
            .info(&format!("Error: {missing}{unmatched}"));
        may_go_on &= matches!(
            unmatched.reason,
            Reason::NothingMatchesGlob | Reason::NoSuchFolder { .. }
        );
    }
    if found.files.is_empty() {
        context.messages.info("Error: No test files found");
        return None;
    }
    found.files.sort_by(|one, other| one.path.cmp(&other.path));
    may_go_on.then_some(found.files)
}
