//! Matrices: every combination of their values.

/// The values of each key, in the order they are written.
pub(crate) type Matrix = Vec<(String, Vec<String>)>;

/// More tests than this from one are a mistake.
pub(crate) const MAX_COMBINATIONS: usize = 10_000;

/// The suite's keys with the test's own, which win over those of the same name.
pub(crate) fn joined(suite: &Matrix, test: Matrix) -> Matrix {
    let mut joined: Matrix = suite
        .iter()
        .filter(|(key, _)| test.iter().all(|(own, _)| own != key))
        .cloned()
        .collect();
    joined.extend(test);
    joined
}

/// How many combinations there are; `None` when that is a number too large to count.
pub(crate) fn count(matrix: &Matrix) -> Option<usize> {
    matrix.iter().try_fold(1_usize, |count, (_, values)| {
        count.checked_mul(values.len())
    })
}

/// Every combination, the last key changing fastest. A matrix without keys has one, without values.
pub(crate) fn combinations(matrix: &Matrix) -> Vec<Vec<(String, String)>> {
    matrix
        .iter()
        .fold(vec![Vec::new()], |combinations, (key, values)| {
            combinations
                .iter()
                .flat_map(|combination| {
                    values.iter().map(move |value| {
                        let mut longer = combination.clone();
                        longer.push((key.clone(), value.clone()));
                        longer
                    })
                })
                .collect()
        })
}

/// The first value of each key.
pub(crate) fn first(matrix: &Matrix) -> Vec<(String, String)> {
    let first = matrix.iter().filter_map(|(key, values)| {
        let value = values.first()?;
        Some((key.clone(), value.clone()))
    });
    first.collect()
}

/// `name [k=v, k=v]`.
pub(crate) fn title(name: &str, combination: &[(String, String)]) -> String {
    if combination.is_empty() {
        return name.to_owned();
    }
    let values: Vec<_> = combination
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    format!("{name} [{}]", values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(keys: &[(&str, &[&str])]) -> Matrix {
        let own = |(key, values): &(&str, &[&str])| {
            (
                (*key).to_owned(),
                values.iter().map(|v| (*v).to_owned()).collect(),
            )
        };
        keys.iter().map(own).collect()
    }

    #[test]
    fn combinations_in_written_order() {
        let matrix = matrix(&[("os", &["linux", "mac"]), ("n", &["1", "2"])]);
        let titles: Vec<_> = combinations(&matrix)
            .iter()
            .map(|combination| title("t", combination))
            .collect();
        assert_eq!(
            titles,
            [
                "t [os=linux, n=1]",
                "t [os=linux, n=2]",
                "t [os=mac, n=1]",
                "t [os=mac, n=2]"
            ]
        );
        assert_eq!(count(&matrix), Some(4));
        assert_eq!(
            combinations(&Matrix::new())
                .iter()
                .map(|none| title("t", none))
                .collect::<Vec<_>>(),
            ["t"]
        );
    }

    #[test]
    fn a_tests_own_keys_win() {
        let joined = joined(
            &matrix(&[("a", &["1"]), ("b", &["1"])]),
            matrix(&[("a", &["2"])]),
        );
        assert_eq!(joined, matrix(&[("b", &["1"]), ("a", &["2"])]));
    }

    #[test]
    fn very_many_are_counted_without_being_made() {
        let values = ["x"; 1000];
        let keys: Vec<(&str, &[&str])> = ["a", "b", "c", "d", "e", "f", "g"]
            .map(|key| (key, &values[..]))
            .to_vec();
        assert_eq!(count(&matrix(&keys)), None);
    }
}
