// What lists say about a run.

import { number, oneLine } from './text.js';
import { longDate } from './short_date.js';

export const runState = (one) => (one.unfinished > 0 || !one.finished ? 'interrupted' : one.failed > 0 ? 'failed' : one.flaky > 0 ? 'flaky' : one.passed === 0 ? 'skipped' : 'passed');

export const countsText = (one) => [[one.passed, 'passed'], [one.failed, 'failed'], [one.skipped, 'skipped'], [one.unfinished, 'interrupted'], [one.running, 'running']]
  .filter(([tests]) => tests > 0).map(([tests, word]) => `${number(tests)} ${word}`).join(', ') || 'no tests';

/** When the run started, its result, branch and commit: what people know of a run, unlike the name of its directory. */
export const runTitle = (one) => [longDate(one.started_at), countsText(one), one.git_branch, one.git_commit?.slice(0, 7)].filter(Boolean).map(oneLine).join(' · ');

/** When a run in progress started. */
export const liveTitle = (one) => (one.started_at ? longDate(one.started_at) : oneLine(one.run));
