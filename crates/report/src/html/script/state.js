// What is shown, as the address says it: `#view=tests&status=failed&test=ID`.

const EMPTY = {
  view: '', status: '', tag: '', file: '', criterion: '', class: '', q: '', sort: '', test: '',
};
const FILTERS = ['status', 'tag', 'file', 'criterion', 'class', 'q'];

let state = { ...EMPTY };

const viewOf = (wanted) =>
  wanted.view || (wanted.test || FILTERS.some((key) => wanted[key]) ? 'tests' : 'overview');

const readState = () => {
  const given = new URLSearchParams(location.hash.slice(1));
  const read = { ...EMPTY };
  for (const key of Object.keys(EMPTY)) read[key] = given.get(key) ?? '';
  read.view = viewOf(read);
  return read;
};

const address = (wanted) => {
  const given = Object.entries(wanted).filter(([, value]) => value);
  return `#${new URLSearchParams(given)}`;
};

const listeners = [];
const onState = (listener) => listeners.push(listener);

const arrive = () => {
  const before = state;
  state = readState();
  listeners.forEach((listener) => listener(state, before));
};

/** Goes there; `quietly` without a step for the back button. */
const go = (changes, quietly = false) => {
  const next = address({ ...state, ...changes });
  if (next === (location.hash || '#')) return;
  history[quietly ? 'replaceState' : 'pushState'](null, '', next);
  arrive();
};

/** A link to tests with these filters only. */
const linkTo = (filters, text, properties) =>
  make('a', { href: address({ ...EMPTY, view: 'tests', ...filters }), ...properties }, text);
