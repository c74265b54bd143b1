/** Families of hostile inputs, and the parts that several families have. */

/** Inputs of one kind: one for each size. */
export type Family<Made> = readonly [name: string, sizes: readonly number[], make: (size: number) => Made];

export const count = (length: number) => Array.from({ length }, (_, index) => index);
export const names = (length: number) => count(length).map((index) => `p${index}`);
export const object = (entries: readonly (readonly [string, unknown])[]) => Object.fromEntries(entries);

/** Wraps the schema `levels` times. */
export const nested = (
  levels: number,
  wrap: (inner: object) => object,
  start: object = { type: "integer" },
) => count(levels).reduce<object>(wrap, start);

/** The schema inside two objects, so that a limit is met far from the root. */
export const inside = (schema: object) =>
  nested(2, (inner) => ({ type: "object", properties: { in: inner } }), schema);
