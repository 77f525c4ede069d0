//! The modules of the report's script.

use std::path::Path;

use crate::modules::problems;

#[test]
fn the_modules_fit_together() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/html/script");
    assert_eq!(problems(&[&dir], &["start.js"]), Vec::<String>::new());
}
