/**
 * Attempts to read the machine's clock, time zone and language from inside the sandbox, by a mod that replaces built-ins
 * which the sandbox may use. Plain JavaScript, so that a worker without a sandbox can try them too.
 */

export interface MachineLeakAttempt {
  readonly name: string;
  /** Body of a function. It restores everything that it replaced. */
  readonly body: string;
  /**
   * The result on every machine, if there is one. Without `pinned`, the result is a time, which must not be the current
   * time.
   */
  readonly pinned?: string | number | null;
}

/** The value by which an attempt reveals the machine; null if it reveals nothing. */
export function findMachineLeak({ pinned }: MachineLeakAttempt, value: unknown, now: number): string | null {
  if (value === undefined || value === null || value === pinned) return null;
  const year = 366 * 86_400_000;
  if (pinned === undefined && !(typeof value === "number" && Math.abs(value - now) < year)) return null;
  return JSON.stringify(value);
}

/** A text that runs all attempts, one after the other, in any realm, and returns `[name, value]` of each. */
export const machineLeakAttemptsText = (ways: readonly MachineLeakAttempt[]): string =>
  `[${ways.map(({ name, body }) => `["${name}", () => { ${body} }]`).join(",\n")}].map(([name, way]) => { try { return [name, way()]; } catch { return [name, null]; } })`;

/** `statement` while a built-in is replaced; `real` is the original built-in. */
const replacing = (path: string, replacement: string, statement: string): string =>
  `const real = ${path}; ${path} = ${replacement}; try { ${statement} } finally { ${path} = real; }`;

/** `statement` while a property is added to an object from which others inherit. */
const polluting = (holder: string, name: string, descriptor: string, statement: string): string =>
  `Object.defineProperty(${holder}, "${name}", { ${descriptor}, configurable: true }); try { ${statement} } finally { delete ${holder}["${name}"]; }`;

const zoneOf = (options: string) =>
  `return new Intl.DateTimeFormat("en", ${options}).resolvedOptions().timeZone;`;
const localeOf = (name: string, tag: string, options = "{}") =>
  `return new Intl.${name}(${tag}, ${options}).resolvedOptions().locale;`;
const now = "return +new Date();";
const afternoon = "Jan 1, 2000 12:00";
const noon = 946_728_000_000;

const clock: readonly MachineLeakAttempt[] = [
  {
    name: "construct replaced",
    body: replacing("Reflect.construct", "(target, _, to) => real(target, [], to)", now),
  },
  {
    name: "Reflect replaced",
    body: `const real = Reflect; globalThis.Reflect = { get: real.get, apply: real.apply, construct: (target, _, to) => real.construct(target, [], to) }; try { ${now} } finally { globalThis.Reflect = real; }`,
  },
  {
    name: "apply shows the real Date",
    body: `let seen; ${replacing("Reflect.apply", "(method, self, given) => { seen ??= self; return real(method, self, given); }", "new Date(2000, 1);")} return +new (seen ?? Date)();`,
  },
  { name: "a class of one's own", body: `class Mine extends Date {} return +new Mine();` },
  { name: "new target", body: `return Date.prototype.getTime.call(Reflect.construct(Date, [], Object));` },
  { name: "new target behind a Proxy", body: `return +Reflect.construct(Date, [], new Proxy(Date, {}));` },
  { name: "a Proxy of Date", body: `return +new (new Proxy(Date, {}))();` },
  { name: "the constructor of a copy", body: `return +new (structuredClone(new Date(0)).constructor)();` },
  { name: "a date as text", body: `return Date.parse(Date.call(null));` },
  {
    name: "format without a date",
    body: `return Date.parse(new Intl.DateTimeFormat("en-US", { dateStyle: "long" }).format());`,
  },
  {
    name: "the real format in a WeakMap",
    body: `let seen; const f = new Intl.DateTimeFormat("en-US", { dateStyle: "long" }); ${replacing("WeakMap.prototype.set", "function (key) { seen = key; return this; }", "f.format;")} return Date.parse((seen ?? f.format)());`,
  },
  {
    name: "parts without a date",
    body: replacing(
      "Reflect.apply",
      "(method, self) => real(method, self, [])",
      `return Number(new Intl.DateTimeFormat("en-US", { year: "numeric" }).formatToParts(0).map((part) => part.value).join("")) * 31556952000 - 62167219200000;`,
    ),
  },
  { name: "Temporal", body: `return Number(Temporal.Now.instant().epochMilliseconds);` },
  { name: "a file", body: `return new File([], "x").lastModified;` },
  { name: "the origin of time", body: `return performance.timeOrigin;` },
];

