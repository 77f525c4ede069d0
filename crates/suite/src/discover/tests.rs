//! Every rule of the search against real folders, in both directions.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// A temporary folder with files in it.
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

    fn folder(&self, path: &str) {
        fs::create_dir_all(self.0.path().join(path)).unwrap();
    }

    #[cfg(unix)]
    fn link(&self, target: &str, path: &str) {
        std::os::unix::fs::symlink(target, self.0.path().join(path)).unwrap();
    }

    fn discover(&self, arguments: &[&str]) -> Discovered {
        self.discover_from("", arguments)
    }

    fn discover_from(&self, folder: &str, arguments: &[&str]) -> Discovered {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        discover(&arguments, &self.0.path().join(folder))
    }

    /// What is found, where everything named is.
    fn found(&self, arguments: &[&str]) -> Vec<String> {
        files(&self.discover(arguments))
    }

    /// The messages, where nothing is found.
    fn missed(&self, arguments: &[&str]) -> Vec<String> {
        let discovered = self.discover(arguments);
        assert_eq!(discovered.files, []);
        messages(&discovered)
    }
}

fn names(discovered: &Discovered) -> Vec<String> {
    let name = |found: &DiscoveredSuite| {
        let path = found.path.display();
        found
            .line
            .map_or(path.to_string(), |line| format!("{path}:{line}"))
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
fn a_file_of_any_name_is_taken_as_it_is() {
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
fn a_file_that_is_ignored_is_taken_where_it_is_named() {
    let tree = Tree::new(&["a.casebook.yaml"]);
    tree.write(".gitignore", "*.yaml\n");
    assert_eq!(tree.found(&["a.casebook.yaml"]), ["a.casebook.yaml"]);
}

#[test]
fn a_folder_is_searched_for_suites_by_their_name() {
    let tree = Tree::new(&[
        "s/a.casebook.yaml",
        "s/deep/er/b.casebook.yml",
        "s/c.bashi.yaml",
        "s/d.bashi.yml",
        "s/e.yaml",
        "s/f.casebook.yaml.bak",
        "other/g.casebook.yaml",
    ]);
    tree.folder("s/h.casebook.yaml");
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
fn without_arguments_the_working_folder_is_searched() {
    let tree = Tree::new(&["b.casebook.yaml", "a/a.casebook.yaml"]);
    assert_eq!(tree.found(&[]), ["a/a.casebook.yaml", "b.casebook.yaml"]);
    assert_eq!(files(&tree.discover_from("a", &[])), ["a.casebook.yaml"]);
    assert_eq!(tree.found(&[]), tree.found(&["."]));
}

#[test]
fn order_is_that_of_the_arguments_then_of_the_names_in_the_path() {
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
fn gitignore_counts_in_a_repository_and_outside_of_one() {
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
    tree.folder(".git");
    assert_eq!(tree.found(&["."]), expected);
}

#[test]
fn gitignore_of_the_folders_above_counts() {
    let tree = Tree::new(&["sub/a.bashi.yml", "sub/b.bashi.yml"]);
    tree.write(".gitignore", "/sub/b.*\n");
    assert_eq!(tree.found(&["sub"]), ["sub/a.bashi.yml"]);
    assert_eq!(files(&tree.discover_from("sub", &[])), ["a.bashi.yml"]);
}

#[test]
fn gitignore_of_a_home_folder_does_not_hide_the_repositories_in_it() {
    let tree = Tree::new(&["home/shop/s/a.bashi.yml"]);
    tree.write("home/.gitignore", "*\n");
    assert_eq!(names(&tree.discover(&["home/shop"])), [""; 0]);
    tree.folder("home/shop/.git");
    assert_eq!(tree.found(&["home/shop"]), ["home/shop/s/a.bashi.yml"]);
    assert_eq!(tree.found(&["home/shop/s"]), ["home/shop/s/a.bashi.yml"]);
}

#[test]
fn no_other_list_hides_a_suite() {
    let tree = Tree::new(&["a.bashi.yml"]);
    tree.write(".ignore", "*\n");
    tree.write(".git/info/exclude", "*\n");
    assert_eq!(tree.found(&[]), ["a.bashi.yml"]);
}

#[test]
fn a_bad_line_in_gitignore_is_overlooked() {
    let tree = Tree::new(&["s/a.bashi.yml", "s/b.bashi.yml"]);
    tree.write(".gitignore", "[\n{\nb.*\n");
    tree.write("s/.gitignore", "[z-a]\n");
    assert_eq!(tree.found(&[]), ["s/a.bashi.yml"]);
    assert_eq!(tree.found(&["s"]), ["s/a.bashi.yml"]);
}

#[test]
fn hidden_and_own_folders_are_searched_only_where_they_are_named() {
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
fn an_ignored_folder_is_searched_where_it_is_named() {
    let tree = Tree::new(&["out/a.bashi.yml", "b.bashi.yml"]);
    tree.write(".gitignore", "out/\n");
    assert_eq!(tree.found(&["out"]), ["out/a.bashi.yml"]);
    assert_eq!(tree.found(&["out/*.yml"]), ["out/a.bashi.yml"]);
    assert_eq!(tree.found(&["*"]), ["b.bashi.yml"]);
}

#[test]
fn a_pattern_takes_files_of_any_name_and_searches_folders() {
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
fn a_line_is_one_test_of_a_file() {
    let tree = Tree::new(&["a.yaml", "b:7", "s/x.bashi.yml"]);
    assert_eq!(
        tree.discover(&["./a.yaml:12"]).files,
        [DiscoveredSuite {
            path: "a.yaml".into(),
            line: Some(12)
        }]
    );
    assert_eq!(
        tree.discover(&["b:7"]).files,
        [DiscoveredSuite {
            path: "b:7".into(),
            line: None
        }]
    );
    assert_eq!(
        tree.discover(&["b:7:9"]).files,
        [DiscoveredSuite {
            path: "b:7".into(),
            line: Some(9)
        }]
    );
    assert_eq!(
        tree.missed(&["s:3"]),
        ["s:3: there is no such file or folder; did you mean `s`?"]
    );
    assert_eq!(tree.missed(&["a.yaml:x"]).len(), 1);
}

#[test]
fn a_file_is_taken_once() {
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
fn lines_of_a_file_are_kept_unless_all_of_it_is_taken() {
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
fn a_path_is_called_as_people_would() {
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
fn what_is_not_found_says_why_and_what_to_do() {
    let tree = Tree::new(&[
        "suites/shop.casebook.yaml",
        "suites/cart.casebook.yaml",
        "README.md",
    ]);
    tree.folder("empty");
    insta::assert_snapshot!(tree.missed(&[
        "suites/shpo.casebook.yaml",
        "suits/shop.casebook.yaml",
        "suites/shop",
        "suites/cart.yaml:12",
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
    suites/shpo.casebook.yaml: there is no such file or folder; did you mean `suites/shop.casebook.yaml`?
    suits/shop.casebook.yaml: there is no such file or folder; did you mean `suites/shop.casebook.yaml`?
    suites/shop: there is no such file or folder; did you mean `suites/shop.casebook.yaml`?
    suites/cart.yaml:12: there is no such file or folder; did you mean `suites/cart.casebook.yaml:12`?
    readme.md: there is no such file or folder; did you mean `README.md`?
    README.md/: there is no such file or folder; did you mean `README.md`?
    README.md/x: there is no such file or folder
    nowhere/at/all.yaml: there is no such file or folder
    empty: no suite in this folder or below it; a suite is a file named *.casebook.yaml, *.casebook.yml, *.bashi.yaml or *.bashi.yml
    suites/*.txt: no file matches this pattern, and no folder that matches has a suite in it
    suits/*.yaml: there is no folder `suits`; did you mean `suites`?
    nowhere/*: there is no folder `nowhere`
    suites/[a: this is not a pattern: `[` is never closed; to mean the character itself, write `[[]`
    {a,b: this is not a pattern: `{` is never closed; to mean the character itself, write `[{]`
    '': this argument is empty; name a file, a folder or a pattern
    ");
}

#[test]
fn every_argument_that_fails_is_named_beside_what_is_found() {
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
fn a_folder_whose_suites_are_all_ignored_says_so() {
    let tree = Tree::new(&["s/out/a.bashi.yml"]);
    tree.write(".gitignore", "out/\n");
    assert!(tree.missed(&[])[0].ends_with("name it: `s/out/a.bashi.yml`"));
    assert_eq!(
        tree.missed(&["s"]),
        [
            "s: `.gitignore` leaves out every suite in this folder; to take one all the same, name it: `s/out/a.bashi.yml`"
        ]
    );
}

#[test]
fn without_a_working_folder_there_is_nothing() {
    let discovered = discover(&[], Path::new("/nowhere/at/all"));
    assert!(discovered.files.is_empty());
    assert!(messages(&discovered)[0].starts_with(".: this cannot be read: "));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn links_to_files_are_suites_of_their_own_folder() {
        let tree = Tree::new(&["a/x.bashi.yml", "b/y"]);
        tree.link("../a/x.bashi.yml", "b/x.bashi.yml");
        assert_eq!(tree.found(&[]), ["a/x.bashi.yml", "b/x.bashi.yml"]);
        assert_eq!(
            tree.found(&["b/x.bashi.yml", "a/x.bashi.yml"]),
            ["b/x.bashi.yml", "a/x.bashi.yml"]
        );
    }

    #[test]
    fn links_to_folders_are_followed_only_where_they_are_named() {
        let tree = Tree::new(&["a/x.bashi.yml"]);
        tree.link("..", "a/loop");
        tree.link("a", "b");
        assert_eq!(tree.found(&[]), ["a/x.bashi.yml"]);
        assert_eq!(tree.found(&["**"]), ["a/x.bashi.yml"]);
        assert_eq!(tree.found(&["b"]), ["b/x.bashi.yml"]);
        assert_eq!(tree.found(&["b/*.yml"]), ["b/x.bashi.yml"]);
    }

    #[test]
    fn a_file_reached_through_a_linked_folder_is_the_same_file() {
        let tree = Tree::new(&["a/x.bashi.yml"]);
        tree.link("a", "b");
        assert_eq!(tree.found(&["b", "a", "a/x.bashi.yml"]), ["b/x.bashi.yml"]);
        let real = tree.0.path().join("a/x.bashi.yml").display().to_string();
        assert_eq!(files(&tree.discover_from("b", &[&real])), ["x.bashi.yml"]);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_reported() {
        let tree = Tree::new(&["s/a.bashi.yml"]);
        tree.link("gone.yaml", "s/x.bashi.yml");
        tree.link("gone.txt", "s/notes.txt");
        tree.link("self.bashi.yml", "self.bashi.yml");
        let nowhere = "s/x.bashi.yml: this is a link to `gone.yaml`, which does not exist";
        assert_eq!(messages(&tree.discover(&["s"])), [nowhere]);
        assert_eq!(names(&tree.discover(&["s"])), ["s/a.bashi.yml"]);
        assert_eq!(tree.missed(&["s/x.bashi.yml"]), [nowhere]);
        assert!(tree.missed(&["self.bashi.yml"])[0].contains("cannot be read"));
    }

    #[test]
    fn a_socket_is_no_suite() {
        let tree = Tree::new(&["s/a.bashi.yml"]);
        // The name of a socket must be short, and that of a temporary folder need not be.
        let short = tempfile::tempdir_in("/tmp").unwrap();
        let link = short.path().join("s");
        std::os::unix::fs::symlink(tree.0.path().join("s"), &link).unwrap();
        let _socket = UnixListener::bind(link.join("x.bashi.yml")).unwrap();
        let message =
            "s/x.bashi.yml: this is neither a file nor a folder; a suite has to be a file";
        assert_eq!(tree.missed(&["s/x.bashi.yml"]), [message]);
        assert_eq!(messages(&tree.discover(&[])), [message]);
        assert_eq!(names(&tree.discover(&[])), ["s/a.bashi.yml"]);
    }

    /// Other systems do not let such a name be given.
    #[cfg(target_os = "linux")]
    #[test]
    fn names_that_are_not_utf_8_are_found() {
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

    /// Nothing is locked to the superuser, for whom this shows only that all is found.
    #[test]
    fn a_folder_that_may_not_be_read_is_reported() {
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
        let message =
            |path: &str| format!("{path}: this cannot be read: Permission denied (os error 13)");
        assert_eq!(names(&below), ["s/a.bashi.yml", "s/z.bashi.yml"]);
        assert_eq!(messages(&below), [message("s/locked")]);
        assert_eq!(messages(&named), [message("s/locked")]);
        assert_eq!(messages(&inside), [message("s/locked/b.bashi.yml")]);
    }
}

/// Arguments as people write them, and as nobody does.
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
    // Nothing that leads out of the folder: the rest of the machine is no test data.
    let pieces = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    prop_oneof![pieces, any::<String>()].prop_map(|text| {
        let text = text.replace("..", "");
        text.trim_start_matches('/').to_owned()
    })
}

proptest! {
    #[test]
    fn no_argument_is_too_strange(arguments in prop::collection::vec(argument(), 1..4)) {
        let tree = Tree::new(&["a", "s/b.bashi.yml", "s/a/3"]);
        let discovered = discover(&arguments, tree.0.path());
        prop_assert!(!discovered.files.is_empty() || !discovered.unmatched.is_empty());
        for found in &discovered.files {
            prop_assert!(tree.0.path().join(&found.path).is_file(), "{found:?}");
        }
        prop_assert!(messages(&discovered).iter().all(|message| !message.is_empty()));
    }
}
