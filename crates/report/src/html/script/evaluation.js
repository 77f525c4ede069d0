// One expectation: whether it passed, why not, and the judge's verdict.

import { ansi } from './ansi.js';
import { diff } from './diff.js';
import { folded, icon, make } from './dom.js';
import { Exact } from './exact.js';
import { gist, jsonTree } from './json.js';
import { reviewNote } from './reviews.js';
import { shownText } from './shortened.js';
import { asText, clean, count, firstLine, human, isMap, isNumber, money, number, oneLine } from './text.js';

export const verdictOf = (evaluation) => {
  if (evaluation.passed) return 'passed';
  return evaluation.metadata?.verdict === 'inconclusive' ? 'inconclusive' : 'failed';
};

/** Comparisons that show only their message in a conversation, because the transcript shows the rest. */
const IN_TRANSCRIPT = new Set(['contains', 'not_contains', 'matches', 'not_matches', 'tool_calls', 'topic', 'number', 'judge', 'command']);

/** Comparisons of complete texts and values, which are shown as a diff. */
export const OF_WHOLE = new Set(['equals', 'snapshot', 'json']);

const isNested = (value) => typeof value === 'object' && value !== null && !(value instanceof Exact);

/** The diff, if complete texts or values were compared. */
const compared = (evaluation) => {
  const { expected, actual, comparison } = evaluation.metadata ?? {};
  if (expected === undefined || actual === undefined) return undefined;
  if (typeof expected === 'string' && typeof actual === 'string' && OF_WHOLE.has(comparison)) return diff(expected, actual);
  if (!isNested(expected) && !isNested(actual)) return undefined;
  const pretty = (value) => JSON.stringify(value, null, 2);
  return diff(pretty(expected), pretty(actual));
};

/** The lines of the suite that contain the expectation. */
export const excerpt = (location) => {
  if (!location?.file && !location?.source) return false;
  const lines = (location.source ?? '').trimEnd().split('\n');
  const margin = Math.min(...lines.filter((line) => line.trim()).map((line) => line.length - line.trimStart().length));
  const numbered = lines.map((line, at) => make('div', {},
    isNumber(location.line) && make('span', { class: 'gutter' }, String(location.line + at)), clean(line.slice(Number.isFinite(margin) ? margin : 0))));
  return make('div', { class: 'excerpt' },
    location.file && make('div', { class: 'location' }, `${oneLine(asText(location.file))}${isNumber(location.line) ? `:${location.line}` : ''}`),
    location.source && make('div', { class: 'code', tabindex: 0 }, numbered));
};

const LONG = 400;

const shownValue = (name, value, shownBelow) => {
  if (value === undefined || shownBelow) return false;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const label = make('span', { class: 'label' }, name);
  if (isNested(value)) return make('div', { class: 'value' }, label, jsonTree(value));
  if (text.length <= LONG && !text.trimEnd().includes('\n')) return make('div', { class: 'value' }, label, make('code', {}, oneLine(JSON.stringify(value))));
  return make('div', { class: 'value' }, folded([label, count(text.length, 'character')], () => make('pre', { class: 'stream', tabindex: 0 }, ansi(shownText(text))), { open: text.length <= 2000 }));
};

/** The number of model requests, their tokens and cost, and the complete messages. */
export const spending = (call) => [
  call.model, isNumber(call.latency_ms) && human(call.latency_ms),
  isMap(call.tokens) && `${number(call.tokens.input ?? 0)} → ${number(call.tokens.output ?? 0)} tokens`,
  isNumber(call.cost) && `cost ${money(call.cost)}`, call.cached === true && 'cached',
  isNumber(call.first_token_ms) && `first token ${human(call.first_token_ms)}`,
  isNumber(call.retries) && call.retries > 0 && count(call.retries, 'retry').replace('retrys', 'retries')
    + (Array.isArray(call.retried_on) && call.retried_on.length > 0 ? ` (status ${call.retried_on.join(', ')})` : ''),
].filter(Boolean).map((part) => oneLine(asText(part))).join(' · ');

const promptOf = (prompt) => {
  if (typeof prompt === 'string') return make('pre', { class: 'stream', tabindex: 0 }, clean(prompt));
  if (!isMap(prompt)) return jsonTree(prompt ?? null);
  const messages = [
    ...(prompt.system ? [{ role: 'system', content: prompt.system }] : []),
    ...(Array.isArray(prompt.messages) ? prompt.messages : []),
    ...(prompt.user ? [{ role: 'user', content: prompt.user }] : []),
  ];
  return messages.map((message) => [
    make('p', { class: 'label' }, oneLine(asText(message?.role ?? 'message'))),
    make('pre', { class: 'stream', tabindex: 0 }, clean(asText(message?.content ?? message))),
  ]);
};

