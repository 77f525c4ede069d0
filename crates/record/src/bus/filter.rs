//! Selects the events that a subscriber receives.

use crate::event::{Event, EventKind};

/// Selects events by kind and, optionally, by a predicate.
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

    /// Restricts the filter to events for which the predicate is true. The publishing threads call it.
    #[must_use]
    pub fn only_if(self, wants: fn(&Event) -> bool) -> EventFilter {
        EventFilter { wants, ..self }
    }

    /// Whether the filter selects the event.
    pub fn matches(self, event: &Event) -> bool {
        self.kinds & 1 << (event.kind() as u16) != 0 && (self.wants)(event)
    }
}
