//! One-line charts: `▁▂▃▅▇█`.

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Shares from 0 to 1, one block each. Only 1 is a full block; an unknown value is a gap.
pub(crate) fn shares(values: impl IntoIterator<Item = Option<f64>>) -> String {
    values
        .into_iter()
        .map(|value| value.map_or(' ', block))
        .collect()
}

/// Amounts, scaled from 0 to the largest of them.
pub(crate) fn amounts(values: &[Option<f64>]) -> String {
    let largest = values
        .iter()
        .flatten()
        .fold(0.0, |one: f64, other| one.max(*other));
    let share = |value: &f64| if largest > 0.0 { value / largest } else { 0.0 };
    shares(values.iter().map(|value| value.as_ref().map(share)))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the share is from 0 to 1, so the index is within the blocks"
)]
fn block(share: f64) -> char {
    let last = BLOCKS.len() - 1;
    let index = (share.clamp(0.0, 1.0) * 7.999_999) as usize;
    match share {
        share if share >= 1.0 => BLOCKS[last],
        _ => BLOCKS[index.min(last - 1)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_has_one_block() {
        let values = [
            Some(0.0),
            Some(0.2),
            Some(0.5),
            Some(0.99),
            Some(1.0),
            None,
            Some(-3.0),
            Some(f64::NAN),
        ];
        assert_eq!(shares(values), "▁▂▄▇█ ▁▁");
        assert_eq!(amounts(&[Some(0.0), Some(10.0), None, Some(5.0)]), "▁█ ▄");
        assert_eq!(amounts(&[Some(0.0)]), "▁");
        assert_eq!(amounts(&[]), "");
    }
}
