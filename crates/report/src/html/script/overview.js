// The overview of the run.

import { rowWithId, rows, run, scores, trials } from './data.js';
import { WORDS, button, byId, card, icon, make, replace } from './dom.js';
import { groupsCard } from './groups.js';
import { allReviews } from './reviews.js';
import { linkTo } from './state.js';
import { asText, count, human, isMap, isNumber, money, number, oneLine, percent } from './text.js';
import { ORDERS, STATES, countRow, nodeOf, totals } from './tree.js';

const SLOWEST = 10;
const FIRST = 8;

const bar = (counts, label) => {
  const all = STATES.reduce((sum, state) => sum + counts[state], 0);
  const parts = STATES.toReversed().filter((state) => counts[state] > 0).map((state) => {
    const part = make('span', { class: state });
    part.style.flexGrow = counts[state] / all;
    return part;
  });
  return make('span', { class: 'bar', role: 'img', 'aria-label': label ?? STATES.filter((state) => counts[state] > 0).map((state) => `${counts[state]} ${WORDS[state]}`).join(', ') }, parts);
};

const meter = (share, kind = '') => {
  const filled = make('span', { class: kind });
  filled.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return make('span', { class: 'meter', 'aria-hidden': 'true' }, filled);
};

/** A table with column headers for screen readers. */
const table = (columns, body, properties) => make('table', properties, make('thead', { class: 'unseen' }, make('tr', {}, columns.map((name) => make('th', { scope: 'col' }, name)))), body);

/** Planned tests that the record does not name. */
const unnamed = () => Math.max(0, (isNumber(run.metadata?.example_count) ? run.metadata.example_count : 0) - rows.length);

const notRun = (counts) => counts['not-run'] + unnamed();

export const verdict = (counts) => {
  const all = rows.length + unnamed();
  const passed = counts.passed + counts.flaky;
  const left = [[counts.interrupted, 'interrupted'], [notRun(counts), 'not run']].filter(([tests]) => tests > 0).map(([tests, word]) => `, ${number(tests)} ${word}`).join('');
  if (all === 0) return run.live ? 'The run is starting' : 'No tests were run';
  if (run.live) return `Running: ${number(all - counts.live - notRun(counts))} of ${count(all, 'test')} finished${counts.failed > 0 ? `, ${number(counts.failed)} failed` : ''}`;
  if (counts.failed > 0) return `${number(counts.failed)} of ${count(all, 'test')} failed${left}`;
  if (left) return `${number(passed)} of ${count(all, 'test')} passed${left}`;
  if (counts.skipped === all) return `All ${count(all, 'test')} skipped`;
  if (counts.skipped > 0) return `${count(passed, 'test')} passed, ${number(counts.skipped)} skipped`;
  return all === 1 ? 'The test passed' : `All ${number(all)} tests passed`;
};

/** For a run that did not finish all its tests. */
const notice = (counts) => {
  if (run.live) return false;
  const were = (tests, word) => tests > 0 && `${count(tests, 'test')} ${tests === 1 ? 'was' : 'were'} ${word}`;
  const parts = [were(counts.interrupted, 'stopped before the end'), were(notRun(counts), 'not run')].filter(Boolean);
  const isSuiteRun = run.metadata?.configuration?.engine !== undefined;
  return parts.length > 0 && make('p', { class: 'notice', role: 'note' },
    make('strong', {}, counts.interrupted > 0 ? 'The run was interrupted: ' : 'The run ended early: '), `${parts.join(' and ')}.`,
    unnamed() > 0 && ` The record does not name ${unnamed() === 1 ? 'one' : number(unnamed())} of them.`,
    run.record && isSuiteRun && [' To run the rest: ', make('code', {}, `casebook run --resume ${oneLine(run.record)}`)]);
};

const short = (id, digits) => (/^[0-9a-f-]+$/i.test(id) ? id.slice(0, digits) : id);

/** The number of tests, if it is not that of the rows: each trial of a test has its own. */
const testsOfTrials = () => {
  const tests = new Set(rows.map((row) => row.trial?.test ?? row.id)).size;
  return tests < rows.length ? `${number(tests)}, each trial counted above` : undefined;
};

const runFacts = () => [
  ['run', short(run.id, 8)], ['started', run.started],
  ['took', run.duration === undefined ? undefined : human(run.duration)],
  ['test time', human(rows.reduce((sum, row) => sum + (row.duration ?? 0), 0))],
  ['tests', testsOfTrials()], ['commit', run.commit && short(run.commit, 7)], ['seed', run.seed],
  ['Casebook', run.metadata?.versions?.casebook],
].filter(([, value]) => value !== undefined && value !== null && value !== '');

