//! Normalizers.

casebook_source::codes! {
    /// # What it means
    ///
    /// There is no normalizer with this name, or one of your own cannot replace anything: its pattern or its new text has more than
    /// one line, the pattern also matches the empty string, or the new text refers to a group that the pattern does not have.
    ///
    /// # Why it matters
    ///
    /// Text that differs from run to run would stay in the output, and the test would fail at random.
    ///
    /// # Example
    ///
    /// ```yaml
    /// normalize: [time, {matches: "build [0-9]+", with: "build \\1"}]
    /// tests:
    ///   - name: shows the build
    ///     command: tool version
    ///     outputEquals: build N, made at <time>
    /// ```
    ///
    /// # Instead
    ///
    /// ```yaml
    /// normalize: [times, {matches: "build [0-9]+", with: build N}]
    /// tests:
    ///   - name: shows the build
    ///     command: tool version
    ///     outputEquals: build N, made at <time>
    /// ```
    BAD_NORMALIZER = "bad-normalizer";
}
