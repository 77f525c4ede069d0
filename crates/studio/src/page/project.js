// The pages of the project: the address after the # selects one.

import { loadProject, showCommands, showProblem } from './commands.js';
import { showCompare } from './compare.js';
import { showDesign } from './design.js';
import { byId, make, replace } from './dom.js';
import { showGrid } from './grid.js';
import { liveCard, showRuns } from './runs.js';
import { apiAddress, follow } from './server.js';
import { number, oneLine } from './text.js';
import { nameTheme, switchTheme } from './theme.js';

const PROJECT_VIEWS = { runs: ['Runs', showRuns], tests: ['Tests', showGrid], compare: ['Compare', showCompare], design: ['Design', showDesign] };

const readAddress = () => {
  const read = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  return { ...read, view: Object.hasOwn(PROJECT_VIEWS, read.view) ? read.view : 'runs' };
};

const focusables = (page) => [...page.querySelectorAll('a, button, input, select, [tabindex]')];

/** What identifies an element that has the focus when the page is built again. */
const focusName = (element) => [element.tagName, element.getAttribute('href'), element.value, element.getAttribute('aria-label'), element.textContent].join('|');

const nameOfFocus = (page) => (page.contains(document.activeElement) ? focusName(document.activeElement) : undefined);

let live = [];
let shown = 0;
let shownContent = '';

const makeNavigation = () => byId('views').append(...Object.entries(PROJECT_VIEWS).map(([name, [text]]) => make('a', { href: `#view=${name}`, 'data-view': name }, text)));

const markView = (view) => byId('views').childNodes.forEach((link) => {
  if (link.dataset.view === view) link.setAttribute('aria-current', 'page');
  else link.removeAttribute('aria-current');
});

/** The notice that records are being read, as long as it is shown. */
let reading;

/** Shown while the server reads records that it does not know yet. */
const showReading = (title, { read, of }) => {
  if (!reading?.isConnected) {
    reading = make('p', { class: 'notice', role: 'status' });
    replace(byId('page'), make('h1', {}, title), reading, make('div', {}));
  }
  reading.textContent = `${of > 0 ? `Reading ${number(of)} records, ${number(read)} done.` : 'Reading the records.'} Each record is read once.`;
  replace(reading.nextSibling, live.length > 0 && liveCard(live));
};

/** After this time, in milliseconds, a page says that it is being loaded. */
const PATIENCE = 300;

const showView = async ({ quietly = false } = {}) => {
  const state = readAddress();
  const page = byId('page');
  const [title, show] = PROJECT_VIEWS[state.view];
  markView(state.view);
  document.title = `${title} · Casebook studio`;
  shown += 1;
  const turn = shown;
  const draft = make('section', {});
  const showLoading = () => { if (turn === shown && !reading?.isConnected) replace(page, make('h1', {}, title), make('p', { class: 'aside', role: 'status' }, 'Loading…')); };
  const waiting = quietly ? undefined : setTimeout(showLoading, PATIENCE);
  try {
    await show(draft, { state, live, onReading: (progress) => { if (turn === shown && (!quietly || reading?.isConnected)) showReading(title, progress); } });
  } catch (error) {
    replace(draft, make('h1', {}, title), make('p', { class: 'notice', role: 'alert' }, oneLine(error.message)));
  }
  clearTimeout(waiting);
  // Another view was opened meanwhile.
  if (turn !== shown) return;
  // Replacing elements while somebody clicks them would lose the click.
  const content = [state.view, draft.textContent, ...[...draft.querySelectorAll('a')].map((link) => link.href)].join('|');
  if (quietly && content === shownContent) return;
  shownContent = content;
  const { scrollTop } = page;
  const focused = nameOfFocus(page);
  replace(page, ...draft.childNodes);
  if (quietly) page.scrollTop = scrollTop;
  if (quietly && focused) focusables(page).find((one) => focusName(one) === focused)?.focus({ preventScroll: true });
  document.documentElement.dataset.ready = state.view;
};

const onProjectState = (state) => {
  const before = JSON.stringify(live);
  const wasListed = document.documentElement.dataset.list;
  live = state.live;
  document.documentElement.dataset.list = state.list;
  showCommands(state.commands);
  const isNew = wasListed !== undefined && wasListed !== String(state.list);
  if (readAddress().view === 'runs' && (isNew || before !== JSON.stringify(live)) && !document.querySelector('.compare-form input:checked')) showView({ quietly: true });
};

const startProject = async () => {
  const project = await loadProject();
  document.querySelector('.brand').append(make('span', { class: 'aside' }, oneLine(project.name ?? '')));
  byId('theme').addEventListener('click', switchTheme);
  byId('skip').addEventListener('click', () => byId('main').focus());
  addEventListener('hashchange', () => showView());
  nameTheme();
  makeNavigation();
  showView();
  follow(() => apiAddress('events'), { state: onProjectState });
};

startProject().catch((error) => showProblem(byId('page'), error));
