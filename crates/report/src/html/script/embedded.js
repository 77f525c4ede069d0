// The data of the page itself: compressed blocks, unpacked when they are needed.

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

// What every source of data has: the index, the text of a chunk of details, and the details of one row. A source may also
// add elements to a test.
const source = {
  index: async () => JSON.parse(await unpack(byId('index'))),
  chunk: async (chunk) => {
    if (!byId(`chunk-${chunk}`)) await parsed;
    return unpack(byId(`chunk-${chunk}`));
  },
  details: async (row) => {
    const chunk = chunkOf(row.index);
    return JSON.parse(await chunkText(chunk), exactly)[row.index - starts[chunk]];
  },
};
