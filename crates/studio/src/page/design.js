// Test design: the methods most in need of tests, and the states that tests cover.

const STATE_MARKS = { __proto__: null, passed: 'passed', failed: 'failed', not_covered: 'not-run' };
const STATE_WORDS = { __proto__: null, not_covered: 'not covered', not_run: 'covered, not run' };

const methodRow = (one) => make('tr', {}, make('th', { scope: 'row' }, oneLine(one.method)), make('td', {}, make('code', {}, `${oneLine(one.file)}:${one.line}`)),
  make('td', { class: 'figure' }, number(one.characteristics)), make('td', { class: 'figure' }, number(one.leaves)), make('td', {}, one.has_spec ? 'yes' : 'no'));

const coveringTest = (test) => make('p', { class: 'reason' }, make('code', {}, oneLine(test.place ?? '')), ` ${oneLine(test.name ?? '')}`, test.outcome && `: ${oneLine(test.outcome).replace('_', ' ')}`);

const stateItem = (tests) => (one) => make('li', {}, make('span', { class: 'test' }, icon(STATE_MARKS[one.standing] ?? 'skipped'), make('span', { class: 'name' }, oneLine(one.name), make('span', { class: 'aside' }, ` ${STATE_WORDS[one.standing] ?? oneLine(one.standing).replace('_', ' ')}`))), one.tests.map((index) => coveringTest(tests[index])));

const characteristicView = (tests) => (one) => [make('h3', {}, oneLine(one.name), one.depends_on && make('span', { class: 'aside' }, ` if ${oneLine(asText(one.depends_on))} allows it`)), make('ul', { class: 'rows' }, one.states.map(stateItem(tests)))];

const designedMethod = (one) => make('section', { class: 'card' }, make('h2', {}, oneLine(one.method), make('span', { class: 'aside' }, `${one.states.passed} of ${count(one.states.designed, 'state')} passed`)),
  make('p', {}, make('code', {}, oneLine(one.file))), one.characteristics.map(characteristicView(one.tests)));

const showDesign = async (page) => {
  const { methods, coverage, problem } = await getJson(apiAddress('design'));
  const columns = ['method', 'location', 'characteristics', 'contexts', 'spec'];
  replace(page, make('h1', {}, 'Design'),
    methods.length === 0 ? make('p', {}, 'This project has no Ruby methods whose tests can be designed.') : make('section', { class: 'card' }, make('h2', {}, 'Methods', make('span', { class: 'aside' }, 'those most in need of tests first')),
      make('div', { class: 'scroll', tabindex: 0 }, make('table', { class: 'headed' }, make('thead', {}, make('tr', {}, columns.map((name) => make('th', { scope: 'col' }, name)))), make('tbody', {}, methods.slice(0, 200).map(methodRow))))),
    coverage ? make('div', { class: 'cards' }, coverage.methods.map(designedMethod)) : methods.length > 0 && make('p', { class: 'aside' }, oneLine(problem ?? '')));
};
