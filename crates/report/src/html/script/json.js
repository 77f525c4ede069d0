// A JSON value as a collapsible tree.

import { button, folded, make } from './dom.js';
import { Exact } from './exact.js';
import { clean, number, oneLine } from './text.js';

const SHOWN_OPEN = 12;
const PAGE = 100;

const scalar = (value) => {
  if (value instanceof Exact) return make('span', { class: 'j-number' }, value.source);
  if (typeof value === 'string') return make('span', { class: 'j-text' }, `"${clean(value)}"`);
  return make('span', { class: value === null ? 'j-null' : `j-${typeof value}` }, String(value));
};

const size = (value) => (Array.isArray(value) ? value.length : Object.keys(value).length);

/** The preview of a collapsed value: `{room: "Blue", …}`. */
export const gist = (value, room = 60, bare = false) => {
  const json = oneLine(JSON.stringify(value) ?? 'undefined').replace(/"([A-Za-z_]\w*)":/g, '$1: ').replace(/,(?=\S)/g, ', ');
  const text = bare ? json.replace(/^\{(.*)\}$/, '$1') : json;
  return text.length > room ? `${text.slice(0, room)}…` : text;
};

const members = (value, depth) => {
  const entries = Array.isArray(value) ? value.map((item, index) => [index, item]) : Object.entries(value);
  const list = make('ul', {});
  const showFrom = (start) => {
    list.append(...entries.slice(start, start + PAGE).map(([key, item]) => make('li', {}, jsonTree(item, key, depth + 1))));
    const rest = entries.length - start - PAGE;
    if (rest <= 0) return;
    const more = make('li', {}, button(`${number(rest)} more`, () => { more.remove(); showFrom(start + PAGE); }, { class: 'gap' }));
    list.append(more);
  };
  showFrom(0);
  return list;
};

export const jsonTree = (value, key, depth = 0) => {
  const label = key === undefined ? [] : [make('span', { class: 'j-key' }, clean(String(key))), ': '];
  if (typeof value !== 'object' || value === null || value instanceof Exact) return make('span', {}, label, scalar(value));
  if (size(value) === 0) return make('span', {}, label, Array.isArray(value) ? '[]' : '{}');
  const brackets = Array.isArray(value) ? `[${size(value)}]` : `{${size(value)}}`;
  return folded(
    [label, make('span', { class: 'j-size' }, brackets), ' ', make('span', { class: 'j-gist' }, gist(value))],
    () => members(value, depth),
    { open: depth < 2 && size(value) <= SHOWN_OPEN, class: 'json' },
  );
};
