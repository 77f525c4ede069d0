// The list of tests. The page contains only the visible lines.

import { WORDS, draw, icon, make } from './dom.js';
import { human, number, oneLine } from './text.js';
import { STATES } from './tree.js';

const AROUND = 10;

export class List {
  constructor(box, { open, fold }) {
    this.box = box;
    this.spacer = make('div', { class: 'spacer', role: 'presentation' });
    this.box.append(this.spacer);
    this.lines = [];
    this.active = -1;
    this.selected = '';
    this.drawn = new Map();
    this.open = open;
    this.fold = fold;
    let asked = false;
    const soon = () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => { asked = false; this.draw(); });
    };
    box.addEventListener('scroll', soon, { passive: true });
    new ResizeObserver(() => { this.measure(); soon(); }).observe(box);
    box.addEventListener('click', (event) => this.clicked(event));
    this.measure();
  }

  measure() {
    const height = parseFloat(getComputedStyle(this.box).getPropertyValue('--line')) || 34;
    if (height !== this.height) {
      this.height = height;
      this.clear();
    }
  }

  clear() {
    this.drawn.forEach((element) => element.remove());
    this.drawn.clear();
    this.spacer.style.height = `${this.lines.length * this.height}px`;
  }

  show(lines, selected) {
    const active = this.lines[this.active];
    this.lines = lines;
    this.selected = selected;
    const same = (line) => (active?.row ? line.row === active.row : line.group?.key === active?.group?.key);
    this.active = active ? lines.findIndex(same) : -1;
    this.clear();
    this.draw();
  }

  /** Marks the open test and scrolls to it. */
  choose(id) {
    this.selected = id;
    const index = this.lines.findIndex((line) => line.row?.id === id);
    if (index >= 0) this.move(index);
    else this.clear();
    this.draw();
  }

  move(index) {
    if (this.lines.length === 0) return;
    this.active = Math.max(0, Math.min(this.lines.length - 1, index));
    const top = this.active * this.height;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    const bottom = top + this.height - this.box.clientHeight;
    if (bottom > this.box.scrollTop) this.box.scrollTop = bottom;
    this.clear();
    this.draw();
    this.box.setAttribute('aria-activedescendant', `line-${this.active}`);
  }

  /** The test `step` tests further, skipping groups. */
  neighbor(step) {
    const from = this.lines.findIndex((line) => line.row?.id === this.selected);
    for (let index = from + step; index >= 0 && index < this.lines.length; index += step) {
      if (this.lines[index].row) return this.lines[index].row;
    }
    return undefined;
  }

  act(index) {
    const line = this.lines[index];
    if (line?.group) this.fold(line.group);
    else if (line) this.open(line.row);
  }

  clicked(event) {
    const element = event.target.closest('.line');
    if (!element) return;
    this.active = Number(element.dataset.index);
    this.act(this.active);
  }

  draw() {
    if (this.box.clientHeight === 0) return;
    const first = Math.max(0, Math.floor(this.box.scrollTop / this.height) - AROUND);
    const last = Math.min(this.lines.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / this.height) + AROUND);
    for (const [index, element] of this.drawn) {
      if (index >= first && index < last) continue;
      element.remove();
      this.drawn.delete(index);
    }
    const fresh = [];
    for (let index = first; index < last; index += 1) {
      if (this.drawn.has(index)) continue;
      const element = this.line(index);
      this.drawn.set(index, element);
      fresh.push(element);
    }
    this.spacer.append(...fresh);
  }

  line(index) {
    const line = this.lines[index];
    const selected = line.row && line.row.id === this.selected;
    const element = make('div', {
      class: `line ${line.group ? 'group' : line.row.state}${index === this.active ? ' active' : ''}${selected ? ' selected' : ''}`,
      role: 'treeitem',
      id: `line-${index}`,
      'data-index': index,
      'aria-level': line.depth + 1,
      'aria-expanded': line.group ? String(line.open) : undefined,
      'aria-selected': String(Boolean(selected)),
    }, line.group ? this.groupLine(line) : this.rowLine(line));
    element.style.top = `${index * this.height}px`;
    element.style.setProperty('--depth', Math.min(line.depth, 8));
    return element;
  }

  groupLine({ group, depth }) {
    const parts = STATES.filter((state) => group.counts[state] > 0);
    return [
      make('span', { class: 'twist', 'aria-hidden': 'true' }),
      make('span', { class: 'name' }, oneLine(group.name), depth === 0 && group.file && group.file !== group.name && make('span', { class: 'aside' }, oneLine(group.file))),
      make('span', { class: 'sums' }, parts.map((state) => make('span', { class: `sum ${state}`, title: WORDS[state] }, icon(state), number(group.counts[state])))),
    ];
  }

  rowLine({ row, flat }) {
    const path = flat ? make('span', { class: 'aside before' }, row.groups.map(oneLine).join(' › ')) : false;
    const why = row.reason ? make('span', { class: 'aside' }, oneLine(row.reason)) : false;
    return [
      icon(row.state),
      make('span', { class: 'name' }, path, oneLine(row.name), why),
      make('span', { class: 'marks' }, row.tags.slice(0, 3).map((tag) => make('span', { class: 'tag' }, oneLine(tag))), row.attempts > 0 && !row.repetitions && make('span', { class: 'tag again' }, `${row.attempts + 1} attempts`), row.repetitions && make('span', { class: 'tag again' }, row.repetitions.split(',')[0])),
      make('span', { class: 'time' }, row.duration === undefined ? '' : human(row.duration)),
    ];
  }
}
