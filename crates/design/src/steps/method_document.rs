//! Reads and changes the metadata of the requested method, wherever its document stores it.

use super::{StepError, Target};
use crate::metadata::document::Document;
use crate::metadata::methods::{
    Selection, method_names, other_method, select, set_other_method, top_method,
};
use crate::metadata::read::{Layout, Plan, ReadError, layout, plans};
use crate::metadata::store::{read, update};

/// The document of the requested method, without the others. A document of the plugin layout is returned as it is.
pub(super) fn read_method(target: &Target) -> Result<Document, StepError> {
    let document = read(&target.metadata)?;
    Ok(match position(&document, target)? {
        Some(index) => other_method(&document, index).unwrap_or(document),
        None => top_method(&document),
    })
}

/// The plans of the requested methods in a document that [`read_method`] returned.
pub(super) fn method_plans(document: &Document, target: &Target) -> Result<Vec<Plan>, StepError> {
    let name = match layout(document.value()) {
        Layout::Plugin => target.method(),
        _ => None,
    };
    plans(document, name).map_err(|source| StepError::Read {
        path: target.metadata.clone(),
        source,
    })
}

/// Changes the document of the requested method. Nothing is written if the change fails.
pub(super) fn update_method(
    target: &Target,
    change: impl FnOnce(&mut Document) -> Result<(), StepError>,
) -> Result<(), StepError> {
    let mut failed = None;
    update(&target.metadata, |document| {
        let mut document = document?;
        let mut changed = document.clone();
        match change_at(&mut changed, target, change) {
            Ok(()) => document = changed,
            Err(error) => failed = Some(error),
        }
        Ok(document)
    })?;
    failed.map_or(Ok(()), Err)
}

fn change_at(
    document: &mut Document,
    target: &Target,
    change: impl FnOnce(&mut Document) -> Result<(), StepError>,
) -> Result<(), StepError> {
    let Some(index) = position(document, target)? else {
        return change(document);
    };
    let Some(mut method) = other_method(document, index) else {
        return change(document);
    };
    change(&mut method)?;
    set_other_method(document, index, &method);
    Ok(())
}

/// The index of the requested method among the other methods; `None` for the top level.
fn position(document: &Document, target: &Target) -> Result<Option<usize>, StepError> {
    if layout(document.value()) == Layout::Plugin {
        return Ok(None);
    }
    let failed = |source: ReadError| StepError::Read {
        path: target.metadata.clone(),
        source,
    };
    match select(document, &target.method_query) {
        Selection::Top => Ok(None),
        Selection::Other(index) => Ok(Some(index)),
        Selection::None => {
            let described = method_names(document);
            let name = target.method().unwrap_or_default();
            Err(failed(ReadError::other_method(name, described)))
        }
        Selection::Several(names) => Err(failed(ReadError::Several(names.join(", ")))),
    }
}
