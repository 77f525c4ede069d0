//! Suggestions for mistyped names.

use strsim::damerau_levenshtein;

/// Returns the known name closest to `name`, ignoring case. `None` if more than a third of the letters differ in all
/// of them, or the only letter.
///
/// ```
/// use casebook_source::closest_match;
///
/// assert_eq!(closest_match("outputContain", ["output", "outputContains"]), Some("outputContains"));
/// assert_eq!(closest_match("colour", ["output", "outputContains"]), None);
/// ```
pub fn closest_match<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let length = name.chars().count();
    let allowed = (length / 3).max(1);
    known
        .into_iter()
        .map(|candidate| {
            (
                damerau_levenshtein(&lower, &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, _)| *distance <= allowed && *distance < length)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_similar_names_only() {
        let known = [
            "name",
            "command",
            "exitCode",
            "outputEquals",
            "outputContains",
            "timeout",
            "env",
            "tags",
        ];
        for (typed, expected) in [
            ("nmae", Some("name")),
            ("exitcode", Some("exitCode")),
            ("exit_code", Some("exitCode")),
            ("outputContain", Some("outputContains")),
            ("comand", Some("command")),
            ("timeuot", Some("timeout")),
            ("evn", Some("env")),
            ("x", None),
            ("NAME", Some("name")),
            ("", None),
            ("description", None),
        ] {
            assert_eq!(closest_match(typed, known), expected, "{typed}");
        }
    }
}
