// What people said about the verdicts of judges.

import { make } from './dom.js';
import { asText, oneLine } from './text.js';

let reviews = [];

export const allReviews = () => reviews;

export const setReviews = (given) => { reviews = given; };

/** The names by which reviews and `casebook judge` know a criterion. */
export const criterionName = (evaluation) => asText(evaluation.metadata?.criterion ?? evaluation.name);

export const reviewOf = (row, evaluation) => reviews.find((one) => [row.stable ?? row.id, row.id].includes(one.example)
  && (one.turn ?? null) === (evaluation.turn_number ?? null) && one.criterion === criterionName(evaluation));

/** What a review says about this verdict. */
export const reviewText = (review, given) => {
  if (!review) return 'not reviewed';
  const by = review.by ? ` by ${review.by}` : '';
  return `${review.verdict === given ? 'agreed' : `corrected to ${review.verdict}`}${by}${review.comment ? `: ${review.comment}` : ''}`;
};

/** The reviews of the evaluations that are shown. */
const reviewed = new WeakMap();

/** Finds the reviews of a test before its evaluations are shown. */
export const noteReviews = (row, example) => {
  for (const evaluation of example.evaluations ?? []) {
    const review = reviewOf(row, evaluation);
    if (review) reviewed.set(evaluation, review);
  }
};

export const reviewNote = (evaluation, given) => {
  const review = reviewed.get(evaluation);
  return review && make('p', { class: 'reviewed' }, make('span', { class: 'label' }, 'review'), oneLine(reviewText(review, given)));
};
