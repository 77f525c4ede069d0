//! The cookies of one conversation. All its requests have the same URL.

/// Cookies by name.
#[derive(Debug, Default)]
pub(super) struct Cookies(Vec<(String, String)>);

impl Cookies {
    /// Adds the cookies of a response; `path` is the path of its URL. Cookies of other paths are ignored, expired ones are removed.
    pub(super) fn add(&mut self, set_cookie: &[String], path: &str) {
        for header in set_cookie {
            let mut parts = header.split(';').map(str::trim);
            let Some((name, value)) = parts.next().and_then(|cookie| cookie.split_once('=')) else {
                continue;
            };
            let attributes: Vec<_> = parts.filter_map(|part| part.split_once('=')).collect();
            let attribute = |name: &str| {
                let mut found = attributes.iter().rev();
                found.find_map(|(key, value)| key.eq_ignore_ascii_case(name).then_some(*value))
            };
            self.0.retain(|(known, _)| known != name);
            let age = attribute("max-age").and_then(|age| age.parse::<i64>().ok());
            let is_expired = age.is_some_and(|age| age <= 0)
                || age.is_none() && attribute("expires").is_some_and(is_past);
            let is_for_path = attribute("path").is_none_or(|prefix| is_within(path, prefix));
            if !is_expired && is_for_path {
                self.0.push((name.to_owned(), value.to_owned()));
            }
        }
    }

    /// The value of the `cookie` header; `None` without cookies.
    pub(super) fn header(&self) -> Option<String> {
        let pairs = self.0.iter().map(|(name, value)| format!("{name}={value}"));
        let pairs: Vec<_> = pairs.collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }
}

/// Servers remove a cookie with a date in 1970; other dates are later than the end of a conversation.
fn is_past(date: &str) -> bool {
    date.contains("1970")
}

/// Whether a path is below another one.
fn is_within(path: &str, prefix: &str) -> bool {
    let prefix = prefix.trim_end_matches('/');
    let rest = path.strip_prefix(prefix);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_kept_replaced_and_removed() {
        let mut cookies = Cookies::default();
        for (set, header) in [
            (&[][..], None),
            (&["a=1; Path=/; HttpOnly", "b=x=y"], Some("a=1; b=x=y")),
            (&["a=2; path=/chat"], Some("b=x=y; a=2")),
            (&["b=; Max-Age=0"], Some("a=2")),
            (&["c=1; Path=/other", "nonsense"], Some("a=2")),
            (&["a=; expires=Thu, 01 Jan 1970 00:00:00 GMT"], None),
            (
                &["d=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"],
                Some("d=1"),
            ),
        ] {
            let set: Vec<_> = set.iter().map(|text: &&str| (*text).to_owned()).collect();
            cookies.add(&set, "/chat/v1");
            assert_eq!(cookies.header().as_deref(), header, "{set:?}");
        }
    }
}
