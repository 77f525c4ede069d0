// Two runs side by side.

import { address } from './address.js';
import { ansi, withoutAnsi } from './ansi.js';
import { showProblem } from './commands.js';
import { blocks, diff } from './diff.js';
import { folded, icon, make, replace } from './dom.js';
import { gist } from './json.js';
import { runTitle } from './run_title.js';
import { apiAddress, getHistory, getJson } from './server.js';
import { asText, clean, count, isMap, number, oneLine, percent } from './text.js';

const CHANGES = {
  __proto__: null, newly_failing: ['worse', 'newly failing'], still_failing: ['same', 'still failing, differently'], newly_passing: ['better', 'newly passing'], newly_flaky: ['worse', 'newly flaky'],
  now_skipped: ['other', 'now skipped'], cut_short: ['worse', 'interrupted'], now_run: ['better', 'run now'], added: ['other', 'added'], removed: ['other', 'removed'], unchanged: ['other', 'same result, other output'],
};
const SHOWN_CHANGES = 500;
const COMPARE_FILTERS = ['different', 'worse', 'better'];

const sideState = (side) => (side ? ({ unfinished: 'interrupted' })[side.outcome] ?? side.outcome : 'not-run');

const outputOf = (example) => {
  const command = example?.metadata?.command;
  return isMap(command) ? ['output', 'stdout', 'stderr'].map((name) => command[name]).filter((text) => typeof text === 'string').join('\n') : '';
};

const EMPTY_SIDE = () => make('div', { class: 'none' });

/** Both sides of a message or a tool call; `undefined` where one has none. */
const sidePair = (label, left, right) => {
  const side = (text) => (text === undefined ? EMPTY_SIDE() : make('div', {}, make('span', { class: 'label' }, label), clean(text)));
  return make('div', { class: `pair${left === right ? '' : ' different'}` }, side(left), side(right));
};

const callText = (call) => `${oneLine(asText(call.name))}(${gist(call.arguments, 120, true)})${call.error ? ` ✗ ${gist(call.error, 80)}` : call.result === undefined ? '' : ` → ${gist(call.result, 80)}`}`;

/** Tool calls with those of the same tool next to each other. */
const alignedCalls = (left, right) => blocks(left.map((call) => call.name), right.map((call) => call.name)).reduce(({ pairs, at: [before, after] }, { same, expected = [], actual = [] }) => ({
  pairs: [...pairs, ...(same ?? []).map((_, offset) => [left[before + offset], right[after + offset]]),
    ...expected.map((_, offset) => [left[before + offset], undefined]), ...actual.map((_, offset) => [undefined, right[after + offset]])],
  at: [before + (same ?? expected).length, after + (same ?? actual).length],
}), { pairs: [], at: [0, 0] }).pairs;

const turnPair = (left, right) => {
  const content = (turn, who) => (turn?.[who] ? turn[who].content : undefined);
  const calls = alignedCalls(left?.tool_calls ?? [], right?.tool_calls ?? []).map((pair) => sidePair('tool', ...pair.map((call) => call && callText(call))));
  return [...(left?.user_message || right?.user_message ? [sidePair('user', content(left, 'user_message'), content(right, 'user_message'))] : []), ...calls,
    sidePair('agent', content(left, 'agent_response'), content(right, 'agent_response'))];
};

const conversations = (base, newer) => {
  const [left, right] = [base?.conversation?.turns ?? [], newer?.conversation?.turns ?? []];
  return make('ol', { class: 'turn-pairs' }, Array.from({ length: Math.max(left.length, right.length) }, (_, at) => make('li', { 'aria-label': `Turn ${at + 1}` },
    make('span', { class: 'turn-number', 'aria-hidden': 'true' }, at + 1), turnPair(left[at], right[at]))));
};

const failureSide = (name, example) => make('div', {}, make('p', { class: 'label' }, name), example?.exception?.message ? make('pre', { class: 'stream', tabindex: 0 }, ansi(example.exception.message)) : make('p', { class: 'aside' }, example ? 'no failure' : 'not in this run'));

const comparedTest = async (chosen, change) => {
  const side = async (run, present) => (present ? getJson(apiAddress('runs', run, 'tests', change.id)) : undefined);
  const [base, newer] = await Promise.all([side(chosen.base, change.base), side(chosen.new, change.new)]);
  const [before, after] = [outputOf(base), outputOf(newer)];
  return make('div', { class: 'compared' },
    make('div', { class: 'sides' }, failureSide('before', base), failureSide('after', newer)),
    (before || after) && (before === after ? make('p', { class: 'aside' }, 'The output is the same.') : diff(withoutAnsi(before), withoutAnsi(after), ['before', 'after'])),
    (base?.conversation || newer?.conversation) && conversations(base, newer));
};

