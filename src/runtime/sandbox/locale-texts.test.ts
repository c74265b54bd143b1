/** Methods that take a language return what a browser returns for en-US and UTC; anything else is refused. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareInEnglishOrder } from "./compare-texts.ts";
import { formatEnglishNumber, pinLocaleTexts } from "./locale-texts.ts";
import { createRefusingIntl } from "./refusing-intl.ts";

test("numbers are written as in English", () => {
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.double({ min: -1e7, max: 1e7 }), fc.integer()), (value) => {
      expect(formatEnglishNumber(value)).toBe(value.toLocaleString("en-US"));
    }),
    { numRuns: 2_000 },
  );
});

describe("methods that ask for a language", () => {
  const real = { Number, BigInt, Date, String };
  /** Separate prototypes, so that Node's own are not changed. */
  const of = (kind: keyof typeof real) =>
    ({
      prototype: Object.create(real[kind].prototype, Object.getOwnPropertyDescriptors(real[kind].prototype)),
    }) as never;
  const realm = { Number: of("Number"), BigInt: of("BigInt"), Date: of("Date"), String: of("String") };
  pinLocaleTexts(realm as never);
  const call = (kind: keyof typeof real, method: string, self: unknown, ...given: unknown[]) =>
    (realm[kind] as { prototype: Record<string, (...values: unknown[]) => unknown> }).prototype[
      method
    ]?.apply(self, given);

  test("dates are those of UTC", () => {
    const dates = fc.date({ min: new Date("0001-01-01T00:00:00Z"), noInvalidDate: true });
    const inUtc = { timeZone: "UTC" } as const;
    fc.assert(
      fc.property(dates, (date) => {
        expect(call("Date", "toLocaleString", date)).toBe(date.toLocaleString("en-US", inUtc));
        expect(call("Date", "toLocaleDateString", date, "en-US")).toBe(
          date.toLocaleDateString("en-US", inUtc),
        );
        expect(call("Date", "toLocaleTimeString", date)).toBe(date.toLocaleTimeString("en-US", inUtc));
      }),
    );
    expect(call("Date", "toLocaleString", new Date(Number.NaN))).toBe("Invalid Date");
  });

  test("large numbers and letters", () => {
    expect(call("BigInt", "toLocaleString", -1234567n)).toBe("-1,234,567");
    expect(call("String", "toLocaleUpperCase", "straße")).toBe("STRASSE");
    expect(call("String", "toLocaleLowerCase", "ÀI", "en")).toBe("ài");
  });

  test.each([
    ["Number", "toLocaleString", 1, ["de"], "toLocaleString with a locale other than en-US is not available"],
    ["Number", "toLocaleString", 1, [undefined, { style: "percent" }], "toLocaleString with options is not"],
    ["Date", "toLocaleDateString", new Date(0), ["fr"], "toLocaleDateString with a locale other"],
    ["String", "localeCompare", "a", ["b", "sv"], "localeCompare with a locale other"],
    ["String", "localeCompare", "a", ["b", "en", { numeric: true }], "localeCompare with options is not"],
    ["Date", "toLocaleString", new Date(-1e14), [], "Formatting a date before the year 1 is not"],
    ["String", "toLocaleUpperCase", "i", ["tr"], "toLocaleUpperCase with a locale other"],
  ] as const)("%s.%s of %s with %s is refused with words", (kind, method, self, given, words) => {
    expect(() => call(kind, method, self, ...given)).toThrow(words);
  });

  test("Intl says that it is not there", () => {
    const intl = createRefusingIntl() as typeof Intl;
    expect(() => new intl.NumberFormat("en")).toThrow(
      "Intl.NumberFormat is not available in a mod: mods have no locale data, so that they give the same result on every machine. Format the text yourself.",
    );
  });
});

const latin = [..." _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcxyzABCXYZäÄáàâãåçÇéèêëíñöõüÿž"];

test("texts are ordered as the Unicode collation orders them in English", () => {
  const { compare } = new Intl.Collator("en");
  const text = fc.string({ unit: fc.constantFrom(...latin), maxLength: 6 });
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(compareInEnglishOrder(one, other)).toBe(Math.sign(compare(one, other)));
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  [
    ["résumé", "resume", "Resume", "résume"],
    ["resume", "Resume", "résume", "résumé"],
  ],
  [
    ["b", "a10", "a2", "A1", "ä1"],
    ["A1", "ä1", "a10", "a2", "b"],
  ],
  [
    ["\u00e9", "e\u0301", "e"],
    ["e", "\u00e9", "e\u0301"],
  ],
])("%s is sorted", (given, sorted) => {
  expect([...given].sort(compareInEnglishOrder)).toEqual(sorted);
});
