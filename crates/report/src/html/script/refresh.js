// Shows what changed in a run in progress.

import { pane, showTest } from './detail.js';
import { byId } from './dom.js';
import { fillFilters, neighbors, showFilters, showList } from './main.js';
import { showOverview } from './overview.js';
import { state } from './state.js';
import { forgetTimeline, showTimeline } from './timeline.js';
import { showTopics } from './topics.js';

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

export const refresh = (changed) => {
  fillFilters();
  showFilters();
  showList();
  rebuild('overview', showOverview);
  rebuild('topics', showTopics);
  forgetTimeline();
  rebuild('timeline', showTimeline);
  if (changed.some((row) => row.id === state.test)) refreshTest();
};
