// The graph of topics: layers by distance from the first topic, edges by how often they were taken.

import { draw, make } from './dom.js';
import { count, number, oneLine } from './text.js';

const SPACE = { box: 34, gap: 92, row: 62, margin: 26 };

/** How often each edge was taken and each topic entered in these visits. */
const travelled = (visits) => {
  const edges = new Map();
  const entered = new Map();
  for (const visit of visits) {
    visit.forEach((topic, index) => {
      entered.set(topic, (entered.get(topic) ?? 0) + 1);
      if (index === 0) return;
      const key = JSON.stringify([visit[index - 1], topic]);
      edges.set(key, (edges.get(key) ?? 0) + 1);
    });
  }
  return { edges, entered };
};

/** Every edge once: planned or not, taken or not. Without a plan, no edge is unexpected. */
const edgesOf = (plan, edges) => {
  const all = new Map();
  for (const [from, next] of Object.entries(plan ?? {})) {
    for (const to of Array.isArray(next) ? next : []) all.set(JSON.stringify([from, to]), { from, to, taken: 0, planned: true });
  }
  for (const [key, taken] of edges) {
    const [from, to] = JSON.parse(key);
    all.set(key, { from, to, taken, planned: !plan || all.has(key) });
  }
  return [...all.values()];
};

/** The layer of each topic: its distance from the first. Unreachable topics come last. */
const layersOf = (topics, edges) => {
  const layer = new Map(topics.length > 0 ? [[topics[0], 0]] : []);
  const queue = [...layer.keys()];
  const planned = edges.filter((edge) => edge.planned);
  for (const reached of [planned, edges]) {
    queue.push(...layer.keys());
    while (queue.length > 0) {
      const from = queue.shift();
      for (const edge of reached) {
        if (edge.from !== from || layer.has(edge.to)) continue;
        layer.set(edge.to, layer.get(from) + 1);
        queue.push(edge.to);
      }
    }
  }
  const beyond = Math.max(-1, ...layer.values()) + 1;
  topics.forEach((topic) => { if (!layer.has(topic)) layer.set(topic, beyond); });
  return layer;
};

const positionsOf = (topics, layer) => {
  const widths = [];
  const rowsIn = [];
  const positions = new Map();
  const widthOf = (topic) => Math.min(200, 30 + oneLine(topic).length * 7.4);
  topics.forEach((topic) => { widths[layer.get(topic)] = Math.max(widths[layer.get(topic)] ?? 0, widthOf(topic)); });
  const lefts = [];
  widths.forEach((width, index) => { lefts[index] = index === 0 ? SPACE.margin : lefts[index - 1] + widths[index - 1] + SPACE.gap; });
  topics.forEach((topic) => {
    const column = layer.get(topic);
    rowsIn[column] = (rowsIn[column] ?? 0) + 1;
    positions.set(topic, { x: lefts[column], row: rowsIn[column] - 1, column, width: widthOf(topic) });
  });
  const most = Math.max(1, ...rowsIn.filter(Boolean));
  positions.forEach((position) => { position.y = SPACE.margin + 22 + (position.row + (most - rowsIn[position.column]) / 2) * SPACE.row; });
  return { positions, width: lefts.at(-1) + widths.at(-1) + SPACE.margin + 24 + Math.max(0, (rowsIn.at(-1) ?? 1) - 1) * 10, height: most * SPACE.row + SPACE.margin * 2 + 30 };
};

