//! [`table`]: rows with aligned columns.

/// Aligns the columns below their titles.
pub(crate) fn table<const N: usize>(titles: [&str; N], rows: Vec<[String; N]>) -> String {
    let mut all = vec![titles.map(ToOwned::to_owned)];
    all.extend(rows);
    let width = |column: usize| {
        all.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let lines: Vec<String> = all
        .iter()
        .map(|row| {
            let cells: Vec<_> = row
                .iter()
                .zip(widths)
                .map(|(cell, width)| format!("{cell:width$}"))
                .collect();
            cells.join("  ").trim_end().to_owned()
        })
        .collect();
    lines.join("\n")
}
