// Views, filters and keys of the page.

import { address } from './address.js';
import { rows, run, starts, useSource } from './data.js';
import { pane, showTest } from './detail.js';
import { WORDS, button, byId, draw, icon, make, replace } from './dom.js';
import { Search, hasStatus, highlight, passesFilters } from './filter.js';
import { arrows } from './graph.js';
import { List } from './list.js';
import { showOverview } from './overview.js';
import { preparePrint } from './print.js';
import { EMPTY, FILTERS, arrive, go, onState, restoreFocus, setViews, state, views } from './state.js';
import { count, number, oneLine, percent } from './text.js';
import { nameTheme, switchTheme } from './theme.js';
import { redrawTimeline, showTimeline, tip } from './timeline.js';
import { journeys, showTopics } from './topics.js';
import { STATES, eachGroup, foldAtFirst, foldedGroups, linesFor, totals, treeOf } from './tree.js';

const filters = byId('filters');
let list;
let search;

const pageViews = () => [
  ['overview', 'Overview', showOverview],
  ['tests', 'Tests', () => list.measure()],
  ['timeline', 'Timeline', showTimeline],
  ...(journeys().length > 0 ? [['topics', 'Topics', showTopics]] : []),
];

/** The rows that match everything but the status, which the counts of the chips are about. */
const matchingRows = () => rows.filter((row) => passesFilters(row, state) && (!search || search.has(row)));

const shownRows = () => matchingRows().filter((row) => hasStatus(row, state));

const showFound = (found) => {
  const searching = search && !search.ended ? ` · searched ${percent(search.done, starts.length)} of the details` : '';
  const filtered = FILTERS.some((key) => state[key]);
  byId('found').textContent = `${filtered ? `${number(found)} of ` : ''}${count(rows.length, 'test')}${state.class ? ` · ${oneLine(state.class)}` : ''}${state.group ? ` · ${oneLine(state.group)}` : ''}${searching}`;
};

export const showList = () => {
  const matching = matchingRows();
  const shown = matching.filter((row) => hasStatus(row, state));
  const counts = totals(matching);
  byId('states').childNodes.forEach((chip) => { chip.querySelector('b').textContent = number(counts[chip.dataset.state]); });
  byId('none').hidden = shown.length > 0 || rows.length === 0 || Boolean(search && !search.ended);
  byId('list').hidden = shown.length === 0;
  list.show(linesFor(shown, state.sort, Boolean(state.q)), state.test);
  showFound(shown.length);
};

const restartSearch = () => {
  search?.stop();
  search = undefined;
  if (!state.q) return;
  search = new Search(state.q, showList);
  if (!search.ended) search.start();
};

const optionsFor = (name, values, all) => {
  const select = filters.elements[name];
  const sorted = [...values].toSorted((left, right) => left.localeCompare(right));
  replace(select, make('option', { value: '' }, all), sorted.map((value) => make('option', { value }, oneLine(value))));
  select.parentElement.hidden = sorted.length < 2 && name !== 'tag' || sorted.length === 0;
};

export const fillFilters = () => {
  optionsFor('tag', new Set(rows.flatMap((row) => row.tags)), 'any');
  optionsFor('file', new Set(rows.map((row) => row.file)), 'any');
  optionsFor('criterion', new Set(rows.flatMap((row) => row.criteria.map(([name]) => name))), 'any');
  const counts = totals();
  const toggle = (name) => {
    const statuses = state.status ? state.status.split(',') : [];
    const next = statuses.includes(name) ? statuses.filter((one) => one !== name) : [...statuses, name];
    go({ status: next.join(',') });
  };
  replace(byId('states'), STATES.filter((name) => counts[name] > 0).map((name) =>
    button([icon(name), make('b', {}, number(counts[name])), ` ${WORDS[name]}`], () => toggle(name), { class: `chip ${name}`, 'data-state': name, 'aria-pressed': 'false' })));
};

export const showFilters = () => {
  for (const name of ['q', 'tag', 'file', 'criterion', 'sort']) {
    const field = filters.elements[name];
    if (field !== document.activeElement || field.value !== state[name]) field.value = state[name];
  }
  byId('states').childNodes.forEach((chip) => chip.setAttribute('aria-pressed', String(state.status.split(',').includes(chip.dataset.state))));
  byId('clear').hidden = !FILTERS.some((key) => state[key]);
  byId('fold').hidden = Boolean(state.sort || state.q);
};

const showViews = () => {
  views().forEach(([name], at) => {
    const link = byId('views').children[at];
    link.href = address({ ...(name === 'tests' ? state : EMPTY), test: '', view: name });
    if (name === state.view) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  });
  views().forEach(([name, , show]) => {
    byId(name).hidden = name !== state.view;
    if (name === state.view) show();
  });
};

export const neighbors = () => ({ before: list.neighbor(-1), after: list.neighbor(1) });

const onArrival = (now, before) => {
  if (now.q !== before.q) restartSearch();
  showViews();
  showFilters();
  const relisted = [...FILTERS, 'sort'].some((key) => now[key] !== before[key]) || list.lines.length === 0;
  if (relisted) showList();
  if (now.test !== before.test || relisted) {
    if (now.test) list.choose(now.test);
    else list.show(list.lines, '');
  }
  if (now.test !== before.test) showTest(now.view === 'tests' ? now.test : '', neighbors());
  else if (now.q !== before.q) highlight(pane, now.q);
  tip();
  if (!now.test && (before.test || now.view !== before.view)) keepFocus(before);
};

