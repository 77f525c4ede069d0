//! Several methods in one document of format 1.3 or 2.0.
//!
//! The method that was analyzed last is at the top level, where programs that expect one method read it. The same sections
//! of the other methods are in the list `other_methods`. A method document is a [`Document`] with one method at the top
//! level.

use serde_json::{Map, Value};

use super::document::Document;
use super::read::{Layout, layout};
use crate::ruby::{Method, MethodQuery};

/// The key of the list.
pub(crate) const OTHER_METHODS: &str = "other_methods";

/// The sections that each method has. `factories_detected` describes the project, so all methods share it.
const SECTIONS: [&str; 6] = [
    "analyzer",
    "validation",
    "test_level",
    "target",
    "characteristics",
    "automation",
];

/// The class, the name and the type of a method, as its `target` section has them.
type Target<'v> = (&'v str, &'v str, &'v str);

/// One document per method, that of the top level first. A document of the plugin layout is returned as it is.
pub fn method_documents(document: &Document) -> Vec<Document> {
    let others = 0..others(document).len();
    let of_others = others.filter_map(|index| other_method(document, index));
    std::iter::once(top_method(document))
        .chain(of_others)
        .collect()
}

/// The document without the other methods.
pub(crate) fn top_method(document: &Document) -> Document {
    if others(document).is_empty() {
        return document.clone();
    }
    let mut map = document.value().clone();
    map.shift_remove(OTHER_METHODS);
    Document::new(map)
}

/// The entries of `other_methods`; empty in the plugin layout.
pub(crate) fn others(document: &Document) -> &[Value] {
    let list = match layout(document.value()) {
        Layout::Plugin => None,
        _ => document
            .value()
            .get(OTHER_METHODS)
            .and_then(Value::as_array),
    };
    list.map(Vec::as_slice).unwrap_or_default()
}

/// The document of one of the other methods. `None` if its entry is not a mapping.
pub(crate) fn other_method(document: &Document, index: usize) -> Option<Document> {
    let mut map = others(document).get(index)?.as_object()?.clone();
    if let Some(factories) = document.value().get("factories_detected") {
        map.insert("factories_detected".to_owned(), factories.clone());
    }
    Some(Document::new(map))
}

/// Writes the document of one of the other methods back into its entry.
pub(crate) fn set_other_method(document: &mut Document, index: usize, method: &Document) {
    let mut list = others(document).to_vec();
    if let Some(entry) = list.get_mut(index) {
        let mut map = method.value().clone();
        map.shift_remove("factories_detected");
        *entry = Value::Object(map);
        document.set(OTHER_METHODS, &Value::Array(list));
    }
}

/// Moves a method to the top level, and the one that was there to the others. Returns whether the document has the method;
/// if not, the top level still has the sections of the previous method, for the caller to replace.
pub(crate) fn promote(document: &mut Document, method: &Method) -> bool {
    let wanted = (
        method.class.as_str(),
        method.name.as_str(),
        method.method_type.as_str(),
    );
    let top = target(document.value());
    if top == Some(wanted) {
        return true;
    }
    let mut list = others(document).to_vec();
    let is_wanted = |entry: &Value| entry.as_object().and_then(target) == Some(wanted);
    let found = list.iter().position(is_wanted).map(|at| list.remove(at));
    if top.is_some() {
        list.push(Value::Object(sections(document.value())));
    }
    if let Some(Value::Object(found)) = &found {
        for (key, value) in found {
            document.set(key, value);
        }
    }
    document.set(OTHER_METHODS, &Value::Array(list));
    found.is_some()
}

/// Removes the other methods that the source no longer defines; returns their names.
pub(crate) fn remove_undefined(document: &mut Document, defined: &[Method]) -> Vec<String> {
    let is_defined = |(class, name, method_type): Target<'_>| {
        defined.iter().any(|method| {
            method.class == class
                && method.name == name
                && method.method_type.as_str() == method_type
        })
    };
    let is_kept = |entry: &&Value| {
        let target = entry.as_object().and_then(target);
        target.is_none_or(is_defined)
    };
    let (kept, removed): (Vec<&Value>, Vec<&Value>) =
        others(document).iter().partition(|entry| is_kept(entry));
    let names = removed
        .iter()
        .filter_map(|entry| Some(id(target(entry.as_object()?)?)));
    let names: Vec<String> = names.collect();
    if !names.is_empty() {
        let kept = kept.into_iter().cloned().collect();
        document.set(OTHER_METHODS, &Value::Array(kept));
    }
    names
}

fn sections(value: &Map<String, Value>) -> Map<String, Value> {
    let present = SECTIONS
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), value.get(*key)?.clone())));
    present.collect()
}

fn target(value: &Map<String, Value>) -> Option<Target<'_>> {
    let target = value.get("target")?;
    let text = |key: &str| target.get(key).and_then(Value::as_str);
    let method_type = text("method_type").unwrap_or("instance");
    Some((text("class")?, text("method")?, method_type))
}

fn id((class, name, method_type): Target<'_>) -> String {
    let sign = if method_type == "class" { '.' } else { '#' };
    format!("{class}{sign}{name}")
}

/// A method document that a query selects, and its position.
pub(crate) enum Selection {
    /// The method at the top level.
    Top,
    /// The other method with this index.
    Other(usize),
    /// No method matches.
    None,
    /// The names of several methods that match.
    Several(Vec<String>),
}

