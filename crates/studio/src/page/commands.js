// Actions: buttons with the command line that they run, and the commands that are running.

import { ansi } from './ansi.js';
import { button, byId, make, replace } from './dom.js';
import { apiAddress, getJson, post } from './server.js';
import { oneLine } from './text.js';

export let isReadOnly = true;

export const loadProject = async () => {
  const project = await getJson(apiAddress('project'));
  isReadOnly = project.read_only;
  return project;
};

/** Shows a problem until the next action. */
export const showProblem = (box, error) => replace(box, make('p', { class: 'notice', role: 'alert' }, oneLine(error.message)));

/** Shown commands by their ids. */
const commandViews = new Map();

const showCommandOutput = async (view) => {
  const { output } = await getJson(apiAddress('commands', view.id));
  const lines = output.trimEnd();
  replace(view.output, lines ? ansi(lines) : 'no output yet');
  view.output.scrollTop = view.output.scrollHeight;
};

const commandPanel = (row) => {
  const view = { id: row.id, status: make('span', { class: 'aside' }), output: make('pre', { class: 'stream', tabindex: 0, 'aria-label': 'Output' }) };
  view.stop = button('Stop', () => post(apiAddress('commands', row.id, 'stop')).catch(() => {}), { class: 'stop', title: 'Sends SIGINT, as Ctrl-C does' });
  view.element = make('li', {}, make('div', { class: 'command-head' }, make('code', {}, `$ ${oneLine(row.command)}`), view.status, make('span', { class: 'stretch' }), view.stop,
    button('×', () => { view.element.hidden = true; showPanel(); }, { class: 'quiet', 'aria-label': `Hide ${row.command}` })), view.output);
  return view;
};

/** What is called when a command has ended, with the element that it updates. */
const endListeners = new Set();

/** Calls `update` whenever a command has ended, until the element is no longer on the page. */
export const onCommandEnd = (element, update) => endListeners.add({ element, update });

const reportEnd = () => {
  for (const listener of endListeners) {
    if (listener.element.isConnected) listener.update();
    else endListeners.delete(listener);
  }
};

const showPanel = () => {
  byId('commands').hidden = [...commandViews.values()].every((view) => view.element.hidden);
};

/** Commands that ended before this page was opened. */
let earlierCommands;

/** Shows the commands that pages have started, with their output. */
export const showCommands = (rows) => {
  earlierCommands ??= new Set(rows.filter((row) => !row.is_running).map((row) => row.id));
  const panel = byId('commands');
  if (!panel.firstChild) panel.append(make('ul', {}));
  let hasEnded = false;
  // The server that started them has ended. They go on without it.
  for (const view of commandViews.values()) {
    if (view.hasEnded || rows.some((row) => row.id === view.id)) continue;
    view.status.textContent = 'no longer followed: the studio was restarted';
    view.stop.hidden = true;
  }
  for (const row of rows) {
    if (!commandViews.has(row.id)) {
      if (earlierCommands.has(row.id)) continue;
      const view = commandPanel(row);
      commandViews.set(row.id, view);
      panel.firstChild.append(view.element);
    }
    const view = commandViews.get(row.id);
    view.status.textContent = row.is_running ? 'running' : row.end;
    view.stop.hidden = !row.is_running;
    hasEnded ||= !row.is_running && !view.hasEnded;
    view.hasEnded = !row.is_running;
    if (!view.element.hidden) showCommandOutput(view).catch(() => {});
  }
  showPanel();
  if (hasEnded) reportEnd();
};

const actionItem = ({ label, action }, start) => {
  const press = button(label, () => start(action), { disabled: true });
  const text = make('span', {});
  const describe = (line) => {
    press.disabled = Boolean(line.problem);
    replace(text, line.command ? make('code', {}, oneLine(line.command)) : make('span', { class: 'aside' }, oneLine(line.problem)));
  };
  return { describe, element: make('div', { class: 'command-button' }, press, text) };
};

/** Buttons for these actions, each with the command line it runs. Impossible actions are disabled and say why. */
export const actionButtons = (actions) => {
  const box = make('div', { class: 'command-buttons' });
  if (isReadOnly) return box;
  const problem = make('div', {});
  const start = (action) => post(apiAddress('commands'), action).then(() => problem.replaceChildren(), (error) => showProblem(problem, error));
  const items = actions.map((action) => actionItem(action, start));
  const describe = () => post(apiAddress('command-lines'), actions.map(({ action }) => action)).then((lines) => {
    lines.forEach((line, index) => items[index].describe(line));
    if (!box.firstChild) box.append(...items.map((item) => item.element), problem);
  }, (error) => showProblem(box.firstChild ? problem : box, error));
  describe();
  // What was accepted cannot be accepted again.
  onCommandEnd(box, describe);
  return box;
};
