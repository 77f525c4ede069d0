// Selects the tests to show. The index is searched at once, the details chunk by chunk.

import { chunkText, recorded, rows, starts } from './data.js';
import { Exact, exactly } from './exact.js';
import { groupOf } from './groups.js';

const termsOf = (query) =>
  (query.toLowerCase().match(/"[^"]+"|\S+/g) ?? []).map((term) => term.replace(/^"(.+)"$/, '$1'));

export const hasStatus = (row, { status }) => !status || status.split(',').includes(row.state);

/** Whether the row passes the filters, apart from the status and the search. */
export const passesFilters = (row, filters) =>
  (!filters.tag || row.tags.includes(filters.tag))
  && (!filters.file || row.file === filters.file)
  && (!filters.group || groupOf(row) === filters.group)
  && (!filters.class || (row.class ?? 'failed') === filters.class)
  && (!filters.criterion || row.criteria.some(([name]) => name === filters.criterion));

const missingIn = (row, terms) => terms.filter((term) => !row.text.includes(term));

const hasText = (value, term) => {
  if (typeof value === 'string') return value.toLowerCase().includes(term);
  if (value instanceof Exact) return value.source.includes(term);
  if (typeof value !== 'object' || value === null) return String(value) === term;
  return Object.values(value).some((inner) => hasText(inner, term));
};

/** Indexes of the chunk's rows whose details contain the terms that their index row does not. */
const foundInChunk = async (chunk, terms) => {
  const text = await chunkText(chunk);
  const lower = text.toLowerCase();
  // Text with other JSON escapes than ours is compared value by value.
  const isOdd = /\\u|\\\//.test(text);
  const maybe = (term) => isOdd || lower.includes(JSON.stringify(term).slice(1, -1));
  const likely = new Set(terms.filter(maybe));
  const end = starts[chunk + 1] ?? recorded;
  const found = [];
  let examples;
  for (let index = starts[chunk]; index < end; index += 1) {
    const missing = missingIn(rows[index], terms);
    if (missing.length === 0 || missing.some((term) => !likely.has(term))) continue;
    examples ??= JSON.parse(text, exactly);
    if (missing.every((term) => hasText(examples[index - starts[chunk]], term))) found.push(index);
  }
  return found;
};

/** Marks the search terms in the element. */
export const highlight = (element, query) => {
  if (!window.CSS?.highlights) return;
  const ranges = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.toLowerCase();
    for (const term of termsOf(query)) {
      for (let at = text.indexOf(term); at >= 0 && ranges.length < 2000; at = text.indexOf(term, at + term.length)) {
        ranges.push(new StaticRange({ startContainer: walker.currentNode, startOffset: at, endContainer: walker.currentNode, endOffset: at + term.length }));
      }
    }
  }
  CSS.highlights.set('found', new Highlight(...ranges));
};

/** One search through all details; calls `onProgress` as it proceeds. */
export class Search {
  constructor(query, onProgress) {
    this.terms = termsOf(query);
    this.found = new Set();
    this.done = 0;
    this.ended = this.terms.join('').length < 2;
    this.onProgress = onProgress;
  }

  has(row) {
    return missingIn(row, this.terms).length === 0 || this.found.has(row.index);
  }

  async start() {
    let reportedAt = performance.now();
    for (let chunk = 0; chunk < starts.length && !this.ended; chunk += 1) {
      const indexes = await foundInChunk(chunk, this.terms);
      if (this.ended) return;
      indexes.forEach((index) => this.found.add(index));
      this.done = chunk + 1;
      if (performance.now() - reportedAt > 150) {
        this.onProgress();
        reportedAt = performance.now();
        await new Promise((resolve) => { setTimeout(resolve); });
      }
    }
    this.ended = true;
    this.onProgress();
  }

  stop() { this.ended = true; }
}