const changeLine = (chosen, change) => {
  const [, words] = CHANGES[change.kind] ?? ['other', change.kind];
  // Why it failed before says nothing about a test that passes now.
  const reason = change.new ? change.new.reason : change.base?.reason;
  const body = make('div', {}, make('p', { class: 'aside' }, 'Loading…'));
  const details = folded([icon(sideState(change.base)), ' → ', icon(sideState(change.new)), ' ', make('strong', {}, words), ' ', oneLine(change.title), reason && make('span', { class: 'aside' }, oneLine(reason))], () => {
    comparedTest(chosen, change).then((view) => replace(body, view), (error) => showProblem(body, error));
    return body;
  });
  return make('li', {}, details);
};

const isSameRate = ({ base, new: newer }) => newer.passed * base.trials === base.passed * newer.trials;

const criteriaTable = (criteria) => criteria.length > 0 && make('section', { class: 'card' }, make('h2', {}, 'Criteria'), make('div', { class: 'scroll', tabindex: 0 }, make('table', { class: 'headed criteria' },
  make('thead', {}, make('tr', {}, ['criterion', 'before', 'after', 'p', ''].map((name) => make(name ? 'th' : 'td', name ? { scope: 'col' } : {}, name)))),
  make('tbody', {}, criteria.map((one) => make('tr', {}, make('th', { scope: 'row' }, oneLine(one.name)), [one.base, one.new].map((side) => make('td', { class: 'figure' }, `${percent(side.passed, side.trials)} `, make('span', { class: 'aside' }, `${number(side.passed)} of ${number(side.trials)}`))),
    make('td', { class: 'figure' }, one.p_value === null ? '–' : one.p_value.toFixed(3)), make('td', {}, one.significant ? `significantly ${one.new.passed * one.base.trials < one.base.passed * one.new.trials ? 'worse' : 'better'}` : one.p_value === null ? '' : isSameRate(one) ? 'as before' : 'could be chance')))))));

export const showCompare = async (page, { state, onReading }) => {
  const { runs } = await getHistory('runs', onReading);
  const names = runs.map((one) => one.folder);
  const titles = new Map(runs.map((one) => [one.folder, runTitle(one)]));
  const chosen = { base: state.base || names.at(-2), new: state.new || names.at(-1) };
  if (!chosen.base || !chosen.new) {
    replace(page, make('h1', {}, 'Compare'), make('p', {}, 'Two recorded runs are needed.'));
    return;
  }
  const select = (key, label) => {
    const field = make('select', {}, names.toReversed().map((name) => make('option', { value: name, selected: name === chosen[key] }, titles.get(name))));
    field.addEventListener('change', () => { location.hash = address({ ...state, view: 'compare', ...chosen, [key]: field.value }); });
    return make('label', {}, `${label} `, field);
  };
  const result = await getJson(`${apiAddress('compare')}?base=${encodeURIComponent(chosen.base)}&new=${encodeURIComponent(chosen.new)}`);
  const only = COMPARE_FILTERS.includes(state.only) ? state.only : 'different';
  const different = [...result.tests, ...result.same_outcome].filter((change) => change.differs !== false);
  const alike = result.tests.filter((change) => change.differs === false).length;
  const shown = different.filter((change) => only === 'different' || CHANGES[change.kind]?.[0] === only);
  const order = Object.keys(CHANGES);
  shown.sort((left, right) => order.indexOf(left.kind) - order.indexOf(right.kind));
  replace(page, make('h1', {}, 'Compare'), make('div', { class: 'grid-tools' }, select('base', 'Before'), select('new', 'After')),
    make('p', { class: 'counts' }, COMPARE_FILTERS.map((name) => make('a', { class: 'chip', href: address({ view: 'compare', ...chosen, only: name }), 'aria-current': name === only ? 'true' : undefined }, name))),
    make('p', { role: 'status' }, `${count(shown.length, 'test')} of ${number(Object.values(result.counts).reduce((sum, tests) => sum + tests, 0))}${only === 'different' && alike > 0 ? `; ${number(alike)} more ${alike === 1 ? 'fails' : 'fail'} in both runs in the same way` : ''}`),
    make('ul', { class: 'rows changes' }, shown.slice(0, SHOWN_CHANGES).map((change) => changeLine(chosen, change))),
    shown.length > SHOWN_CHANGES && make('p', { class: 'aside' }, `The first ${SHOWN_CHANGES} are listed; casebook diff shows all.`), criteriaTable(result.criteria));
};
