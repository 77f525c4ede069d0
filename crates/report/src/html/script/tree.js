// The tests as a tree of groups, flattened to lines of the list.

import { rows } from './data.js';

// Each test has one of these states, so that counts add up: a flaky test is not counted as passed.
export const STATES = ['live', 'failed', 'interrupted', 'not-run', 'flaky', 'skipped', 'passed'];

export const foldedGroups = new Set();

export const nodeOf = (name, key, depth) => ({ name, key, depth, children: new Map(), rows: [], counts: Object.fromEntries(STATES.map((state) => [state, 0])) });

export const countRow = (node, row) => {
  node.counts[row.state] += 1;
};

export const treeOf = (rows) => {
  const root = nodeOf('', '', -1);
  for (const row of rows) {
    let node = root;
    const path = row.groups.length > 0 ? row.groups : [row.file || '(no file)'];
    path.forEach((name, depth) => {
      // Suites with equal names in two files stay separate.
      const key = `${node.key}\u0000${depth === 0 ? row.file : ''}\u0000${name}`;
      if (!node.children.has(key)) node.children.set(key, nodeOf(name, key, depth));
      node = node.children.get(key);
      node.file ??= row.file;
      countRow(node, row);
    });
    node.rows.push(row);
  }
  return root;
};

const flatten = (node, unfolded, lines) => {
  for (const row of node.rows) lines.push({ row, depth: node.depth + 1 });
  for (const child of node.children.values()) {
    const open = unfolded || !foldedGroups.has(child.key);
    lines.push({ group: child, depth: child.depth, open });
    if (open) flatten(child, unfolded, lines);
  }
  return lines;
};

export const ORDERS = {
  run: (left, right) => left.start - right.start || left.index - right.index,
  slow: (left, right) => (right.duration ?? -1) - (left.duration ?? -1) || left.index - right.index,
  bad: (left, right) => STATES.indexOf(left.state) - STATES.indexOf(right.state) || left.index - right.index,
};

/** The lines of the list for these rows. */
export const linesFor = (rows, sort, unfolded) => {
  if (sort) return rows.toSorted(ORDERS[sort]).map((row) => ({ row, depth: 0, flat: true }));
  return flatten(treeOf(rows), unfolded, []);
};

export const eachGroup = (node, visit) => {
  for (const child of node.children.values()) {
    visit(child);
    eachGroup(child, visit);
  }
};

const isTroubled = ({ counts }) => counts.failed + counts.interrupted + counts.flaky > 0;

const MANY = 200;

/** In a large run, groups without failures start collapsed. */
export const foldAtFirst = () => {
  if (rows.length <= MANY) return;
  const root = treeOf(rows);
  if (isTroubled({ counts: totals() })) eachGroup(root, (node) => { if (!isTroubled(node)) foldedGroups.add(node.key); });
};

export const totals = (counted = rows) => {
  const all = nodeOf('', '', 0);
  counted.forEach((row) => countRow(all, row));
  return all.counts;
};
