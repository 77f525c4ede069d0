// Which tests are shown. The index answers at once; what only the details have is found chunk by chunk.

const termsOf = (query) =>
  (query.toLowerCase().match(/"[^"]+"|\S+/g) ?? []).map((term) => term.replace(/^"(.+)"$/, '$1'));

const hasStatus = (row, wanted) => wanted.includes(row.status) || (row.flaky && wanted.includes('flaky'));

/** Whether the row is wanted, apart from the search. */
const isWanted = (row, wanted) =>
  (!wanted.status || hasStatus(row, wanted.status.split(',')))
  && (!wanted.tag || row.tags.includes(wanted.tag))
  && (!wanted.file || row.file === wanted.file)
  && (!wanted.class || (row.class ?? 'failed') === wanted.class)
  && (!wanted.criterion || row.criteria.some(([name]) => name === wanted.criterion));

const missingIn = (row, terms) => terms.filter((term) => !row.text.includes(term));

const hasText = (value, term) => {
  if (typeof value === 'string') return value.toLowerCase().includes(term);
  if (value instanceof Exact) return value.source.includes(term);
  if (typeof value !== 'object' || value === null) return String(value) === term;
  return Object.values(value).some((inner) => hasText(inner, term));
};

/** The places of the chunk's rows whose details have what their index lacks. */
const foundInChunk = async (chunk, terms) => {
  const text = await chunkText(chunk);
  const lower = text.toLowerCase();
  // Text that came escaped in another way than ours is looked at value by value.
  const isOdd = /\\u|\\\//.test(text);
  const maybe = (term) => isOdd || lower.includes(JSON.stringify(term).slice(1, -1));
  const likely = new Set(terms.filter(maybe));
  const end = starts[chunk + 1] ?? rows.length;
  const found = [];
  let examples;
  for (let place = starts[chunk]; place < end; place += 1) {
    const missing = missingIn(rows[place], terms);
    if (missing.length === 0 || missing.some((term) => !likely.has(term))) continue;
    examples ??= JSON.parse(text, exactly);
    if (missing.every((term) => hasText(examples[place - starts[chunk]], term))) found.push(place);
  }
  return found;
};

/** Marks the words of the search where they stand in the element. */
const highlight = (element, query) => {
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

/** One search through all details; `tell` hears of progress. */
class Search {
  constructor(query, tell) {
    this.terms = termsOf(query);
    this.found = new Set();
    this.done = 0;
    this.ended = this.terms.join('').length < 2;
    this.tell = tell;
  }

  has(row) {
    return missingIn(row, this.terms).length === 0 || this.found.has(row.place);
  }

  async start() {
    let told = performance.now();
    for (let chunk = 0; chunk < starts.length && !this.ended; chunk += 1) {
      const places = await foundInChunk(chunk, this.terms);
      if (this.ended) return;
      places.forEach((place) => this.found.add(place));
      this.done = chunk + 1;
      if (performance.now() - told > 150) {
        this.tell();
        told = performance.now();
        await new Promise((resolve) => { setTimeout(resolve); });
      }
    }
    this.ended = true;
    this.tell();
  }

  stop() { this.ended = true; }
}
