// What the command of a running test has written so far.

import { ansi } from './ansi.js';
import { make, replace } from './dom.js';
import { runName } from './run_name.js';
import { apiAddress, getJson } from './server.js';

/** How often the output is read, in milliseconds. */
const READ_OUTPUT = 1000;

export const outputSection = (row) => {
  if (row.state !== 'live') return false;
  const output = make('pre', { class: 'stream', tabindex: 0, 'aria-label': 'Output so far' }, 'none yet');
  let last = '';
  const read = async () => {
    // Another test is shown.
    if (!output.isConnected) return;
    const answer = await getJson(apiAddress('runs', runName, 'tests', row.id, 'output')).catch(() => ({ output: last }));
    if (answer.output !== last) {
      last = answer.output;
      replace(output, ansi(last.trimEnd()));
      output.scrollTop = output.scrollHeight;
    }
    setTimeout(read, READ_OUTPUT);
  };
  setTimeout(read);
  return make('section', { class: 'part' }, make('h3', {}, 'Output so far'), output);
};
