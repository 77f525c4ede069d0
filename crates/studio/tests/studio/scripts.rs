//! The modules of the pages' scripts.

use std::path::Path;

use crate::modules::problems;

#[test]
fn the_modules_fit_together() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dirs = [
        root.join("src/page"),
        root.join("../report/src/html/script"),
    ];
    let dirs = [dirs[0].as_path(), dirs[1].as_path()];
    let problems = problems(&dirs, &["served.js", "project.js"]);
    assert_eq!(problems, Vec::<String>::new());
}
