// Two runs side by side.

const CHANGES = {
  __proto__: null, newly_failing: ['worse', 'newly failing'], still_failing: ['same', 'still failing'], newly_passing: ['better', 'newly passing'], newly_flaky: ['worse', 'newly flaky'],
  now_skipped: ['other', 'now skipped'], cut_short: ['worse', 'interrupted'], now_run: ['better', 'run now'], added: ['other', 'added'], removed: ['other', 'removed'],
};
const COMPARE_FILTERS = ['different', 'worse', 'better'];

const sideState = (side) => (side ? ({ unfinished: 'interrupted' })[side.outcome] ?? side.outcome : 'not-run');

const outputOf = (example) => {
  const command = example?.metadata?.command;
  return isMap(command) ? ['output', 'stdout', 'stderr'].map((name) => command[name]).filter((text) => typeof text === 'string').join('\n') : '';
};

const turnSide = (turn) => (turn ? [
  turn.user_message && make('p', {}, make('span', { class: 'label' }, 'user'), clean(turn.user_message.content)),
  (turn.tool_calls ?? []).map((call) => make('p', {}, make('span', { class: 'label' }, 'tool'), make('code', {}, `${oneLine(call.name)}(${gist(call.arguments, 120, true)})`))),
  make('p', {}, make('span', { class: 'label' }, 'agent'), turn.agent_response ? clean(turn.agent_response.content) : 'no reply'),
] : make('p', { class: 'aside' }, 'no such turn'));

/** Whether two turns have the same texts and tool calls. */
const isSameTurn = (left, right) => {
  const essence = (turn) => JSON.stringify([turn?.user_message?.content, turn?.agent_response?.content, (turn?.tool_calls ?? []).map((call) => [call.name, call.arguments])]);
  return essence(left) === essence(right);
};

const conversations = (base, newer) => {
  const [left, right] = [base?.conversation?.turns ?? [], newer?.conversation?.turns ?? []];
  return make('ol', { class: 'turn-pairs' }, Array.from({ length: Math.max(left.length, right.length) }, (_, at) => make('li', { class: isSameTurn(left[at], right[at]) ? '' : 'different' },
    make('div', {}, turnSide(left[at])), make('div', {}, turnSide(right[at])))));
};

const failureSide = (name, example) => make('div', {}, make('p', { class: 'label' }, name), example?.exception?.message ? make('pre', { class: 'stream', tabindex: 0 }, ansi(example.exception.message)) : make('p', { class: 'aside' }, example ? 'no failure' : 'not in this run'));

const comparedTest = async (chosen, change) => {
  const side = async (run, present) => (present ? getJson(apiAddress('runs', run, 'tests', change.id)) : undefined);
  const [base, newer] = await Promise.all([side(chosen.base, change.base), side(chosen.new, change.new)]);
  const [before, after] = [outputOf(base), outputOf(newer)];
  return make('div', { class: 'compared' },
    make('div', { class: 'sides' }, failureSide('before', base), failureSide('after', newer)),
    (before || after) && (before === after ? make('p', { class: 'aside' }, 'The output is the same.') : diff(withoutAnsi(before), withoutAnsi(after), ['before', 'after'])),
    (base?.conversation || newer?.conversation) && conversations(base, newer));
};

const changeLine = (chosen, change) => {
  const [, words] = CHANGES[change.kind] ?? ['other', change.kind];
  const reason = change.new?.reason ?? change.base?.reason;
  const body = make('div', {}, make('p', { class: 'aside' }, 'Loading…'));
  const details = folded([icon(sideState(change.base)), ' → ', icon(sideState(change.new)), ' ', make('strong', {}, words), ' ', oneLine(change.title), reason && make('span', { class: 'aside' }, oneLine(reason))], () => {
    comparedTest(chosen, change).then((view) => replace(body, view), (error) => showProblem(body, error));
    return body;
  });
  return make('li', {}, details);
};

const criteriaTable = (criteria) => criteria.length > 0 && make('section', { class: 'card' }, make('h2', {}, 'Criteria'), make('div', { class: 'scroll', tabindex: 0 }, make('table', { class: 'headed' },
  make('thead', {}, make('tr', {}, ['criterion', 'before', 'after', 'p', ''].map((name) => make(name ? 'th' : 'td', name ? { scope: 'col' } : {}, name)))),
  make('tbody', {}, criteria.map((one) => make('tr', {}, make('th', { scope: 'row' }, oneLine(one.name)), make('td', { class: 'figure' }, `${one.base.passed} of ${one.base.trials}`), make('td', { class: 'figure' }, `${one.new.passed} of ${one.new.trials}`),
    make('td', { class: 'figure' }, one.p_value === null ? '–' : one.p_value.toFixed(3)), make('td', {}, one.significant ? 'significant' : '')))))));

const showCompare = async (page, { state }) => {
  const { runs } = await getJson(apiAddress('runs'));
  const names = runs.map((one) => one.folder);
  const chosen = { base: state.base || names.at(-2), new: state.new || names.at(-1) };
  if (!chosen.base || !chosen.new) {
    replace(page, make('h1', {}, 'Compare'), make('p', {}, 'Two recorded runs are needed.'));
    return;
  }
  const select = (key, label) => {
    const field = make('select', {}, names.toReversed().map((name) => make('option', { value: name, selected: name === chosen[key] }, oneLine(name))));
    field.addEventListener('change', () => { location.hash = address({ ...state, view: 'compare', ...chosen, [key]: field.value }); });
    return make('label', {}, `${label} `, field);
  };
  const result = await getJson(`${apiAddress('compare')}?base=${encodeURIComponent(chosen.base)}&new=${encodeURIComponent(chosen.new)}`);
  const only = COMPARE_FILTERS.includes(state.only) ? state.only : 'different';
  const shown = result.tests.filter((change) => only === 'different' || CHANGES[change.kind]?.[0] === only);
  const order = Object.keys(CHANGES);
  shown.sort((left, right) => order.indexOf(left.kind) - order.indexOf(right.kind));
  replace(page, make('h1', {}, 'Compare'), make('div', { class: 'grid-tools' }, select('base', 'Before'), select('new', 'After')),
    make('p', { class: 'counts' }, COMPARE_FILTERS.map((name) => make('a', { class: 'chip', href: address({ view: 'compare', ...chosen, only: name }), 'aria-current': name === only ? 'true' : undefined }, name))),
    make('p', { role: 'status' }, `${count(shown.length, 'test')} of ${number(Object.values(result.counts).reduce((sum, tests) => sum + tests, 0))}`),
    make('ul', { class: 'rows changes' }, shown.slice(0, 500).map((change) => changeLine(chosen, change))), criteriaTable(result.criteria));
};
