//! Tests of packing and unpacking.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use casebook_record::{Clock, Time};
use casebook_run::SystemContext;
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

use super::{Bundle, BundleStore, unpack};

#[expect(clippy::disallowed_methods, reason = "a test has no other clock")]
fn system(dir: &Path) -> SystemContext {
    SystemContext {
        environment: vec![("XDG_CACHE_HOME".into(), dir.join(".cache").into())],
        dir: dir.to_owned(),
        temporary: dir.to_owned(),
        clock: Clock::system(),
        instant: Instant::now,
    }
}

fn project(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, contents) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }
    dir
}

fn pack(dir: &TempDir, paths: &[&str]) -> Result<Bundle, String> {
    let paths: Vec<_> = paths.iter().map(PathBuf::from).collect();
    Bundle::pack(&paths, &system(dir.path())).map_err(|error| error.to_string())
}

fn contents(dir: &TempDir, paths: &[&str]) -> Vec<String> {
    let bundle = pack(dir, paths).unwrap();
    let files = bundle.files.iter();
    files.map(|file| file.display().to_string()).collect()
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_bundle_contains_what_gitignore_does_not_exclude() {
    let dir = project(&[
        (".gitignore", "build/\n*.log\n"),
        (".rspec", ""),
        (".git/config", ""),
        (".casebook/runs/1/run.json", ""),
        ("build/program", ""),
        ("src/a.rb", ""),
        ("src/a.log", ""),
    ]);
    assert_eq!(contents(&dir, &["."]), [".gitignore", ".rspec", "src/a.rb"]);
    // A path that is named is wanted.
    assert_eq!(
        contents(&dir, &["./src", "build", "src/a.log"]),
        ["build/program", "src/a.log", "src/a.rb"]
    );
}

#[test]
fn the_digest_depends_only_on_names_contents_and_executable_files() {
    let files = [("b", "two"), ("a/c", "one")];
    let (first, second) = (project(&files), project(&[files[1], files[0]]));
    let time = fs::metadata("/").unwrap().modified().unwrap();
    let file = File::options().write(true).open(second.path().join("b"));
    file.unwrap().set_modified(time).unwrap();
    let digest = |dir: &TempDir| pack(dir, &["."]).unwrap().digest;
    assert_eq!(digest(&first), digest(&second));
    fs::set_permissions(second.path().join("b"), Permissions::from_mode(0o700)).unwrap();
    let executable = digest(&second);
    assert_ne!(digest(&first), executable);
    fs::write(second.path().join("b"), "three").unwrap();
    assert_ne!(digest(&second), executable);
}

#[test]
fn paths_that_workers_cannot_get_are_errors() {
    let dir = project(&[("a", ""), (".gitignore", "empty/x\n"), ("empty/x", "")]);
    let error = |path: &str| pack(&dir, &[path]).unwrap_err();
    assert_eq!(
        error("../other"),
        "--bundle ../other: outside this directory; run Casebook in a directory that contains all files of the bundle"
    );
    assert!(error("/etc").starts_with("--bundle /etc: outside this directory"));
    assert!(error("empty").starts_with("--bundle: found no files"));
    assert!(error("missing").starts_with("--bundle: cannot read missing: "));
    symlink("/etc/hosts", dir.path().join("link")).unwrap();
    assert!(
        error(".").starts_with("--bundle: the symbolic link link leads outside this directory")
    );
}

#[test]
fn an_unpacked_bundle_is_equal_and_read_only() {
    let long = format!("deep/{}/{}", "d".repeat(120), "f".repeat(120));
    let dir = project(&[("bin/run", "#!/bin/sh\n"), ("data", "1"), (&long, "long")]);
    fs::set_permissions(dir.path().join("bin/run"), Permissions::from_mode(0o755)).unwrap();
    symlink("../data", dir.path().join("bin/link")).unwrap();
    let bundle = pack(&dir, &["bin", "data", "deep"]).unwrap();
    let store = BundleStore::new(&system(dir.path()));
    let mut file = store.archive().unwrap();
    let mut archive = bundle.archive().unwrap();
    std::io::Seek::rewind(&mut archive).unwrap();
    std::io::copy(&mut archive, &mut file).unwrap();
    assert_eq!(store.find(bundle.digest()), None);
    let unpacked = store.unpack(file, bundle.digest()).unwrap();
    assert_eq!(store.find(bundle.digest()), Some(unpacked.clone()));
    assert_eq!(fs::read_to_string(unpacked.join("bin/link")).unwrap(), "1");
    assert_eq!(fs::read_to_string(unpacked.join(&long)).unwrap(), "long");
    for (path, expected) in [
        ("", 0o555),
        ("bin", 0o555),
        ("bin/run", 0o555),
        ("data", 0o444),
    ] {
        assert_eq!(mode(&unpacked.join(path)), expected, "{path}");
    }
    let wrong = "0".repeat(64);
    let error = store.unpack(bundle.archive().unwrap(), &wrong).unwrap_err();
    assert_eq!(error.to_string(), "its SHA-256 is wrong");
    unpack::remove(&unpacked).unwrap();
}

#[test]
fn processes_that_unpack_the_same_bundle_get_the_same_directory() {
    let dir = project(&[("a/b", "1"), ("c", "2")]);
    let store = BundleStore::new(&system(dir.path()));
    let unpacked = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    store.archive().unwrap();
                    let bundle = pack(&dir, &["a", "c"]).unwrap();
                    store.unpack(bundle.archive, &bundle.digest).unwrap()
                })
            })
            .collect();
        let threads = threads.into_iter();
        threads
            .map(|thread| thread.join().unwrap())
            .collect::<Vec<_>>()
    });
    assert!(unpacked.iter().all(|dir| *dir == unpacked[0]));
    let left = fs::read_dir(unpacked[0].parent().unwrap()).unwrap();
    assert_eq!(left.count(), 1);
    unpack::remove(&unpacked[0]).unwrap();
}

