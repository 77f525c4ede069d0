// The screen of a command's terminal, in its colors.

import { indexed, styled } from './ansi.js';
import { copyButton, make } from './dom.js';
import { asText, clean, isMap, isNumber } from './text.js';

const screenLine = (line) => (typeof line === 'string' ? line : (Array.isArray(line) ? line : []).filter(isMap).map((run) => asText(run.text ?? '')).join(''));

/** The screen as text; undefined if the command had no terminal. */
export const screenText = (screen) => (isMap(screen) && Array.isArray(screen.lines) ? screen.lines.map((line) => screenLine(line).trimEnd()).join('\n').trimEnd() : undefined);

/** A color of the record: a number from 0 to 255, or `#rrggbb`. */
const screenColor = (color) => {
  if (typeof color !== 'string') return null;
  if (/^#[0-9a-f]{6}$/i.test(color)) return color;
  return /^\d{1,3}$/.test(color) && Number(color) <= 255 ? indexed(Number(color)) : null;
};

const screenRun = (run) => styled(clean(asText(run.text ?? '')), {
  bold: run.bold === true, dim: run.faint === true, italic: run.italic === true, underline: run.underline === true,
  inverse: run.inverse === true, strike: run.strikethrough === true, color: screenColor(run.color), back: screenColor(run.background),
});

const screenNodes = (screen) => screen.lines.flatMap((line, at) => [
  ...(at > 0 ? ['\n'] : []), ...(Array.isArray(line) ? line.filter(isMap).map(screenRun) : [clean(screenLine(line))])]);

export const screenView = (name, screen) => screenText(screen) !== undefined && make('div', { class: 'stream-box' },
  make('div', { class: 'stream-head' }, make('span', { class: 'label' }, name),
    isNumber(screen.columns) && isNumber(screen.rows) && make('span', { class: 'aside' }, `${screen.columns} × ${screen.rows}`), copyButton(screenText(screen), 'Copy')),
  make('pre', { class: 'stream screen', tabindex: 0 }, screenNodes(screen)));
