//! The keys of the view: their help, and as many of them as fit into the footer.

use crate::terminal::text::columns;

/// A key and its action, in the order of the footer. Keys with a lower rank remain when the screen is narrow.
struct KeyHelp {
    keys: &'static str,
    brief: &'static str,
    help: &'static str,
    rank: usize,
}

const fn key(keys: &'static str, brief: &'static str, help: &'static str, rank: usize) -> KeyHelp {
    KeyHelp {
        keys,
        brief,
        help,
        rank,
    }
}

const KEYS: [KeyHelp; 7] = [
    key(
        "1-9 a h l",
        "1-9 a h l: worker",
        "worker, all, previous, next",
        5,
    ),
    key("j k g G", "j k g G: scroll", "down, up, start, end", 4),
    key("n N", "n: failure", "next, previous failure", 1),
    key("/", "/: filter", "show tests with this name", 2),
    key("f", "f: follow", "follow new lines or not", 6),
    key("?", "?: keys", "show or hide this list", 3),
    key("q", "q: stop", "stop the run; then quit", 0),
];

const RERUN: KeyHelp = key("r", "r: rerun failed", "run failed tests again", 1);

/// The keys that fit into `width` columns, always including `q`.
pub(super) fn footer(width: usize, ended: bool, failures: bool) -> String {
    let keys = KEYS.iter().filter(|key| !(ended && key.keys == "f"));
    let (quit, others): (Vec<_>, Vec<_>) = keys.partition(|key| key.keys == "q");
    let rerun = (ended && failures).then_some(&RERUN);
    let mut keys: Vec<_> = others.into_iter().chain(rerun).chain(quit).collect();
    loop {
        let brief = |key: &&KeyHelp| match key.keys {
            "q" if ended => "q: quit".to_owned(),
            _ => key.brief.to_owned(),
        };
        let texts: Vec<_> = keys.iter().map(brief).collect();
        let line = ["   ", "  "]
            .iter()
            .map(|gap| texts.join(gap))
            .find(|line| columns(line) <= width);
        let least = keys.iter().map(|key| key.rank).max().unwrap_or(0);
        match line {
            Some(line) => return line,
            None if least == 0 => return texts.concat(),
            None => keys.retain(|key| key.rank < least),
        }
    }
}

/// All keys, one per line.
pub(super) fn help() -> impl Iterator<Item = String> {
    let keys = KEYS.iter().chain([&RERUN]);
    keys.map(|key| format!("{:9}  {}", key.keys, key.help))
}

#[cfg(test)]
mod tests {

    #[test]
    fn the_footer_fits_and_keeps_the_most_important_keys() {
        for (width, ended, footer) in [
            (
                120,
                false,
                "1-9 a h l: worker   j k g G: scroll   n: failure   /: filter   f: follow   ?: keys   q: stop",
            ),
            (
                80,
                false,
                "1-9 a h l: worker   j k g G: scroll   n: failure   /: filter   ?: keys   q: stop",
            ),
            (40, false, "n: failure  /: filter  ?: keys  q: stop"),
            (40, true, "n: failure   r: rerun failed   q: quit"),
            (10, false, "q: stop"),
            (3, false, "q: stop"),
        ] {
            let shown = super::footer(width, ended, true);
            assert_eq!(shown, footer, "{width}");
        }
    }
}