/// The method that a query selects; without a name, the one at the top level.
pub(crate) fn select(document: &Document, query: &MethodQuery) -> Selection {
    let Some(name) = query.name.as_deref() else {
        return Selection::Top;
    };
    let top = (Selection::Top, document.value());
    let others = others(document).iter().enumerate();
    let others = others.filter_map(|(at, entry)| Some((Selection::Other(at), entry.as_object()?)));
    let matches = |(_, (class, method, method_type)): &(Selection, Target<'_>)| {
        *method == name
            && query
                .method_type
                .is_none_or(|one| one.as_str() == *method_type)
            && query
                .class
                .as_deref()
                .is_none_or(|wanted| is_class(class, wanted))
    };
    let mut found: Vec<_> = std::iter::once(top)
        .chain(others)
        .filter_map(|(at, value)| Some((at, target(value)?)))
        .filter(matches)
        .collect();
    let is_exact =
        |(_, (class, ..)): &(Selection, Target<'_>)| Some(*class) == query.class.as_deref();
    if found.iter().any(is_exact) {
        found.retain(is_exact);
    }
    // As in the source: `#call` names the instance method if the class also has a class method `call`.
    if found.iter().all(|(_, (class, ..))| *class == found[0].1.0) && found.len() > 1 {
        found.retain(|(_, (.., method_type))| *method_type == "instance");
    }
    match found.len() {
        0 => Selection::None,
        1 => found.swap_remove(0).0,
        _ => Selection::Several(found.into_iter().map(|(_, target)| id(target)).collect()),
    }
}

/// The names of all methods of a document.
pub(crate) fn method_names(document: &Document) -> impl Iterator<Item = &str> {
    let others = others(document).iter().filter_map(Value::as_object);
    std::iter::once(document.value())
        .chain(others)
        .filter_map(|value| target(value).map(|(_, name, _)| name))
}

fn is_class(class: &str, wanted: &str) -> bool {
    class == wanted || class.ends_with(&format!("::{wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruby::MethodType;

    const SHOP: &str = "\
# kept
target: {class: Shop::Cart, method: call, method_type: instance}
automation: {architect_completed: true}
note: unknown
other_methods:
- target: {class: Shop::Cart, method: call, method_type: class}
- target: {class: Till, method: open, method_type: instance}
- target: {class: Shop::Till, method: open, method_type: instance}
- 5
";

    fn shop() -> Document {
        Document::parse("a.yml", SHOP).unwrap()
    }

    fn method(class: &str, name: &str) -> Method {
        Method {
            class: class.to_owned(),
            name: name.to_owned(),
            method_type: MethodType::Instance,
            is_public: true,
            lines: (1, 1),
            superclass: None,
            in_module: false,
        }
    }

    #[test]
    fn queries_select_a_method() {
        let shop = shop();
        for (class, name, is_class, expected) in [
            (None, None, false, "top"),
            (None, Some("call"), false, "top"),
            (None, Some("call"), true, "0"),
            (Some("Cart"), Some("call"), false, "top"),
            (Some("Till"), Some("open"), false, "1"),
            (Some("Shop::Till"), Some("open"), false, "2"),
            (None, Some("open"), false, "Till#open, Shop::Till#open"),
            (Some("Cart"), Some("open"), false, "none"),
        ] {
            let query = MethodQuery {
                class: class.map(str::to_owned),
                name: name.map(str::to_owned),
                method_type: is_class.then_some(MethodType::Class),
                ..MethodQuery::default()
            };
            let found = match select(&shop, &query) {
                Selection::Top => "top".to_owned(),
                Selection::Other(index) => index.to_string(),
                Selection::None => "none".to_owned(),
                Selection::Several(names) => names.join(", "),
            };
            assert_eq!(found, expected, "{class:?} {name:?} {is_class}");
        }
    }

    #[test]
    fn a_promoted_method_changes_places_with_the_top_level() {
        let mut shop = shop();
        assert!(promote(&mut shop, &method("Till", "open")));
        let names = |document: &Document| -> Vec<String> {
            let all = method_documents(document);
            all.iter()
                .filter_map(|one| Some(id(target(one.value())?)))
                .collect()
        };
        assert_eq!(
            names(&shop),
            [
                "Till#open",
                "Shop::Cart.call",
                "Shop::Till#open",
                "Shop::Cart#call"
            ]
        );
        assert!(shop.text().starts_with("# kept\n"), "{}", shop.text());
        assert_eq!(shop.at(&["note"]), Some(&Value::from("unknown")));
        // The progress of a method moves with it.
        let cart = other_method(&shop, 3).unwrap();
        assert_eq!(
            cart.at(&["automation", "architect_completed"]),
            Some(&Value::Bool(true))
        );
        assert!(!promote(&mut shop, &method("New", "one")));
        assert_eq!(names(&shop).len(), 5);
        assert!(others(&shop).contains(&Value::Object(sections(shop.value()))));
    }

    #[test]
    fn undefined_methods_are_removed() {
        let mut shop = shop();
        let removed = remove_undefined(&mut shop, &[method("Till", "open")]);
        assert_eq!(removed, ["Shop::Cart.call", "Shop::Till#open"]);
        assert_eq!(
            others(&shop).len(),
            2,
            "an entry without a target is left to the validator"
        );
        assert!(remove_undefined(&mut shop, &[method("Till", "open")]).is_empty());
    }
}