const hero = (counts) => make('header', { class: `hero ${counts.failed + counts.interrupted > 0 ? 'bad' : 'good'}` },
  make('h1', {}, verdict(counts)),
  notice(counts),
  bar(counts),
  make('p', { class: 'counts' }, STATES.filter((state) => counts[state] > 0).map((state) => linkTo({ status: state }, [icon(state), make('b', {}, number(counts[state])), ` ${WORDS[state]}`], { class: `chip ${state}` }))),
  make('dl', { class: 'facts' }, runFacts().map(([name, value]) => [make('dt', {}, name), make('dd', {}, oneLine(asText(value)))])));

export const testLink = (row) => linkTo({ test: row.id }, [icon(row.state), make('span', { class: 'name' }, row.groups.length > 0 && make('span', { class: 'aside before' }, row.groups.map(oneLine).join(' › ')), oneLine(row.name))], { class: 'test' });

const failuresCard = () => {
  const failed = rows.filter((row) => row.state === 'failed');
  return failed.length > 0 && card('Failures', number(failed.length),
    make('ul', { class: 'rows' }, failed.slice(0, FIRST).map((row) => make('li', {}, testLink(row), row.reason && make('p', { class: 'reason' }, oneLine(row.reason))))),
    failed.length > FIRST && make('p', {}, linkTo({ status: 'failed' }, `All ${count(failed.length, 'failure')}`)));
};

/** The tests in progress, and for how long, when the card was built. */
const runningCard = () => {
  const live = rows.filter((row) => row.state === 'live');
  return live.length > 0 && card('Running', number(live.length), make('ul', { class: 'rows' }, live.slice(0, 20).map((row) => make('li', { class: 'measured' }, testLink(row),
    make('span', { class: 'figure elapsed', 'data-since': run.start + row.start }, human(Date.now() - run.start - row.start))))));
};

const unfinishedCard = () => {
  const left = rows.filter((row) => row.state === 'interrupted' || row.state === 'not-run');
  return left.length > 0 && card('Interrupted and not run', number(left.length),
    make('ul', { class: 'rows' }, left.slice(0, FIRST).map((row) => make('li', {}, testLink(row)))),
    left.length > FIRST && make('p', {}, linkTo({ status: 'interrupted,not-run' }, `All ${count(left.length, 'test')}`)));
};

const kindsCard = () => {
  const kinds = new Map();
  rows.filter((row) => row.state === 'failed').forEach((row) => kinds.set(row.class ?? 'failed', (kinds.get(row.class ?? 'failed') ?? 0) + 1));
  const most = Math.max(...kinds.values());
  return kinds.size > 0 && card('Failure kinds', '', table(['kind', 'share', 'failures'], make('tbody', {}, [...kinds].toSorted((left, right) => right[1] - left[1]).slice(0, 12).map(([kind, times]) => make('tr', {},
    make('th', { scope: 'row' }, linkTo({ class: kind }, oneLine(kind))), make('td', { class: 'wide' }, meter(times / most, 'failed')), make('td', { class: 'figure' }, number(times)))))));
};

const slowestCard = () => {
  const slow = rows.filter((row) => row.duration > 0).toSorted(ORDERS.slow).slice(0, SLOWEST);
  return slow.length > 0 && card('Slowest', '', make('ul', { class: 'rows' }, slow.map((row) => make('li', { class: 'measured' }, testLink(row), meter(row.duration / slow[0].duration), make('span', { class: 'figure' }, human(row.duration))))));
};

/** Tests with several trials, each with its score and the trial to open first. */
const triedTests = () => {
  const first = new Map();
  for (const row of rows.filter((one) => isMap(one.trial))) {
    const seen = first.get(row.trial.test);
    if (!seen || (seen.state !== 'failed' && row.state === 'failed')) first.set(row.trial.test, row);
  }
  return (trials?.tests ?? []).map((test) => ({ ...test, row: first.get(test.test) })).filter((test) => test.row);
};

/** A test with a threshold passes or fails as a whole. */
const triedState = ({ flaky, needs, outcome }) => (needs === undefined && flaky ? 'flaky' : outcome === 'unfinished' ? 'interrupted' : outcome);

const triedLink = (test) => testLink({ ...test.row, state: triedState(test), name: test.row.name.replace(/ \(trial \d+ of \d+\)/, '') });

