// Tests × runs: each row is the history of a test.

import { WORDS, make, replace } from './dom.js';
import { runTitle } from './run_title.js';
import { getHistory } from './server.js';
import { shortDate } from './short_date.js';
import { count, oneLine } from './text.js';

const GRID_STATES = { '.': 'passed', '~': 'flaky', F: 'failed', S: 'skipped', I: 'interrupted' };
const SHOWN_TESTS = 300;

const testAddress = (run, test) => `/runs/${encodeURIComponent(run)}#test=${encodeURIComponent(test.id)}`;

const gridCell = (runs, test, character, index) => {
  const state = GRID_STATES[character];
  if (!state) return make('td', {});
  const label = `${runs[index].title}: ${WORDS[state]}`;
  return make('td', {}, make('a', { class: `cell ${state}`, href: testAddress(runs[index].name, test), title: label, 'aria-label': label }, character === '.' ? '' : character));
};

const gridRow = (runs, test, marks) => {
  const newest = runs[test.results.trimEnd().length - 1];
  return make('tr', {},
    make('th', { scope: 'row' }, make('a', { class: 'name', href: testAddress(newest.name, test) }, oneLine(test.title)), marks.flaky.has(test.id) && make('span', { class: 'tag again' }, 'flaky'), marks.slower.has(test.id) && make('span', { class: 'tag again' }, `slower since ${shortDate(marks.slower.get(test.id).started_at)}`)),
    [...test.results].map((character, index) => gridCell(runs, test, character, index)));
};

/** A narrow column has room for the date without the year. */
const runHead = (run) => make('th', { scope: 'col' }, make('a', { href: `/runs/${encodeURIComponent(run.name)}`, title: run.title, 'aria-label': run.title }, run.date.slice('2026-'.length, '2026-11-18 08:00'.length)));

export const showGrid = async (page, { onReading }) => {
  const trends = await getHistory('runs', onReading);
  const { runs: names, tests } = await getHistory('grid');
  const known = new Map(trends.runs.map((one) => [one.folder, one]));
  const runs = names.map((name) => (known.has(name) ? { name, title: runTitle(known.get(name)), date: shortDate(known.get(name).started_at) } : { name, title: oneLine(name), date: '' }));
  const marks = { flaky: new Set(trends.flaky.map((test) => test.id)), slower: new Map(trends.slower.map((test) => [test.id, test.since])) };
  const body = make('tbody', {});
  const found = make('p', { class: 'aside', role: 'status' });
  const search = make('input', { type: 'search', placeholder: 'Search tests', 'aria-label': 'Search tests' });
  const changedOnly = make('input', { type: 'checkbox' });
  const show = () => {
    const text = search.value.toLowerCase();
    const matching = tests.filter((test) => test.title.toLowerCase().includes(text) && (!changedOnly.checked || new Set(test.results.replace(/ /g, '')).size > 1));
    replace(body, matching.slice(0, SHOWN_TESTS).map((test) => gridRow(runs, test, marks)));
    found.textContent = `${count(matching.length, 'test')}${matching.length > SHOWN_TESTS ? `, ${SHOWN_TESTS} shown` : ''}, ${runs.length < trends.runs.length ? `the newest ${runs.length} of ${count(trends.runs.length, 'run')}` : count(runs.length, 'run')}`;
  };
  search.addEventListener('input', show);
  changedOnly.addEventListener('change', show);
  show();
  const box = make('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Results' }, make('table', { class: 'grid' },
    make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'test'), runs.map(runHead))), body));
  replace(page, make('h1', {}, 'Tests'), make('p', { class: 'aside' }, 'Each row is a test, each column a run, oldest first, with the time in UTC. Failing tests come first, then those whose results changed most.'),
    make('div', { class: 'grid-tools' }, search, make('label', {}, changedOnly, ' only changing results'), found),
    make('div', { class: 'legend-row' }, Object.entries(GRID_STATES).map(([character, state]) => make('span', {}, make('span', { class: `cell ${state}`, 'aria-hidden': 'true' }, character === '.' ? '' : character), ` ${WORDS[state]}`))),
    box);
  // The newest runs are at the right. The page is shown first.
  requestAnimationFrame(() => { box.scrollLeft = box.scrollWidth; });
};
