// Light or dark, as the system prefers or as the button says.

import { byId } from './dom.js';

const isDark = () => {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
};

export const nameTheme = () => { byId('theme').textContent = isDark() ? 'Light' : 'Dark'; };

/** Switches between light and dark. */
export const switchTheme = () => {
  document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
  nameTheme();
};
