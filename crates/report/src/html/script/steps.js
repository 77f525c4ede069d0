// The steps of a command test: each with its command, output, captured values and assertions.

import { commandView } from './command.js';
import { folded, icon, make } from './dom.js';
import { evaluationView } from './evaluation.js';
import { asText, firstLine, isMap, oneLine } from './text.js';

export const stepsOf = (example) => (Array.isArray(example.metadata?.steps) ? example.metadata.steps.filter(isMap) : []);

/** Whether there is a conversation to show; the turns of a command test are its steps. */
export const hasTalk = (example) => (example.conversation?.turns?.length ?? 0) > 0 && stepsOf(example).length === 0;

const capturedView = (captured) => isMap(captured) && make('dl', { class: 'facts' },
  Object.entries(captured).map(([name, value]) => [make('dt', {}, oneLine(name)), make('dd', {}, oneLine(asText(value)))]));

const stepBody = (turn, evaluations) => {
  const answer = turn.agent_response?.metadata ?? {};
  const command = isMap(answer.command) ? answer.command : {};
  return make('div', { class: 'attempt' },
    evaluations.map((one) => evaluationView(one, { ofCommand: true, seen: '' })),
    commandView({ ...command, command: turn.user_message?.content }),
    capturedView(answer.captured));
};

const stepView = (step, number, turn, evaluations) => {
  const command = turn?.user_message?.content ?? asText(step.command ?? '');
  const title = [icon(step.status === 'not run' ? 'not-run' : step.status), ` Step ${number} `,
    step.name ? oneLine(asText(step.name)) : make('code', {}, oneLine(firstLine(command)))];
  if (!turn) return make('p', { class: 'aside' }, title, ' not run');
  return folded(title, () => stepBody(turn, evaluations), { open: step.status === 'failed' });
};

export const stepsView = (example) => {
  const turns = example.conversation?.turns ?? [];
  const own = (number) => (example.evaluations ?? []).filter((one) => one.turn_number === number);
  return make('section', { class: 'part' }, make('h3', {}, 'Steps'),
    stepsOf(example).map((step, at) => stepView(step, at + 1, turns[at], own(at + 1))));
};
