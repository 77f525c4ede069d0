//! Warnings about tests that did not fail, such as flaky ones.

use std::io;

use casebook_record::Metadata;

use super::running::Test;
use crate::flag;
use crate::terminal::page::Page;
use crate::terminal::style::{DIM, LOCATION, PLAIN, WARN};

/// Tests listed of each kind.
const NAMED: usize = 10;

#[derive(Default)]
pub(super) struct Warnings {
    /// Tests by kind of warning, in the order they are shown.
    kinds: [Vec<WarnedTest>; KINDS.len()],
}

struct WarnedTest {
    position: u64,
    title: String,
    location: String,
}

const KINDS: [&str; 4] = [
    "flaky: passed only on a retry",
    "leaky: left processes running, which were killed",
    "output truncated: wrote more than --max-output allows",
    "output changed: wrote NUL bytes, which were removed",
];

impl Warnings {
    /// Adds the warnings about a test that has ended.
    pub(super) fn note(&mut self, test: &Test, passed: bool, metadata: &Metadata) {
        let is_set = |path: &str| flag(metadata, path);
        let found = [
            passed && (test.earlier > 0 || is_set("command.flaky")),
            is_set("command.leaky"),
            is_set("command.over_limit"),
            is_set("command.nul_dropped"),
        ];
        for (kind, _) in self.kinds.iter_mut().zip(found).filter(|(_, found)| *found) {
            kind.push(WarnedTest {
                position: test.position,
                title: test.title.clone(),
                location: test.location.clone(),
            });
        }
    }

    /// Shows the warnings in the order of the files.
    pub(super) fn show(&mut self, page: &mut Page) -> io::Result<()> {
        for (named, what) in self.kinds.iter_mut().zip(KINDS) {
            if named.is_empty() {
                continue;
            }
            named.sort_by_key(|named| named.position);
            page.blank()?;
            let (kind, rest) = what.split_once(':').expect("every kind has a colon");
            page.paragraph(0, 2, &[(WARN.bold(), kind), (DIM, ":"), (DIM, rest)])?;
            for one in named.iter().take(NAMED) {
                page.row(
                    2,
                    &[
                        (LOCATION, &one.location),
                        (PLAIN, "  "),
                        (PLAIN, &one.title),
                    ],
                )?;
            }
            if let Some(hidden) = named.len().checked_sub(NAMED).filter(|hidden| *hidden > 0) {
                page.row(2, &[(DIM, &format!("… and {hidden} more"))])?;
            }
        }
        Ok(())
    }
}
