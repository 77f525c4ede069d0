//! Did you mean?

use strsim::damerau_levenshtein;

/// The known name that was most likely meant, if one is near enough: a third of the letters may be wrong.
///
/// ```
/// use casebook_source::nearest;
///
/// assert_eq!(nearest("outputContain", ["output", "outputContains"]), Some("outputContains"));
/// assert_eq!(nearest("colour", ["output", "outputContains"]), None);
/// ```
pub fn closest_match<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let allowed = (name.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| {
            (
                damerau_levenshtein(&lower, &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
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
        for (typed, meant) in [
            ("nmae", Some("name")),
            ("exitcode", Some("exitCode")),
            ("exit_code", Some("exitCode")),
            ("outputContain", Some("outputContains")),
            ("comand", Some("command")),
            ("timeuot", Some("timeout")),
            ("evn", Some("env")),
            ("x", None),
            ("", None),
            ("description", None),
        ] {
            assert_eq!(closest_match(typed, known), meant, "{typed}");
        }
    }
}
