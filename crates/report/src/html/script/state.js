// The state of the page, kept in the address: `#view=tests&status=failed&test=ID`.

import { address } from './address.js';
import { rowWithId } from './data.js';
import { make } from './dom.js';
import { ORDERS, STATES } from './tree.js';

export const EMPTY = {
  view: '', status: '', tag: '', file: '', criterion: '', class: '', group: '', q: '', sort: '', test: '',
};
export const FILTERS = ['status', 'tag', 'file', 'criterion', 'class', 'group', 'q'];

export let state = { ...EMPTY };

// Names of other reports and of the record.
const STATE_ALIASES = { pending: 'skipped', running: 'interrupted', not_run: 'not-run', 'not run': 'not-run' };

export const statesIn = (text) => {
  const names = text.split(',').map((name) => (Object.hasOwn(STATE_ALIASES, name) ? STATE_ALIASES[name] : name));
  return STATES.filter((name) => names.includes(name));
};

/** The views of the page: their names, titles and what shows them. */
export let views = () => [];
export const setViews = (given) => { views = given; };

/** The view in the address, if this report has it. */
const viewOf = (target) => {
  if (views().some(([name]) => name === target.view)) return target.view;
  return target.test || FILTERS.some((key) => target[key]) ? 'tests' : 'overview';
};

const readState = () => {
  const given = new URLSearchParams(location.hash.slice(1));
  const read = { ...EMPTY };
  for (const key of Object.keys(EMPTY)) read[key] = given.get(key) ?? '';
  read.status = statesIn(read.status).join();
  if (!Object.hasOwn(ORDERS, read.sort)) read.sort = '';
  read.test = rowWithId(read.test)?.id ?? read.test;
  read.view = viewOf(read);
  return read;
};

const listeners = [];
export const onState = (listener) => listeners.push(listener);

/** The element that had the focus when an address was left. */
const focusAt = new Map();

export const arrive = () => {
  const before = state;
  focusAt.set(address(before), document.activeElement);
  state = readState();
  listeners.forEach((listener) => listener(state, before));
};

/** Gives the focus back to the element that had it at this address. */
export const restoreFocus = () => {
  const element = focusAt.get(address(state));
  if (element && element !== document.body && element.isConnected && element.checkVisibility()) element.focus({ preventScroll: true });
  return document.activeElement === element;
};

/** Changes the address; with `quietly`, without a history entry. */
export const go = (changes, quietly = false) => {
  const next = address({ ...state, ...changes });
  if (next === (location.hash || '#')) return;
  history[quietly ? 'replaceState' : 'pushState'](null, '', next);
  arrive();
};

/** A link to tests with only these filters. */
export const linkTo = (filters, text, properties) =>
  make('a', { href: address({ ...EMPTY, view: 'tests', ...filters }), ...properties }, text);
