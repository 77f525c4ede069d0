//! The files that compiled code writes about services.

use std::fs;
use std::path::{Path, PathBuf};

use crate::captured_values::{CapturedValue, CapturedValues};
use crate::services::ServiceOutput;

/// What the compiled code wrote about services.
#[derive(Debug, Clone, Default)]
pub(super) struct ServiceFiles {
    pub(super) outputs: Vec<ServiceOutput>,
    /// Their ports.
    pub(super) ports: Vec<CapturedValue>,
}

impl ServiceFiles {
    /// Reads the files in a directory. A log is shortened to `limit` bytes.
    pub(super) fn read(dir: &Path, is_of_test: bool, limit: usize) -> ServiceFiles {
        let mut files = ServiceFiles::default();
        for path in sorted(dir) {
            let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else {
                continue;
            };
            let content = || fs::read(&path).unwrap_or_default();
            match path.extension().and_then(|kind| kind.to_str()) {
                Some("log") => {
                    let mut output = content();
                    output.drain(..output.len().saturating_sub(limit));
                    files.outputs.push(ServiceOutput {
                        name: name.to_owned(),
                        output,
                        is_of_test,
                    });
                }
                Some("port") => files.ports.push(CapturedValue {
                    name: format!("services.{name}.port"),
                    value: String::from_utf8_lossy(&content()).into_owned(),
                    is_secret: false,
                }),
                _ => {}
            }
        }
        files.outputs.retain(|one| !one.output.is_empty());
        files
    }

    /// Adds the ports to the values of a test.
    pub(super) fn add_ports(&self, values: &mut CapturedValues) {
        for port in &self.ports {
            values.set(port.clone());
        }
    }
}

/// The files in a directory; none if it does not exist.
fn sorted(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
