//! Options for exporting a run to an OpenTelemetry collector.

use clap::Args;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OtlpArgs {
    /// Export the run to the OpenTelemetry collector at this URL, such as http://localhost:4318
    #[arg(long, value_name = "URL", value_parser = http_url)]
    pub(crate) otlp: Option<String>,

    /// Export messages of conversations and data of tools as well
    #[arg(long, requires = "otlp")]
    pub(crate) otlp_content: bool,
}

fn http_url(text: &str) -> Result<String, String> {
    let is_http = ["http://", "https://"]
        .iter()
        .any(|scheme| text.len() > scheme.len() && text.starts_with(scheme));
    if is_http {
        Ok(text.to_owned())
    } else {
        Err("must be a URL such as http://localhost:4318".into())
    }
}
