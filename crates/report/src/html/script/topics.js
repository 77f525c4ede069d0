// The topic graphs of the run, with how often all conversations took each edge.

import { graphs, rows } from './data.js';
import { byId, card, make, replace } from './dom.js';
import { topicGraph } from './graph.js';
import { count, oneLine } from './text.js';

/** Conversations by their planned graph; those without a plan by their file. */
export const journeys = () => {
  const found = new Map();
  for (const row of rows) {
    if (row.graph === undefined && row.topics.length === 0) continue;
    const key = row.graph ?? row.file;
    if (!found.has(key)) found.set(key, { plan: graphs[row.graph], rows: [] });
    found.get(key).rows.push(row);
  }
  return [...found.values()];
};

export const showTopics = () => {
  const page = byId('topics');
  if (page.childElementCount > 0) return;
  replace(page, make('h1', {}, 'Topics'), journeys().map(({ plan, rows: conversations }) => {
    const suites = [...new Set(conversations.map((row) => row.groups[0] ?? row.file))];
    return card(suites.slice(0, 3).map(oneLine).join(', '), `${count(conversations.length, 'conversation')}`, topicGraph(plan, conversations.map((row) => row.topics)));
  }));
};
