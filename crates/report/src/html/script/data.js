// The run: the index is loaded at start, details when they are shown. `source` provides both.

let run;
let rows;
let graphs;
let scenarios;
let trials;
let scores;
let starts;
/** How many rows have details; those of tests that were not run come last. */
let recorded;
const rowOf = new Map();

/** The row with this id, or with this id in all runs: `example:3aff8cecd984`. */
const rowWithId = (id) => rowOf.get(id) ?? rowOf.get(`example:${id}`) ?? rowOf.get(id.replace(/^example:/, ''));

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

const loadIndex = async () => {
  ({ run, rows, graphs, scenarios, trials, scores, chunks: starts } = await source.index());
  rowOf.clear();
  unpacked.clear();
  rows.forEach(prepareRow);
  rows.forEach((row) => { if (row.stable && !rowOf.has(row.stable)) rowOf.set(row.stable, row); });
  recorded = rows.filter((row) => row.state !== 'not-run').length;
};

/** Adds rows of a run in progress, or replaces those with the same id. */
const mergeRows = (changed) => {
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
const chunkOf = (index) => {
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
const chunkText = async (chunk) => {
  const text = unpacked.get(chunk) ?? source.chunk(chunk);
  unpacked.delete(chunk);
  unpacked.set(chunk, text);
  if (unpacked.size > MAX_UNPACKED) unpacked.delete(unpacked.keys().next().value);
  return text;
};

/** The complete record of a row. */
const detailsOf = async (row) => (row.state === 'not-run' ? {} : source.details(row));