/** The line of an edge and the position of its label. */
const course = (from, to, same) => {
  const middle = SPACE.box / 2;
  if (same) {
    const x = from.x + from.width / 2;
    return { d: `M${x - 14} ${from.y}C${x - 20} ${from.y - 30} ${x + 20} ${from.y - 30} ${x + 14} ${from.y}`, x, y: from.y - 25 };
  }
  if (to.column - from.column > 1) {
    const [x1, x2] = [from.x + from.width / 2, to.x + to.width / 2];
    const high = Math.min(from.y, to.y) - 16 - (to.column - from.column) * 9;
    return { d: `M${x1} ${from.y}C${x1} ${high} ${x2} ${high} ${x2} ${to.y - 7}`, x: (x1 + x2) / 2, y: (high * 3 + from.y) / 4 - 5 };
  }
  if (to.column > from.column) {
    const [x1, y1, x2, y2] = [from.x + from.width, from.y + middle, to.x - 7, to.y + middle];
    const bend = Math.max(24, (x2 - x1) / 2);
    return { d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`, x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 5 };
  }
  if (to.column === from.column) {
    const [x1, y1, x2, y2] = [from.x + from.width, from.y + middle, to.x + to.width + 7, to.y + middle];
    const far = Math.max(x1, x2) + 18 + Math.abs(from.row - to.row) * 10;
    return { d: `M${x1} ${y1}C${far} ${y1} ${far} ${y2} ${x2} ${y2}`, x: (Math.max(x1, x2) + far * 3) / 4 + 10, y: (y1 + y2) / 2 + 4 };
  }
  const [x1, x2] = [from.x + from.width / 2, to.x + to.width / 2];
  const [y1, y2] = [from.y + SPACE.box, to.y + SPACE.box + 7];
  const low = Math.max(y1, y2) + 16 + Math.abs(from.column - to.column) * 9;
  return { d: `M${x1} ${y1}C${x1} ${low} ${x2} ${low} ${x2} ${y2}`, x: (x1 + x2) / 2, y: (low * 3 + y1) / 4 + 14 };
};

const edgeShape = (edge, positions, most) => {
  const { d, x, y } = course(positions.get(edge.from), positions.get(edge.to), edge.from === edge.to);
  const kind = kindOf(edge);
  const width = edge.taken === 0 ? 1 : 1.25 + (2.75 * edge.taken) / most;
  return draw('g', { class: `edge ${kind}` },
    draw('path', { d, 'stroke-width': width, 'marker-end': `url(#arrow-${kind})` }),
    edge.taken > 0 && draw('text', { x, y, 'text-anchor': 'middle' }, `${number(edge.taken)}×`));
};

/** Once for the whole page: a browser does not draw arrows that are defined in a hidden view. */
export const arrows = () => draw('defs', {}, ['taken', 'untaken', 'unplanned'].map((kind) => draw(
  'marker',
  { id: `arrow-${kind}`, class: `arrow ${kind}`, viewBox: '0 0 8 8', refX: 1, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: 'userSpaceOnUse', orient: 'auto' },
  draw('path', { d: 'M0 0L8 4L0 8Z' }),
)));

const KINDS = { taken: 'transition with its count', untaken: 'never occurred', unplanned: 'occurred, but not in the suite' };

const kindOf = (edge) => (edge.planned ? (edge.taken > 0 ? 'taken' : 'untaken') : 'unplanned');

/** The meaning of the lines and boxes in the graph. */
const legend = (edges, plan) => {
  const sample = (...shapes) => draw('svg', { width: 44, height: 14, viewBox: '0 0 44 14', 'aria-hidden': 'true' }, shapes);
  const line = (kind) => sample(draw('g', { class: `edge ${kind}` }, draw('path', { d: 'M1 7H34', 'stroke-width': 1.500, 'marker-end': `url(#arrow-${kind})` })));
  const box = (kind) => sample(draw('g', { class: `topic ${kind}` }, draw('rect', { x: 6, y: 1, width: 32, height: 12, rx: 4 })));
  return make('ul', { class: 'legend-row', 'aria-label': 'Legend' },
    Object.keys(KINDS).filter((kind) => edges.some((edge) => kindOf(edge) === kind)).map((kind) => make('li', {}, line(kind), KINDS[kind])),
    make('li', {}, box('entered'), 'topic of a conversation'),
    plan && make('li', {}, box(''), 'topic that was never reached'));
};

const edgeList = (edges) => make('ul', { class: 'unseen' }, edges.map((edge) => make('li', {},
  `${oneLine(edge.from)} to ${oneLine(edge.to)}: ${edge.taken === 0 ? 'never taken' : `taken ${count(edge.taken, 'time')}`}${edge.planned ? '' : ', not in the suite'}`)));

/** The planned graph, if any, with the counts of these visits. */
export const topicGraph = (plan, visits) => {
  const { edges: taken, entered } = travelled(visits);
  const edges = edgesOf(plan, taken);
  const topics = [...new Set([...Object.keys(plan ?? {}), ...edges.flatMap((edge) => [edge.from, edge.to]), ...entered.keys()])];
  if (topics.length === 0) return make('p', { class: 'aside' }, 'No topic was recorded.');
  const { positions, width, height } = positionsOf(topics, layersOf(topics, edges));
  const most = Math.max(1, ...edges.map((edge) => edge.taken));
  const boxes = topics.map((topic) => {
    const { x, y, width: wide } = positions.get(topic);
    const times = entered.get(topic) ?? 0;
    return draw('g', { class: `topic ${times > 0 ? 'entered' : ''} ${!plan || Object.hasOwn(plan, topic) ? '' : 'unplanned'}` },
      draw('rect', { x, y, width: wide, height: SPACE.box, rx: 8 }),
      draw('text', { x: x + wide / 2, y: y + SPACE.box / 2 + 4, 'text-anchor': 'middle' }, oneLine(topic).slice(0, 24)),
      draw('title', {}, `${oneLine(topic)}: entered ${count(times, 'time')}`));
  });
  return make('div', { class: 'graph', tabindex: 0 },
    draw('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': 'Topic graph; a list of its edges follows' },
      edges.map((edge) => edgeShape(edge, positions, most)), boxes),
    edgeList(edges), legend(edges, plan));
};
