// Elements. Recorded data is inserted as text, never as markup.

export const byId = (id) => document.getElementById(id);

const fill = (element, properties, children) => {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
};

export const make = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);

export const draw = (tag, properties, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), properties, children);

export const replace = (element, ...children) => {
  element.replaceChildren();
  return fill(element, {}, children);
};

export const button = (text, onclick, properties) => make('button', { type: 'button', onclick, ...properties }, text);

/** A collapsed section. `body` is called when it is first expanded. */
export const folded = (summary, body, { open = false, ...properties } = {}) => {
  const details = make('details', properties, make('summary', {}, summary));
  let made = false;
  const show = () => {
    if (!made) details.append(body());
    made = true;
  };
  details.addEventListener('toggle', show);
  if (open) {
    show();
    details.open = true;
  }
  return details;
};

// Shapes differ as well as colors, for readers who cannot distinguish the colors.
const SHAPES = {
  live: 'M8 4.2v7.6M4.2 8h7.6',
  passed: 'M4.6 8.3l2.3 2.3 4.5-4.8',
  failed: 'M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2',
  skipped: 'M5 8h6',
  interrupted: 'M8 4.5v3.8l2.4 1.5',
  'not-run': 'M5.400 10.600l5.200-5.200',
  flaky: 'M4.6 8.9c1.1-2.4 2.2-2.4 3.4-.9s2.3 1.500 3.4-.9',
  inconclusive: 'M6.2 6.300c.2-2 3.700-2 3.700.1 0 1.400-1.900 1.400-1.900 2.700M8 11.300v.3',
};
export const WORDS = {
  live: 'running', passed: 'passed', failed: 'failed', skipped: 'skipped', interrupted: 'interrupted', 'not-run': 'not run', flaky: 'flaky', inconclusive: 'inconclusive',
};

export const icon = (state) => draw(
  'svg',
  { class: `icon ${state}`, viewBox: '0 0 16 16', width: 16, height: 16, role: 'img', 'aria-label': WORDS[state] },
  draw('circle', { cx: 8, cy: 8, r: 7 }),
  draw('path', { d: SHAPES[state] }),
);

export const copyButton = (text, label) => {
  const done = button(label, async () => {
    try {
      await navigator.clipboard.writeText(text);
      done.textContent = 'Copied';
    } catch {
      done.textContent = 'Not allowed here';
    }
    setTimeout(() => { done.textContent = label; }, 1500);
  }, { class: 'quiet' });
  return done;
};

export const card = (title, aside, ...body) => make('section', { class: 'card' }, make('h2', {}, title, aside && make('span', { class: 'aside' }, aside)), body);
