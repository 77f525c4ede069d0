//! The pages, the script and the style. They contain no data, so they are the same for all projects.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{Html, IntoResponse as _, Response};
use casebook_record::hex_of_sha256;
use casebook_report::{html, modules};

use std::sync::LazyLock;

use crate::response::failure;

/// A file whose name contains a hash of its content, so that a browser can keep it.
struct Asset {
    name: String,
    kind: &'static str,
    text: String,
}

impl Asset {
    fn new(stem: &str, extension: &str, kind: &'static str, text: String) -> Asset {
        let hash = hex_of_sha256(text.as_bytes(), 12);
        Asset {
            name: format!("{stem}-{hash}.{extension}"),
            kind,
            text,
        }
    }

    fn script(stem: &str, start: &str) -> Asset {
        let text = html::script(MODULES, start);
        Asset::new(stem, "js", "text/javascript; charset=utf-8", text)
    }

    fn address(&self) -> String {
        format!("/assets/{}", self.name)
    }
}

static MODULES: &[html::Module] = &modules!("page":
    "commands.js", "compare.js", "design.js", "grid.js", "output_so_far.js", "project.js", "review_form.js", "run_name.js", "run_title.js", "runs.js", "served.js",
    "server.js", "short_date.js", "test_history.js", "test_source.js",
);

static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let text = [html::STYLE, include_str!("page/studio.css")].concat();
    Asset::new("studio", "css", "text/css; charset=utf-8", text)
});

/// The page of a run: the report's components with data from this server.
static RUN_SCRIPT: LazyLock<Asset> = LazyLock::new(|| Asset::script("run", "served.js"));

/// The pages of the project.
static PROJECT_SCRIPT: LazyLock<Asset> = LazyLock::new(|| Asset::script("project", "project.js"));

pub(crate) async fn run_page() -> Html<String> {
    Html(html::served_page(&STYLE.address(), &RUN_SCRIPT.address()))
}

pub(crate) async fn project_page() -> Html<String> {
    let page = include_str!("page/project.html");
    let page = page.replace("STYLE", &STYLE.address());
    Html(page.replace("SCRIPT", &PROJECT_SCRIPT.address()))
}

pub(crate) async fn file(Path(name): Path<String>) -> Response {
    let assets = [&STYLE, &RUN_SCRIPT, &PROJECT_SCRIPT];
    let Some(asset) = assets.into_iter().find(|asset| asset.name == name) else {
        return failure(StatusCode::NOT_FOUND, "unknown file; reload the page");
    };
    let headers = [
        (CONTENT_TYPE, asset.kind),
        (CACHE_CONTROL, "private, max-age=31536000, immutable"),
    ];
    (headers, asset.text.clone()).into_response()
}
