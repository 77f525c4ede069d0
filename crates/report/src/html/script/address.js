// Addresses within a page.

/** The part of an address after the #, without empty values. */
export const address = (target) => {
  const given = Object.entries(target).filter(([, value]) => value);
  return `#${new URLSearchParams(given)}`;
};
