//! Snapshots.

casebook_source::codes! {
    /// # What it means
    ///
    /// The name of a snapshot is not a path inside the suite's directory of snapshots.
    ///
    /// # Why it matters
    ///
    /// `snapshot: ../../x` would write a file outside of `__snapshots__`, where it could replace another one.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - name: lists
    ///     command: ls
    ///     snapshot: ../../list
    /// ```
    ///
    /// # Instead
    ///
    /// Use a plain name such as `list`, or `lists/short` for a subdirectory. `snapshot: true` names the snapshot after the test.
    SNAPSHOT_NAME = "snapshot-name";

    /// # What it means
    ///
    /// Two tests, or two combinations of a matrix, have the same snapshot.
    ///
    /// # Why it matters
    ///
    /// Tests run at the same time, so one would overwrite what the other accepts. Names that differ only in case are the same file on
    /// macOS and Windows.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - {name: short, command: ls, snapshot: list}
    ///   - {name: long, command: ls -l, snapshot: list}
    /// ```
    ///
    /// # Instead
    ///
    /// Give each its own name, use a matrix variable in the name (`snapshot: "list-{{os}}"`), or write `snapshot: true`.
    SAME_SNAPSHOT = "same-snapshot";

    /// # What it means
    ///
    /// No test uses this file in `__snapshots__`.
    ///
    /// # Why it matters
    ///
    /// It belonged to a test or a suite that was renamed or removed. No test compares it with any output.
    ///
    /// # Example
    ///
    /// A test `lists files` is renamed to `lists all files`. The file `lists-files.snap` remains.
    ///
    /// # Instead
    ///
    /// Delete the file, or all such files with `casebook accept --prune`.
    UNUSED_SNAPSHOT = "unused-snapshot";
}