const place: readonly MachineLeakAttempt[] = [
  {
    name: "Object.create replaced",
    body: replacing("Object.create", "(prototype) => prototype ?? {}", zoneOf("{}")),
    pinned: "UTC",
  },
  {
    name: "Proxy replaced",
    body: replacing("globalThis.Proxy", "function () { return {}; }", zoneOf("{}")),
    pinned: "UTC",
  },
  {
    name: "zone by a getter",
    body: `let reads = 0; ${zoneOf(`{ get timeZone() { return reads++ === 0 ? "UTC" : undefined; } }`)}`,
    pinned: "UTC",
  },
  {
    name: "zone by a Proxy",
    body: `let reads = 0; ${zoneOf(`new Proxy({}, { get: (_, name) => (name === "timeZone" && reads++ === 0 ? "UTC" : undefined) })`)}`,
    pinned: "UTC",
  },
  { name: "zone by inheritance", body: zoneOf("Object.create({ timeZone: undefined })"), pinned: "UTC" },
  { name: "zone of a number", body: zoneOf("5"), pinned: "UTC" },
  {
    name: "zone of every object",
    body: `let reads = 0; ${polluting("Object.prototype", "timeZone", `get: () => (reads++ === 0 ? "UTC" : undefined)`, zoneOf("{}"))}`,
    pinned: "UTC",
  },
  {
    name: "a trap of every object",
    body: polluting("Object.prototype", "get", "value: () => undefined", zoneOf("{}")),
    pinned: "UTC",
  },
  {
    name: "zone of a bare new target",
    body: `return Intl.DateTimeFormat.prototype.resolvedOptions.call(Reflect.construct(Intl.DateTimeFormat, [], class {}, )).timeZone;`,
    pinned: "UTC",
  },
  {
    name: "zone of a call",
    body: `return Intl.DateTimeFormat.call(Object.create(Intl.DateTimeFormat.prototype)).resolvedOptions().timeZone;`,
    pinned: "UTC",
  },
  {
    name: "zone of the constructor",
    body: `return new (Intl.DateTimeFormat.prototype.constructor)().resolvedOptions().timeZone;`,
    pinned: "UTC",
  },
  {
    name: "local time with arguments dropped",
    body: replacing(
      "Reflect.apply",
      "(method, self) => real(method, self, [])",
      `return new Date(0).toLocaleTimeString();`,
    ).replaceAll(" ", " "),
    pinned: new Date(0).toLocaleTimeString("en-US", { timeZone: "UTC" }),
  },
  {
    name: "getTime replaced",
    body: `const date = new Date(0); date.getTime = () => ({ [Symbol.toPrimitive]: () => "${afternoon}" }); return +new Date(date);`,
    pinned: 0,
  },
  {
    name: "an object first",
    body: `return +new Date({ [Symbol.toPrimitive]: () => ({ [Symbol.toPrimitive]: () => "${afternoon}" }) });`,
    pinned: noon,
  },
  {
    name: "a function first",
    body: `return +new Date({ valueOf: () => Object.assign(() => 0, { valueOf: () => "${afternoon}" }) });`,
    pinned: noon,
  },
  { name: "a text", body: `return +new Date("${afternoon}");`, pinned: noon },
  { name: "a text object", body: `return +new Date(new String("${afternoon}"));`, pinned: noon },
  {
    name: "iteration replaced",
    body: replacing(
      "Array.prototype[Symbol.iterator]",
      "function* () {}",
      `return +new Date(2000, 0, 1, 12);`,
    ),
    pinned: noon,
  },
  {
    name: "texts replaced",
    body: replacing(
      "globalThis.String",
      `() => ({ toString: () => "${afternoon}" })`,
      `return Date.parse("${afternoon}");`,
    ),
    pinned: noon,
  },
  {
    name: "search replaced",
    body: replacing("RegExp.prototype.exec", "() => null", `return Date.parse("${afternoon}");`),
    pinned: noon,
  },
];

