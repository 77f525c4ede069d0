//! Stops a suite or the run when its budget is spent.

use casebook_suite::model::conversation::Budget;

use super::Runner;
use crate::engine::Engine;
use crate::plan::Plan;
use crate::spending::Spending;

/// The budgets of a run and of its suites.
#[derive(Clone, Copy)]
pub(crate) struct RunBudgets<'a> {
    pub(crate) plan: &'a Plan,
    /// The budget of the whole run.
    pub(crate) budget: Budget,
    pub(crate) spending: &'a Spending,
}

impl RunBudgets<'_> {
    /// The budgets that are spent, with the limit that was reached.
    pub(crate) fn spent(&self) -> Vec<String> {
        let run = self.spending.total().limit_reached(&self.budget);
        let run = run.map(|limit| format!("--budget ({limit})"));
        let suites = self.plan.suites.iter().filter_map(|suite| {
            let spent = self.spending.of_suite(suite.name());
            let limit = spent.limit_reached(&suite.suite.budget)?;
            Some(format!("`budget` of {} ({limit})", suite.name()))
        });
        run.into_iter().chain(suites).collect()
    }
}

impl<E: Engine> Runner<'_, E> {
    /// Starts no more tests that would exceed a budget. Called after each test of the suite.
    pub(super) fn check_budgets(&self, index: usize) {
        let planned = &self.plan.suites[index];
        let RunBudgets {
            budget, spending, ..
        } = self.budgets;
        let of_suite = planned.suite.budget;
        if !of_suite.is_unlimited() {
            let spent = spending.of_suite(planned.name());
            self.warn_of_uncounted(spent.uncounted_limit(&of_suite));
            if spent.limit_reached(&of_suite).is_some() {
                self.dispatcher.stop_suite(index);
            }
        }
        if !budget.is_unlimited() {
            let spent = spending.total();
            self.warn_of_uncounted(spent.uncounted_limit(&budget));
            if spent.limit_reached(&budget).is_some() {
                self.dispatcher.stop_dispatching();
            }
        }
    }

    fn warn_of_uncounted(&self, limit: Option<&str>) {
        let Some(limit) = limit else {
            return;
        };
        self.uncounted_warned.get_or_init(|| {
            let fix = match limit {
                "cost" => "; set `price` for models that do not report it",
                _ => "",
            };
            self.executor.emitter.sink().warn(&format!(
                "some calls report no {limit}, so they do not count toward the `{limit}` of the budget{fix}"
            ));
        });
    }
}
