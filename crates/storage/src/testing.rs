//! A storage in memory.

use std::sync::Arc;

use object_store::memory::InMemory;

use crate::storage::Storage;

/// A storage at this location in a bucket with these objects.
pub(crate) fn storage(location: &str, objects: &Arc<InMemory>) -> Storage {
    let objects: Arc<InMemory> = Arc::clone(objects);
    Storage::of(location.parse().unwrap(), objects).unwrap()
}

/// The keys of all objects, sorted.
pub(crate) fn keys(storage: &Storage, objects: &InMemory) -> Vec<String> {
    use futures_util::TryStreamExt as _;
    use object_store::ObjectStore as _;
    let listed = storage.block_on(objects.list(None).try_collect::<Vec<_>>());
    let mut keys: Vec<_> = listed
        .unwrap()
        .into_iter()
        .map(|object| object.location.to_string())
        .collect();
    keys.sort();
    keys
}
