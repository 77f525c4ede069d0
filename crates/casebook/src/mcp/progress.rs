//! [`ToolProgress`]: progress of a tool, as notifications to the client.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::output::Output;
use crate::caller::Observer;

/// At most this many notifications for the tests of a run.
const STEPS: u64 = 200;

/// Sends notifications if the client asked for them, with the token that it chose.
pub(super) struct ToolProgress {
    token: Option<Value>,
    output: Arc<Output>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    done: u64,
    total: u64,
}

impl ToolProgress {
    pub(super) fn new(token: Option<Value>, output: Arc<Output>) -> ToolProgress {
        ToolProgress {
            token,
            output,
            state: Mutex::default(),
        }
    }

    fn notify(&self, state: &State, message: &str) {
        let Some(token) = &self.token else { return };
        let mut params = json!({
            "progressToken": token,
            "progress": state.done,
            "message": message,
        });
        if state.total > 0 {
            params["total"] = json!(state.total);
        }
        self.output.notify("notifications/progress", &params);
    }
}

impl Observer for ToolProgress {
    fn step(&self, message: &str) {
        let mut state = self.state.lock();
        state.done += 1;
        self.notify(&state, message);
    }

    /// An event of a run.
    fn line(&self, line: &[u8]) {
        let Ok(event) = serde_json::from_slice::<Value>(line) else {
            return;
        };
        let mut state = self.state.lock();
        match event["event_type"].as_str() {
            Some("SuiteStarted") => {
                state.total += event["payload"]["example_count"]
                    .as_u64()
                    .unwrap_or_default();
            }
            // An attempt after which the test is retried is not its end.
            Some("ExampleFailed") if event["payload"]["metadata"]["will_retry"] == true => {}
            Some("ExamplePassed" | "ExampleFailed" | "ExamplePending") => {
                state.done += 1;
                let step = (state.total / STEPS).max(1);
                if state.done.is_multiple_of(step) || state.done == state.total {
                    let name = event["payload"]["description"].as_str();
                    self.notify(&state, name.unwrap_or_default());
                }
            }
            _ => {}
        }
    }
}
