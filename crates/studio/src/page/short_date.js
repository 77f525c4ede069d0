// Dates as the pages show them: in UTC, as in reports, so that people in different places speak of the same run.

const upTo = (time, length) => {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : `${date.toISOString().replace('T', ' ').slice(0, length)} UTC`;
};

export const shortDate = (time) => upTo(time, 16);

/** With seconds, to distinguish runs. */
export const longDate = (time) => upTo(time, 19);
