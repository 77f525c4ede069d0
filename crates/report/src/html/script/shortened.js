// Long texts, which are complete on the screen and shortened on paper.

import { count } from './text.js';

export const PRINTED_LINES = { head: 6, tail: 10 };

export const omittedLines = (lines) => `… ${count(lines, 'line')} not printed …`;

/** The first and the last lines of a long text. */
const shortened = (text) => {
  const lines = text.replace(/\n$/, '').split('\n').map((line) => (line.length > 600 ? `${line.slice(0, 600)}…` : line));
  const { head, tail } = PRINTED_LINES;
  const hidden = lines.length - head - tail;
  return hidden < 2 ? lines.join('\n') : [...lines.slice(0, head), omittedLines(hidden), ...lines.slice(-tail)].join('\n');
};

/** The part of a long text to show: all of it on the screen, less of it on paper. */
let shown = (text) => text;

export const shownText = (text) => shown(text);

/** Builds elements whose long texts are shortened. */
export const withShortTexts = (build) => {
  shown = shortened;
  build();
  shown = (text) => text;
};
