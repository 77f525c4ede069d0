//! Why a conversation ended, in words.

/// The description of a recorded reason; an unknown one is kept.
pub(crate) fn describe(reason: &str) -> &str {
    match reason {
        "script_end" => "end of script",
        "stop_condition" => "a stop condition was met",
        "goal_reached" => "the goal was reached",
        "max_turns" => "the maximum number of turns was reached",
        "agent_error" => "the agent failed",
        "judge_error" => "the judge failed",
        "simulator_error" => "the simulated user failed",
        "timeout" => "the time limit was exceeded",
        "interrupted" => "the run was interrupted",
        other => other,
    }
}
