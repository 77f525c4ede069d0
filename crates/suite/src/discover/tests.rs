//! Tests of every rule of the search with real directories, positive and negative.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// A temporary directory with files.
struct Tree(TempDir);

impl Tree {
    fn new(files: &[&str]) -> Tree {
        let tree = Tree(tempfile::tempdir().unwrap());
        files.iter().for_each(|file| tree.write(file, ""));
        tree
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.0.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn create_dir(&self, path: &str) {
        fs::create_dir_all(self.0.path().join(path)).unwrap();
    }

    #[cfg(unix)]
    fn link(&self, target: &str, path: &str) {
        std::os::unix::fs::symlink(target, self.0.path().join(path)).unwrap();
    }

    fn discover(&self, arguments: &[&str]) -> Discovered {
        self.discover_from("", arguments)
    }

    fn discover_from(&self, dir: &str, arguments: &[&str]) -> Discovered {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        discover(&arguments, &self.0.path().join(dir))
    }

    /// The suites found; panics if an argument has none.
    fn found(&self, arguments: &[&str]) -> Vec<String> {
        files(&self.discover(arguments))
    }

    /// The messages; panics if a suite is found.
    fn missed(&self, arguments: &[&str]) -> Vec<String> {
        let discovered = self.discover(arguments);
        assert_eq!(discovered.files, []);
        messages(&discovered)
    }
}

fn names(discovered: &Discovered) -> Vec<String> {
    let name = |found: &DiscoveredSuite| {
        let path = found.path.display();
        match found.lines.clone().map(LineRange::into_inner) {
            None => path.to_string(),
            Some((first, last)) if first == last => format!("{path}:{first}"),
            Some((first, last)) => format!("{path}:{first}-{last}"),
        }
    };
    discovered.files.iter().map(name).collect()
}

fn files(discovered: &Discovered) -> Vec<String> {
    assert_eq!(messages(discovered), [""; 0]);
    names(discovered)
}

fn messages(discovered: &Discovered) -> Vec<String> {
    discovered
        .unmatched
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn a_file_may_have_any_name() {
    let tree = Tree::new(&[
        "notes.txt",
        "a[1].yaml",
        "a{b",
        ".hidden",
        "x y.yaml",
        "-",
        "c:3",
        ".casebook/a.yaml",
    ]);
    let given = [
        "notes.txt",
        "a[1].yaml",
        "a{b",
        ".hidden",
        "x y.yaml",
        "-",
        "c:3",
        ".casebook/a.yaml",
    ];
    assert_eq!(tree.found(&given), given);
}

#[test]
fn an_ignored_file_can_be_named() {
    let tree = Tree::new(&["a.casebook.yaml"]);
    tree.write(".gitignore", "*.yaml\n");
    assert_eq!(tree.found(&["a.casebook.yaml"]), ["a.casebook.yaml"]);
}

#[test]
fn a_directory_is_searched_for_suites_by_name() {
    let tree = Tree::new(&[
        "s/a.casebook.yaml",
        "s/deep/er/b.casebook.yml",
        "s/c.bashi.yaml",
        "s/d.bashi.yml",
        "s/e.yaml",
        "s/f.casebook.yaml.bak",
        "other/g.casebook.yaml",
    ]);
    tree.create_dir("s/h.casebook.yaml");
    let all = [
        "s/a.casebook.yaml",
        "s/c.bashi.yaml",
        "s/d.bashi.yml",
        "s/deep/er/b.casebook.yml",
    ];
    assert_eq!(tree.found(&["s"]), all);
    assert_eq!(tree.found(&["./s/"]), all);
}

#[test]
fn without_arguments_the_working_directory_is_searched() {
    let tree = Tree::new(&["b.casebook.yaml", "a/a.casebook.yaml"]);
    assert_eq!(tree.found(&[]), ["a/a.casebook.yaml", "b.casebook.yaml"]);
    assert_eq!(files(&tree.discover_from("a", &[])), ["a.casebook.yaml"]);
    assert_eq!(tree.found(&[]), tree.found(&["."]));
}

#[test]
fn files_are_in_order_of_arguments_then_paths() {
    let tree = Tree::new(&[
        "a/z.bashi.yml",
        "a.b/y.bashi.yml",
        "a-b/x.bashi.yml",
        "B/w.bashi.yml",
        "a/b/v.bashi.yml",
    ]);
    let sorted = [
        "B/w.bashi.yml",
        "a/b/v.bashi.yml",
        "a/z.bashi.yml",
        "a-b/x.bashi.yml",
        "a.b/y.bashi.yml",
    ];
    assert_eq!(tree.found(&["."]), sorted);
    assert_eq!(tree.found(&["**/*.yml"]), sorted);
    let mut by_components: Vec<PathBuf> = sorted.iter().map(PathBuf::from).collect();
    by_components.sort();
    assert_eq!(by_components, sorted.map(PathBuf::from));
    assert_eq!(
        tree.found(&["a.b", "B", "a"]),
        [
            "a.b/y.bashi.yml",
            "B/w.bashi.yml",
            "a/b/v.bashi.yml",
            "a/z.bashi.yml"
        ]
    );
}

#[test]
fn gitignore_applies_inside_and_outside_of_repositories() {
    let tree = Tree::new(&[
        "a.bashi.yml",
        "b.bashi.yml",
        "out/c.bashi.yml",
        "sub/d.bashi.yml",
        "sub/e.bashi.yml",
    ]);
    tree.write(".gitignore", "b.*\nout/\n");
    tree.write("sub/.gitignore", "d.*\n");
    let expected = ["a.bashi.yml", "sub/e.bashi.yml"];
    assert_eq!(tree.found(&["."]), expected);
    assert_eq!(tree.found(&["**/*.yml"]), expected);
    tree.create_dir(".git");
    assert_eq!(tree.found(&["."]), expected);
}

#[test]
fn gitignore_of_parent_directories_applies() {
    let tree = Tree::new(&["sub/a.bashi.yml", "sub/b.bashi.yml"]);
    tree.write(".gitignore", "/sub/b.*\n");
    assert_eq!(tree.found(&["sub"]), ["sub/a.bashi.yml"]);
    assert_eq!(files(&tree.discover_from("sub", &[])), ["a.bashi.yml"]);
}

#[test]
fn gitignore_of_the_home_directory_does_not_exclude_repositories() {
    let tree = Tree::new(&["home/shop/s/a.bashi.yml"]);
    tree.write("home/.gitignore", "*\n");
    assert_eq!(names(&tree.discover(&["home/shop"])), [""; 0]);
    tree.create_dir("home/shop/.git");
    assert_eq!(tree.found(&["home/shop"]), ["home/shop/s/a.bashi.yml"]);
    assert_eq!(tree.found(&["home/shop/s"]), ["home/shop/s/a.bashi.yml"]);
}

#[test]
fn other_ignore_lists_do_not_apply() {
    let tree = Tree::new(&["a.bashi.yml"]);
    tree.write(".ignore", "*\n");
    tree.write(".git/info/exclude", "*\n");
    assert_eq!(tree.found(&[]), ["a.bashi.yml"]);
}

#[test]
fn invalid_lines_in_gitignore_are_ignored() {
    let tree = Tree::new(&["s/a.bashi.yml", "s/b.bashi.yml"]);
    tree.write(".gitignore", "[\n{\nb.*\n");
    tree.write("s/.gitignore", "[z-a]\n");
    assert_eq!(tree.found(&[]), ["s/a.bashi.yml"]);
    assert_eq!(tree.found(&["s"]), ["s/a.bashi.yml"]);
}

#[test]
fn hidden_and_own_directories_are_searched_only_if_named() {
    let inside = [
        ".ci/a.bashi.yml",
        ".casebook/a.bashi.yml",
        "s/__snapshots__/a.bashi.yml",
        ".a.bashi.yml",
    ];
    let tree = Tree::new(&inside);
    tree.write("b.bashi.yml", "");
    tree.write("s/.git/c.bashi.yml", "");
    assert_eq!(tree.found(&[]), ["b.bashi.yml"]);
    assert_eq!(tree.found(&["**/*.yml"]), ["b.bashi.yml"]);
    assert_eq!(
        tree.found(&[".ci", ".casebook", "s/__snapshots__"]),
        &inside[..3]
    );
    assert_eq!(
        files(&tree.discover_from(".casebook", &[])),
        ["a.bashi.yml"]
    );
    assert_eq!(tree.found(&[".ci/*.yml"]), [".ci/a.bashi.yml"]);
    assert_eq!(tree.found(&["**/.ci/*.yml"]), [".ci/a.bashi.yml"]);
    assert_eq!(tree.found(&[".*.yml"]), [".a.bashi.yml"]);
}

#[test]
fn an_ignored_directory_is_searched_if_named() {
    let tree = Tree::new(&["out/a.bashi.yml", "b.bashi.yml"]);
    tree.write(".gitignore", "out/\n");
    assert_eq!(tree.found(&["out"]), ["out/a.bashi.yml"]);
    assert_eq!(tree.found(&["out/*.yml"]), ["out/a.bashi.yml"]);
    assert_eq!(tree.found(&["*"]), ["b.bashi.yml"]);
}

#[test]
fn a_pattern_selects_files_of_any_name_and_searches_directories() {
    let tree = Tree::new(&[
        "t/one.yaml",
        "t/two.txt",
        "t/sub/x.bashi.yml",
        "t/sub/y.txt",
        "u/one.yaml",
    ]);
    assert_eq!(
        tree.found(&["t/*"]),
        ["t/one.yaml", "t/sub/x.bashi.yml", "t/two.txt"]
    );
    assert_eq!(tree.found(&["t/*/"]), ["t/sub/x.bashi.yml"]);
    assert_eq!(tree.found(&["?/one.*"]), ["t/one.yaml", "u/one.yaml"]);
    assert_eq!(
        tree.found(&["{t,u}/one.yaml"]),
        ["t/one.yaml", "u/one.yaml"]
    );
    assert_eq!(tree.found(&["[u-z]/*"]), ["u/one.yaml"]);
    assert_eq!(tree.found(&["**/*.txt"]), ["t/sub/y.txt", "t/two.txt"]);
    assert_eq!(tree.found(&["./t/**/y*"]), ["t/sub/y.txt"]);
}

#[test]
fn a_pattern_may_begin_anywhere() {
    let tree = Tree::new(&["a/one.yaml", "b/x"]);
    assert_eq!(
        files(&tree.discover_from("b", &["../a/*.yaml"])),
        ["../a/one.yaml"]
    );
    let absolute = format!("{}/a/*.yaml", tree.0.path().display());
    assert_eq!(tree.found(&[&absolute]), ["a/one.yaml"]);
    let expected = tree.0.path().join("a/one.yaml").display().to_string();
    assert_eq!(files(&tree.discover_from("b", &[&absolute])), [expected]);
}

#[test]
fn a_line_selects_one_test() {
    let tree = Tree::new(&["a.yaml", "b:7", "s/x.bashi.yml"]);
    assert_eq!(
        tree.discover(&["./a.yaml:12"]).files,
        [DiscoveredSuite {
            path: "a.yaml".into(),
            lines: Some(12..=12)
        }]
    );
    assert_eq!(
        tree.discover(&["b:7"]).files,
        [DiscoveredSuite {
            path: "b:7".into(),
            lines: None
        }]
    );
    assert_eq!(
        tree.discover(&["b:7:9"]).files,
        [DiscoveredSuite {
            path: "b:7".into(),
            lines: Some(9..=9)
        }]
    );
    assert_eq!(
        tree.missed(&["s:3"]),
        ["cannot read s:3: no such file or directory; did you mean `s`?"]
    );
    assert_eq!(tree.missed(&["a.yaml:x"]).len(), 1);
}

#[test]
fn each_file_is_listed_once() {
    let tree = Tree::new(&["s/a.bashi.yml", "s/b.bashi.yml", "t/x"]);
    let absolute = tree.0.path().join("s/a.bashi.yml").display().to_string();
    assert_eq!(
        tree.found(&[
            "s/b.bashi.yml",
            "s",
            "./s/a.bashi.yml",
            "s//a.bashi.yml",
            "t/../s/a.bashi.yml",
            "s/*",
            &absolute
        ]),
        ["s/b.bashi.yml", "s/a.bashi.yml"]
    );
}

#[test]
fn lines_are_dropped_if_the_complete_file_is_selected() {
    let tree = Tree::new(&["a.yaml", "b.yaml"]);
    assert_eq!(
        tree.found(&["a.yaml:3", "b.yaml:1", "./a.yaml:5", "a.yaml:3"]),
        ["a.yaml:3", "b.yaml:1", "a.yaml:5"]
    );
    assert_eq!(
        tree.found(&["a.yaml:3", "b.yaml:1", "a.yaml", "a.yaml:5"]),
        ["b.yaml:1", "a.yaml"]
    );
}

#[test]
fn paths_are_relative_to_the_working_directory() {
    let tree = Tree::new(&["w/a.yaml", "w/s/b.bashi.yml", "c.yaml"]);
    let absolute = |path: &str| tree.0.path().join(path).display().to_string();
    for (given, called) in [
        ("./a.yaml", "a.yaml"),
        ("s/../a.yaml", "a.yaml"),
        ("../w/a.yaml", "a.yaml"),
        ("../c.yaml", "../c.yaml"),
        ("./s/./", "s/b.bashi.yml"),
        ("../w", "s/b.bashi.yml"),
        (&absolute("w/a.yaml"), "a.yaml"),
        (&absolute("w/s"), "s/b.bashi.yml"),
        (&absolute("c.yaml"), &absolute("c.yaml")),
    ] {
        let discovered = tree.discover_from("w", &[given]);
        assert_eq!(files(&discovered), [called], "{given}");
        assert!(
            tree.0
                .path()
                .join("w")
                .join(&discovered.files[0].path)
                .is_file()
        );
    }
}

#[test]
fn unmatched_arguments_have_a_reason_and_a_hint() {
    let tree = Tree::new(&[
        "suites/shop.casebook.yaml",
        "suites/cart.casebook.yaml",
        "README.md",
    ]);
    tree.create_dir("empty");
    insta::assert_snapshot!(tree.missed(&[
        "suites/shpo.casebook.yaml",
        "suits/shop.casebook.yaml",
        "suites/shop",
        "suites/cart.yaml:12",
        "suites/cart.casebook.yaml:12:5",
        "readme.md",
        "README.md/",
        "README.md/x",
        "nowhere/at/all.yaml",
        "empty",
        "suites/*.txt",
        "suits/*.yaml",
        "nowhere/*",
        "suites/[a",
        "{a,b",
        "",
    ]).join("\n"), @r"
    cannot read suites/shpo.casebook.yaml: no such file or directory; did you mean `suites/shop.casebook.yaml`?
    cannot read suits/shop.casebook.yaml: no such file or directory; did you mean `suites/shop.casebook.yaml`?
    cannot read suites/shop: no such file or directory; did you mean `suites/shop.casebook.yaml`?
    cannot read suites/cart.yaml:12: no such file or directory; did you mean `suites/cart.casebook.yaml:12`?
    cannot read suites/cart.casebook.yaml:12:5: no such file or directory; did you mean `suites/cart.casebook.yaml:12`?
    cannot read readme.md: no such file or directory; did you mean `README.md`?
    cannot read README.md/: no such file or directory; did you mean `README.md`?
    cannot read README.md/x: no such file or directory
    cannot read nowhere/at/all.yaml: no such file or directory
    empty: no suites found in this directory; suites are files named *.casebook.yaml, *.casebook.yml, *.bashi.yaml or *.bashi.yml; `casebook init` writes a first one
    suites/*.txt: no file matches this pattern, and no matching directory contains a suite
    suits/*.yaml: no such directory: `suits`; did you mean `suites`?
    nowhere/*: no such directory: `nowhere`
    suites/[a: invalid pattern: `[` is never closed; to match the character itself, write `[[]`
    {a,b: invalid pattern: `{` is never closed; to match the character itself, write `[{]`
    '': the argument is empty; pass a file, a directory or a pattern
    ");
}

#[test]
fn unmatched_arguments_do_not_prevent_others() {
    let tree = Tree::new(&["a.yaml"]);
    let discovered = tree.discover(&["x1", "a.yaml", "x2"]);
    assert_eq!(names(&discovered), ["a.yaml"]);
    let patterns: Vec<&str> = discovered
        .unmatched
        .iter()
        .map(|miss| &*miss.pattern)
        .collect();
    assert_eq!(patterns, ["x1", "x2"]);
}

#[test]
fn reports_a_directory_with_ignored_suites_only() {
    let tree = Tree::new(&["s/out/a.bashi.yml"]);
    tree.write(".gitignore", "out/\n");
    assert!(tree.missed(&[])[0].ends_with("name it: `s/out/a.bashi.yml`"));
    assert_eq!(
        tree.missed(&["s"]),
        [
            "s: `.gitignore` excludes all suites in this directory; to use one anyway, name it: `s/out/a.bashi.yml`"
        ]
    );
}

#[test]
fn finds_nothing_without_a_working_directory() {
    let discovered = discover(&[], Path::new("/nowhere/at/all"));
    assert!(discovered.files.is_empty());
    assert!(messages(&discovered)[0].starts_with("cannot read .: "));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn links_to_files_are_separate_suites() {
        let tree = Tree::new(&["a/x.bashi.yml", "b/y"]);
        tree.link("../a/x.bashi.yml", "b/x.bashi.yml");
        assert_eq!(tree.found(&[]), ["a/x.bashi.yml", "b/x.bashi.yml"]);
        assert_eq!(
            tree.found(&["b/x.bashi.yml", "a/x.bashi.yml"]),
            ["b/x.bashi.yml", "a/x.bashi.yml"]
        );
    }

    #[test]
    fn links_to_directories_are_followed_only_if_named() {
        let tree = Tree::new(&["a/x.bashi.yml"]);
        tree.link("..", "a/loop");
        tree.link("a", "b");
        assert_eq!(tree.found(&[]), ["a/x.bashi.yml"]);
        assert_eq!(tree.found(&["**"]), ["a/x.bashi.yml"]);
        assert_eq!(tree.found(&["b"]), ["b/x.bashi.yml"]);
        assert_eq!(tree.found(&["b/*.yml"]), ["b/x.bashi.yml"]);
    }

    #[test]
    fn a_file_in_a_linked_directory_is_the_same_file() {
        let tree = Tree::new(&["a/x.bashi.yml"]);
        tree.link("a", "b");
        assert_eq!(tree.found(&["b", "a", "a/x.bashi.yml"]), ["b/x.bashi.yml"]);
        let real = tree.0.path().join("a/x.bashi.yml").display().to_string();
        assert_eq!(files(&tree.discover_from("b", &[&real])), ["x.bashi.yml"]);
    }

    #[test]
    fn reports_broken_links() {
        let tree = Tree::new(&["s/a.bashi.yml"]);
        tree.link("gone.yaml", "s/x.bashi.yml");
        tree.link("gone.txt", "s/notes.txt");
        tree.link("self.bashi.yml", "self.bashi.yml");
        let nowhere = "s/x.bashi.yml: broken symbolic link to `gone.yaml`";
        assert_eq!(messages(&tree.discover(&["s"])), [nowhere]);
        assert_eq!(names(&tree.discover(&["s"])), ["s/a.bashi.yml"]);
        assert_eq!(tree.missed(&["s/x.bashi.yml"]), [nowhere]);
        assert!(tree.missed(&["self.bashi.yml"])[0].contains("cannot read"));
    }

    #[test]
    fn a_socket_is_not_a_suite() {
        let tree = Tree::new(&["s/a.bashi.yml"]);
        // The path of a socket must be short, but the path of a temporary directory may be long.
        let short = tempfile::tempdir_in("/tmp").unwrap();
        let link = short.path().join("s");
        std::os::unix::fs::symlink(tree.0.path().join("s"), &link).unwrap();
        let _socket = UnixListener::bind(link.join("x.bashi.yml")).unwrap();
        let message = "s/x.bashi.yml: not a regular file or a directory";
        assert_eq!(tree.missed(&["s/x.bashi.yml"]), [message]);
        assert_eq!(messages(&tree.discover(&[])), [message]);
        assert_eq!(names(&tree.discover(&[])), ["s/a.bashi.yml"]);
    }

    /// Other systems do not allow such names.
    #[cfg(target_os = "linux")]
    #[test]
    fn finds_names_that_are_not_utf_8() {
        use std::os::unix::ffi::OsStrExt;
        let tree = Tree::new(&["s/a.bashi.yml"]);
        let name = Path::new(std::ffi::OsStr::from_bytes(b"s/\xe9.bashi.yml"));
        fs::write(tree.0.path().join(name), "").unwrap();
        for argument in [".", "s", "s/*.yml", "**/*.yml", "s/?.bashi.yml"] {
            let discovered = tree.discover(&[argument]);
            let paths: Vec<&Path> = discovered.files.iter().map(|found| &*found.path).collect();
            assert_eq!(paths, [Path::new("s/a.bashi.yml"), name], "{argument}");
        }
        assert_eq!(tree.missed(&["s/e.bashi.ym"]).len(), 1);
    }

    /// The superuser can read everything; then the test only checks that all files are found.
    #[test]
    fn reports_directories_that_cannot_be_read() {
        let tree = Tree::new(&["s/a.bashi.yml", "s/locked/b.bashi.yml", "s/z.bashi.yml"]);
        let locked = tree.0.path().join("s/locked");
        let mode = |mode| fs::set_permissions(&locked, fs::Permissions::from_mode(mode)).unwrap();
        mode(0);
        let superuser = fs::read_dir(&locked).is_ok();
        let below = tree.discover(&["s"]);
        let named = tree.discover(&["s/locked"]);
        let inside = tree.discover(&["s/locked/b.bashi.yml"]);
        mode(0o755);
        if superuser {
            assert_eq!(names(&below).len(), 3);
            return;
        }
        let message = |path: &str| format!("cannot read {path}: permission denied");
        assert_eq!(names(&below), ["s/a.bashi.yml", "s/z.bashi.yml"]);
        assert_eq!(messages(&below), [message("s/locked")]);
        assert_eq!(messages(&named), [message("s/locked")]);
        assert_eq!(messages(&inside), [message("s/locked/b.bashi.yml")]);
    }
}

/// Usual and unusual arguments.
fn argument() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b.bashi.yml",
        "s",
        "/",
        "..",
        ".",
        "*",
        "**",
        "?",
        "[",
        "]",
        "[!",
        "{",
        "}",
        ",",
        "\\",
        ":",
        "3",
        "0",
        "-",
        "~",
        " ",
        "é",
        "\0",
        "\n",
        "\u{1b}",
        "😀",
    ]);
    // Nothing outside of the directory: other files of the machine are not test data.
    let pieces = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    prop_oneof![pieces, any::<String>()].prop_map(|text| {
        let text = text.replace("..", "");
        text.trim_start_matches('/').to_owned()
    })
}

proptest! {
    #[test]
    fn never_panics(arguments in prop::collection::vec(argument(), 1..4)) {
        let tree = Tree::new(&["a", "s/b.bashi.yml", "s/a/3"]);
        let discovered = discover(&arguments, tree.0.path());
        prop_assert!(!discovered.files.is_empty() || !discovered.unmatched.is_empty());
        for found in &discovered.files {
            prop_assert!(tree.0.path().join(&found.path).is_file(), "{found:?}");
        }
        prop_assert!(messages(&discovered).iter().all(|message| !message.is_empty()));
    }
}
