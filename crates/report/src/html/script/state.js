// The state of the page, kept in the address: `#view=tests&status=failed&test=ID`.

const EMPTY = {
  view: '', status: '', tag: '', file: '', criterion: '', class: '', q: '', sort: '', test: '',
};
const FILTERS = ['status', 'tag', 'file', 'criterion', 'class', 'q'];

let state = { ...EMPTY };

const viewOf = (target) =>
  target.view || (target.test || FILTERS.some((key) => target[key]) ? 'tests' : 'overview');

const readState = () => {
  const given = new URLSearchParams(location.hash.slice(1));
  const read = { ...EMPTY };
  for (const key of Object.keys(EMPTY)) read[key] = given.get(key) ?? '';
  read.view = viewOf(read);
  return read;
};

const address = (target) => {
  const given = Object.entries(target).filter(([, value]) => value);
  return `#${new URLSearchParams(given)}`;
};

const listeners = [];
const onState = (listener) => listeners.push(listener);

const arrive = () => {
  const before = state;
  state = readState();
  listeners.forEach((listener) => listener(state, before));
};

/** Changes the address; with `quietly`, without a history entry. */
const go = (changes, quietly = false) => {
  const next = address({ ...state, ...changes });
  if (next === (location.hash || '#')) return;
  history[quietly ? 'replaceState' : 'pushState'](null, '', next);
  arrive();
};

/** A link to tests with only these filters. */
const linkTo = (filters, text, properties) =>
  make('a', { href: address({ ...EMPTY, view: 'tests', ...filters }), ...properties }, text);
