// Similar failures, which have the same failed assertions and the same message apart from names and numbers.

import { withoutAnsi } from './ansi.js';
import { rows } from './data.js';
import { card, icon, make } from './dom.js';
import { linkTo } from './state.js';
import { number, oneLine } from './text.js';

/**
 * What differs between tests with the same failure: quoted texts, addresses, numbers, paths. Not the numbers of a short
 * comparison: `exit code 0 instead of 1` is another failure than `exit code 3 instead of 0`.
 */
const VARIABLE = /(?<kept>\b(?:exit (?:code|status)|status(?: code)?|instead of(?: at (?:least|most))?|expected:|got:) -?\d{1,6}\b(?![.,:]\d))|"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”|\b0x[0-9a-f]+\b|\b[0-9a-f]{7,}\b|\d+(?:[.,:]\d+)*|\/\S+/gi;

/** The parts of a message: those at odd positions can differ between tests. */
const messageParts = (message) => {
  const text = withoutAnsi(message).replace(/\s+/g, ' ').trim();
  const parts = [''];
  let end = 0;
  for (const found of text.matchAll(VARIABLE)) {
    const before = text.slice(end, found.index);
    end = found.index + found[0].length;
    parts[parts.length - 1] += before + (found.groups.kept ?? '');
    if (!found.groups.kept) parts.push(found[0], '');
  }
  parts[parts.length - 1] += text.slice(end);
  return parts;
};

const isVariable = (_, at) => at % 2 === 1;

const normalizedMessage = (message) => messageParts(message).map((part, at) => (isVariable(part, at) ? '…' : part)).join('').toLowerCase().slice(0, 120);

/** What the messages of a group have in common, with … where they differ. */
const commonMessage = (messages) => {
  const [first, ...others] = messages.map(messageParts);
  const isSame = (at) => others.every((parts) => parts[at]?.toLowerCase() === first[at].toLowerCase());
  const differs = first.findIndex((part, at) => !isVariable(part, at) && !isSame(at));
  const common = differs === -1 ? first : first.slice(0, differs);
  const isComplete = differs === -1 && others.every((parts) => parts.length === first.length);
  return common.map((part, at) => (isVariable(part, at) && !isSame(at) ? '…' : part)).join('') + (isComplete ? '' : ' …');
};

/** The name of a failure's group; empty for a test that did not fail. */
export const groupOf = (row) => {
  if (row.state !== 'failed') return '';
  const assertions = row.criteria.filter(([, , failed]) => failed > 0).map(([name]) => normalizedMessage(name));
  return [row.class ?? 'failed', assertions.join(', '), normalizedMessage(row.reason ?? '')].filter(Boolean).join(' · ');
};

const SHOWN_GROUPS = 12;

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
  return groups.length > 0 && card('Failure groups', 'the same failure in several tests', make('ul', { class: 'rows' }, groups.slice(0, SHOWN_GROUPS).map(([key, members]) => make('li', {},
    linkTo({ group: key }, [icon('failed'), make('span', { class: 'name' }, make('b', {}, `${number(members.length)} × `), oneLine(commonMessage(members.map((row) => row.reason ?? row.class ?? 'failed'))))], { class: 'test' }),
    make('p', { class: 'reason' }, members.slice(0, 3).map((row) => oneLine(row.name)).join(', '), members.length > 3 && ` and ${number(members.length - 3)} more`)))),
    groups.length > SHOWN_GROUPS && make('p', { class: 'aside' }, `The largest ${SHOWN_GROUPS} of ${number(groups.length)} groups are listed.`));
};