const trialsCard = () => {
  const tests = triedTests().toSorted((left, right) => left.passed / left.trials - right.passed / right.trials);
  const shares = trials && [['pass@1', trials.overall.pass_at_1], ['pass@n', trials.overall.pass_at_n], ['pass^n', trials.overall.pass_hat_n]].filter(([, value]) => isNumber(value));
  const line = (test) => make('li', { class: 'measured' }, triedLink(test), meter(test.passed / test.trials, test.passed === test.trials ? 'passed' : 'partly'),
    make('span', { class: 'figure' }, `${test.passed} of ${test.trials}${test.needs === undefined ? '' : ` (needs ${test.needs})`}${test.not_run > 0 ? `, ${test.not_run} could not be run` : ''}`, make('span', { class: 'aside' }, test.interval && ` ${Math.round(test.interval[0] * 100)}–${Math.round(test.interval[1] * 100)}%`)));
  return tests.length > 0 && card('Trials', `${count(tests.length, 'test')}, with the 95% interval of each pass rate`,
    make('dl', { class: 'facts' }, shares.map(([name, value]) => [make('dt', {}, name), make('dd', {}, percent(value, 1))])),
    make('ul', { class: 'rows' }, tests.slice(0, 12).map(line)));
};

const flakyCard = () => {
  const list = [
    ...rows.filter((row) => row.flaky).map((row) => make('li', { class: 'measured' }, testLink(row), make('span', { class: 'figure' }, row.attempts > 0 ? `passed on attempt ${row.attempts + 1}` : 'passed on a retry'))),
    ...triedTests().filter((test) => test.flaky).map((test) => make('li', { class: 'measured' }, triedLink(test), make('span', { class: 'figure' }, `passed ${test.passed} of ${test.trials} trials`))),
  ];
  return list.length > 0 && card('Flaky', number(list.length), make('ul', { class: 'rows' }, list.slice(0, 20)));
};

const criteriaOf = () => {
  const criteria = new Map();
  for (const row of rows) {
    for (const [name, passed, failed, inconclusive] of row.criteria) {
      const sums = criteria.get(name) ?? [0, 0, 0];
      criteria.set(name, [sums[0] + passed, sums[1] + failed, sums[2] + inconclusive]);
    }
  }
  return criteria;
};

const rate = ({ passed, all }) => (all === 0 ? 0 : passed / all);

const criteriaCard = () => {
  const criteria = [...criteriaOf()].map(([name, [passed, failed, open]]) => ({ name, passed, open, all: passed + failed + open }));
  const sorted = criteria.toSorted((left, right) => rate(left) - rate(right) || right.all - left.all);
  const line = ({ name, passed, open, all }) => make('tr', {},
    make('th', { scope: 'row' }, linkTo({ criterion: name }, oneLine(name))), make('td', { class: 'wide' }, meter(rate({ passed, all }), passed === all ? 'passed' : 'partly')),
    make('td', { class: 'figure' }, percent(passed, all)), make('td', { class: 'figure aside' }, [`${number(passed)} of ${number(all)}`, open > 0 && `${number(open)} inconclusive`].filter(Boolean).join(', ')));
  const body = make('tbody', {}, sorted.slice(0, 12).map(line));
  const more = sorted.length > 12 && button(`${number(sorted.length - 12)} more`, () => { body.append(...sorted.slice(12).map(line)); more.remove(); }, { class: 'quiet' });
  return sorted.length > 0 && card('Assertions and criteria', 'worst first', table(['criterion', 'share', 'passed', 'count'], body), more);
};

/** The mean of each criterion with scores, its interval, and how many scores are in each part of the scale. */
const scoresCard = () => {
  const parts = (distribution) => distribution.filter(([, times]) => times > 0).map(([part, times]) => `${part}\u00a0×${number(times)}`).join(', ');
  const line = ([name, { mean, interval, scale, distribution }]) => [
    make('tr', {},
      make('th', { scope: 'row' }, linkTo({ criterion: name }, oneLine(name))),
      make('td', { class: 'wide' }, meter((mean - scale[0]) / (scale[1] - scale[0] || 1), 'passed')),
      make('td', { class: 'figure' }, `${mean.toFixed(2)} of ${scale[1]}`, interval && make('span', { class: 'aside' }, ` ${interval[0].toFixed(2)}–${interval[1].toFixed(2)}`))),
    make('tr', {}, make('td', { class: 'aside', colspan: 3 }, `scores ${parts(distribution)}`)),
  ];
  return (scores ?? []).length > 0 && card('Scores', 'with the 95% interval of each mean', table(['criterion', 'share', 'mean'], make('tbody', {}, scores.flatMap(line))));
};

