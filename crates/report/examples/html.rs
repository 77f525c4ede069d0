//! A made-up run as HTML, to look at: `cargo run -p casebook-report --example html -- [showcase|hostile|TESTS BYTES] > page.html`.

#![expect(clippy::disallowed_methods, reason = "this is a program of its own")]

use std::error::Error;
use std::io;

use casebook_report::html;

#[path = "../tests/html/made/mod.rs"]
mod made;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let run = match arguments.as_slice() {
        [name] if name == "hostile" => made::hostile(),
        [tests, bytes] => made::large(tests.parse()?, bytes.parse()?),
        _ => made::showcase(),
    };
    let options = html::Options {
        threads: 2,
        record: Some(".casebook/runs/latest".into()),
    };
    html::write(&run, &options, &mut io::BufWriter::new(io::stdout()))?;
    Ok(())
}
