// Formatting of numbers and texts.

import { Exact } from './exact.js';

export const number = (value) => value.toLocaleString('en-US');
export const count = (value, word) => `${number(value)} ${word}${value === 1 ? '' : 's'}`;
/** Rounded; only all are 100%, and only none are 0%. */
export const percent = (part, whole) => {
  if (whole === 0) return '–';
  const rounded = Math.round((part / whole) * 1000) / 10;
  if (part < whole) return `${Math.min(rounded, 99.9) || (part > 0 ? 0.1 : 0)}%`;
  return `${rounded}%`;
};

/** Formats a duration like the terminal report: “57 ms”, “1.24 s”, “2 min 03 s”, “1 h 02 min”. */
export const human = (millis) => {
  const two = (value) => String(value).padStart(2, '0');
  const rounded = Math.max(0, Math.round(millis));
  if (rounded < 1000) return `${rounded} ms`;
  if (Math.round(rounded / 10) < 6000) return `${(Math.round(rounded / 10) / 100).toFixed(2)} s`;
  const seconds = Math.round(rounded / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.round(rounded / 60000);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
};

// Suites do not name the currency of their prices.
export const money = (cost) => (cost < 0.01 ? cost.toPrecision(2) : cost.toFixed(cost < 1 ? 3 : 2));

export const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
export const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Exact);
export const asText = (value) => (typeof value === 'string' ? value : JSON.stringify(value) ?? '');
export const firstLine = (text) => text.trim().split('\n', 1)[0];

// Invisible characters that change or hide other text.
const MISLEADING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

export const visible = (character) => {
  const code = character.codePointAt(0);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '␡' : `\\u{${code.toString(16)}}`;
};

/** The text with control characters made visible; line breaks and tabs are kept. */
export const clean = (text) => text.replace(/\r\n/g, '\n').replace(MISLEADING, visible);

/** Like `clean`, on one line. */
export const oneLine = (text) => clean(text).replace(/[\n\t]+/g, ' ');
