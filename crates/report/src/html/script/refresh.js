// Shows what changed in a run in progress.

/** Builds the page of a view again if it is shown, and keeps the focus on the same link. */
const rebuild = (name, show) => {
  const page = byId(name);
  const focused = page.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  const { scrollTop } = page;
  page.replaceChildren();
  if (state.view !== name) return;
  show();
  page.scrollTop = scrollTop;
  if (focused) [...page.querySelectorAll('a')].find((link) => link.getAttribute('href') === focused)?.focus({ preventScroll: true });
};

/** Shows the open test again, unless somebody selects text in it. */
const refreshTest = async () => {
  if (!state.test || state.view !== 'tests' || !getSelection().isCollapsed) return;
  const { scrollTop } = pane;
  const focused = pane.contains(document.activeElement);
  const before = document.activeElement;
  await showTest(state.test, neighbors());
  pane.scrollTop = scrollTop;
  if (!focused) before?.focus?.({ preventScroll: true });
};

const refresh = (changed) => {
  fillFilters();
  showFilters();
  showList();
  rebuild('overview', showOverview);
  rebuild('topics', showTopics);
  timeline = undefined;
  rebuild('timeline', showTimeline);
  if (changed.some((row) => row.id === state.test)) refreshTest();
};
