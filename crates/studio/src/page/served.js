// A run from the server: finished, or in progress.

import { actionButtons, isReadOnly, loadProject, showCommands, showProblem } from './commands.js';
import { loadIndex, mergeRows, recorded, rows, run } from './data.js';
import { button, byId, make, replace } from './dom.js';
import { OF_WHOLE } from './evaluation.js';
import { start } from './main.js';
import { outputSection } from './output_so_far.js';
import { verdict } from './overview.js';
import { refresh } from './refresh.js';
import { loadReviews, reviewsView } from './review_form.js';
import { runName } from './run_name.js';
import { liveTitle } from './run_title.js';
import { apiAddress, follow, getJson, post, request } from './server.js';
import { historySection } from './test_history.js';
import { sourceSection } from './test_source.js';
import { human, oneLine } from './text.js';
import { totals } from './tree.js';

const CHUNK = 100;
/** The least time between two updates of the page, in milliseconds. */
const REFRESH = 120;

let version = 0;

const served = {
  index: async () => {
    const response = await request(apiAddress('runs', runName));
    version = Number(response.headers.get('casebook-version') ?? 0);
    const index = JSON.parse(await response.text());
    const withDetails = index.rows.filter((row) => row.outcome !== 'not-run').length;
    // Chunks of a run in progress would change while they are searched.
    index.chunks = index.run.live ? [] : Array.from({ length: Math.ceil(withDetails / CHUNK) }, (_, chunk) => chunk * CHUNK);
    return index;
  },
  chunk: async (chunk) => (await request(`${apiAddress('runs', runName, 'tests')}?from=${chunk * CHUNK}&to=${Math.min(recorded, (chunk + 1) * CHUNK)}`)).text(),
  details: (row) => getJson(apiAddress('runs', runName, 'tests', row.id)),
  actions: (row, example) => row.state !== 'live' && row.state !== 'not-run' && !isReadOnly && make('section', { class: 'part' }, testActions(row, example)),
  sections: (row, example) => [outputSection(row), reviewsView(row, example), sourceSection(row), historySection(row)],
  follow: () => { if (run.live) followRun(); },
};

/** Whether the test has failed on a text or value that `casebook accept` can write into the suite. */
const hasNewOutput = (row, { evaluations = [] }) => !['conversation', 'simulation'].includes(row.kind) && evaluations.some((one) => !one.passed && OF_WHOLE.has(one.metadata?.comparison));

const testActions = (row, example) => {
  const named = { run: runName, test: row.id };
  const accept = row.state === 'failed' && hasNewOutput(row, example) ? [{ label: 'Accept output', action: { action: 'accept', ...named } }] : [];
  const box = actionButtons([{ label: 'Run this test', action: { action: 'rerun-test', ...named } }, ...accept]);
  const problem = make('div', {});
  const edit = () => post(apiAddress('editor'), named).then(() => problem.replaceChildren(), (error) => showProblem(problem, error));
  return [box, make('div', { class: 'command-button' }, button('Open in editor', edit), make('code', {}, `$CASEBOOK_EDITOR ${oneLine(row.file)}${row.line === undefined ? '' : `:${row.line}`}`)), problem];
};

/** Calls `update` with all changes since the last call, not too often, until it is canceled. */
const batched = (update) => {
  let pending = [];
  let timer;
  const add = (changes) => {
    pending.push(...changes);
    timer ??= setTimeout(() => {
      const all = pending;
      pending = [];
      timer = undefined;
      update(all);
    }, REFRESH);
  };
  return { add, cancel: () => clearTimeout(timer) };
};

const showElapsed = () => document.querySelectorAll('.elapsed').forEach((element) => {
  element.textContent = human(Date.now() - Number(element.dataset.since));
});

const showTitle = () => { document.title = `${verdict(totals())} · ${runName}`; };

const followRun = () => {
  const updates = batched((changed) => {
    mergeRows(changed);
    refresh(changed);
    showTitle();
    document.documentElement.dataset.version = version;
  });
  const ticker = setInterval(showElapsed, 1000);
  const stop = follow(() => `${apiAddress('runs', runName, 'events')}?after=${version}`, {
    rows: (changed, event) => {
      version = Number(event.lastEventId);
      updates.add(changed);
    },
    ended: async () => {
      stop();
      clearInterval(ticker);
      // The index is newer than what was received: tests of a killed run are no longer running.
      updates.cancel();
      await loadIndex();
      refresh(rows);
      showTitle();
      showRunActions();
      if (run.live) followRun();
    },
  });
};

const showRunActions = () => {
  const failed = rows.some((row) => row.state === 'failed' || row.state === 'interrupted');
  if (isReadOnly || run.live || !failed) return;
  byId('run-actions')?.remove();
  const box = make('aside', { id: 'run-actions', 'aria-label': 'Actions' }, actionButtons([{ label: 'Run failed tests', action: { action: 'rerun-failed', run: runName } }]));
  document.querySelector('.top').after(box);
};

/** The runs in progress, to go to the one that was just started. */
const showLiveLinks = (live) => {
  const others = live.filter((one) => one.run !== runName);
  const link = (one) => make('a', { href: `/runs/${encodeURIComponent(one.run)}` }, `Running: ${liveTitle(one)}`);
  replace(byId('live-links'), others.map(link));
};

const openRun = async () => {
  await loadProject();
  byId('views').before(make('a', { href: '/', class: 'home' }, '← Runs'));
  byId('views').after(make('p', { id: 'live-links' }));
  byId('app').append(make('aside', { id: 'commands', 'aria-label': 'Commands', hidden: true }));
  await loadReviews();
  await start(served);
  showTitle();
  showRunActions();
  follow(() => apiAddress('events'), { state: ({ live, commands }) => { showLiveLinks(live); showCommands(commands); } });
};

openRun().catch((error) => {
  byId('app').hidden = false;
  replace(byId('main'), make('section', { class: 'page' }, make('h1', {}, 'This run cannot be shown'), make('p', {}, oneLine(error.message)), make('p', {}, make('a', { href: '/' }, 'All runs'))));
});
