// The run: the index is loaded at start, details when they are shown. A source provides both: the page itself, or a server.

import { setReviews } from './reviews.js';

/**
 * Where the data comes from: `index()` is the run with a small row for each test, `chunk(number)` the JSON of several complete
 * tests, `details(row)` one complete test. A source may also add elements to a test, with `actions` and `sections`, and
 * `follow` a run in progress.
 */
export let source;

export let run;
export let rows;
export let graphs;
export let scenarios;
export let trials;
export let scores;
export let starts;
/** How many rows have details; those of tests that were not run come last. */
export let recorded;
export const rowOf = new Map();

/** The trial to open for a test that has several: the first that failed. */
const trialOf = (test) => {
  const those = rows.filter((row) => row.trial?.test === test);
  return those.find((row) => row.outcome === 'failed') ?? those[0];
};

/** The row with this id, or with this id in all runs: `example:3aff8cecd984`. */
export const rowWithId = (id) => rowOf.get(id) ?? rowOf.get(`example:${id}`) ?? rowOf.get(id.replace(/^example:/, '')) ?? trialOf(id);

/** The state of a test that is running, which only a run in progress has. */
const stateOf = (row) => (row.flaky && row.outcome === 'passed' ? 'flaky' : row.outcome === 'running' ? 'live' : row.outcome);

/** Completes a row of the index. */
const prepareRow = (row, index) => {
  row.index = index;
  row.groups ??= [];
  row.attempts ??= 0;
  row.tags ??= [];
  row.criteria ??= [];
  row.topics ??= [];
  row.title = [...row.groups, row.name].join(' › ');
  row.state = stateOf(row);
  row.text = [row.title, row.id, row.file, row.class, row.reason, ...row.tags].join('\n').toLowerCase();
  if (row.state === 'not-run') row.start = Infinity;
  rowOf.set(row.id, row);
};

export const loadIndex = async () => {
  const index = await source.index();
  ({ run, rows, graphs, scenarios, trials, scores, chunks: starts } = index);
  if (index.reviews) setReviews(index.reviews);
  rowOf.clear();
  unpacked.clear();
  rows.forEach(prepareRow);
  rows.forEach((row) => { if (row.stable && !rowOf.has(row.stable)) rowOf.set(row.stable, row); });
  recorded = rows.filter((row) => row.state !== 'not-run').length;
};

/** Loads the run of this source. */
export const useSource = async (given) => {
  source = given;
  await loadIndex();
};

/** Adds rows of a run in progress, or replaces those with the same id. */
export const mergeRows = (changed) => {
  for (const row of changed) {
    const known = rowOf.get(row.id);
    if (!known) rows.push(row);
    else for (const key of Object.keys(known)) if (key !== 'index') delete known[key];
    prepareRow(Object.assign(known ?? row, row), known?.index ?? rows.length - 1);
    if (row.stable && !rowOf.has(row.stable)) rowOf.set(row.stable, known ?? row);
  }
  recorded = rows.length;
};

/** The chunk that contains the row. */
export const chunkOf = (index) => {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= index) low = middle;
    else high = middle - 1;
  }
  return low;
};

const MAX_UNPACKED = 12;
const unpacked = new Map();

/** The JSON of a chunk. The last few stay unpacked. */
export const chunkText = async (chunk) => {
  const text = unpacked.get(chunk) ?? source.chunk(chunk);
  unpacked.delete(chunk);
  unpacked.set(chunk, text);
  if (unpacked.size > MAX_UNPACKED) unpacked.delete(unpacked.keys().next().value);
  return text;
};

/** The complete record of a row. */
export const detailsOf = async (row) => (row.state === 'not-run' ? {} : source.details(row));
