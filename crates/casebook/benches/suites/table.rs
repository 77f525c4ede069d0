//! The table that is written to the page.

pub(crate) struct Table {
    rows: Vec<Row>,
    /// How busy the machine was before: what is left of that in the figures is for the reader to judge.
    load: String,
}

/// One line of it.
pub(crate) struct Row {
    pub(crate) task: String,
    pub(crate) casebook: String,
    pub(crate) yardstick: String,
    pub(crate) value: String,
    pub(crate) bar: Bar,
}

/// What a value has to be.
pub(crate) enum Bar {
    None,
    Of { text: &'static str, is_met: bool },
}

impl Bar {
    pub(crate) fn at_most(text: &'static str, value: f64, limit: f64) -> Bar {
        Bar::Of {
            text,
            is_met: value <= limit,
        }
    }

    pub(crate) fn at_least(text: &'static str, value: f64, limit: f64) -> Bar {
        Bar::Of {
            text,
            is_met: value >= limit,
        }
    }
}

impl Table {
    pub(crate) fn new() -> Table {
        let load = std::fs::read_to_string("/proc/loadavg").expect("Linux");
        let load = load.split(' ').next().unwrap_or_default().to_owned();
        Table {
            rows: Vec::new(),
            load,
        }
    }

    pub(crate) fn add(&mut self, row: Row) {
        eprintln!(
            "{}: {} / {} = {}",
            row.task, row.casebook, row.yardstick, row.value
        );
        self.rows.push(row);
    }

    pub(crate) fn print(&self) {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        println!(
            "{processors} processors, load average before: {}.",
            self.load
        );
        println!();
        println!("| task | Casebook | yardstick | ratio | bar |");
        println!("|---|---|---|---|---|");
        for row in &self.rows {
            let bar = match row.bar {
                Bar::None => String::new(),
                Bar::Of { text, is_met: true } => text.to_owned(),
                Bar::Of {
                    text,
                    is_met: false,
                } => format!("{text}, **missed**"),
            };
            println!(
                "| {} | {} | {} | {} | {bar} |",
                row.task, row.casebook, row.yardstick, row.value
            );
        }
    }
}

/// Seconds as people say them.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.000_1 => format!("{:.2} µs", s * 1e6),
        s if s < 0.1 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
