// A conversation as a chat, with collapsed tool calls, evaluations next to their turn, and topic changes.

import { folded, make } from './dom.js';
import { evaluationView, modelCall, spending } from './evaluation.js';
import { topicGraph } from './graph.js';
import { gist, jsonTree } from './json.js';
import { asText, clean, isMap, oneLine } from './text.js';

const toolOutcome = (call) => {
  if (call.error) return make('span', { class: 'outcome-bad' }, `✗ ${gist(call.error, 80)}`);
  return call.result === undefined ? '→ no result' : `→ ${gist(call.result, 60)}`;
};

const toolCall = (call) => folded(
  [make('span', { class: 'tool' }, oneLine(call.name)), make('span', { class: 'j-gist' }, `(${gist(call.arguments, 70, true)})`), ' ', make('span', { class: 'j-gist' }, toolOutcome(call))],
  () => make('div', { class: 'call-body' },
    make('p', { class: 'label' }, 'arguments'), jsonTree(call.arguments ?? null),
    call.error && [make('p', { class: 'label' }, 'error'), make('pre', { class: 'stream', tabindex: 0 }, clean(asText(call.error)))],
    call.result !== undefined && !(call.error && call.result === null) && [make('p', { class: 'label' }, 'result'), jsonTree(call.result)],
    call.metadata?.interim === true && make('p', { class: 'aside' }, 'The agent did not confirm this call.'),
    isMap(call.metadata) && Object.keys(call.metadata).length > 0 && jsonTree(call.metadata, 'metadata', 2)),
  { class: `tool-call${call.error || call.metadata?.failed === true ? ' failed' : ''}` },
);

const messageView = (message, who, after) => make('div', { class: `chat-message ${who}` },
  make('div', { class: 'bubble' }, make('span', { class: 'who' }, who === 'user' && message.source === 'simulator' ? 'simulated user' : who), clean(message.content.trimEnd())),
  after);

/** Why a reply is not complete. */
const STOP_REASONS = {
  __proto__: null,
  refusal: 'refused',
  filter: 'stopped by a content filter',
  cut: 'cut off at the maximum number of tokens',
  tool_rounds: 'too many rounds of tool calls',
};

const answerView = (turn) => {
  const answer = turn.agent_response;
  if (!answer) return make('div', { class: 'chat-message agent' }, make('div', { class: 'bubble none' }, make('span', { class: 'who' }, 'agent'), 'no reply'));
  const { tracing, stop_reason: stopReason, ...others } = answer.metadata ?? {};
  return messageView(answer, 'agent', [
    STOP_REASONS[stopReason] !== undefined && make('p', { class: 'tracing incomplete' }, STOP_REASONS[stopReason]),
    isMap(tracing) && make('p', { class: 'tracing' }, spending(tracing)),
    Object.keys(others).length > 0 && folded('metadata', () => jsonTree(others), { class: 'tracing' }),
  ]);
};

const topicChange = (before, topic) => make('p', { class: 'topic-change' }, make('span', {}, before ? `topic: ${oneLine(before)} → ${oneLine(topic)}` : `topic: ${oneLine(topic)}`));

/** The topics of a turn: its last one, and those it changed from. */
const topicsOf = (turn) => {
  const changes = turn.metadata?.topic_changes;
  return [...(Array.isArray(changes) ? changes.map((change) => change?.from) : []), turn.topic].filter((topic) => typeof topic === 'string');
};

/** The turns before the conversation, which the suite supplies. */
const historyView = (turn) => make('li', { class: 'turn', 'aria-label': 'Earlier turn' },
  make('div', { class: 'chat' },
    make('span', { class: 'turn-number', 'aria-hidden': 'true' }, '…'),
    turn.user && messageView({ content: asText(turn.user) }, 'user'),
    turn.tool_calls?.map(toolCall),
    turn.agent && messageView({ content: asText(turn.agent) }, 'agent')));

const turnView = (turn, evaluations) => {
  const { simulator, files } = turn.user_message?.metadata ?? {};
  return make('li', { class: 'turn', 'aria-label': `Turn ${turn.number}` },
    make('div', { class: 'chat' },
      make('span', { class: 'turn-number', 'aria-hidden': 'true' }, turn.number),
      turn.user_message && messageView(turn.user_message, 'user', [
        Array.isArray(files) && make('p', { class: 'tracing' }, `files: ${files.map((file) => oneLine(asText(file))).join(', ')}`),
        isMap(simulator) && modelCall(simulator, 'simulator'),
      ]),
      turn.tool_calls?.map(toolCall),
      answerView(turn)),
    evaluations.length > 0 && make('div', { class: 'beside', role: 'group', 'aria-label': `Evaluations of turn ${turn.number}` }, evaluations.map((one) => evaluationView(one))));
};

/** Why a conversation ended; an unknown reason is kept. */
const END_REASONS = {
  __proto__: null,
  script_end: 'end of script',
  stop_condition: 'a stop condition was met',
  goal_reached: 'the goal was reached',
  max_turns: 'the maximum number of turns was reached',
  agent_error: 'the agent failed',
  judge_error: 'the judge failed',
  simulator_error: 'the simulated user failed',
  timeout: 'the time limit was exceeded',
  interrupted: 'the run was interrupted',
};

/** In a script, only a failed expectation is a stop condition. */
const isStoppedScript = (end, simulation) => end === 'stop_condition' && simulation.goal === undefined;

const factsOf = (conversation, metadata) => {
  const simulation = conversation.metadata?.simulation ?? {};
  const end = metadata.conversation?.end ?? simulation.termination_reason;
  return [
    ['goal', simulation.goal], ['maximum turns', simulation.max_turns],
    ['end reason', isStoppedScript(end, simulation) ? 'stopped: an expectation failed' : END_REASONS[end] ?? end], ['final topic', conversation.final_topic],
  ].filter(([, value]) => value !== undefined && value !== null);
};

export const conversationView = (example) => {
  const { conversation } = example;
  const evaluations = example.evaluations ?? [];
  const own = (turn) => evaluations.filter((one) => one.turn_number === turn.number);
  const numbers = new Set(conversation.turns.map((turn) => turn.number));
  const rest = evaluations.filter((one) => !numbers.has(one.turn_number));
  const history = example.metadata?.conversation?.history;
  const items = Array.isArray(history) ? history.map(historyView) : [];
  let topic = null;
  for (const turn of conversation.turns) {
    for (const next of topicsOf(turn)) {
      if (next !== topic) items.push(make('li', {}, topicChange(topic, next)));
      topic = next;
    }
    items.push(turnView(turn, own(turn)));
  }
  const plan = example.metadata?.topics;
  return [
    make('section', { class: 'part' }, make('h3', {}, 'Conversation'),
      make('dl', { class: 'facts' }, factsOf(conversation, example.metadata ?? {}).map(([name, value]) => [make('dt', {}, name), make('dd', {}, oneLine(asText(value)))])),
      make('ol', { class: 'turns' }, items)),
    rest.length > 0 && make('section', { class: 'part' }, make('h3', {}, 'Evaluations of the conversation'), rest.map((one) => evaluationView(one))),
    (isMap(plan) || conversation.turns.some((turn) => turn.topic)) && make('section', { class: 'part' }, make('h3', {}, 'Topics'),
      topicGraph(isMap(plan) ? plan : undefined, [conversation.turns.flatMap(topicsOf).filter((one, at, all) => one !== all[at - 1])])),
  ];
};
