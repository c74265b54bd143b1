/**
 * Marks that survive copies of this package. An app may hold two copies: its bundler makes one for each route, two versions are
 * installed, or an entry is built apart (`midtoken/timeline`). `instanceof` and module-level WeakMaps know one copy alone.
 */

/** The same symbol in every copy. */
export function markOf(name: string): symbol {
  return Symbol.for(`midtoken.${name}`);
}

/** Whether a value carries a mark, of this copy or of another. */
export function isMarked(value: unknown, mark: symbol): boolean {
  return typeof value === "object" && value !== null && mark in value;
}

const ordinaryHasInstance = Function.prototype[Symbol.hasInstance];

/** Makes `value instanceof Class` true for instances that another copy of the class made. Subclasses keep their own `instanceof`. */
export function recogniseCopies(Class: { readonly prototype: object; readonly name: string }, name: string) {
  const mark = markOf(name);
  Object.defineProperty(Class.prototype, mark, { value: true });
  Object.defineProperty(Class, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this === Class) return isMarked(value, mark);
      return ordinaryHasInstance.call(this as (...args: never) => unknown, value);
    },
  });
}
