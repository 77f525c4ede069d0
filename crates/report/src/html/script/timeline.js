// When each test ran, with one lane per worker.

import { rows, run } from './data.js';
import { WORDS, button, byId, draw, icon, make, replace } from './dom.js';
import { testLink } from './overview.js';
import { EMPTY, go } from './state.js';
import { asText, human, number, oneLine, percent } from './text.js';
import { ORDERS, STATES, totals } from './tree.js';

const LANE = 30;
const AXIS = 22;

const endOf = (row) => row.start + (row.duration ?? 0);

/** Rows by worker. If no worker is recorded, uses as few lanes as possible without overlap. */
const lanesOf = () => {
  const lanes = new Map();
  const ends = [];
  for (const row of rows.filter((one) => one.duration !== undefined).toSorted(ORDERS.run)) {
    let name = row.worker === undefined ? undefined : `worker ${asText(row.worker)}`;
    if (name === undefined) {
      let free = ends.findIndex((end) => end <= row.start);
      if (free < 0) free = ends.length;
      ends[free] = Math.max(endOf(row), row.start + 1);
      name = `lane ${free + 1}`;
    }
    if (!lanes.has(name)) lanes.set(name, []);
    lanes.get(name).push(row);
  }
  return [...lanes].toSorted(([left], [right]) => left.localeCompare(right, 'en', { numeric: true }));
};

const niceStep = (span, most) => {
  const rough = Math.max(1, span / most);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
};

