/**
 * Every key of `Type`, optional keys included. Code that copies an object field by field builds this type first: the compiler
 * then reports a missing key even if the key is optional in `Type`.
 */
export type EveryKey<Type> = { readonly [Key in keyof Required<Type>]: Type[Key] };

/** The same object without the keys whose value is `undefined`. */
export function withoutUndefined<Type extends object>(every: EveryKey<Type>): Type {
  // This loop makes each record of a trace: lists of keys and values take longer to make than the record.
  const known: Record<string, unknown> = {};
  for (const key in every) if (every[key] !== undefined) known[key] = every[key];
  return known as Type;
}
