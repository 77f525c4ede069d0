//! Where a chunk runs: in the worker's checkout, or in a bundle.

use std::io;
use std::path::PathBuf;

use casebook_run::SystemContext;

use super::Session;
use crate::wire::Chunk;

impl Session<'_> {
    /// The surroundings of a chunk. A bundle that this machine does not have is fetched and unpacked.
    pub(super) fn prepare(&self, chunk: &Chunk) -> Result<SystemContext, String> {
        let mut system = self.worker.system.clone();
        if let Some(digest) = &chunk.bundle {
            let dir = self.bundle(digest);
            system.dir = dir.map_err(|error| format!("cannot unpack the bundle: {error}"))?;
            let dir = system.dir.clone().into_os_string();
            system.environment.push(("PWD".into(), dir));
        }
        Ok(system)
    }

    fn bundle(&self, digest: &str) -> io::Result<PathBuf> {
        if digest.len() != 64 || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(io::Error::other("its SHA-256 is invalid"));
        }
        if let Some(dir) = self.bundles.find(digest) {
            return Ok(dir);
        }
        let (server, archive) = (self.server.clone(), self.bundles.archive()?);
        let loading = server.load_bundle(digest.to_owned(), archive);
        self.bundles.unpack(self.bridge.call(loading)?, digest)
    }
}