#[test]
fn a_bundle_that_was_not_used_for_a_day_is_removed() {
    let dir = project(&[("a/b", "1"), ("c", "2")]);
    let mut system = system(dir.path());
    let store = BundleStore::new(&system);
    store.archive().unwrap();
    let bundle = pack(&dir, &["a", "c"]).unwrap();
    let unpacked = store.unpack(bundle.archive, &bundle.digest).unwrap();
    let in_hours = |hours: i64| {
        let now = system.clock.now().as_millis();
        Clock::fixed(Time::from_millis(now + hours * 60 * 60 * 1000))
    };
    let [tomorrow, later] = [in_hours(23), in_hours(48)];
    system.clock = tomorrow;
    let store = BundleStore::new(&system);
    store.remove_unused();
    assert!(store.find(&bundle.digest).is_some());
    system.clock = later;
    // It was used 25 hours ago.
    BundleStore::new(&system).remove_unused();
    assert!(!unpacked.exists());
    assert_eq!(fs::read_dir(unpacked.parent().unwrap()).unwrap().count(), 0);
}

/// An entry with a name or target that the crate would not write.
fn entry(kind: EntryType, name: &str, target: &str) -> Header {
    let mut header = Header::new_gnu();
    header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    header.as_old_mut().linkname[..target.len()].copy_from_slice(target.as_bytes());
    header.set_entry_type(kind);
    header.set_size(0);
    header.set_mode(0o644);
    header.set_cksum();
    header
}

#[test]
fn an_unsafe_archive_is_refused() {
    use EntryType::{Char, Directory, Link, Regular, Symlink};
    let cases = [
        (
            vec![(Regular, "/absolute", "")],
            "/absolute leads outside of the bundle",
        ),
        (
            vec![(Regular, "../outside", "")],
            "../outside leads outside of the bundle",
        ),
        (
            vec![(Regular, "a/../../b", "")],
            "a/../../b leads outside of the bundle",
        ),
        (
            vec![(Symlink, "l", "/etc")],
            "l is a symbolic link that leads outside of the bundle",
        ),
        (
            vec![(Symlink, "a/l", "../..")],
            "a/l is a symbolic link that leads outside of the bundle",
        ),
        // `up` is the root, so `up/l` is one level higher than its name.
        (
            vec![(Symlink, "a/up", ".."), (Symlink, "a/up/l", "../..")],
            "a/up/l is a symbolic link that leads outside of the bundle",
        ),
        (
            vec![(Link, "hard", "/etc/hosts")],
            "hard is neither a file nor a symbolic link",
        ),
        (
            vec![(Char, "device", "")],
            "device is neither a file nor a symbolic link",
        ),
        (
            vec![(Directory, "d", "")],
            "d is neither a file nor a symbolic link",
        ),
    ];
    for (entries, expected) in cases {
        let mut builder = Builder::new(Vec::new());
        for (kind, name, target) in entries {
            builder
                .append(&entry(kind, name, target), &b""[..])
                .unwrap();
        }
        let archive = zstd::encode_all(&builder.into_inner().unwrap()[..], 0).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let error = unpack::unpack(&archive[..], dir.path()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_file_is_not_written_through_a_symbolic_link() {
    let mut builder = Builder::new(Vec::new());
    for (kind, name, target) in [
        (EntryType::Symlink, "l", "a"),
        (EntryType::Regular, "l/x", ""),
    ] {
        builder
            .append(&entry(kind, name, target), &b""[..])
            .unwrap();
    }
    let archive = zstd::encode_all(&builder.into_inner().unwrap()[..], 0).unwrap();
    let dir = tempfile::tempdir().unwrap();
    assert!(unpack::unpack(&archive[..], dir.path()).is_err());
}

#[test]
fn a_truncated_archive_is_refused() {
    let dir = project(&[("a", "1")]);
    let bundle = pack(&dir, &["a"]).unwrap();
    let length = bundle.archive.metadata().unwrap().len();
    bundle.archive.set_len(length - 1).unwrap();
    let mut archive = bundle.archive;
    std::io::Seek::rewind(&mut archive).unwrap();
    let target = tempfile::tempdir().unwrap();
    assert!(unpack::unpack(archive, target.path()).is_err());
}
