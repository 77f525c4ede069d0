//! Writes a sample run as HTML:
//! `cargo run -p casebook-report --example html -- [showcase|hostile|TESTS BYTES] > page.html`.

#![expect(clippy::disallowed_methods, reason = "an example program may print")]

use std::error::Error;
use std::io;

use casebook_report::html;

#[path = "../tests/html/sample_runs/mod.rs"]
mod sample_runs;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let run = match arguments.as_slice() {
        [name] if name == "hostile" => sample_runs::hostile(),
        [tests, bytes] => sample_runs::large(tests.parse()?, bytes.parse()?),
        _ => sample_runs::showcase(),
    };
    let options = html::Options {
        threads: 2,
        record: Some(".casebook/runs/latest".into()),
    };
    html::write(&run, &options, &mut io::BufWriter::new(io::stdout()))?;
    Ok(())
}
