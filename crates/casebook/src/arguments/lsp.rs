//! The options of `casebook lsp`.

use clap::Args;

/// Serve editors: a language server for suites on standard input and output
///
/// An editor starts it and shows the problems of suites while you type, with fixes, and what fields mean.
#[derive(Debug, Args)]
#[command(after_help = "\
Example, for Neovim 0.11 or later:
  vim.lsp.config('casebook', { cmd = { 'casebook', 'lsp' }, filetypes = { 'yaml' } })
  vim.lsp.enable('casebook')")]
pub(crate) struct Lsp {
    /// Accepted and ignored: standard input and output are the only transport
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}
