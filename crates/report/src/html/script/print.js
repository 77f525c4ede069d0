// Prints the open test, else the overview and the complete failures.

const PRINTED = 25;
let printable = [];

/** Unpacks the details before printing, because a printing browser does not wait. */
const preparePrint = async () => {
  const failed = rows.filter((row) => row.status === 'failed' || row.status === 'running').slice(0, PRINTED);
  for (const row of failed) printable.push([row, await detailsOf(row)]);
  document.documentElement.dataset.printable = 'true';
};

const omitted = () => {
  const failed = rows.filter((row) => row.status === 'failed' || row.status === 'running').length;
  const others = rows.length - failed;
  return [
    failed > printable.length && `${count(failed - printable.length, 'more failure')}`,
    others > 0 && `${count(others, 'test')} that did not fail`,
  ].filter(Boolean).join(' and ');
};

const openAll = (element) => {
  element.querySelectorAll('details').forEach((details) => {
    if (!details.matches('.json details, .record')) details.open = true;
  });
};

const beforePrint = () => {
  const page = byId('print');
  if (state.test) return;
  replace(page, overviewParts(),
    printable.map(([row, example]) => make('article', { class: 'printed' }, exampleView(row, example))),
    omitted() && make('p', { class: 'aside' }, `Not printed: ${omitted()}. See the report for them.`));
  openAll(page);
};

addEventListener('beforeprint', () => {
  document.body.classList.toggle('print-run', !state.test);
  beforePrint();
});
addEventListener('afterprint', () => byId('print').replaceChildren());
