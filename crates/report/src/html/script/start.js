// The page with the run in its own file.

import { byId, make, replace } from './dom.js';
import { embedded } from './embedded.js';
import { start } from './main.js';

start(embedded).catch((error) => {
  byId('app').hidden = false;
  replace(byId('main'), make('section', { class: 'page' }, make('h1', {}, 'This report cannot be shown'),
    make('p', {}, 'It requires a browser from 2024 or later: Chrome 123, Firefox 128, Safari 17.5.'), make('pre', {}, String(error))));
  throw error;
});
