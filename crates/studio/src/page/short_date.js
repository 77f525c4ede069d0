// Dates as the pages show them.

export const shortDate = (time) => time.replace('T', ' ').slice(0, 16);
