// A test in its suite, with the problems that `casebook check` reports there, and when the suite last changed.

import { onCommandEnd } from './commands.js';
import { make, replace } from './dom.js';
import { runName } from './run_name.js';
import { apiAddress, getJson } from './server.js';
import { shortDate } from './short_date.js';
import { asText, clean, count, oneLine } from './text.js';

const changeText = (changed) => {
  if (!changed) return 'not in git';
  const last = `last changed ${shortDate(changed.time)} in ${oneLine(changed.commit)}: ${oneLine(changed.subject)}`;
  return changed.is_modified ? `${last}; changed since` : last;
};

const problemLine = (problem) => make('div', { class: `problem ${problem.severity === 'error' ? 'error' : 'warning'}` },
  `${oneLine(asText(problem.severity))}: ${oneLine(asText(problem.message))}`, problem.help && ` (${oneLine(asText(problem.help))})`);

const sourceLines = ({ line, lines, problems }) => lines.map((text, at) => [
  make('div', {}, make('span', { class: 'gutter' }, String(line + at)), clean(text)),
  problems.filter((one) => one.line === line + at).map(problemLine)]);

const testSourceView = (source) => [
  make('p', { class: 'aside' }, changeText(source.changed)),
  source.lines.length === 0 ? make('p', { class: 'notice', role: 'note' }, 'The file no longer has this line.')
    : make('div', { class: 'excerpt' }, make('div', { class: 'location' }, `${oneLine(source.file)}:${source.line}`), make('div', { class: 'code', tabindex: 0 }, sourceLines(source))),
  source.other_problems > 0 && make('p', { class: 'aside' }, `${count(source.other_problems, 'problem')} elsewhere in the file`),
];

export const sourceSection = (row) => {
  const box = make('div', {}, make('p', { class: 'aside' }, 'Loading…'));
  const show = () => getJson(apiAddress('runs', runName, 'tests', row.id, 'source')).then((source) => replace(box, source.problem ? make('p', { class: 'aside' }, oneLine(source.problem)) : testSourceView(source)), (error) => replace(box, make('p', { class: 'aside' }, oneLine(error.message))));
  show();
  onCommandEnd(box, show);
  return make('section', { class: 'part' }, make('h3', {}, 'In the suite now'), box);
};
