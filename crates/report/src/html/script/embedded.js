// The data of the page itself: compressed blocks, unpacked when they are needed.

import { chunkOf, chunkText, starts } from './data.js';
import { byId } from './dom.js';
import { exactly } from './exact.js';

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

export const embedded = {
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
