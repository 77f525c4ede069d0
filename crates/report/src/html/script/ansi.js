// Output of a program with its colors: SGR sequences become classes, other sequences are dropped.

import { make } from './dom.js';
import { clean } from './text.js';

const SEQUENCE =
  /\u001b\[([0-9;:]*)m|\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\u001b[ -/]*[0-~]|\u009b([0-9;:]*)m|\u009b[0-?]*[ -/]*[@-~]/g;

const plainStyle = () => ({ bold: false, dim: false, italic: false, underline: false, inverse: false, strike: false, color: null, back: null });

const SWITCHES = {
  1: ['bold', true], 2: ['dim', true], 3: ['italic', true], 4: ['underline', true], 7: ['inverse', true], 9: ['strike', true],
  23: ['italic', false], 24: ['underline', false], 27: ['inverse', false], 29: ['strike', false], 39: ['color', null], 49: ['back', null],
};

/** One of 256 colors: 16 named ones, a cube, grays. */
export const indexed = (index) => {
  if (index < 16) return index;
  if (index >= 232) return `rgb(${Array(3).fill(8 + (index - 232) * 10).join(' ')})`;
  const level = (part) => (part === 0 ? 0 : 55 + part * 40);
  const rest = index - 16;
  return `rgb(${level(Math.floor(rest / 36))} ${level(Math.floor(rest / 6) % 6)} ${level(rest % 6)})`;
};

/** The color after code 38 or 48, and how many numbers it uses. */
const extended = (codes, at) => {
  const valid = (value) => Number.isInteger(value) && value >= 0 && value <= 255;
  if (codes[at] === 5 && valid(codes[at + 1])) return [indexed(codes[at + 1]), 2];
  const rgb = codes.slice(at + 1, at + 4);
  if (codes[at] === 2 && rgb.length === 3 && rgb.every(valid)) return [`rgb(${rgb.join(' ')})`, 4];
  return [undefined, codes.length];
};

const restyle = (style, parameters) => {
  const codes = parameters.replace(/:/g, ';').split(';').map((code) => Number(code || 0));
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at];
    const [base, offset] = code >= 90 && code <= 107 ? [8, code - 60] : [0, code];
    if (code === 0) Object.assign(style, plainStyle());
    else if (SWITCHES[code]) style[SWITCHES[code][0]] = SWITCHES[code][1];
    else if (code === 22) Object.assign(style, { bold: false, dim: false });
    else if (offset >= 30 && offset <= 37) style.color = base + offset - 30;
    else if (offset >= 40 && offset <= 47) style.back = base + offset - 40;
    else if (code === 38 || code === 48) {
      const [color, taken] = extended(codes, at + 1);
      if (color !== undefined) style[code === 38 ? 'color' : 'back'] = color;
      at += taken;
    }
  }
};

export const styled = (text, style) => {
  const names = ['bold', 'dim', 'italic', 'underline', 'inverse', 'strike'].filter((name) => style[name]);
  const span = make('span', {}, text);
  for (const [key, letter] of [['color', 'f'], ['back', 'b']]) {
    const color = style[key];
    if (color === null) continue;
    names.push(typeof color === 'number' ? `${letter}${color}` : `${letter}x`);
    if (typeof color === 'string') span.style.setProperty(`--${letter}`, color);
  }
  if (names.length === 0) return text;
  span.className = names.join(' ');
  return span;
};

/** The text as DOM nodes. */
export const ansi = (text) => {
  const style = plainStyle();
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(SEQUENCE)) {
    if (match.index > from) nodes.push(styled(clean(text.slice(from, match.index)), style));
    from = match.index + match[0].length;
    const parameters = match[1] ?? match[2];
    if (parameters !== undefined) restyle(style, parameters);
  }
  if (from < text.length) nodes.push(styled(clean(text.slice(from)), style));
  return nodes;
};

export const withoutAnsi = (text) => text.replace(SEQUENCE, '');
