// Numbers that lose nothing.

/** A number that a JavaScript number cannot represent exactly. */
export class Exact {
  constructor(text) { this.source = text; }
  toJSON() { return JSON.rawJSON ? JSON.rawJSON(this.source) : this.source; }
}

export const exactly = (key, value, context) =>
  (typeof value === 'number' && context?.source !== undefined && !/^-?\d{1,15}(\.\d{1,6})?$/.test(context.source)
    && String(value) !== context.source ? new Exact(context.source) : value);