class Timeline {
  constructor(page) {
    this.page = page;
    this.lanes = lanesOf();
    this.end = Math.max(1, run.duration ?? 0, ...this.lanes.map(([, lane]) => lane.reduce((most, row) => Math.max(most, endOf(row)), 0)));
    this.range = [0, this.end];
    this.canvas = make('canvas', { role: 'img', 'aria-label': 'Timeline of the tests by worker; the table below contains the same data' });
    this.rangeLabel = make('p', { class: 'aside', role: 'status' });
    this.resetButton = button('Whole run', () => this.zoom([0, this.end]), { hidden: true });
    replace(page, make('h1', {}, 'Timeline'),
      make('p', { class: 'aside' }, 'Each bar is a test. Click to open it; drag across a range to zoom in.'),
      make('div', { class: 'legend-row' }, STATES.filter((state) => totals()[state] > 0).map((state) => make('span', {}, icon(state), ` ${WORDS[state]}`)),
        make('span', { class: 'stretch' }), this.rangeLabel, this.resetButton),
      make('div', { class: 'lanes' }, make('div', {}, this.canvas)), this.table());
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas.parentElement);
  }

  table() {
    const line = ([name, lane]) => {
      const busy = lane.reduce((sum, row) => sum + (row.duration ?? 0), 0);
      const longest = lane.reduce((most, row) => ((row.duration ?? 0) > (most.duration ?? 0) ? row : most));
      return make('tr', {}, make('th', { scope: 'row' }, oneLine(name)), make('td', { class: 'figure' }, number(lane.length)),
        make('td', { class: 'figure' }, human(busy)), make('td', { class: 'figure' }, percent(Math.min(busy, this.end), this.end)),
        make('td', {}, testLink(longest)), make('td', { class: 'figure' }, human(longest.duration ?? 0)));
    };
    return make('section', { class: 'card' }, make('h2', {}, 'Workers'), make('div', { class: 'scroll', tabindex: 0 }, make('table', { class: 'headed' },
      make('thead', {}, make('tr', {}, ['worker', 'tests', 'busy', 'of the run', 'longest test', 'its time'].map((name) => make('th', { scope: 'col' }, name)))),
      make('tbody', {}, this.lanes.slice(0, 200).map(line)))));
  }

  zoom(range) {
    this.range = range;
    this.resetButton.hidden = range[0] === 0 && range[1] === this.end;
    this.rangeLabel.textContent = this.resetButton.hidden ? '' : `${human(range[0])} to ${human(range[1])}`;
    this.draw();
  }

  /** Converts a time to pixels from the left, and back. */
  x(moment) { return this.left + ((moment - this.range[0]) / (this.range[1] - this.range[0])) * (this.width - this.left - 8); }

  moment(x) { return this.range[0] + ((x - this.left) / (this.width - this.left - 8)) * (this.range[1] - this.range[0]); }

  draw() {
    const { canvas } = this;
    this.width = canvas.parentElement.clientWidth;
    if (this.width === 0) return;
    this.left = this.width < 500 ? 62 : 92;
    const height = AXIS + this.lanes.length * LANE + 6;
    const scale = devicePixelRatio || 1;
    Object.assign(canvas, { width: this.width * scale, height: height * scale });
    Object.assign(canvas.style, { width: `${this.width}px`, height: `${height}px` });
    const pen = canvas.getContext('2d');
    pen.scale(scale, scale);
    const style = getComputedStyle(this.page);
    this.colors = Object.fromEntries([...STATES, 'text', 'edge', 'dim'].map((name) => [name, this.color(`var(--paint-${name})`)]));
    pen.font = `12px ${style.fontFamily}`;
    this.axis(pen, height);
    this.lanes.forEach((lane, index) => this.lane(pen, lane, AXIS + index * LANE));
  }

  /** Resolves a CSS color for the canvas. */
  color(name) {
    this.rangeLabel.style.color = name;
    const { color } = getComputedStyle(this.rangeLabel);
    this.rangeLabel.style.color = '';
    return color;
  }

  axis(pen, height) {
    const step = niceStep(this.range[1] - this.range[0], Math.max(2, Math.min(8, Math.floor((this.width - this.left) / 70))));
    pen.textAlign = 'center';
    for (let moment = Math.ceil(this.range[0] / step) * step; moment <= this.range[1]; moment += step) {
      const x = Math.round(this.x(moment)) + 0.5;
      pen.strokeStyle = this.colors.edge;
      pen.beginPath();
      pen.moveTo(x, AXIS - 4);
      pen.lineTo(x, height);
      pen.stroke();
      pen.fillStyle = this.colors.dim;
      if (x < this.width - 24) pen.fillText(human(moment), x, 12);
    }
  }

  lane(pen, [name, lane], top) {
    pen.textAlign = 'left';
    pen.fillStyle = this.colors.dim;
    pen.fillText(name.slice(0, this.left < 80 ? 9 : 14), 0, top + LANE / 2 + 4);
    for (const row of lane) {
      const [from, to] = [Math.max(this.left, this.x(row.start)), Math.min(this.width - 8, this.x(endOf(row)))];
      if (to < this.left || from > this.width - 8) continue;
      const wide = Math.max(1.5, to - from - (to - from > 4 ? 1 : 0));
      pen.fillStyle = this.colors[row.state];
      pen.fillRect(from, top + 4, wide, LANE - 8);
      // Failed tests are also taller than the lane, for readers who cannot distinguish the colors.
      if (row.state === 'failed' || row.state === 'interrupted') pen.fillRect(from, top + 1, wide, 3);
      if (wide > 60) this.label(pen, row, from, top, wide);
    }
  }

  label(pen, row, from, top, wide) {
    pen.save();
    pen.beginPath();
    pen.rect(from, top, wide - 4, LANE);
    pen.clip();
    pen.fillStyle = this.colors.text;
    pen.fillText(oneLine(row.name), from + 6, top + LANE / 2 + 4);
    pen.restore();
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const lane = this.lanes[Math.floor((event.clientY - box.top - AXIS) / LANE)];
    const moment = this.moment(event.clientX - box.left);
    const near = (3 / (this.width - this.left)) * (this.range[1] - this.range[0]);
    return lane?.[1].findLast((row) => row.start - near <= moment && endOf(row) + near >= moment);
  }

  listen() {
    let from;
    const { canvas } = this;
    canvas.addEventListener('pointerdown', (event) => { from = event.clientX; });
    canvas.addEventListener('pointermove', (event) => {
      const row = this.at(event);
      canvas.style.cursor = row ? 'pointer' : 'crosshair';
      tip(row && `${oneLine(row.title)}\n${WORDS[row.state]} · ${human(row.duration ?? 0)} from ${human(row.start)}`, event);
    });
    canvas.addEventListener('pointerleave', () => tip());
    canvas.addEventListener('pointerup', (event) => {
      const { left } = canvas.getBoundingClientRect();
      const range = [from, event.clientX].map((x) => Math.max(0, Math.min(this.end, this.moment(x - left)))).toSorted((a, b) => a - b);
      const row = this.at(event);
      if (Math.abs(event.clientX - from) > 8) this.zoom(range[1] - range[0] < 1 ? [range[0], range[0] + 1] : range);
      else if (row) go({ ...EMPTY, view: 'tests', test: row.id });
    });
  }
}

export const tip = (text, event) => {
  const box = byId('tip');
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  box.style.left = `${Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8)}px`;
  box.style.top = `${Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8)}px`;
};

let timeline;

/** Draws the timeline in the colors of the theme. */
export const redrawTimeline = () => timeline?.draw();

/** Builds the timeline again when it is shown. */
export const forgetTimeline = () => { timeline = undefined; };

export const showTimeline = () => {
  timeline ??= new Timeline(byId('timeline'));
  timeline.draw();
};
