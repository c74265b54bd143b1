/**
 * Every key of `Type`, optional keys included. Code that copies an object field by field builds this type first: the compiler
 * then reports a missing key even if the key is optional in `Type`.
 */
export type EveryKey<Type> = { readonly [Key in keyof Required<Type>]: Type[Key] };

/** The same object without the keys whose value is `undefined`. */
export function withoutUndefined<Type extends object>(every: EveryKey<Type>): Type {
  // A loop, since each record of a trace is made here: `Object.fromEntries` takes three times as long.
  const known: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(every)) if (value !== undefined) known[key] = value;
  return known as Type;
}