const SPENDERS = ['agent', 'judge', 'simulator'];

const spentOf = () => {
  const sums = {};
  const add = (who, spent) => {
    if (!isMap(spent)) return;
    sums[who] ??= { calls: 0, time: 0, input: 0, output: 0, cost: 0 };
    const value = (one) => (isNumber(one) ? one : 0);
    sums[who].calls += value(spent.calls);
    sums[who].time += value(spent.latency_ms);
    sums[who].input += value(spent.tokens?.input);
    sums[who].output += value(spent.tokens?.output);
    sums[who].cost += value(spent.cost);
  };
  rows.filter((row) => isMap(row.tracing)).forEach(({ tracing }) => {
    const known = SPENDERS.filter((who) => isMap(tracing[who]));
    if (known.length === 0) add('agent', tracing);
    known.forEach((who) => add(who, tracing[who]));
  });
  for (const spent of Object.values({ ...sums })) add('total', { ...spent, latency_ms: spent.time, tokens: spent });
  return sums;
};

const spentCard = () => {
  const sums = spentOf();
  const cell = (value) => make('td', { class: 'figure' }, value > 0 ? number(value) : '–');
  return sums.total && card('Models', '', make('table', { class: 'headed' },
    make('thead', {}, make('tr', {}, ['used by', 'calls', 'time', 'tokens in', 'out', 'cost'].map((name) => make('th', { scope: 'col' }, name)))),
    make('tbody', {}, [...SPENDERS, 'total'].filter((who) => sums[who]).map((who) => make('tr', {}, make('th', { scope: 'row' }, who), cell(sums[who].calls), make('td', { class: 'figure' }, sums[who].time > 0 ? human(sums[who].time) : '–'), cell(sums[who].input), cell(sums[who].output), make('td', { class: 'figure' }, sums[who].cost > 0 ? money(sums[who].cost) : '–'))))));
};

const FILES = 15;

const filesCard = () => {
  const files = new Map();
  for (const row of rows) {
    if (!files.has(row.file)) files.set(row.file, { node: nodeOf(row.file, '', 0), time: 0 });
    countRow(files.get(row.file).node, row);
    files.get(row.file).time += row.duration ?? 0;
  }
  const failures = ([, { node }]) => node.counts.failed + node.counts.interrupted;
  const sorted = [...files].toSorted((left, right) => failures(right) - failures(left));
  const line = ([file, { node, time }]) => make('tr', {},
    make('th', { scope: 'row' }, linkTo({ file }, oneLine(file || '(no file)'))), make('td', { class: 'wide' }, bar(node.counts)),
    make('td', { class: 'figure', title: 'tests' }, number(STATES.reduce((sum, state) => sum + node.counts[state], 0))), make('td', { class: 'figure' }, human(time)));
  const body = make('tbody', {}, sorted.slice(0, FILES).map(line));
  const more = sorted.length > FILES && button(`${number(sorted.length - FILES)} more`, () => { body.append(...sorted.slice(FILES).map(line)); more.remove(); }, { class: 'quiet' });
  return files.size > 0 && card('Files', number(files.size), table(['file', 'results', 'tests', 'time'], body, { class: 'files' }), more);
};

/** Verdicts of people about those of judges. */
const reviewsCard = () => {
  const all = allReviews();
  const line = (review) => make('li', {}, linkTo({ test: rowWithId(review.example)?.id ?? review.example }, make('span', { class: 'name' }, oneLine(review.criterion)), { class: 'test' }),
    make('p', { class: 'reason' }, oneLine([review.verdict, review.by, review.comment].filter(Boolean).join(' · '))));
  return all.length > 0 && card('Reviews', number(all.length), make('ul', { class: 'rows' }, all.slice(0, 12).map(line)));
};

export const overviewParts = () => [
  hero(totals()),
  make('div', { class: 'cards' }, runningCard(), failuresCard(), groupsCard(), !run.live && unfinishedCard(), kindsCard(), criteriaCard(), scoresCard(), flakyCard(), trialsCard(), reviewsCard(), spentCard(), slowestCard(), filesCard()),
];

export const showOverview = () => {
  const page = byId('overview');
  if (page.childElementCount === 0) replace(page, overviewParts());
};
