//! Matrices and their combinations.

use crate::typed_value::TypedValue;

/// The values of each key, in file order.
pub(crate) type Matrix = Vec<(String, Vec<TypedValue>)>;

/// The maximum number of tests from one entry; more are most likely a mistake.
pub(crate) const MAX_COMBINATIONS: usize = 10_000;

/// Merges the suite's matrix with the test's, whose keys override the suite's.
pub(crate) fn merged(suite: &Matrix, test: Matrix) -> Matrix {
    let mut merged: Matrix = suite
        .iter()
        .filter(|(key, _)| test.iter().all(|(own, _)| own != key))
        .cloned()
        .collect();
    merged.extend(test);
    merged
}

/// The number of combinations; `None` if it overflows.
pub(crate) fn count(matrix: &Matrix) -> Option<usize> {
    matrix.iter().try_fold(1_usize, |count, (_, values)| {
        count.checked_mul(values.len())
    })
}

/// All combinations; the last key changes fastest. A matrix without keys has one empty combination.
pub(crate) fn combinations(matrix: &Matrix) -> Vec<Vec<(String, TypedValue)>> {
    matrix
        .iter()
        .fold(vec![Vec::new()], |combinations, (key, values)| {
            combinations
                .iter()
                .flat_map(|combination| {
                    values.iter().map(move |value| {
                        let mut extended = combination.clone();
                        extended.push((key.clone(), value.clone()));
                        extended
                    })
                })
                .collect()
        })
}

/// The values of a combination as texts.
pub(crate) fn texts(combination: &[(String, TypedValue)]) -> Vec<(String, String)> {
    let texts = combination.iter();
    texts
        .map(|(key, value)| (key.clone(), value.text.clone()))
        .collect()
}

/// A test's name with its combination: `name [k=v, k=v]`.
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
                values
                    .iter()
                    .filter_map(|v| TypedValue::of(&(*v).into()))
                    .collect(),
            )
        };
        keys.iter().map(own).collect()
    }

    #[test]
    fn combinations_are_in_file_order() {
        let matrix = matrix(&[("os", &["linux", "mac"]), ("n", &["1", "2"])]);
        let titles: Vec<_> = combinations(&matrix)
            .iter()
            .map(|combination| title("t", &texts(combination)))
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
                .map(|none| title("t", &texts(none)))
                .collect::<Vec<_>>(),
            ["t"]
        );
    }

    #[test]
    fn keys_of_the_test_override_those_of_the_suite() {
        let merged = merged(
            &matrix(&[("a", &["1"]), ("b", &["1"])]),
            matrix(&[("a", &["2"])]),
        );
        assert_eq!(merged, matrix(&[("b", &["1"]), ("a", &["2"])]));
    }

    #[test]
    fn counting_does_not_build_combinations() {
        let values = ["x"; 1000];
        let keys: Vec<(&str, &[&str])> = ["a", "b", "c", "d", "e", "f", "g"]
            .map(|key| (key, &values[..]))
            .to_vec();
        assert_eq!(count(&matrix(&keys)), None);
    }
}
