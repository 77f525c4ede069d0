// Tests × runs: each row is the history of a test.

import { WORDS, make, replace } from './dom.js';
import { apiAddress, getJson } from './server.js';
import { shortDate } from './short_date.js';
import { count, oneLine } from './text.js';

const GRID_STATES = { '.': 'passed', '~': 'flaky', F: 'failed', S: 'skipped', I: 'interrupted' };
const SHOWN_TESTS = 300;

const gridCell = (runs, test, character, index) => {
  const state = GRID_STATES[character];
  if (!state) return make('td', {});
  const label = `${oneLine(runs[index])}: ${WORDS[state]}`;
  return make('td', {}, make('a', { class: `cell ${state}`, href: `/runs/${encodeURIComponent(runs[index])}#test=${encodeURIComponent(test.id)}`, title: label, 'aria-label': label }, character === '.' ? '' : character));
};

const gridRow = (runs, test, marks) => make('tr', {},
  make('th', { scope: 'row' }, make('span', { class: 'name' }, oneLine(test.title)), marks.flaky.has(test.id) && make('span', { class: 'tag again' }, 'flaky'), marks.slower.has(test.id) && make('span', { class: 'tag again' }, `slower since ${shortDate(marks.slower.get(test.id).started_at)}`)),
  [...test.results].map((character, index) => gridCell(runs, test, character, index)));

export const showGrid = async (page) => {
  const [{ runs, tests }, trends] = await Promise.all([getJson(apiAddress('grid')), getJson(apiAddress('runs'))]);
  const marks = { flaky: new Set(trends.flaky.map((test) => test.id)), slower: new Map(trends.slower.map((test) => [test.id, test.since])) };
  const body = make('tbody', {});
  const found = make('p', { class: 'aside', role: 'status' });
  const search = make('input', { type: 'search', placeholder: 'Search tests', 'aria-label': 'Search tests' });
  const changedOnly = make('input', { type: 'checkbox' });
  const show = () => {
    const text = search.value.toLowerCase();
    const matching = tests.filter((test) => test.title.toLowerCase().includes(text) && (!changedOnly.checked || new Set(test.results.replace(/ /g, '')).size > 1));
    replace(body, matching.slice(0, SHOWN_TESTS).map((test) => gridRow(runs, test, marks)));
    found.textContent = `${count(matching.length, 'test')}${matching.length > SHOWN_TESTS ? `, ${SHOWN_TESTS} shown` : ''}, ${count(runs.length, 'run')}`;
  };
  search.addEventListener('input', show);
  changedOnly.addEventListener('change', show);
  show();
  replace(page, make('h1', {}, 'Tests'), make('p', { class: 'aside' }, 'Each row is a test, each column a run, oldest first. Failing tests come first, then those whose results changed most.'),
    make('div', { class: 'grid-tools' }, search, make('label', {}, changedOnly, ' only changing results'), found),
    make('div', { class: 'legend-row' }, Object.entries(GRID_STATES).map(([character, state]) => make('span', {}, make('span', { class: `cell ${state}`, 'aria-hidden': 'true' }, character === '.' ? '' : character), ` ${WORDS[state]}`))),
    make('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Results' }, make('table', { class: 'grid' },
      make('thead', { class: 'unseen' }, make('tr', {}, make('th', { scope: 'col' }, 'test'), runs.map((name) => make('th', { scope: 'col' }, oneLine(name))))), body)));
};