/** After a test is closed or a view changes: the element that was left, else the list. */
const keepFocus = (before) => {
  const isLost = document.activeElement === document.body || !document.activeElement.checkVisibility() || pane.contains(document.activeElement);
  if (isLost && !restoreFocus() && before.test && state.view === 'tests') list.box.focus({ preventScroll: true });
};

const foldGroup = (group, shut = !foldedGroups.has(group.key)) => {
  if (shut) foldedGroups.add(group.key);
  else foldedGroups.delete(group.key);
  showList();
};

const foldAll = () => {
  const groups = [];
  eachGroup(treeOf(shownRows()), (node) => groups.push(node.key));
  const shut = groups.some((key) => !foldedGroups.has(key));
  groups.forEach((key) => (shut ? foldedGroups.add(key) : foldedGroups.delete(key)));
  byId('fold').textContent = shut ? 'Expand all' : 'Collapse all';
  showList();
};

const toggleTheme = () => {
  switchTheme();
  redrawTimeline();
};

const step = (by) => {
  if (state.test) {
    const next = neighbors()[by < 0 ? 'before' : 'after'];
    if (next) go({ test: next.id }, true);
    return;
  }
  list.box.focus({ preventScroll: true });
  list.move(list.active + by);
};

const foldActive = (shut) => {
  const line = list.lines[list.active];
  if (line?.group && line.open === shut) foldGroup(line.group, shut);
};

const escape = () => {
  if (state.test) {
    go({ test: '' });
  } else if (state.q) go({ q: '' });
};

const toSearch = () => {
  if (state.view !== 'tests') go({ view: 'tests' });
  filters.elements.q.focus();
  filters.elements.q.select();
};

const KEYS = {
  '/': toSearch,
  '?': () => byId('help').showModal(),
  t: toggleTheme,
  f: () => go({ ...EMPTY, view: 'tests', status: state.status === 'failed' ? '' : 'failed' }),
  j: () => step(1),
  k: () => step(-1),
  Escape: escape,
};
// Only while the list has the focus: elsewhere these keys scroll or press a button.
const LIST_KEYS = {
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  ArrowRight: () => foldActive(false),
  ArrowLeft: () => foldActive(true),
  Home: () => list.move(0),
  End: () => list.move(list.lines.length - 1),
  PageDown: () => list.move(list.active + 15),
  PageUp: () => list.move(list.active - 15),
  Enter: () => list.act(list.active),
};

const onKey = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
  const typing = event.target.matches('input, select, textarea');
  if (typing && event.key === 'Escape') event.target.blur();
  if (typing && event.key === 'ArrowDown' && event.target.name === 'q') step(1);
  if (typing) return;
  const view = views()[Number(event.key) - 1];
  const act = (event.target === list.box && LIST_KEYS[event.key]) || KEYS[event.key] || (view && (() => go({ ...EMPTY, view: view[0] })));
  if (!act) return;
  event.preventDefault();
  act();
};

const listen = () => {
  addEventListener('hashchange', arrive);
  addEventListener('keydown', onKey);
  let typed;
  filters.addEventListener('input', (event) => {
    const { name, value } = event.target;
    clearTimeout(typed);
    if (name === 'q') typed = setTimeout(() => go({ q: value.trim() }, Boolean(state.q)), 120);
    else go({ [name]: value });
  });
  filters.addEventListener('submit', (event) => event.preventDefault());
  const clear = () => go({ ...EMPTY, view: 'tests', sort: state.sort, test: state.test });
  byId('clear').addEventListener('click', clear);
  byId('none').querySelector('button').addEventListener('click', () => {
    clear();
    list.box.focus();
  });
  byId('fold').addEventListener('click', foldAll);
  byId('theme').addEventListener('click', toggleTheme);
  byId('keys').addEventListener('click', () => byId('help').showModal());
  byId('skip').addEventListener('click', () => byId('main').focus());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { nameTheme(); redrawTimeline(); });
};

/** Links to the pages of the run before and the run after. */
const neighborLinks = () => make('p', { class: 'neighbor-runs' }, [[run.previous, '←', 'Previous run'], [run.next, '→', 'Next run']].map(([href, arrow, text]) => href && make('a', { href, 'aria-label': text }, `${arrow} `, make('span', {}, text))));

/** Shows the run of this source of data. */
export const start = async (source) => {
  await useSource(source);
  setViews(pageViews);
  byId('app').hidden = false;
  foldAtFirst();
  list = new List(byId('list'), { open: (row) => go({ test: row.id }), fold: foldGroup });
  document.body.prepend(draw('svg', { class: 'unseen', 'aria-hidden': 'true' }, arrows()));
  fillFilters();
  byId('views').after(neighborLinks());
  replace(byId('views'), views().map(([, title]) => make('a', {}, title)));
  nameTheme();
  listen();
  onState(onArrival);
  arrive();
  performance.mark('interactive');
  source.follow?.();
  document.documentElement.dataset.ready = 'true';
  (window.requestIdleCallback ?? setTimeout)(preparePrint);
};
