// The run: the index is unpacked at start, details when they are shown.

/** A number that a JavaScript number cannot represent exactly. */
class Exact {
  constructor(source) { this.source = source; }
  toJSON() { return JSON.rawJSON ? JSON.rawJSON(this.source) : this.source; }
}

const exactly = (key, value, context) =>
  (typeof value === 'number' && context?.source !== undefined && !/^-?\d{1,15}(\.\d{1,6})?$/.test(context.source)
    && String(value) !== context.source ? new Exact(context.source) : value);

const bytesOf = (text) =>
  (Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (one) => one.charCodeAt(0)));

const unpack = (element) => {
  const bytes = new Blob([bytesOf(element.textContent)]).stream();
  return new Response(bytes.pipeThrough(new DecompressionStream('gzip'))).text();
};

const parsed = new Promise((resolve) => {
  if (document.readyState !== 'loading') resolve();
  else document.addEventListener('DOMContentLoaded', resolve, { once: true });
});

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

const loadIndex = async () => {
  ({ run, rows, graphs, scenarios, trials, scores, chunks: starts } = JSON.parse(await unpack(byId('index'))));
  rows.forEach((row, index) => {
    row.index = index;
    row.groups ??= [];
    row.attempts ??= 0;
    row.tags ??= [];
    row.criteria ??= [];
    row.topics ??= [];
    row.title = [...row.groups, row.name].join(' › ');
    row.state = row.flaky && row.outcome === 'passed' ? 'flaky' : row.outcome;
    row.text = [row.title, row.id, row.file, row.class, row.reason, ...row.tags].join('\n').toLowerCase();
    if (row.state === 'not-run') row.start = Infinity;
    rowOf.set(row.id, row);
  });
  rows.forEach((row) => { if (row.stable && !rowOf.has(row.stable)) rowOf.set(row.stable, row); });
  recorded = rows.filter((row) => row.state !== 'not-run').length;
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
  let text = unpacked.get(chunk);
  unpacked.delete(chunk);
  if (text === undefined) {
    if (!byId(`chunk-${chunk}`)) await parsed;
    text = unpack(byId(`chunk-${chunk}`));
  }
  unpacked.set(chunk, text);
  if (unpacked.size > MAX_UNPACKED) unpacked.delete(unpacked.keys().next().value);
  return text;
};

/** The complete record of a row. */
const detailsOf = async (row) => {
  if (row.index >= recorded) return {};
  const chunk = chunkOf(row.index);
  return JSON.parse(await chunkText(chunk), exactly)[row.index - starts[chunk]];
};
