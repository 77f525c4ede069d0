// Similar failures, which have the same failed assertions and the same message apart from names and numbers.

import { withoutAnsi } from './ansi.js';
import { rows } from './data.js';
import { card, icon, make } from './dom.js';
import { linkTo } from './state.js';
import { number, oneLine } from './text.js';

/** The message without what differs between tests: numbers, quoted texts, addresses. */
const normalizedMessage = (message) => withoutAnsi(message).toLowerCase()
  .replace(/"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”/g, '…')
  .replace(/\b0x[0-9a-f]+\b|\b[0-9a-f]{7,}\b|\d+([.,:]\d+)*/g, '#')
  .replace(/\/\S+/g, '/…')
  .replace(/\s+/g, ' ').trim().slice(0, 120);

/** The name of a failure's group; empty for a test that did not fail. */
export const groupOf = (row) => {
  if (row.state !== 'failed') return '';
  const assertions = row.criteria.filter(([, , failed]) => failed > 0).map(([name]) => normalizedMessage(name));
  return [row.class ?? 'failed', assertions.join(', '), normalizedMessage(row.reason ?? '')].filter(Boolean).join(' · ');
};

/** The groups with several failures, the largest first. */
const failureGroups = () => {
  const groups = new Map();
  for (const row of rows) {
    const key = groupOf(row);
    if (key) groups.set(key, [...groups.get(key) ?? [], row]);
  }
  return [...groups].filter(([, members]) => members.length > 1).toSorted(([, left], [, right]) => right.length - left.length);
};

export const groupsCard = () => {
  const groups = failureGroups();
  return groups.length > 0 && card('Failure groups', 'the same failure in several tests', make('ul', { class: 'rows' }, groups.slice(0, 12).map(([key, members]) => make('li', {},
    linkTo({ group: key }, [icon('failed'), make('span', { class: 'name' }, make('b', {}, `${number(members.length)} × `), oneLine(members[0].reason ?? members[0].class ?? 'failed'))], { class: 'test' }),
    make('p', { class: 'reason' }, members.slice(0, 3).map((row) => oneLine(row.name)).join(', '), members.length > 3 && ` and ${number(members.length - 3)} more`)))));
};
