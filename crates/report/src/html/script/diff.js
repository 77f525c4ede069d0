// Differences of two texts, by lines and within lines.

import { button, make } from './dom.js';
import { clean, count, visible } from './text.js';

const MOST_CELLS = 4_000_000;
const CONTEXT = 3;

/** Pairs of indexes of equal items, in order: the longest common subsequence, within limits. */
const common = (left, right) => {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < left.length - start && end < right.length - start
    && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  const pairs = Array.from({ length: start }, (_, index) => [index, index]);
  pairs.push(...middle(left, right, start, left.length - end, right.length - end));
  for (let back = end; back > 0; back -= 1) pairs.push([left.length - back, right.length - back]);
  return pairs;
};

const middle = (left, right, start, leftEnd, rightEnd) => {
  const rows = leftEnd - start;
  const columns = rightEnd - start;
  if (rows * columns > MOST_CELLS || rows === 0 || columns === 0) return [];
  const width = columns + 1;
  const table = new Uint32Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      table[row * width + column] = left[start + row] === right[start + column]
        ? table[(row + 1) * width + column + 1] + 1
        : Math.max(table[(row + 1) * width + column], table[row * width + column + 1]);
    }
  }
  const pairs = [];
  for (let row = 0, column = 0; row < rows && column < columns;) {
    if (left[start + row] === right[start + column]) pairs.push([start + row++, start + column++]);
    else if (table[(row + 1) * width + column] >= table[row * width + column + 1]) row += 1;
    else column += 1;
  }
  return pairs;
};

/** Blocks of `{same: [lines]}` and `{expected: [lines], actual: [lines]}`. */
export const blocks = (left, right) => {
  const found = [];
  let [row, column] = [0, 0];
  for (const [nextRow, nextColumn] of [...common(left, right), [left.length, right.length]]) {
    if (nextRow > row || nextColumn > column) {
      found.push({ expected: left.slice(row, nextRow), actual: right.slice(column, nextColumn) });
    }
    if (nextRow < left.length) {
      if (found.at(-1)?.same) found.at(-1).same.push(left[nextRow]);
      else found.push({ same: [left[nextRow]] });
    }
    [row, column] = [nextRow + 1, nextColumn + 1];
  }
  return found;
};

const words = (line) => line.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** The parts of both lines, each with whether it differs from the other side. */
const within = (expected, actual) => {
  const [left, right] = [words(expected), words(actual)];
  const pairs = common(left, right);
  const alike = pairs.reduce((sum, [index]) => sum + left[index].trim().length, 0);
  if (alike * 3 < Math.min(expected.trim().length, actual.trim().length)) return [[[false, expected]], [[false, actual]]];
  const side = (list, which) => {
    const same = new Set(pairs.map((pair) => pair[which]));
    return list.map((word, index) => [!same.has(index), word]);
  };
  return [side(left, 0), side(right, 1)];
};

const lookOf = (line) => line.replace(/[\s\p{Cc}\u200b-\u200f\u2060\ufeff]/gu, '');

/** Makes invisible characters of a part visible: all of them, or only unusual ones. */
const reveal = (text, everywhere) => clean(
  text.replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, visible)
    .replace(everywhere ? / /g : /$^/, '·').replace(everywhere ? /\t/g : /$^/, '⇥'),
);

const lineOf = (sign, parts, everywhere) => {
  const line = parts.map(([, text]) => text).join('');
  const ending = line.length - line.trimEnd().length;
  let left = line.length;
  return make('div', { class: sign === '-' ? 'minus' : 'plus' }, make('span', { class: 'sign' }, `${sign} `), parts.map(([own, text]) => {
    left -= text.length;
    const kept = Math.max(0, text.length - Math.max(0, ending - left));
    const shown = reveal(text.slice(0, kept), everywhere) + reveal(text.slice(kept), true);
    return own ? make('mark', {}, shown) : shown;
  }));
};

const sameLines = (lines, first, last) => {
  const line = (text) => make('div', {}, make('span', { class: 'sign' }, '  '), clean(text));
  const head = first ? 0 : CONTEXT;
  const tail = last ? 0 : CONTEXT;
  if (lines.length <= head + tail + 1) return lines.map(line);
  const hidden = lines.slice(head, lines.length - tail);
  const gap = button(`… ${count(hidden.length, 'unchanged line')} …`, () => gap.replaceWith(...hidden.map(line)), { class: 'gap' });
  return [lines.slice(0, head).map(line), gap, lines.slice(lines.length - tail).map(line)];
};

export const linesOf = (text) => {
  const trimmed = text.replace(/\n+$/, '');
  return trimmed === '' ? [] : trimmed.split('\n');
};

const changedLines = ({ expected, actual }) => {
  const looks = (lines) => new Set(lines.map(lookOf));
  const [left, right] = [looks(expected), looks(actual)];
  const twin = (line) => left.has(lookOf(line)) && right.has(lookOf(line));
  const paired = expected.length === actual.length && expected.length <= 200;
  const parts = expected.map((line, index) =>
    (paired && line.length + actual[index].length < 4000 ? within(line, actual[index]) : [[[false, line]], [[false, actual[index] ?? '']]]));
  return [
    expected.map((line, index) => lineOf('-', parts[index][0], twin(line))),
    actual.map((line, index) => lineOf('+', paired ? parts[index][1] : [[false, line]], twin(line))),
  ];
};

/** The diff as an element. The names are those of the sides. */
export const diff = (expected, actual, [before, after] = ['expected', 'actual']) => {
  const found = blocks(linesOf(expected), linesOf(actual));
  const side = (name, text) => (linesOf(text).length === 0 ? `${name} (empty)` : name);
  return make('div', { class: 'diff', role: 'group', 'aria-label': 'Comparison' },
    make('div', { class: 'legend' }, make('span', { class: 'minus' }, `- ${side(before, expected)}`), make('span', { class: 'plus' }, `+ ${side(after, actual)}`)),
    make('div', { class: 'code', tabindex: 0 }, found.map((block, index) =>
      (block.same ? sameLines(block.same, index === 0, index === found.length - 1) : changedLines(block)))));
};
