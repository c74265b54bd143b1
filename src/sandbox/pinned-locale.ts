/** One language and one time zone for every machine: `en-US` and UTC where a mod names none. */
import {
  apply,
  construct,
  create,
  execute,
  get,
  isObject,
  RealProxy,
  RealTypeError,
  toObject,
  uncurry,
} from "./primordials.ts";
import { define, describeConstructor, type VirtualClock } from "./virtual-clock.ts";

const language = "en-US";
const zone = "UTC";

/**
 * Languages that every browser knows whole. Chromium says that it knows more, and takes what it lacks of them (the names of
 * units and languages in Azerbaijani) from the machine's own language. Any other language is English here.
 */
const languages =
  /^(?:af|am|ar|bg|bn|ca|cs|da|de|el|en|es|et|fa|fi|fil|fr|gu|he|hi|hr|hu|id|it|ja|kn|ko|lt|lv|ml|mr|ms|nb|nl|no|pl|pt|ro|ru|sk|sl|sr|sv|sw|ta|te|th|tr|uk|ur|vi|zh)(?:-|$)/;

/** What a mod may use of `Intl`. The rest is removed. */
const constructors = [
  "Collator",
  "DateTimeFormat",
  "DisplayNames",
  "DurationFormat",
  "ListFormat",
  "NumberFormat",
  "PluralRules",
  "RelativeTimeFormat",
  "Segmenter",
];
const harmless = ["Locale", "getCanonicalLocales", "supportedValuesOf"];

/** What a mod may use of `Intl.Locale`: it reads the tag alone. The rest tells a machine's customs where it knows none of the tag's. */
const localeMembers = [
  ...["constructor", "baseName", "calendar", "caseFirst", "collation", "hourCycle", "language", "maximize"],
  ...["minimize", "numberingSystem", "numeric", "region", "script", "toString", "variants"],
];

type Constructor = (new (
  locales?: unknown,
  options?: unknown,
) => object) & {
  supportedLocalesOf(locales: unknown, options?: unknown): string[];
};
type Method = (this: unknown, ...values: unknown[]) => unknown;
/** The locale to ask for, for those that a mod asks for: one that is known, so that the machine's is never fallen back on. */
type Chooser = (locales: unknown) => string;

/** Wraps `Intl` and every method that falls back on the machine's language or zone. */
export function pinLocale(realm: typeof globalThis, clock: VirtualClock): void {
  const intl = realm.Intl as unknown as Record<string, unknown>;
  const { getCanonicalLocales } = realm.Intl;
  const choosers = new Map<string, Chooser>();
  for (const name of Reflect.ownKeys(intl)) {
    if (typeof name !== "string" || harmless.includes(name)) continue;
    if (constructors.includes(name)) choosers.set(name, pinConstructor(intl, name, getCanonicalLocales));
    else delete intl[name];
  }
  const { prototype } = intl.Locale as { prototype: object };
  for (const name of Reflect.ownKeys(prototype)) {
    if (typeof name === "string" && !localeMembers.includes(name)) Reflect.deleteProperty(prototype, name);
  }
  pinFormats(intl.DateTimeFormat as Constructor, clock);
  pinMethods(realm, choosers, getCanonicalLocales);
}

type Canonical = (typeof Intl)["getCanonicalLocales"];

/** `options` may be anything: it is read once, name by name, when the constructor asks. */
function pinConstructor(
  intl: Record<string, unknown>,
  name: string,
  getCanonicalLocales: Canonical,
): Chooser {
  const Real = intl[name] as Constructor;
  const { supportedLocalesOf } = Real;
  const isDateTime = name === "DateTimeFormat";
  const isKnown = (tag: string): boolean =>
    execute(languages, tag) !== null &&
    (apply(supportedLocalesOf, Real, [tag, lookup]) as string[]).length > 0;
  const choose: Chooser = (locales) => {
    if (locales === undefined) return language;
    const asked = getCanonicalLocales(locales as string);
    for (let place = 0; place < asked.length; place++) {
      if (isKnown(asked[place] as string)) return asked[place] as string;
    }
    return language;
  };
  function Pinned(this: unknown, locales?: unknown, options?: unknown): object {
    // Whether a number or a text may stand for options is the real one's to say.
    if (!isObject(options) && options !== undefined) construct(Real, [language, options]);
    const locale = choose(locales);
    return construct(Real, [locale, pinnedOptions(options, isDateTime)], new.target ?? Pinned);
  }
  describeConstructor(Pinned, { name, length: Real.length, prototype: Real.prototype });
  define(Pinned, {
    supportedLocalesOf(locales: unknown, options?: unknown) {
      const asked = getCanonicalLocales(locales as string);
      const kept: string[] = [];
      // Refuses wrong options also where no locale is asked for.
      apply(supportedLocalesOf, Real, [language, pinnedOptions(options, false)]);
      for (let place = 0; place < asked.length; place++) {
        if (isKnown(asked[place] as string)) defineNext(kept, asked[place]);
      }
      return kept;
    },
  });
  define(Real.prototype, { constructor: Pinned });
  define(intl, { [name]: Pinned });
  return choose;
}

