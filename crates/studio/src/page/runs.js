// The recorded runs, those in progress first.

import { address } from './address.js';
import { actionButtons } from './commands.js';
import { WORDS, button, folded, icon, make, replace } from './dom.js';
import { countsText, liveTitle, runState } from './run_title.js';
import { getHistory } from './server.js';
import { shortDate } from './short_date.js';
import { asText, count, human, number, oneLine, percent } from './text.js';

const runLink = (name, text) => make('a', { href: `/runs/${encodeURIComponent(name)}` }, text);

/** Runs that are listed at first. */
const FIRST_RUNS = 100;
/** Also after the page was built again, because a run has changed. */
let areAllListed = false;

export const liveCard = (live) => make('section', { class: 'card live', 'aria-label': 'Runs in progress' }, make('h2', {}, 'Running'), make('ul', { class: 'rows' }, live.map((one) => {
  const done = one.passed + one.failed + one.skipped;
  const filled = make('span', { class: one.failed > 0 ? 'failed' : 'passed' });
  filled.style.width = `${(100 * done) / Math.max(done, one.planned ?? done, 1)}%`;
  return make('li', { class: 'measured' }, runLink(one.run, [icon('live'), ' ', liveTitle(one)]), make('span', { class: 'meter', 'aria-hidden': 'true' }, filled),
    make('span', { class: 'figure' }, `${number(done)}${one.planned ? ` of ${number(one.planned)}` : ''}, ${number(one.failed)} failed`));
})));

const SHOWN_BARS = 60;

const trendBar = (longest) => (one) => {
  const filled = make('span', { class: runState(one) });
  filled.style.height = `${Math.max(8, (100 * (one.duration_ms ?? 0)) / longest)}%`;
  const text = `${shortDate(one.started_at)}: ${countsText(one)}${one.duration_ms === null ? '' : `, ${human(one.duration_ms)}`}`;
  return make('a', { class: 'history-bar', href: `/runs/${encodeURIComponent(one.folder)}`, title: text, 'aria-label': text }, filled);
};

/** The newest runs, the oldest of them first: the height is the duration, the color the result. */
const trend = (runs) => {
  const newest = runs.slice(-SHOWN_BARS);
  const longest = Math.max(1, ...newest.map((one) => one.duration_ms ?? 0));
  const results = Object.keys(WORDS).filter((state) => newest.some((one) => runState(one) === state));
  return make('section', { class: 'card' }, make('h2', {}, 'Durations', make('span', { class: 'aside' }, `${runs.length > SHOWN_BARS ? `the newest ${SHOWN_BARS} runs` : count(runs.length, 'run')}, oldest first; the highest bar is ${human(longest)}`)),
    make('div', { class: 'history-bars', role: 'group', 'aria-label': 'Durations and results of the newest runs' }, newest.map(trendBar(longest))),
    make('div', { class: 'legend-row' }, results.map((state) => make('span', {}, make('span', { class: `cell ${state}`, 'aria-hidden': 'true' }), ` ${WORDS[state]}`))));
};

/** The two runs that are selected to be compared, the earlier one first; the list begins with the newest. */
const chosenRuns = (form) => [...form.querySelectorAll('input:checked')].map((box) => box.value).reverse();

const runRows = (runs, live) => runs.map((one) => {
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

const SHOWN_MARKED = 5;

/** The test in its newest run. */
const testLink = (test) => make('a', { class: 'name', href: `/runs/${encodeURIComponent(test.newest)}#test=${encodeURIComponent(test.id)}` }, oneLine(test.title));

const markedTests = (title, tests, describe) => {
  const items = (some) => make('ul', { class: 'rows' }, some.map((test) => make('li', {}, test.newest ? testLink(test) : oneLine(test.title), make('p', { class: 'reason' }, describe(test)))));
  return tests.length > 0 && make('section', { class: 'card marked' }, make('h2', {}, title, make('span', { class: 'aside' }, number(tests.length))), items(tests.slice(0, SHOWN_MARKED)),
    tests.length > SHOWN_MARKED && folded(`${number(tests.length - SHOWN_MARKED)} more`, () => items(tests.slice(SHOWN_MARKED))));
};

const firstRun = () => make('section', { class: 'card' }, make('h2', {}, 'No recorded run yet'),
  make('p', {}, 'Write a first suite with ', make('code', {}, 'casebook init'), ', then run it. The run appears here while it runs.'));

export const showRuns = async (page, { live, onReading }) => {
  const trends = await getHistory('runs', onReading);
  const { runs } = trends;
  const form = make('form', { class: 'compare-form' });
  const compareButton = button('Compare', () => { const [base, newer] = chosenRuns(form); location.hash = address({ view: 'compare', base, new: newer }); }, { disabled: true });
  form.addEventListener('change', () => { compareButton.disabled = chosenRuns(form).length !== 2; });
  const ended = runs.filter((one) => !live.some((other) => other.run === one.folder));
  const newest = runs.toReversed();
  const listed = areAllListed ? newest.length : FIRST_RUNS;
  const body = make('tbody', {}, runRows(newest.slice(0, listed), live));
  const showAll = () => {
    areAllListed = true;
    body.append(...runRows(newest.slice(listed), live));
    more.remove();
    body.rows[listed].querySelector('a').focus();
  };
  const more = newest.length > listed && button(`${number(newest.length - listed)} more`, showAll, { class: 'quiet' });
  const columns = ['', 'started', 'result', 'took', 'branch', 'commit', 'passed'];
  form.append(make('div', { class: 'scroll', tabindex: 0 }, make('table', { class: 'headed' }, make('thead', {}, make('tr', {}, columns.map((name) => make(name ? 'th' : 'td', name ? { scope: 'col' } : {}, name)))), body)));
  replace(page, make('h1', {}, 'Runs'), actionButtons([{ label: 'Run all tests', action: { action: 'run' } }]),
    live.length > 0 && liveCard(live),
    runs.length === 0 && live.length === 0 ? firstRun() : [
      ended.length > 1 && trend(ended),
      make('div', { class: 'cards' },
        markedTests('Failing', trends.broken, (test) => test.since ? `since ${shortDate(asText(test.since.started_at ?? ''))}` : ''),
        markedTests('Flaky', trends.flaky, () => 'its result changes without a change of code'),
        markedTests('Slower', trends.slower, (test) => `since ${shortDate(test.since.started_at)}: ${human(test.base_ms)} → ${human(test.new_ms)}`)),
      make('section', { class: 'card' }, make('h2', {}, 'Recorded runs', make('span', { class: 'aside' }, number(runs.length)), make('span', { class: 'stretch' }), compareButton), form, more)],
    trends.damaged.length > 0 && make('p', { class: 'notice', role: 'note' }, `${count(trends.damaged.length, 'run')} cannot be read: ${trends.damaged.slice(0, 3).map((one) => oneLine(one.folder)).join(', ')}. casebook history says why.`));
};
