/**
 * Each key of `Type`, the optional ones too. Code that copies an object field by field builds this first: the compiler then asks
 * for a key that was added later, which an optional field would not.
 */
export type EveryKey<Type> = { readonly [Key in keyof Required<Type>]: Type[Key] };

/** The same object without the keys whose value is `undefined`. */
export function withoutUndefined<Type extends object>(every: EveryKey<Type>): Type {
  return Object.fromEntries(Object.entries(every).filter(([, value]) => value !== undefined)) as Type;
}