const language: readonly MachineLeakAttempt[] = [
  ...["Collator", "ListFormat", "NumberFormat", "RelativeTimeFormat", "Segmenter"].flatMap((name) =>
    ["ak", "az", "xx"].map((tag) => ({
      name: `${name} of ${tag}`,
      body: localeOf(name, `"${tag}"`),
      pinned: "en-US",
    })),
  ),
  {
    name: "best fit",
    body: localeOf("NumberFormat", `"xx"`, `{ localeMatcher: "best fit" }`),
    pinned: "en-US",
  },
  { name: "no locale", body: localeOf("NumberFormat", "[]"), pinned: "en-US" },
  {
    name: "a locale by a getter",
    body: `let reads = 0; ${localeOf("NumberFormat", `{ length: 1, get 0() { return reads++ === 0 ? "de" : "xx"; } }`)}`,
    pinned: "de",
  },
  {
    name: "canonical locales replaced",
    body: replacing("Intl.getCanonicalLocales", `() => ["xx"]`, localeOf("NumberFormat", `"xx"`)),
    pinned: "en-US",
  },
  {
    name: "supported locales replaced",
    body: replacing("Intl.NumberFormat.supportedLocalesOf", `() => ["xx"]`, localeOf("NumberFormat", `"xx"`)),
    pinned: "en-US",
  },
  {
    name: "lists with a setter",
    body: polluting("Array.prototype", "0", `get: () => "xx", set() {}`, localeOf("NumberFormat", `"xx"`)),
    pinned: "en-US",
  },
  {
    name: "what is supported",
    body: `return Intl.Collator.supportedLocalesOf(["ak", "az", "de"]).join();`,
    pinned: "de",
  },
  {
    name: "units",
    body: `return new Intl.NumberFormat("az", { style: "unit", unit: "byte", unitDisplay: "long" }).format(2);`,
    pinned: "2 bytes",
  },
  {
    name: "names",
    body: `return new Intl.DisplayNames("kk", { type: "language" }).of("de");`,
    pinned: "German",
  },
  {
    name: "durations",
    body: `return new Intl.DurationFormat("uz", { style: "long" }).format({ hours: 2 });`,
    pinned: "2 hours",
  },
  {
    name: "customs of an unknown language",
    body: `const locale = new Intl.Locale("xx"); return [locale.getHourCycles?.() ?? locale.hourCycles, locale.getWeekInfo?.() ?? locale.weekInfo].join("") || null;`,
    pinned: null,
  },
  { name: "a list of numbers", body: `return [1234.5, 1234n].toLocaleString();`, pinned: "1,234.5,1,234" },
  { name: "a typed array", body: `return Float64Array.of(1234.5).toLocaleString();`, pinned: "1,234.5" },
  {
    name: "the callers' frames",
    body: `let sites; Error.prepareStackTrace = (_, list) => list; new Date({ valueOf() { sites = new Error().stack; return 0; } }); return Array.isArray(sites) ? sites.length : null;`,
    pinned: null,
  },
];

