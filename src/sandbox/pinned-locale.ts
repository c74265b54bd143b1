/** One language and one time zone for every machine: `en-US` and UTC where a mod names none. */
import { define, type VirtualClock } from "./virtual-clock.ts";

const language = "en-US";
const zone = "UTC";

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

type Constructor = (new (
  locales?: unknown,
  options?: unknown,
) => object) & {
  supportedLocalesOf(locales: unknown): string[];
};
type Method = (this: unknown, ...values: unknown[]) => unknown;

/** Wraps `Intl` and every method that falls back on the machine's language or zone. */
export function pinLocale(realm: typeof globalThis, clock: VirtualClock): void {
  const intl = realm.Intl as unknown as Record<string, unknown>;
  const supported = Reflect.get(intl, "NumberFormat") as Constructor;
  /** The machine's language also stands in for a language that the browser does not know. */
  const known = (locales: unknown): unknown => {
    if (locales === undefined) return language;
    const list = supported.supportedLocalesOf(locales);
    return list.length > 0 ? list : language;
  };
  for (const name of Reflect.ownKeys(intl)) {
    if (typeof name !== "string" || harmless.includes(name)) continue;
    if (constructors.includes(name)) wrapConstructor(intl, name, known);
    else delete intl[name];
  }
  pinFormats(intl.DateTimeFormat as Constructor, clock);
  pinMethods(realm, known);
}

function wrapConstructor(
  intl: Record<string, unknown>,
  name: string,
  known: (locales: unknown) => unknown,
): void {
  const Real = intl[name] as Constructor;
  function Pinned(this: unknown, locales?: unknown, options?: unknown): object {
    const settings = name === "DateTimeFormat" ? withZone(options) : options;
    return Reflect.construct(Real, [known(locales), settings], new.target ?? Pinned);
  }
  Pinned.prototype = Real.prototype;
  define(Pinned, { supportedLocalesOf: Real.supportedLocalesOf.bind(Real) });
  Object.defineProperty(Pinned, "name", { value: name, configurable: true });
  define(Real.prototype, { constructor: Pinned });
  define(intl, { [name]: Pinned });
}

/** The options, or options that fall back on them, with a time zone. */
function withZone(options: unknown): unknown {
  if (options === null) return options;
  const given = options === undefined ? {} : Object(options);
  return given.timeZone === undefined ? Object.create(given, { timeZone: { value: zone } }) : given;
}

/** `format()` without a date means now. */
function pinFormats({ prototype }: Constructor, clock: VirtualClock): void {
  const format = Object.getOwnPropertyDescriptor(prototype, "format")?.get as (this: unknown) => Method;
  const parts = Reflect.get(prototype, "formatToParts") as Method;
  const orNow = (date: unknown): unknown => (date === undefined ? clock.now() : date);
  Object.defineProperty(prototype, "format", {
    get(this: unknown) {
      const bound = Reflect.apply(format, this, []);
      return (date?: unknown) => bound(orNow(date));
    },
    enumerable: false,
    configurable: true,
  });
  define(prototype, {
    formatToParts(this: unknown, date?: unknown) {
      return Reflect.apply(parts, this, [orNow(date)]);
    },
  });
}

function pinMethods(realm: typeof globalThis, known: (locales: unknown) => unknown): void {
  const wrap = (
    prototype: object,
    name: string,
    arrange: (values: readonly unknown[]) => unknown[],
  ): void => {
    const real = Reflect.get(prototype, name) as Method;
    define(prototype, {
      [name](this: unknown, ...values: unknown[]) {
        return Reflect.apply(real, this, arrange(values));
      },
    });
  };
  const text = realm.String.prototype;
  wrap(text, "localeCompare", ([other, locales, options]) => [other, known(locales), options]);
  wrap(text, "toLocaleLowerCase", ([locales]) => [known(locales)]);
  wrap(text, "toLocaleUpperCase", ([locales]) => [known(locales)]);
  for (const prototype of [realm.Number.prototype, realm.BigInt.prototype]) {
    wrap(prototype, "toLocaleString", ([locales, options]) => [known(locales), options]);
  }
  for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) {
    wrap(realm.Date.prototype, name, ([locales, options]) => [known(locales), withZone(options)]);
  }
}