const { defineProperty } = Object;

/** `list.push(value)`, which a mod may have replaced or hindered by a setter. */
function defineNext(list: unknown[], value: unknown): void {
  const entry = create(null) as PropertyDescriptor;
  entry.value = value;
  entry.writable = true;
  entry.enumerable = true;
  entry.configurable = true;
  defineProperty(list, list.length, entry);
}

/** Options without a prototype. The other way of matching locales, "best fit", prefers the machine's language. */
function plainOptions(values: Readonly<Record<string, string>>): object {
  return Object.freeze(Object.assign(create(null) as object, values));
}
const lookup = plainOptions({ localeMatcher: "lookup" });
const lookupInZone = plainOptions({ localeMatcher: "lookup", timeZone: zone });

/** @throws TypeError for null. */
function pinnedOptions(given: unknown, isDateTime: boolean): object {
  if (given === undefined) return isDateTime ? lookupInZone : lookup;
  if (given === null) throw new RealTypeError("The options of Intl must be an object, not null.");
  const source = toObject(given) as object;
  const known = create(null) as Record<PropertyKey, unknown>;
  const handler = create(null) as ProxyHandler<object>;
  handler.get = (_, name) => {
    if (!(name in known)) known[name] = pinnedOption(get(source, name), name, isDateTime);
    return known[name];
  };
  return new RealProxy(create(null) as object, handler);
}

/** A value as the real constructor is told it; what decides over the machine's zone and language is a plain text by then. */
function pinnedOption(value: unknown, name: PropertyKey, isDateTime: boolean): unknown {
  if (name === "timeZone" && isDateTime) return value === undefined ? zone : `${value}`;
  if (name !== "localeMatcher") return value;
  const matcher = value === undefined ? "lookup" : `${value}`;
  return matcher === "best fit" ? "lookup" : matcher;
}

/** `format()` without a date means now. */
function pinFormats({ prototype }: Constructor, clock: VirtualClock): void {
  const format = Object.getOwnPropertyDescriptor(prototype, "format")?.get as (this: unknown) => Method;
  const parts = Reflect.get(prototype, "formatToParts") as Method;
  const formatOf = uncurry(format);
  const partsOf = uncurry(parts);
  const orNow = (date: unknown): unknown => (date === undefined ? clock.now() : date);
  const bounds = new WeakMap<Method, Method>();
  const boundOf = uncurry(bounds.get);
  const keep = uncurry(bounds.set);
  Object.defineProperty(prototype, "format", {
    get(this: unknown) {
      const real = formatOf(this);
      const known = boundOf(bounds, real);
      if (known !== undefined) return known;
      const bound = (date?: unknown) => real(orNow(date));
      keep(bounds, real, bound);
      return bound;
    },
    enumerable: false,
    configurable: true,
  });
  define(prototype, {
    formatToParts(this: unknown, date?: unknown) {
      return partsOf(this, orNow(date));
    },
  });
}

function pinMethods(
  realm: typeof globalThis,
  choosers: ReadonlyMap<string, Chooser>,
  getCanonicalLocales: Canonical,
): void {
  const chooser = (name: string) => choosers.get(name) as Chooser;
  const replace = (prototype: object, name: string, make: (real: Method) => Method): void => {
    define(prototype, { [name]: make(Reflect.get(prototype, name) as Method) });
  };
  const collation = chooser("Collator");
  replace(
    realm.String.prototype,
    "localeCompare",
    (real) =>
      ({
        localeCompare(this: unknown, other: unknown, locales?: unknown, options?: unknown) {
          const given = options === undefined ? undefined : pinnedOptions(options, false);
          return apply(real, this, [other, collation(locales), given]);
        },
      }).localeCompare,
  );
  for (const name of ["toLocaleLowerCase", "toLocaleUpperCase"]) {
    replace(
      realm.String.prototype,
      name,
      (real) =>
        ({
          [name](this: unknown, locales?: unknown) {
            const asked = locales === undefined ? null : getCanonicalLocales(locales as string);
            return apply(real, this, [asked === null || asked.length === 0 ? language : asked[0]]);
          },
        })[name] as Method,
    );
  }
  const withOptions = (name: string, choose: Chooser, isDateTime: boolean) => (real: Method) =>
    ({
      [name](this: unknown, locales?: unknown, options?: unknown) {
        return apply(real, this, [choose(locales), pinnedOptions(options, isDateTime)]);
      },
    })[name] as Method;
  const numbers = withOptions("toLocaleString", chooser("NumberFormat"), false);
  for (const prototype of [realm.Number.prototype, realm.BigInt.prototype])
    replace(prototype, "toLocaleString", numbers);
  for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) {
    replace(realm.Date.prototype, name, withOptions(name, chooser("DateTimeFormat"), true));
  }
}
