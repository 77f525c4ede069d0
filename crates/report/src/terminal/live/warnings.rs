//! What did not fail a test and is to be known all the same.

use std::io;

use casebook_record::Metadata;

use super::running::Test;
use crate::flag;
use crate::terminal::page::Page;
use crate::terminal::style::{DIM, PLACE, PLAIN, WARN};

/// So many of each kind are named.
const NAMED: usize = 10;

#[derive(Default)]
pub(super) struct Warnings {
    /// By what they warn of, in the order they are told in.
    kinds: [Vec<Named>; KINDS.len()],
}

struct Named {
    position: u64,
    title: String,
    place: String,
}

const KINDS: [&str; 4] = [
    "flaky: it passed only when it was run again",
    "leaky: it left processes running, which were ended",
    "output cut: it wrote more than is kept",
    "output changed: it wrote NUL bytes, which were dropped",
];

impl Warnings {
    /// Notes what there is to say about a test that has ended.
    pub(super) fn note(&mut self, test: &Test, passed: bool, metadata: &Metadata) {
        let says = |path: &str| flag(metadata, path);
        let found = [
            passed && (test.earlier > 0 || says("command.flaky")),
            says("command.leaky"),
            says("command.over_limit"),
            says("command.nul_dropped"),
        ];
        for (kind, _) in self.kinds.iter_mut().zip(found).filter(|(_, found)| *found) {
            kind.push(Named {
                position: test.position,
                title: test.title.clone(),
                place: test.place.clone(),
            });
        }
    }

    /// Tells of them, in the order of the files.
    pub(super) fn show(&mut self, page: &mut Page) -> io::Result<()> {
        for (named, what) in self.kinds.iter_mut().zip(KINDS) {
            if named.is_empty() {
                continue;
            }
            named.sort_by_key(|named| named.position);
            page.blank()?;
            let (kind, rest) = what.split_once(':').expect("every kind is explained");
            page.paragraph(0, 2, &[(WARN.bold(), kind), (DIM, ":"), (DIM, rest)])?;
            for one in named.iter().take(NAMED) {
                page.row(
                    2,
                    &[(PLACE, &one.place), (PLAIN, "  "), (PLAIN, &one.title)],
                )?;
            }
            if let Some(hidden) = named.len().checked_sub(NAMED).filter(|hidden| *hidden > 0) {
                page.row(2, &[(DIM, &format!("… and {hidden} more"))])?;
            }
        }
        Ok(())
    }
}
