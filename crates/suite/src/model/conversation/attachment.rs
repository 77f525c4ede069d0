//! [`Attachment`]: a file of a user's message.

use casebook_source::Span;

/// A file of a user's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its path, relative to the suite's directory.
    pub path: String,
    /// Its media type.
    pub media_type: MediaType,
    /// Its location in the suite.
    pub span: Span,
}

/// A media type that models accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaType {
    /// An image, such as `image/png`.
    Image(&'static str),
    /// A PDF file.
    Pdf,
}

impl MediaType {
    /// The extensions of all known types.
    pub const EXTENSIONS: &'static str = "png, jpg, jpeg, gif, webp or pdf";

    /// The type of a file with this name.
    pub fn of(path: &str) -> Option<MediaType> {
        let (_, extension) = path.rsplit_once('.')?;
        Some(match extension.to_ascii_lowercase().as_str() {
            "png" => MediaType::Image("image/png"),
            "jpg" | "jpeg" => MediaType::Image("image/jpeg"),
            "gif" => MediaType::Image("image/gif"),
            "webp" => MediaType::Image("image/webp"),
            "pdf" => MediaType::Pdf,
            _ => return None,
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            MediaType::Image(name) => name,
            MediaType::Pdf => "application/pdf",
        }
    }
}
