// The server: JSON with `fetch`, changes with server-sent events.

import { byId, make } from './dom.js';
import { exactly } from './exact.js';

export const apiAddress = (...parts) => `/api/v1/${parts.map(encodeURIComponent).join('/')}`;

/** The response, or an error with the problem that the server states. */
export const request = async (address, options) => {
  const response = await fetch(address, { credentials: 'same-origin', ...options });
  if (response.ok) return response;
  const { problem } = await response.json().catch(() => ({}));
  throw new Error(problem ?? `the server answered with status ${response.status}`);
};

export const getJson = async (address) => JSON.parse(await (await request(address)).text(), exactly);

/** How often to ask whether the records have been read, in milliseconds. */
const READING_POLL = 300;

/** `runs` or `grid`. While the server reads records for the first time, `onReading` gets how many it has read. */
export const getHistory = async (name, onReading) => {
  for (;;) {
    const response = await request(apiAddress(name));
    if (response.status !== 202) return JSON.parse(await response.text(), exactly);
    onReading?.((await response.json()).reading);
    await new Promise((resume) => { setTimeout(resume, READING_POLL); });
  }
};

export const post = async (address, body = {}) => {
  const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  return (await request(address, options)).json();
};

const RETRY = 1000;

/** Shows whether the server can be reached. */
const showConnection = (isOpen) => {
  let notice = byId('connection');
  if (!notice) {
    notice = make('p', { id: 'connection', role: 'status' });
    document.querySelector('.top').after(notice);
  }
  notice.hidden = isOpen;
  notice.textContent = isOpen ? '' : 'The studio does not answer. This page reconnects when it runs again.';
};

/**
 * Receives events, from the address that `address` returns. Reconnects by itself, also to another server. A hidden page has
 * no connection: browsers allow only a few per server. When it is shown again, it gets what has changed meanwhile.
 */
export const follow = (address, handlers) => {
  let events;
  let retry;
  const close = () => {
    clearTimeout(retry);
    events?.close();
    events = undefined;
  };
  const open = () => {
    close();
    events = new EventSource(address());
    events.onopen = () => showConnection(true);
    events.onerror = () => {
      showConnection(false);
      close();
      retry = setTimeout(open, RETRY);
    };
    for (const [name, handle] of Object.entries(handlers)) events.addEventListener(name, (event) => handle(JSON.parse(event.data), event));
  };
  const onVisibility = () => (document.hidden ? close() : open());
  document.addEventListener('visibilitychange', onVisibility);
  addEventListener('pagehide', close);
  onVisibility();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    close();
  };
};
