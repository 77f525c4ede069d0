//! What a subscriber wants to hear of.

use crate::event::{Event, EventKind};

/// Which events somebody wants: some kinds, and of those perhaps not all.
#[derive(Clone, Copy)]
pub struct EventFilter {
    kinds: u16,
    wants: fn(&Event) -> bool,
}

impl EventFilter {
    /// Every event.
    pub const ALL: EventFilter = EventFilter {
        kinds: u16::MAX,
        wants: |_| true,
    };

    /// Only these kinds.
    pub fn only(kinds: &[EventKind]) -> EventFilter {
        EventFilter {
            kinds: kinds.iter().fold(0, |set, kind| set | 1 << (*kind as u16)),
            ..EventFilter::ALL
        }
    }

    /// Only those of which this is true. The publishers ask it.
    #[must_use]
    pub fn only_if(self, wants: fn(&Event) -> bool) -> EventFilter {
        EventFilter { wants, ..self }
    }

    /// Whether the event is wanted.
    pub fn matches(self, event: &Event) -> bool {
        self.kinds & 1 << (event.kind() as u16) != 0 && (self.wants)(event)
    }
}
