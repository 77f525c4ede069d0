//! Reads the types of YARD tags: `@param name [String, nil]` and `@param [String, nil] name`.

/// The parameters and types in the comment above a line, 1-based.
pub(super) fn types_above(lines: &[&[u8]], line: usize) -> Vec<(String, String)> {
    let above = lines.get(..line.saturating_sub(1)).unwrap_or_default();
    let comments = above.iter().rev().map(|text| String::from_utf8_lossy(text));
    comments
        .map_while(|text| text.trim().strip_prefix('#').map(ToOwned::to_owned))
        .flat_map(|comment| tag(comment.trim()).unwrap_or_default())
        .collect()
}

/// The parameter and types of one tag.
fn tag(comment: &str) -> Option<Vec<(String, String)>> {
    let rest = comment.strip_prefix("@param")?.trim();
    let (before, rest) = rest.split_once('[')?;
    let (types, after) = rest.split_once(']')?;
    let name = match before.trim() {
        "" => after.split_whitespace().next()?,
        name => name,
    };
    let types = types.split([',', '|']).map(|kind| {
        let end = kind.find(['<', '(', '{']).unwrap_or(kind.len());
        (name.to_owned(), kind[..end].trim().to_owned())
    });
    Some(types.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_of_the_tag_are_read() {
        let lines: Vec<&[u8]> = vec![
            b"x = 1",
            b"  # @param name [String, nil] the name",
            b"  # @param [Hash{Symbol => String}] options",
            b"  # @return [Integer]",
            b"  def call(name, options)",
        ];
        let found = types_above(&lines, 5);
        let found: Vec<_> = found
            .iter()
            .map(|(name, kind)| format!("{name} {kind}"))
            .collect();
        assert_eq!(found, ["options Hash", "name String", "name nil"]);
    }
}
