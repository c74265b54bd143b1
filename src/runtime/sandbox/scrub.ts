/**
 * Removes the browser's functions and keeps the language's. After that, code in this realm reaches no network, storage,
 * clock, randomness or other thread, and cannot make code from text.
 */
import { uniformRandom } from "../../core/base/random.ts";
import { pinLocaleTexts } from "./locale-texts.ts";
import { createRefusingIntl } from "./refusing-intl.ts";
import { defineBuiltIns, pinDate, type VirtualClock } from "./virtual-clock.ts";

/** Names that stay: the language's own, and pure helpers of the web. This is a list of allowed names, so that functions which browsers add later are removed too. */
const kept = new Set<string>(
  `Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error
  AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError InternalError SuppressedError
  globalThis JSON Math Intl ArrayBuffer DataView Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array
  BigUint64Array BigInt64Array Uint8ClampedArray Float16Array Float32Array Float64Array Map BigInt Set Iterator WeakMap
  WeakSet Proxy Reflect DisposableStack AsyncDisposableStack decodeURI decodeURIComponent encodeURI encodeURIComponent
  escape unescape isFinite isNaN TextEncoder TextDecoder queueMicrotask atob btoa`.split(/\s+/),
);

/** Random numbers for `Math.random`, from the request's seed. */
export interface SeededRandom {
  start(seed: number): void;
}

export interface ScrubbedRealm {
  readonly random: SeededRandom;
}

/** @throws Error that names a function that could not be removed; then no mod may run in this realm. */
export function scrubRealm(realm: typeof globalThis, clock: VirtualClock): ScrubbedRealm {
  const event = Reflect.get(realm, "Event") as { prototype: object } | undefined;
  if (event) Reflect.deleteProperty(event.prototype, "timeStamp");
  removeGlobals(realm);
  disableCodeFromText(realm);
  pinStacks(realm);
  pinDate(realm, clock);
  Reflect.deleteProperty(realm.Date.prototype, "toTemporalInstant");
  defineBuiltIns(realm, { Intl: createRefusingIntl() });
  pinLocaleTexts(realm);
  return { random: seedRandom(realm) };
}

/** Removes the global object's own names and those that it inherits, up to `Object.prototype`. */
function removeGlobals(realm: typeof globalThis): void {
  const stuck: string[] = [];
  const top = Object.prototype;
  for (
    let holder: object | null = realm;
    holder !== null && holder !== top;
    holder = Reflect.getPrototypeOf(holder)
  ) {
    for (const name of Reflect.ownKeys(holder)) {
      if (holder === realm && typeof name === "string" && kept.has(name)) continue;
      if (!Reflect.deleteProperty(holder, name) && !isPrimitiveValue(holder, name)) stuck.push(String(name));
    }
  }
  if (stuck.length > 0)
    throw new Error(`The sandbox could not remove ${stuck.join(", ")} from its global variables.`);
}

/** Whether a property is a primitive: constants of interfaces cannot be deleted, but they are only numbers. */
function isPrimitiveValue(holder: object, name: PropertyKey): boolean {
  const descriptor = Reflect.getOwnPropertyDescriptor(holder, name);
  return descriptor !== undefined && Object(descriptor.value) !== descriptor.value;
}

function disableCodeFromText(realm: typeof globalThis): void {
  const refuse = (name: string) => {
    const disabled = function disabledConstructor(): never {
      throw new EvalError(`${name} is not available in a mod: a mod cannot create code from text.`);
    };
    Object.defineProperty(disabled, "name", { value: name, configurable: true });
    return disabled;
  };
  const kinds = [
    () => undefined,
    async () => undefined,
    function* () {},
    async function* () {},
  ] as const satisfies readonly ((...values: never[]) => unknown)[];
  for (const kind of kinds) {
    const prototype = Reflect.getPrototypeOf(kind) as object;
    const disabled = refuse(prototype === Function.prototype ? "Function" : "The function constructor");
    Object.defineProperty(disabled, "prototype", { value: prototype, writable: false });
    Object.defineProperty(prototype, "constructor", {
      value: disabled,
      writable: false,
      configurable: false,
    });
    if (prototype === Function.prototype) defineBuiltIns(realm, { Function: disabled });
  }
}

/** With its own stack formatter, code on V8 could see the random address of a script. */
function pinStacks(realm: typeof globalThis): void {
  Object.defineProperty(realm.Error, "prepareStackTrace", {
    value: undefined,
    writable: false,
    configurable: false,
  });
}

function seedRandom(realm: typeof globalThis): SeededRandom {
  let seed = 0;
  let drawn = 0;
  defineBuiltIns(realm.Math, { random: () => uniformRandom(seed, drawn++) });
  return {
    start(value) {
      seed = value;
      drawn = 0;
    },
  };
}
