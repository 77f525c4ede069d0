// One test with its complete record.

import { ansi } from './ansi.js';
import { commandView, endingOf, hookView, servicesView, streamView } from './command.js';
import { conversationView } from './conversation.js';
import { detailsOf, rowOf, run, scenarios, source } from './data.js';
import { button, byId, copyButton, folded, icon, make, replace } from './dom.js';
import { evaluationView, modelCall } from './evaluation.js';
import { highlight } from './filter.js';
import { handoverButtons } from './handover.js';
import { gist, jsonTree } from './json.js';
import { noteReviews } from './reviews.js';
import { shownText } from './shortened.js';
import { go, linkTo, state, statesIn } from './state.js';
import { hasTalk, stepsOf, stepsView } from './steps.js';
import { asText, clean, count, firstLine, human, isMap, money, number, oneLine } from './text.js';

const OUR_CLASS = /^Casebook::/;

/** Whether the exception repeats the message of the first failed expectation, which is shown below it. */
const repeats = (example) => {
  const message = firstLine(example.exception?.message ?? '');
  const evaluationMessage = firstLine((example.evaluations ?? []).find((one) => !one.passed)?.failure_message ?? '');
  return example.exception?.class_name === 'Casebook::AssertionFailed' && message !== '' && evaluationMessage !== '' && (message.includes(evaluationMessage) || evaluationMessage.includes(message));
};

const exceptionView = (exception) => {
  const message = (exception.message ?? '').trim();
  const named = exception.class_name && !(OUR_CLASS.test(exception.class_name) && message);
  return make('section', { class: 'part failure' }, make('h3', {}, 'Failure'),
    named && make('p', { class: 'class' }, oneLine(exception.class_name)),
    make('pre', { class: 'message', tabindex: 0 }, message ? ansi(shownText(message)) : 'failed without a message'),
    exception.backtrace?.length > 0 && folded(`Backtrace, ${count(exception.backtrace.length, 'line')}`, () => make('pre', { class: 'stream', tabindex: 0 }, clean(exception.backtrace.map(asText).join('\n')))));
};

const expectationsView = (example, context) => {
  const all = example.evaluations ?? [];
  if (all.length === 0) return false;
  const failed = all.filter((one) => !one.passed);
  const passed = all.filter((one) => one.passed);
  return make('section', { class: 'part' }, make('h3', {}, 'Assertions', make('span', { class: 'aside' }, `${passed.length} of ${all.length} passed`)),
    failed.map((one) => evaluationView(one, context)),
    passed.length > 0 && (failed.length === 0 && passed.length <= 10 ? passed.map((one) => evaluationView(one, context))
      : folded(`${number(passed.length)} passed`, () => make('div', {}, passed.map((one) => evaluationView(one, context))))));
};

/** The failure, the evaluations and the conversation of an example or of an earlier attempt. */
const bodyOf = (example) => {
  const metadata = example.metadata ?? {};
  const command = isMap(metadata.command) ? metadata.command : undefined;
  const talk = hasTalk(example);
  const steps = stepsOf(example).length > 0;
  const showException = example.exception && !(repeats(example) && !talk);
  const context = { ofCommand: Boolean(command), seen: showException ? example.exception.message ?? '' : '' };
  return [
    showException && exceptionView(example.exception),
    isMap(metadata.hook) && hookView(metadata.hook),
    steps && stepsView(example),
    !talk && !steps && expectationsView(example, context),
    command && !steps && commandView(command, metadata.hook),
    talk && conversationView(example),
    Array.isArray(metadata.services) && servicesView(metadata.services.filter(isMap)),
    isMap(metadata.agent) && metadata.agent.stderr && make('section', { class: 'part' }, make('h3', {}, 'Agent'), make('p', { class: 'ending' }, endingOf(metadata.agent).join(' · ')), streamView('stderr', asText(metadata.agent.stderr))),
    Array.isArray(metadata.topic_calls) && folded(`${count(metadata.topic_calls.length, 'topic request')} to the judge`, () => make('div', {}, metadata.topic_calls.filter(isMap).map((call) => modelCall(call, `turn ${asText(call.turn ?? '?')}`)))),
  ];
};

const attemptsView = (example) => {
  const attempts = example.metadata?.attempts;
  if (!Array.isArray(attempts) || attempts.length === 0) return false;
  // Attempts nested too deeply for JSON values were recorded as text.
  const read = (attempt) => (typeof attempt === 'string' ? JSON.parse(attempt) : attempt);
  const repetitionOf = (attempt) => attempt.metadata?.repetition;
  const all = attempts.map(read).filter(isMap).sort((one, other) => (repetitionOf(one) ?? 0) - (repetitionOf(other) ?? 0));
  const nameOf = (attempt, at) => (repetitionOf(attempt) === undefined ? `Attempt ${at + 1} of ${attempts.length + 1}` : `Repetition ${asText(repetitionOf(attempt))}`);
  const heading = repetitionOf(example) === undefined ? 'Earlier attempts' : 'Other recorded repetitions';
  return make('section', { class: 'part' }, make('h3', {}, heading), all.map((attempt, at) => folded(
    [icon(statesIn(asText(attempt.status ?? ''))[0] ?? 'failed'), ` ${nameOf(attempt, at)}`, make('span', { class: 'aside' }, oneLine(firstLine(attempt.exception?.message ?? '')))],
    () => make('div', { class: 'attempt' }, bodyOf({ evaluations: [], ...attempt })),
  )));
};

const tokensOf = (tracing) => (isMap(tracing?.tokens) ? `${number(tracing.tokens.input ?? 0)} → ${number(tracing.tokens.output ?? 0)} tokens` : undefined);

