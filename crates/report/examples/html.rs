//! Writes a sample page:
//! `cargo run -p casebook-report --example html -- [showcase|hostile|diff|history|coverage|TESTS BYTES] > page.html`.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "an example program may print and stop"
)]

use std::error::Error;
use std::io::{self, Write as _};

use casebook_report::html;

#[path = "../tests/html/sample_pages.rs"]
mod sample_pages;
#[path = "../tests/html/sample_runs/mod.rs"]
mod sample_runs;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [name] = arguments.as_slice()
        && let Some((_, page)) = sample_pages::pages("").iter().find(|page| page.0 == name)
    {
        return Ok(io::stdout().write_all(page.as_bytes())?);
    }
    let run = match arguments.as_slice() {
        [name] if name == "hostile" => sample_runs::hostile(),
        [name] if name == "terminal" => sample_runs::terminal(),
        [tests, bytes] => sample_runs::large(tests.parse()?, bytes.parse()?),
        _ => sample_runs::showcase(),
    };
    let options = html::Options {
        threads: 2,
        record: Some(".casebook/runs/latest".into()),
        ..html::Options::default()
    };
    html::write(&run, &options, &mut io::BufWriter::new(io::stdout()))?;
    Ok(())
}
