// A command test: its command line, how it exited, its output.

import { ansi, withoutAnsi } from './ansi.js';
import { run } from './data.js';
import { linesOf } from './diff.js';
import { copyButton, make } from './dom.js';
import { excerpt } from './evaluation.js';
import { screenText, screenView } from './screen.js';
import { shownText } from './shortened.js';
import { asText, clean, count, human, isMap, isNumber, oneLine } from './text.js';

/** A limit as in the suite: `2 s` or `200 ms`. */
const timeLimit = (seconds) => (Number.isInteger(seconds) ? `${seconds} s` : `${Math.round(seconds * 1000)} ms`);

export const endingOf = (command) => [
  command.timed_out === true && (isNumber(command.timeout) ? `timed out after ${timeLimit(command.timeout)}` : 'timed out'),
  command.signal !== undefined && command.signal !== null && `killed by ${asText(command.signal)}`,
  command.exit_code !== undefined && command.exit_code !== null && `exit code ${asText(command.exit_code)}`,
  isNumber(command.attempts) && isNumber(command.elapsed) && `${count(command.attempts, 'attempt')} in ${human(command.elapsed * 1000)}`,
  command.over_limit === true && 'output truncated',
  command.nul_dropped === true && 'NUL bytes removed from the output',
  command.leaky === true && 'left processes running',
].filter(Boolean).map(oneLine);

export const streamView = (name, text) => make('div', { class: 'stream-box' },
  make('div', { class: 'stream-head' }, make('span', { class: 'label' }, name), make('span', { class: 'aside' }, count(linesOf(text).length, 'line')), copyButton(withoutAnsi(text), 'Copy')),
  make('pre', { class: 'stream', tabindex: 0 }, ansi(shownText(text.replace(/\n$/, '')))));

const whereabouts = (command) => {
  if (command.truncated !== true || !command.output_file) return false;
  const location = run.record ? `${run.record}/${command.output_file}` : `${command.output_file} in the record's directory`;
  return make('p', { class: 'aside' }, command.over_limit === true ? 'Truncated output: ' : 'Full output: ', make('code', {}, oneLine(location)));
};

/** Why the command was not run. */
export const commandNotRun = (command, hook) => command.service_failed === true ? ['not run, because a service failed'] : command.phase === 'requirement' ? ['not run, because a requirement is not met'] : (/^setup/.test(asText(command.phase ?? '')) ? [`not run, because ${oneLine(asText(isMap(hook) && hook.name ? hook.name : command.phase))} failed`] : []);

/** Whether the screen shows the same lines, so that the output need not be repeated. */
const isOnScreen = (output, screen) => withoutAnsi(output).trimEnd().split('\n').map((line) => line.trimEnd()).join('\n') === screenText(screen);

export const commandView = (command, hook) => {
  const streams = ['output', 'stdout', 'stderr'].filter((name) => typeof command[name] === 'string');
  const written = streams.filter((name) => command[name] !== '');
  const soFar = (name) => (command.timed_out === true ? `${name} so far` : name);
  return make('section', { class: 'part' }, make('h3', {}, 'Command'),
    typeof command.command === 'string' && make('pre', { class: 'prompt', tabindex: 0 }, make('span', { class: 'sign' }, '$ '), clean(command.command.trimEnd())),
    make('p', { class: 'ending' }, [...commandNotRun(command, hook), ...endingOf(command), ...(streams.length > 0 && written.length === 0 ? ['no output'] : [])].join(' · ')),
    screenView(soFar('screen'), command.screen),
    written.filter((name) => !isOnScreen(command[name], command.screen)).map((name) => streamView(soFar(name), command[name])),
    whereabouts(command));
};

export const hookView = (hook) => make('section', { class: 'part' }, make('h3', {}, oneLine(asText(hook.name ?? 'hook'))),
  excerpt(hook), make('p', { class: 'ending' }, endingOf(hook).join(' · ')),
  typeof hook.output === 'string' && hook.output !== '' && streamView('output', hook.output));

/** What services wrote while the test ran. */
export const servicesView = (services) => make('section', { class: 'part' }, make('h3', {}, 'Services'),
  services.flatMap((service) => [
    streamView(`${oneLine(asText(service.name ?? 'service'))}, during this test`, asText(service.output ?? '')),
    whereabouts({ truncated: service.truncated, output_file: service.log_file }),
  ]));
