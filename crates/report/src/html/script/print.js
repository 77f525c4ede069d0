// Prints the open test, else the overview and the failures, with long output shortened.

import { detailsOf, rows } from './data.js';
import { exampleView } from './detail.js';
import { byId, make, replace } from './dom.js';
import { overviewParts } from './overview.js';
import { PRINTED_LINES, omittedLines, withShortTexts } from './shortened.js';
import { state } from './state.js';
import { count } from './text.js';

const PRINTED = 25;
let printable = [];

/** Unpacks the details before printing, because a printing browser does not wait. */
export const preparePrint = async () => {
  const failed = rows.filter((row) => row.state === 'failed').slice(0, PRINTED);
  for (const row of failed) printable.push([row, await detailsOf(row)]);
  document.documentElement.dataset.printable = 'true';
};

const omitted = () => {
  const failed = rows.filter((row) => row.state === 'failed').length;
  const others = rows.length - failed;
  return [
    failed > printable.length && `${count(failed - printable.length, 'more failure')}`,
    others > 0 && `${count(others, 'test')} that did not fail`,
  ].filter(Boolean).join(' and ');
};

const openAll = (element) => {
  element.querySelectorAll('details').forEach((details) => {
    if (!details.matches('.json details, .record, .model-call, .tracing')) details.open = true;
  });
};

/** Keeps the first and the last lines of a long list of elements. */
const shortenLines = (element) => {
  const { head, tail } = PRINTED_LINES;
  const hidden = [...element.children].slice(head, -tail);
  if (hidden.length < 2) return;
  hidden[0].before(make('div', { class: 'aside' }, omittedLines(hidden.length)));
  hidden.forEach((line) => line.remove());
};

const beforePrint = () => {
  const page = byId('print');
  if (state.test) return;
  withShortTexts(() => {
    replace(page, overviewParts(),
      printable.map(([row, example]) => make('article', { class: 'printed' }, exampleView(row, example))),
      omitted() && make('p', { class: 'aside' }, `Not printed: ${omitted()}. See the report for them.`));
  });
  openAll(page);
  page.querySelectorAll('.diff .code').forEach(shortenLines);
};

addEventListener('beforeprint', () => {
  document.body.classList.toggle('print-run', !state.test);
  beforePrint();
});
addEventListener('afterprint', () => byId('print').replaceChildren());
