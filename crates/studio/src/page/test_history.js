// One test in the runs before and after.

import { run } from './data.js';
import { WORDS, make, replace } from './dom.js';
import { runName } from './run_name.js';
import { apiAddress, getJson } from './server.js';
import { shortDate } from './short_date.js';
import { count, human, number, oneLine } from './text.js';

const HISTORY_STATES = { __proto__: null, passed: 'passed', failed: 'failed', skipped: 'skipped', unfinished: 'interrupted' };

const testHistoryView = async (row) => {
  const { runs } = await getJson(apiAddress('tests', row.trial?.test ?? row.stable ?? row.id));
  const newest = runs.slice(-40);
  const longest = Math.max(1, ...newest.map((one) => one.duration_ms ?? 0));
  const failed = runs.filter((one) => one.outcome === 'failed').length;
  const cell = (one) => {
    const state = one.flaky && one.outcome === 'passed' ? 'flaky' : HISTORY_STATES[one.outcome] ?? 'interrupted';
    const took = one.duration_ms === null ? '' : `, ${human(one.duration_ms)}`;
    const text = `${shortDate(one.started_at)} ${WORDS[state]}${took}`;
    const filled = make('span', { class: state });
    filled.style.height = `${Math.max(12, (100 * (one.duration_ms ?? longest)) / longest)}%`;
    return make('a', { href: `/runs/${encodeURIComponent(one.folder)}#test=${encodeURIComponent(row.id)}`, class: 'history-bar', title: text, 'aria-label': text, 'aria-current': one.folder === runName ? 'true' : undefined }, filled);
  };
  return [
    make('p', { class: 'aside' }, `${count(runs.length, 'run')}, failed in ${number(failed)}; the height is the duration${runs.length > newest.length ? `, the newest ${newest.length} runs are shown` : ''}`),
    make('div', { class: 'history-bars' }, newest.map(cell)),
  ];
};

export const historySection = (row) => {
  // A test of a run in progress may be in no recorded run yet.
  if (run.live) return false;
  const box = make('div', {}, make('p', { class: 'aside' }, 'Loading…'));
  testHistoryView(row).then((parts) => replace(box, parts), (error) => replace(box, make('p', { class: 'aside' }, oneLine(error.message))));
  return make('section', { class: 'part' }, make('h3', {}, 'History'), box);
};
