/**
 * Marks that all copies of this package recognise. An app may have several copies: its bundler makes one for each route, two
 * versions are installed, or an entry is built separately (`midtoken/timeline`). `instanceof` and module-level WeakMaps work
 * only within one copy.
 */

/** A symbol that is the same in every copy of the package. */
export function sharedSymbol(name: string): symbol {
  return Symbol.for(`midtoken.${name}`);
}

/** Whether a value has a mark from this copy or another. */
export function isMarked(value: unknown, mark: symbol): boolean {
  return typeof value === "object" && value !== null && mark in value;
}

/** A value that all copies of the package share. `make` is called by the first copy that asks. */
export function sharedValue<Value>(name: string, make: () => Value): Value {
  const key = sharedSymbol(name);
  const shared: unknown = Reflect.get(globalThis, key);
  if (shared !== undefined) return shared as Value;
  const value = make();
  // Unlike an assignment, this throws no error if the app has frozen globalThis: each copy then has a value of its own.
  // A sandbox must be able to delete the property.
  Reflect.defineProperty(globalThis, key, { value, configurable: true });
  return value;
}

const ordinaryHasInstance = Function.prototype[Symbol.hasInstance];

/** Makes `value instanceof Class` true for instances that another copy of the class made. Subclasses keep their own `instanceof`. */
export function acceptInstancesOfCopies(
  Class: { readonly prototype: object; readonly name: string },
  name: string,
) {
  const mark = sharedSymbol(name);
  Object.defineProperty(Class.prototype, mark, { value: true });
  Object.defineProperty(Class, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this === Class) return isMarked(value, mark);
      return ordinaryHasInstance.call(this as (...args: never) => unknown, value);
    },
  });
}
