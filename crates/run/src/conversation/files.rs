//! Reads the files of a user's message.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use casebook_suite::model::conversation::Attachment;

use super::end::{EndReason, SessionEnd};
use super::session::Session;
use crate::transcript::AttachedFile;

/// The maximum size of a file. Servers reject larger ones.
const MAX_BYTES: usize = 32 << 20;

impl Session<'_> {
    /// Reads files next to the suite. A file that cannot be read ends the conversation.
    pub(super) fn read_files(&self, files: &[Attachment]) -> Result<Vec<AttachedFile>, SessionEnd> {
        let suite = self.services.site.planned.suite.file(self.services.root);
        let dir = suite.parent().unwrap_or(Path::new("/"));
        let files = files.iter().map(|file| {
            let content = fs::read(dir.join(&file.path));
            let content = content.map_err(|error| error.to_string());
            let content = content.and_then(|content| match content.len() {
                0 => Err("it is empty".to_owned()),
                length if length > MAX_BYTES => Err("it has more than 32 MiB".to_owned()),
                _ => Ok(content),
            });
            let content = content.map_err(|why| {
                let message = format!("cannot read `{}`: {why}", file.path);
                SessionEnd::failed(
                    EndReason::StopCondition,
                    "Casebook::AssertionFailed",
                    message,
                )
            })?;
            Ok(AttachedFile {
                path: file.path.clone(),
                media_type: file.media_type,
                data: STANDARD.encode(content),
            })
        });
        files.collect()
    }
}
