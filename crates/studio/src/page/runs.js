// The recorded runs, those in progress first.

import { address } from './address.js';
import { actionButtons } from './commands.js';
import { button, icon, make, replace } from './dom.js';
import { apiAddress, getJson } from './server.js';
import { shortDate } from './short_date.js';
import { asText, count, human, number, oneLine, percent } from './text.js';

const runLink = (name, text) => make('a', { href: `/runs/${encodeURIComponent(name)}` }, text);

const runState = (one) => (one.unfinished > 0 || !one.finished ? 'interrupted' : one.failed > 0 ? 'failed' : one.flaky > 0 ? 'flaky' : one.passed === 0 ? 'skipped' : 'passed');

const countsText = (one) => [[one.passed, 'passed'], [one.failed, 'failed'], [one.skipped, 'skipped'], [one.unfinished, 'interrupted'], [one.running, 'running']]
  .filter(([tests]) => tests > 0).map(([tests, word]) => `${number(tests)} ${word}`).join(', ') || 'no tests';

const SHOWN_RUNS = 100;

const liveCard = (live) => make('section', { class: 'card live', 'aria-label': 'Runs in progress' }, make('h2', {}, 'Running'), make('ul', { class: 'rows' }, live.map((one) => {
  const done = one.passed + one.failed + one.skipped;
  const filled = make('span', { class: one.failed > 0 ? 'failed' : 'passed' });
  filled.style.width = `${(100 * done) / Math.max(done, one.planned ?? done, 1)}%`;
  return make('li', { class: 'measured' }, runLink(one.run, [icon('live'), ' ', one.run]), make('span', { class: 'meter', 'aria-hidden': 'true' }, filled),
    make('span', { class: 'figure' }, `${number(done)}${one.planned ? ` of ${number(one.planned)}` : ''}, ${number(one.failed)} failed`));
})));

const trend = (runs) => {
  const newest = runs.slice(-60);
  const longest = Math.max(1, ...newest.map((one) => one.duration_ms ?? 0));
  return make('div', { class: 'history-bars', role: 'group', 'aria-label': 'Durations and results of the newest runs' }, newest.map((one) => {
    const filled = make('span', { class: runState(one) });
    filled.style.height = `${Math.max(8, (100 * (one.duration_ms ?? 0)) / longest)}%`;
    const text = `${shortDate(one.started_at)}: ${countsText(one)}${one.duration_ms === null ? '' : `, ${human(one.duration_ms)}`}`;
    return make('a', { class: 'history-bar', href: `/runs/${encodeURIComponent(one.folder)}`, title: text, 'aria-label': text }, filled);
  }));
};

/** The two runs that are selected to be compared, the earlier one first. */
const chosenRuns = (form) => [...form.querySelectorAll('input:checked')].map((box) => box.value).sort();

const runRows = (runs, live) => runs.toReversed().slice(0, SHOWN_RUNS).map((one) => {
  const isLive = live.some((other) => other.run === one.folder);
  return make('tr', {},
    make('td', {}, make('input', { type: 'checkbox', value: one.folder, 'aria-label': `Compare the run of ${shortDate(one.started_at)}` })),
    make('th', { scope: 'row' }, runLink(one.folder, [icon(isLive ? 'live' : runState(one)), ' ', shortDate(one.started_at)])),
    make('td', {}, isLive ? 'in progress' : countsText(one)),
    make('td', { class: 'figure' }, one.duration_ms === null ? '–' : human(one.duration_ms)),
    make('td', {}, oneLine(one.git_branch ?? '')),
    make('td', {}, make('code', {}, oneLine((one.git_commit ?? '').slice(0, 7)))),
    make('td', { class: 'figure' }, one.pass_rate === null ? '–' : percent(one.pass_rate, 1)));
});

const markedTests = (title, tests, describe) => tests.length > 0 && make('section', { class: 'card marked' }, make('h2', {}, title, make('span', { class: 'aside' }, number(tests.length))),
  make('ul', { class: 'rows' }, tests.slice(0, 10).map((test) => make('li', {}, make('span', { class: 'name' }, oneLine(test.title)), make('p', { class: 'reason' }, describe(test))))));

const firstRun = () => make('section', { class: 'card' }, make('h2', {}, 'No recorded run yet'),
  make('p', {}, 'Write a first suite with ', make('code', {}, 'casebook init'), ', then run it. The run appears here while it runs.'));

export const showRuns = async (page, { live }) => {
  const trends = await getJson(apiAddress('runs'));
  const { runs } = trends;
  const form = make('form', { class: 'compare-form' });
  const compareButton = button('Compare', () => { const [base, newer] = chosenRuns(form); location.hash = address({ view: 'compare', base, new: newer }); }, { disabled: true });
  form.addEventListener('change', () => { compareButton.disabled = chosenRuns(form).length !== 2; });
  const columns = ['', 'started', 'result', 'took', 'branch', 'commit', 'passed'];
  form.append(make('div', { class: 'scroll', tabindex: 0 }, make('table', { class: 'headed' }, make('thead', {}, make('tr', {}, columns.map((name) => make(name ? 'th' : 'td', name ? { scope: 'col' } : {}, name)))), make('tbody', {}, runRows(runs, live)))));
  replace(page, make('h1', {}, 'Runs'), actionButtons([{ label: 'Run all tests', action: { action: 'run' } }]),
    live.length > 0 && liveCard(live),
    runs.length === 0 && live.length === 0 ? firstRun() : [
      runs.length > 1 && trend(runs),
      make('div', { class: 'cards' },
        markedTests('Failing', trends.broken, (test) => test.since ? `since ${shortDate(asText(test.since.started_at ?? ''))}` : ''),
        markedTests('Flaky', trends.flaky, () => 'its result changes without a change of code'),
        markedTests('Slower', trends.slower, (test) => `since ${shortDate(test.since.started_at)}: ${human(test.base_ms)} → ${human(test.new_ms)}`)),
      make('section', { class: 'card' }, make('h2', {}, 'Recorded runs', make('span', { class: 'aside' }, number(runs.length)), make('span', { class: 'stretch' }), compareButton), form,
        runs.length > SHOWN_RUNS && make('p', { class: 'aside' }, `The newest ${SHOWN_RUNS} are listed; casebook history shows all.`))],
    trends.damaged.length > 0 && make('p', { class: 'notice', role: 'note' }, `${count(trends.damaged.length, 'run')} cannot be read: ${trends.damaged.slice(0, 3).map((one) => oneLine(one.folder)).join(', ')}. casebook history says why.`));
};