/** The mean of several votes has many digits. */
const scoreText = (score) => (typeof score === 'number' ? String(Math.round(score * 100) / 100) : oneLine(asText(score)));

const callSummary = (call) => [
  spending(call), call.verdict !== undefined && oneLine(asText(call.verdict)), call.score !== undefined && `score ${scoreText(call.score)}`,
  call.error !== undefined && 'no response',
].filter(Boolean).join(' · ');

export const modelCall = (call, what) => folded(
  [make('span', { class: 'label' }, what), callSummary(call)],
  () => make('div', { class: 'call-body' }, call.error !== undefined && make('p', { class: 'message' }, clean(asText(call.error))), promptOf(call.prompt),
    call.answer !== undefined && [make('p', { class: 'label' }, 'answer'), make('pre', { class: 'stream', tabindex: 0 }, clean(asText(call.answer)))],
    isMap(call.corrects) && modelCall(call.corrects, 'an earlier invalid response')),
  { class: 'model-call' },
);

const closestCall = (call) => isMap(call) && make('div', { class: 'value' },
  make('span', { class: 'label' }, Array.isArray(call.differs) && call.differs.length > 0 ? 'closest call' : 'call'), make('code', {}, `${oneLine(asText(call.name))}(${gist(call.arguments, 200)})`),
  Array.isArray(call.differs) && call.differs.length > 0 && make('div', {}, make('span', { class: 'label' }, 'differs at'), call.differs.map((path) => make('code', {}, oneLine(asText(path))))));

/** The headline: the reason for a failed assertion of a command, else the expectation. */
const headline = (evaluation, ofCommand) => {
  const message = firstLine(evaluation.failure_message ?? '');
  return ofCommand && !evaluation.passed && message ? message : evaluation.description || evaluation.name;
};

const reasoning = (evaluation) => evaluation.reasoning?.trim() && make('p', { class: 'reasoning' }, clean(evaluation.reasoning.trim()));

const why = (evaluation, { ofCommand, seen = '' }) => {
  const { metadata = {} } = evaluation;
  const message = (evaluation.failure_message ?? '').trim();
  const rest = message.startsWith(headline(evaluation, ofCommand)) ? message.slice(headline(evaluation, ofCommand).length).trim() : message;
  const saysAll = metadata.comparison === 'exists' || (!ofCommand && IN_TRANSCRIPT.has(metadata.comparison));
  const comparison = saysAll ? [] : compared(evaluation);
  // The value at a pointer is only a part of the output that is shown below.
  const isStream = ofCommand && metadata.stream !== undefined && metadata.comparison !== 'json';
  return [
    rest && !seen.includes(message) && !(evaluation.reasoning ?? '').includes(message) && make('p', { class: 'message' }, clean(rest)),
    reasoning(evaluation),
    excerpt(metadata),
    metadata.path !== undefined && shownValue('file', metadata.path),
    comparison ?? [shownValue('expected', metadata.expected), shownValue('actual', metadata.actual, isStream)],
    metadata.unnormalized !== undefined && !isStream && shownValue('before normalizing', metadata.unnormalized),
    metadata.actual_truncated === true && make('p', { class: 'aside' }, 'The middle of the actual text was not recorded and counts as a difference.'),
    closestCall(metadata.nearest_call),
  ];
};

/** The words of a suite. */
const MODES = { __proto__: null, hard: 'expect', soft: 'evaluate' };

export const evaluationView = (evaluation, context = {}) => {
  const { metadata = {} } = evaluation;
  const verdict = verdictOf(evaluation);
  const named = evaluation.name && !headline(evaluation, context.ofCommand).includes(evaluation.name) && evaluation.name !== evaluation.type && !context.ofCommand ? evaluation.name : '';
  return make('div', { class: `evaluation ${verdict}` },
    make('p', { class: 'head' }, icon(verdict),
      make('span', {}, named && make('strong', {}, `${oneLine(named)} `), clean(headline(evaluation, context.ofCommand)),
        !context.ofCommand && evaluation.mode && make('span', { class: 'aside' }, oneLine(MODES[evaluation.mode] ?? evaluation.mode)),
        isMap(metadata.score) && make('span', { class: 'aside' }, `score ${scoreText(metadata.score.value)} of ${oneLine(asText(metadata.score.scale?.[1]))}`),
        metadata.topic !== undefined && make('span', { class: 'aside' }, `check of the topic ${oneLine(asText(metadata.topic))}`))),
    reviewNote(evaluation, verdict),
    evaluation.passed ? reasoning(evaluation) : why(evaluation, context),
    isMap(metadata.judge) && modelCall(metadata.judge, 'judge'),
    Array.isArray(metadata.votes) && metadata.votes.filter(isMap).map((vote, at) => modelCall(vote, `vote ${at + 1}`)));
};