/** Names, and names with `shared`: `db, room (shared)`. */
const locksText = (locks) => (Array.isArray(locks) ? locks.flatMap((lock) => (isMap(lock) ? Object.entries(lock).map(([name, mode]) => `${name} (${asText(mode)})`) : asText(lock))).join(', ') : undefined);

/** Names of characteristics, or characteristics with their states: `role: admin, state: new`. */
const coversText = (covers) => (Array.isArray(covers) ? covers.map(asText) : Object.entries(isMap(covers) ? covers : {}).map(([name, state]) => `${name}: ${asText(state)}`)).join(', ');

const aboutTest = (row, example) => [
  ['location', `${row.file}${row.line === undefined ? '' : `:${row.line}`}`],
  ['duration', row.duration === undefined ? undefined : human(row.duration)],
  ['worker', row.worker === undefined ? undefined : asText(row.worker)],
  ['repetitions', row.repetitions],
  ['repetition', row.repetitions ? example.metadata?.repetition : undefined],
  ['locks', locksText(example.metadata?.locks)],
  ['kept directory', example.metadata?.temp_dir],
  ['trial', row.trial ? `${row.trial.number} of ${row.trial.of}` : undefined],
  ['scenario', scenarios[example.scenario_id]?.name ?? example.scenario_id],
  ['covers', coversText(example.metadata?.covers)],
  ['matrix', isMap(example.metadata?.matrix) ? gist(example.metadata.matrix, 120) : undefined],
  ['tokens', tokensOf(row.tracing)],
  ['cost', row.tracing?.cost > 0 ? money(row.tracing.cost) : undefined],
].filter(([, value]) => value !== undefined && value !== null && value !== '');

/** A known failure was not skipped: it ran, and its reason says what it is. */
const skipText = (reason, { metadata }) => (metadata?.expected_failure ? reason.replace(/^./, (first) => first.toUpperCase()) : `Skipped: ${reason}`);

const headOf = (row, example) => make('header', { class: 'detail-head' },
  row.groups.length > 0 && make('p', { class: 'path' }, row.groups.map(oneLine).join(' › ')),
  make('h2', { tabindex: -1 }, icon(row.state), ' ', oneLine(row.name)),
  make('dl', { class: 'facts' }, aboutTest(row, example).map(([name, value]) => [make('dt', {}, name), make('dd', {}, oneLine(String(value)))])),
  row.tags.length > 0 && make('p', { class: 'tags' }, row.tags.map((tag) => linkTo({ tag }, oneLine(tag), { class: 'tag' }))),
  row.state === 'skipped' && row.reason && make('p', { class: 'skipped' }, skipText(oneLine(row.reason), example)),
  row.state === 'not-run' && make('p', { class: 'skipped' }, run.live ? 'Not run yet.' : 'Not run: the run ended before this test started.'),
  row.state === 'live' && make('p', { class: 'skipped' }, 'Running for ', make('span', { class: 'elapsed', 'data-since': run.start + row.start }, human(Date.now() - run.start - row.start))));

const rerunOf = (example) => (typeof example.metadata?.rerun === 'string' ? example.metadata.rerun : undefined);

/** The complete view, for the pane and for printing. */
export const exampleView = (row, example) => {
  noteReviews(row, example);
  return [
    headOf(row, example),
    bodyOf(example),
    attemptsView(example),
    rerunOf(example) && make('section', { class: 'part' }, make('h3', {}, 'Rerun'), make('pre', { class: 'prompt', tabindex: 0 }, make('span', { class: 'sign' }, '$ '), oneLine(rerunOf(example)))),
  ];
};

const recordView = (row, example) => folded('Everything recorded', () => make('div', {},
  scenarios[example.scenario_id] && jsonTree(scenarios[example.scenario_id], 'scenario', 1), jsonTree(example, row.id, 1)), { class: 'part record' });

export const pane = byId('detail');

const actionsOf = (row, example, neighbors) => make('div', { class: 'actions' },
  button('← Back', () => go({ test: '' }), { class: 'back' }),
  button('↑', () => go({ test: neighbors.before.id }), { 'aria-label': 'Previous test', title: 'Previous test (k)', disabled: !neighbors.before }),
  button('↓', () => go({ test: neighbors.after.id }), { 'aria-label': 'Next test', title: 'Next test (j)', disabled: !neighbors.after }),
  make('span', { class: 'stretch' }),
  handoverButtons(row, example),
  rerunOf(example) && copyButton(rerunOf(example), 'Copy rerun'),
  copyButton(location.href, 'Copy link'),
  button('×', () => go({ test: '' }), { class: 'close', 'aria-label': 'Close', title: 'Close (Esc)' }));

let selectedTest = '';

/** Shows the test in the pane; clears the pane without an id. */
export const showTest = async (id, neighbors) => {
  selectedTest = id;
  pane.hidden = !id;
  document.body.classList.toggle('opened', Boolean(id));
  if (!id) return;
  const row = rowOf.get(id);
  if (!row) {
    replace(pane, make('p', { class: 'aside' }, `This run has no test with the id ${oneLine(id)}.`), button('Close', () => go({ test: '' })));
    return;
  }
  const example = await detailsOf(row);
  if (selectedTest !== id) return;
  const [head, ...rest] = exampleView(row, example);
  replace(pane, actionsOf(row, example, neighbors), head, source.actions?.(row, example), rest, source.sections?.(row, example), recordView(row, example));
  pane.scrollTop = 0;
  highlight(pane, state.q);
  pane.querySelector('h2').focus({ preventScroll: true });
};
