// Reviews of judged criteria: agree, or correct the verdict, with a comment.

import { isReadOnly } from './commands.js';
import { button, icon, make } from './dom.js';
import { verdictOf } from './evaluation.js';
import { criterionName, reviewOf, reviewText, setReviews } from './reviews.js';
import { runName } from './run_name.js';
import { apiAddress, getJson, post } from './server.js';
import { clean, isMap, isNumber, oneLine } from './text.js';

export const loadReviews = async () => { setReviews(await getJson(apiAddress('runs', runName, 'reviews'))); };

const VERDICTS = ['passed', 'failed', 'inconclusive'];

const judgedIn = (example) => (example.evaluations ?? []).filter((one) => typeof one.metadata?.criterion === 'string' || isMap(one.metadata?.judge) || Array.isArray(one.metadata?.votes));

const reviewForm = (row, evaluation) => {
  const given = verdictOf(evaluation);
  const status = make('p', { class: 'aside', role: 'status' }, clean(reviewText(reviewOf(row, evaluation), given)));
  const comment = make('input', { type: 'text', maxlength: 2000, 'aria-label': `Comment on ${criterionName(evaluation)}`, placeholder: 'Comment', value: reviewOf(row, evaluation)?.comment ?? '' });
  const save = async (verdictGiven) => {
    const review = { example: row.stable ?? row.id, criterion: criterionName(evaluation), verdict: verdictGiven };
    if (isNumber(evaluation.turn_number)) review.turn = evaluation.turn_number;
    if (comment.value.trim()) review.comment = comment.value.trim();
    try {
      await post(apiAddress('runs', runName, 'reviews'), review);
      await loadReviews();
      status.textContent = clean(reviewText(review, given));
      markGiven(verdictGiven);
    } catch (error) {
      status.textContent = oneLine(error.message);
    }
  };
  const buttons = VERDICTS.map((name) => button(name === given ? `Agree: ${name}` : `Correct to ${name}`, () => save(name), { 'aria-pressed': 'false' }));
  const markGiven = (stored) => VERDICTS.forEach((name, at) => buttons[at].setAttribute('aria-pressed', String(name === stored)));
  markGiven(reviewOf(row, evaluation)?.verdict);
  return make('li', {}, make('p', {}, icon(given), ' ', isNumber(evaluation.turn_number) && `turn ${evaluation.turn_number}: `, make('strong', {}, oneLine(criterionName(evaluation)))),
    !isReadOnly && make('div', { class: 'review-form' }, buttons, comment), status);
};

export const reviewsView = (row, example) => {
  const judged = judgedIn(example);
  return judged.length > 0 && make('section', { class: 'part reviews' }, make('h3', {}, 'Review the verdicts', make('span', { class: 'aside' }, 'stored in reviews.jsonl next to the record')),
    make('ul', {}, judged.map((one) => reviewForm(row, one))));
};
