/** Random values of the fields of a trace: texts, numbers and tokens. */
import fc from "fast-check";
import type { TraceToken } from "../format/format.ts";

export const text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("", " the", "Lily", "\n", "🙂", " café", "日本", "__proto__", "<img onerror=alert(1)>"),
  fc.string({ unit: "grapheme", maxLength: 20 }),
);
export const count: fc.Arbitrary<number> = fc.oneof(
  fc.nat({ max: 20 }),
  fc.nat(),
  fc.maxSafeNat().map((value) => value % 2 ** 51),
);
export const finite: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -0, 1, -0.5, 0.25, 1e-300, -1e300),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.float({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);
export const orNull = <Type>(inner: fc.Arbitrary<Type>): fc.Arbitrary<Type | null> =>
  fc.option(inner, { nil: null });
export const tokenId: fc.Arbitrary<number> = fc.oneof(
  fc.constant(-1),
  fc.nat({ max: 151_935 }),
  fc.nat({ max: 2 ** 31 - 1 }),
);
export const token: fc.Arbitrary<TraceToken> = fc.record({ token: tokenId, text });
