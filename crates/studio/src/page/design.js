// Test design: the methods most in need of tests, and the states that tests cover.

import { folded, icon, make, replace } from './dom.js';
import { runTitle } from './run_title.js';
import { apiAddress, getHistory, getJson } from './server.js';
import { state } from './state.js';
import { asText, clean, count, oneLine } from './text.js';

const SHOWN_METHODS = 200;
const STATE_MARKS = { __proto__: null, passed: 'passed', failed: 'failed', not_covered: 'not-run' };
const STATE_WORDS = { __proto__: null, not_covered: 'not covered', not_run: 'covered, not run' };

/** Whether tests cover the state. Metadata may leave out the receiver: `active` for `user_active`. */
const standingOf = (covered, characteristic, state) => {
  const isSame = (name) => name === characteristic || characteristic.endsWith(`_${name}`);
  const states = (covered?.characteristics ?? []).filter((one) => isSame(one.name)).flatMap((one) => one.states);
  return states.find((one) => one.name === state)?.standing;
};

const stateMark = (covered, characteristic, state) => {
  const standing = standingOf(covered, characteristic, state);
  return make('span', { class: 'tag' }, standing && icon(STATE_MARKS[standing] ?? 'skipped'), `${standing ? ' ' : ''}${oneLine(characteristic)}: ${oneLine(state)}`);
};

/** What the line decides, and the states that begin there. */
const lineMarks = (decisions, covered, line) => decisions.flatMap((one) => [
  one.conditions.includes(line) && make('span', { class: 'tag decides' }, `decides ${oneLine(one.characteristic)}`),
  ...one.states.filter((state) => (state.line ?? one.conditions[0]) === line).map((state) => stateMark(covered, one.characteristic, state.name))]).filter(Boolean);

const designedSource = (one, covered) => {
  const lines = (one.source ?? []).map((text, at) => make('div', { class: 'designed-line' }, make('span', { class: 'gutter' }, String(one.line + at)), make('span', { class: 'text' }, clean(text)), make('span', { class: 'marks' }, lineMarks(one.decisions ?? [], covered, one.line + at))));
  return make('div', { class: 'excerpt' }, make('div', { class: 'location' }, `${oneLine(one.file)}:${one.line}`), make('div', { class: 'code', tabindex: 0 }, lines));
};

const methodItem = (covered) => (one) => make('li', {}, folded(
  [make('strong', {}, oneLine(one.method)), ' ', make('span', { class: 'aside' }, [`${oneLine(one.file)}:${one.line}`, count(one.characteristics, 'characteristic'), count(one.leaves, 'context'), one.has_spec ? 'has a spec' : 'no spec'].join(' · '))],
  () => designedSource(one, covered.find((other) => other.method === one.method && other.file === one.file))));

const coveringTest = (test) => make('p', { class: 'reason' }, make('code', {}, oneLine(test.place ?? '')), ` ${oneLine(test.name ?? '')}`, test.outcome && `: ${oneLine(test.outcome).replace('_', ' ')}`);

const stateItem = (tests) => (one) => make('li', {}, make('span', { class: 'test' }, icon(STATE_MARKS[one.standing] ?? 'skipped'), make('span', { class: 'name' }, oneLine(one.name), make('span', { class: 'aside' }, ` ${STATE_WORDS[one.standing] ?? oneLine(one.standing).replace('_', ' ')}`))), one.tests.map((index) => coveringTest(tests[index])));

const characteristicView = (tests) => (one) => [make('h3', {}, oneLine(one.name), one.depends_on && make('span', { class: 'aside' }, ` if ${oneLine(asText(one.depends_on))} allows it`)), make('ul', { class: 'rows' }, one.states.map(stateItem(tests)))];

const designedMethod = (one) => make('section', { class: 'card' }, make('h2', {}, oneLine(one.method), make('span', { class: 'aside' }, `${one.states.passed} of ${count(one.states.designed, 'state')} passed`)),
  make('p', {}, make('code', {}, oneLine(one.file))), one.characteristics.map(characteristicView(one.tests)));

/** The directories of the runs whose results are shown, which `casebook coverage` names with their paths. */
const runsText = (paths, runs) => {
  const names = new Set(paths.map((path) => path.split('/').at(-1)));
  const used = runs.filter((one) => names.has(one.folder));
  const link = (one) => make('a', { href: `/runs/${encodeURIComponent(one.folder)}` }, runTitle(one));
  if (used.length === 0) return 'Nothing has been run yet.';
  return used.length === 1 ? ['Results of the run of ', link(used[0])] : [`The newest result of each test, from ${count(used.length, 'run')}, the newest of `, link(used.at(-1))];
};

export const showDesign = async (page, { onReading }) => {
  const { runs } = await getHistory('runs', onReading);
  const { methods, coverage, problem } = await getJson(apiAddress('design'));
  const covered = coverage?.methods ?? [];
  replace(page, make('h1', {}, 'Design'),
    methods.length === 0 ? make('p', {}, 'This project has no Ruby methods whose tests can be designed.') : make('section', { class: 'card' }, make('h2', {}, 'Methods', make('span', { class: 'aside' }, 'those most in need of tests first')),
      make('ul', { class: 'rows methods' }, methods.slice(0, SHOWN_METHODS).map(methodItem(covered))),
      methods.length > SHOWN_METHODS && make('p', { class: 'aside' }, `${count(methods.length - SHOWN_METHODS, 'more method')}: casebook design survey lists all`)),
    coverage ? [make('h2', { class: 'coverage' }, 'Coverage'), make('p', { class: 'aside coverage-runs' }, runsText(coverage.runs ?? [], runs)), make('div', { class: 'cards' }, covered.map(designedMethod))] : methods.length > 0 && make('p', { class: 'aside' }, oneLine(problem ?? '')));
};
