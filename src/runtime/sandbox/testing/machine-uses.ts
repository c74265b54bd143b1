/**
 * Random uses of Date and Intl: every constructor, method and option that the realm has, found by reflection, so that
 * additions of future browsers are included. Their results must be the same on every machine.
 */

/** The use as text, and its result. */
export type DateOrIntlUse = readonly [use: string, result: string];

/** Runs in any realm, also as text (`runDateAndIntlUses.toString()`), because it uses nothing outside of itself. */
export function runDateAndIntlUses(count: number, seed: number): DateOrIntlUse[] {
  type Callable = (...values: unknown[]) => unknown;
  let state = seed;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) % below;
  };
  const pick = <Item>(list: readonly Item[]): Item => list[draw(list.length)] as Item;

  const known =
    "en-US,de,de-AT,ar-EG,ja,sv,el,tr,az,uz,ak,kk,pa,bs,xx,xx-XX,und,zh-Hant-HK,sr-Latn,en-u-nu-thai-ca-buddhist,de-u-co-phonebk,ak-GH,ha-GH,sd,gom,ka,mn,no,fa,i,de_DE";
  const tags = known.split(",");
  const locales = (): unknown =>
    pick<() => unknown>([
      () => undefined,
      () => undefined,
      () => [],
      () => pick(tags),
      () => pick(tags),
      () => pick(tags),
      () => [pick(tags), pick(tags)],
      () => localeOf(pick(tags)),
      () => new Proxy([pick(tags)], {}),
      () => ({ length: 1, 0: pick(tags) }),
      () => null,
    ])();
  /** A locale as an object, or as its tag if `Intl` refuses. */
  const localeOf = (tag: string): unknown => {
    try {
      return new Intl.Locale(tag);
    } catch {
      return tag;
    }
  };
  const widths = ["long", "short", "narrow", "numeric", "2-digit"];
  const values: Record<string, readonly unknown[]> = {
    localeMatcher: ["lookup", "best fit", "none"],
    timeZone: [undefined, undefined, "UTC", "Asia/Tokyo", "America/New_York", "+05:30", "Nowhere/No", null],
    dateStyle: ["full", "short"],
    timeStyle: ["full", "long", "short"],
    timeZoneName: ["long", "short", "shortOffset", "longGeneric"],
    hour12: [true, false],
    hourCycle: ["h11", "h23"],
    calendar: ["gregory", "buddhist", "islamic-civil", "japanese"],
    numberingSystem: ["latn", "arab", "thai"],
    fractionalSecondDigits: [1, 3],
    style: ["currency", "percent", "unit", "decimal", "long", "narrow", "digital"],
    currency: ["EUR", "USD", "INR"],
    unit: ["kilometer-per-hour", "celsius", "byte"],
    notation: ["compact", "scientific", "engineering"],
    type: ["conjunction", "unit", "ordinal", "language", "region", "currency", "dateTimeField", "script"],
    granularity: ["word", "sentence", "grapheme"],
    usage: ["search", "sort"],
    sensitivity: ["base", "variant"],
    fallback: ["none", "code"],
    numeric: ["auto", "always", true, false],
    collation: ["phonebk", "emoji"],
    useGrouping: [true, false, "min2"],
    maximumFractionDigits: [0, 2],
  };
  for (const name of "weekday era year month day dayPeriod hour minute second".split(" "))
    values[name] = widths;
  const names = Object.keys(values);
  const options = (): unknown =>
    pick<() => unknown>([
      () => undefined,
      () => ({}),
      some,
      some,
      some,
      () => Object.create(some()),
      // Has a value for every option, also for options that browsers add later.
      () =>
        new Proxy({}, { get: (_, name) => (draw(3) > 0 ? undefined : pick(values[String(name)] ?? widths)) }),
      () => {
        let reads = 0;
        return {
          ...some(),
          get timeZone() {
            return reads++ === 0 ? "UTC" : undefined;
          },
        };
      },
      () => {
        let reads = 0;
        return { ...some(), timeZone: { toString: () => (reads++ === 0 ? "UTC" : "Asia/Tokyo") } };
      },
      () => null,
      () => pick<unknown>([5, "text", true, 7n]),
      () => () => undefined,
    ])();
  function some(): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    for (let left = draw(4); left > 0; left--) {
      const name = pick(names);
      made[name] = pick(values[name] as readonly unknown[]);
    }
    return made;
  }
  const texts =
    "abc,Iı,straße,month,day,USD,de,en-GB,US,Latn,gregory,2020-01-01T10:20,Jan 1 2000 10:00,Tue Feb 01 2000 10:20:30 GMT+0530,12:30,2020/2/3,unit,calendar,timeZone,currency,collation,numberingSystem";
  const value = (): unknown =>
    pick<() => unknown>([
      () => pick([0, 1e12, -1, 1_234_567.891, 5, 31, Number.NaN, -8.64e15, 99]),
      () => pick([0, 1e12, 2, 12]),
      () => pick(texts.split(",")),
      () => pick(texts.split(",")),
      () => ["a", "b", "c"],
      () => ({ years: 1, hours: 2, minutes: 3, seconds: 4 }),
      () => new Date(pick([0, 1e12, Number.NaN])),
      () => pick([undefined, null, true, 12n]),
      () => ({ [Symbol.toPrimitive]: (hint: string) => (hint === "number" ? 5 : "2000-01-01T00:00") }),
      () => ({ toString: () => "Jan 1, 2000", valueOf: () => ({}) }),
    ])();
  const some3 = (): unknown[] => Array.from({ length: draw(4) }, value);

  function show(result: unknown, depth = 0): string {
    if (typeof result === "bigint") return `${result}n`;
    if (typeof result === "symbol") return String(result);
    if (typeof result === "function")
      return depth > 1
        ? "function"
        : `function ${show(
            attempt(() => result(1e12)),
            depth + 1,
          )}`;
    if (typeof result !== "object" || result === null)
      return typeof result === "string" ? JSON.stringify(result) : String(result);
    if (depth > 3) return "…";
    if (result instanceof Date) return `Date ${result.getTime()} ${String(result)}`;
    if (result instanceof Error) return `${result.name}: ${result.message}`;
    if (Symbol.iterator in result)
      return `[${Array.from(result as Iterable<unknown>, (item) => show(item, depth + 1)).join()}]`;
    if ("resolvedOptions" in result) return show((result.resolvedOptions as Callable)(), depth + 1);
    if ("baseName" in result) return String(result);
    const entries = Object.entries(result).map(([name, item]) => `${name}:${show(item, depth + 1)}`);
    return `{${entries.join()}}`;
  }
  function attempt(use: () => unknown): unknown {
    try {
      return use();
    } catch (error) {
      return error;
    }
  }

  const space = Intl as unknown as Record<
    string,
    { prototype?: object; supportedLocalesOf?: Callable } & Callable
  >;
  const members = (holder: object): PropertyKey[] =>
    Reflect.ownKeys(holder).filter((name) => name !== "constructor");
  const call = (holder: object, target: unknown, name: PropertyKey, given: unknown[]): unknown => {
    const member = Reflect.get(holder, name, target) as unknown;
    return typeof member === "function" ? Reflect.apply(member as Callable, target, given) : member;
  };
  const constructed = (make: Callable, given: unknown[]): unknown =>
    pick<() => unknown>([
      () => Reflect.construct(make, given),
      () => Reflect.construct(make, given),
      () => make(...given),
      () => Reflect.construct(make, given, class extends (make as unknown as new () => object) {}),
      () => Reflect.construct(class extends (make as unknown as new () => object) {}, given),
    ])();
  const localeMethods: [object, PropertyKey, () => unknown][] = [
    [String.prototype, () => pick(texts.split(","))],
    [Number.prototype, () => 1_234_567.891],
    [BigInt.prototype, () => 1_234_567n],
    [Date.prototype, () => new Date(pick([0, 1e12]))],
    [Array.prototype, () => [1234.5, new Date(0), 12n]],
    [Object.getPrototypeOf(Int8Array.prototype), () => Float64Array.of(1234.5, 2)],
    [Object.prototype, () => new Date(0)],
  ].flatMap(([prototype, receiver]) =>
    Reflect.ownKeys(prototype as object)
      .filter((name) => /locale/i.test(String(name)))
      .map((name): [object, PropertyKey, () => unknown] => [
        prototype as object,
        name,
        receiver as () => unknown,
      ]),
  );

  const intlArguments = (name: string): unknown[] => {
    if (name === "getCanonicalLocales") return [locales()];
    return name === "supportedValuesOf" ? [value()] : [locales(), options()];
  };

  /** One use each: returns its name and a function that performs it. */
  const uses: (() => [string, () => unknown])[] = [
    () => {
      const name = pick(members(Date.prototype));
      const given = some3();
      const made = some3();
      return [
        `new Date(${made.length}).${String(name)}(${given.length})`,
        () => call(Date.prototype, constructed(Date as unknown as Callable, made), name, given),
      ];
    },
    () => {
      const name = pick(members(Date));
      const given = some3();
      return [`Date.${String(name)}(${given.length})`, () => call(Date, Date, name, given)];
    },
    () => {
      const name = pick(Object.keys(Object.getOwnPropertyDescriptors(space)));
      const make = attempt(() => space[name]) as Callable & { prototype?: object };
      if (make instanceof Error)
        return [
          `Intl.${name}`,
          () => {
            throw make;
          },
        ];
      const given = intlArguments(name);
      if (!make.prototype) return [`Intl.${name}`, () => make(...given)];
      const { prototype } = make;
      const member = pick(members(prototype));
      const more = some3();
      return [
        `new Intl.${name}(…).${String(member)}(${more.length})`,
        () => {
          const object = constructed(make, given);
          return [object, call(prototype, object, member, more)];
        },
      ];
    },
    () => {
      const name = pick(Object.keys(Object.getOwnPropertyDescriptors(space)));
      const given = [locales(), options()];
      return [`Intl.${name}.supportedLocalesOf`, () => space[name]?.supportedLocalesOf?.(...given)];
    },
    () => {
      const [prototype, name, receiver] = pick(localeMethods);
      const target = receiver();
      const given =
        name === "localeCompare" ? [pick(texts.split(",")), locales(), options()] : [locales(), options()];
      return [`${show(target)}.${String(name)}`, () => call(prototype, target, name, given)];
    },
  ];
  const often = [0, 0, 1, 2, 2, 2, 2, 3, 4, 4];
  const pollution: Record<string, unknown> = {
    timeZone: "Asia/Tokyo",
    locale: "ja",
    localeMatcher: "best fit",
    calendar: "japanese",
    get: () => "ja",
  };
  return Array.from({ length: count }, () => {
    const made = attempt(() => uses[pick(often)]?.());
    if (!Array.isArray(made)) return ["a use that could not be made", show(made)];
    const [name, use] = made as [string, () => unknown];
    const polluted = draw(8) === 0 ? pick(Object.keys(pollution)) : null;
    if (polluted !== null)
      Object.defineProperty(Object.prototype, polluted, {
        value: pollution[polluted],
        configurable: true,
        writable: true,
      });
    const result = attempt(use);
    if (polluted !== null) Reflect.deleteProperty(Object.prototype, polluted);
    return [polluted === null ? name : `${name} with ${polluted}`, String(attempt(() => show(result)))];
  });
}