/** Replaces everything that can be replaced with functions that record their use, then uses Date and the texts of a language. The result names the functions that the sandbox's code used. */
const usedByTheWall = `
const used = Object.create(null);
const { construct, apply } = Reflect;
const date = new Date(0), { toLocaleString, toLocaleDateString, toLocaleTimeString, toString, setYear, getTimezoneOffset, toDateString, toTimeString, getYear } = Date.prototype;
const { localeCompare, toLocaleUpperCase } = String.prototype, number = Number.prototype.toLocaleString, big = BigInt.prototype.toLocaleString, { parse, now } = Date, RealDate = Date;
const uses = [() => new RealDate(), () => RealDate(), () => new RealDate(2000, 1), () => new RealDate(date), () => new RealDate("2000-01-01T10:00+01:00"), () => parse("${afternoon}"), now,
  () => apply(localeCompare, "aé -1", ["Aè_b"]), () => apply(toLocaleUpperCase, "a", []), () => apply(number, -1234567.8915, []), () => apply(number, 1e21, ["en"]), () => apply(number, 1e-7, []), () => apply(big, -1234567n, []), () => apply(setYear, date, [99]),
  ...[toLocaleString, toLocaleDateString, toLocaleTimeString, toString, getTimezoneOffset, toDateString, toTimeString, getYear].map((method) => () => apply(method, date, []))];
const put = [], seen = new Set([globalThis, globalThis.console]), walk = [...Object.getOwnPropertyNames(globalThis).map((name) => [name, globalThis[name]]), ["iterator", Object.getPrototypeOf([][Symbol.iterator]())], ["text iterator", Object.getPrototypeOf("".matchAll(/x/g))]];
while (walk.length > 0) {
  const [path, holder] = walk.pop();
  if ((typeof holder !== "object" && typeof holder !== "function") || holder === null || seen.has(holder)) continue;
  seen.add(holder);
  walk.push([path + ".__proto__", Object.getPrototypeOf(holder)]);
  for (const key of Reflect.ownKeys(holder)) {
    const own = Object.getOwnPropertyDescriptor(holder, key), name = path + "." + String(key);
    if (own.value !== undefined) walk.push([name, own.value]);
    if (!own.configurable || key === "constructor" || key === "prototype" || (typeof own.value !== "function" && !own.get)) continue;
    put.push([holder, key, own, name]);
  }
  if (path === "Array.prototype") put.push([holder, "0", null, "Array.prototype.0"]);
}
const { defineProperty, deleteProperty } = Reflect;
const globals = ["String", "Number", "Object", "Reflect", "Math", "Array", "RegExp", "Symbol", "Proxy", "Map", "TypeError", "JSON"].map((name) => [name, globalThis[name]]);
for (let i = 0; i < put.length; i++) {
  const [holder, key, own, name] = put[i];
  put[i].to = { configurable: true, ...(own && "value" in own ? { value: function () { used[name] = true; }, writable: true } : { get() { used[name] = true; }, set() { used[name] = true; } }) };
}
const count = put.length;
for (let i = 0; i < count; i++) { const entry = put[i]; defineProperty(entry[0], entry[1], entry.to); }
for (let i = 0; i < globals.length; i++) globalThis[globals[i][0]] = undefined;
let failed = 0;
for (let i = 0; i < uses.length; i++) { try { (0, uses[i])(); } catch { failed++; } }
for (let i = 0; i < globals.length; i++) globalThis[globals[i][0]] = globals[i][1];
for (let i = 0; i < count; i++) { const entry = put[i]; if (entry[2]) defineProperty(entry[0], entry[1], entry[2]); else deleteProperty(entry[0], entry[1]); }
return Object.keys(used).join() + (failed > 0 ? failed + " failed" : "") || null;`;

export const machineLeakAttempts: readonly MachineLeakAttempt[] = [
  ...[...clock, ...place, ...language],
  { name: "what the wall uses of the language", body: usedByTheWall, pinned: null },
];
