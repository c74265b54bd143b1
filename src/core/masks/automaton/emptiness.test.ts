import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasByte } from "./byte-set.ts";
import { Derivatives } from "./derivative.ts";
import { type Expression, Expressions } from "./expression.ts";

type Recipe = (e: Expressions) => Expression;

/** Small languages over a and b, with all that makes emptiness a question. */
const recipe = fc.letrec<{ any: Recipe }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Recipe>(
      (e) => e.byte(0x61),
      (e) => e.byte(0x62),
      (e) => e.byte(0x61, 0x62),
      (e) => e.literal("ab"),
    ),
    fc.tuple(tie("any"), tie("any")).map(
      ([a, b]): Recipe =>
        (e) =>
          e.sequence(a(e), b(e)),
    ),
    fc.tuple(tie("any"), tie("any")).map(
      ([a, b]): Recipe =>
        (e) =>
          e.union(a(e), b(e)),
    ),
    fc.tuple(tie("any"), tie("any")).map(
      ([a, b]): Recipe =>
        (e) =>
          e.intersection(a(e), b(e)),
    ),
    fc.tuple(tie("any"), tie("any")).map(
      ([a, b]): Recipe =>
        (e) =>
          e.difference(a(e), b(e)),
    ),
    fc.tuple(tie("any"), fc.nat({ max: 3 }), fc.constantFrom(0, 1, 4, Number.POSITIVE_INFINITY)).map(
      ([a, min, more]): Recipe =>
        (e) =>
          e.repeat(a(e), min, min + more),
    ),
  ),
})).any;

/** The texts of an expression by its definition, up to a length. */
function textsOf(expression: Expression, most: number, all: ReadonlySet<string>): Set<string> {
  const of = (part: Expression) => textsOf(part, most, all);
  const join = (a: Iterable<string>, b: ReadonlySet<string>) =>
    new Set([...a].flatMap((x) => [...b].map((y) => x + y)).filter((text) => text.length <= most));
  switch (expression.kind) {
    case "nothing":
      return new Set();
    case "empty":
      return new Set([""]);
    case "bytes":
      return new Set(["a", "b"].filter((text) => hasByte(expression.set, text.charCodeAt(0))));
    case "sequence":
      return join(of(expression.head), of(expression.tail));
    case "union":
      return new Set(expression.members.flatMap((member) => [...of(member)]));
    case "intersection":
      return expression.members
        .map(of)
        .reduce((a, b) => new Set(Array.from(a).filter((text) => b.has(text))));
    case "complement": {
      const taken = of(expression.body);
      return new Set([...all].filter((text) => !taken.has(text)));
    }
    case "repeat": {
      const body = of(expression.body);
      const found = new Set<string>();
      let times: Set<string> = new Set([""]);
      const counts = Math.min(expression.max, expression.min + most + 1);
      for (let count = 0; count <= counts; count++) {
        if (count >= expression.min) for (const text of times) found.add(text);
        times = join(times, body);
      }
      return found;
    }
    default:
      throw new Error(`A ${expression.kind} is not made here.`);
  }
}

const most = 6;
const all = new Set([""]);
for (const text of all) if (text.length < most) all.add(`${text}a`).add(`${text}b`);

describe("an expression of few letters", () => {
  test("has the texts of its definition, by derivatives; and a shortest one, where it has any", () => {
    fc.assert(
      fc.property(recipe, (make) => {
        const e = new Expressions();
        const expression = make(e);
        const derivatives = new Derivatives(e);
        const expected = textsOf(expression, most, all);
        for (const text of all) {
          let rest = expression;
          for (const letter of text) {
            const byte = letter.charCodeAt(0);
            const steps = derivatives.steps(rest).filter(({ set }) => hasByte(set, byte));
            rest = e.unionOf(steps.map(({ next }) => next));
          }
          expect([text, derivatives.isNullable(rest)]).toEqual([text, expected.has(text)]);
        }
        const [shortest] = [...expected].sort((a, b) => a.length - b.length);
        if (shortest === undefined) {
          if (!derivatives.isEmpty(expression))
            expect(derivatives.shortest(expression).length).toBeGreaterThan(most);
        } else {
          expect(derivatives.isEmpty(expression)).toBe(false);
          expect(derivatives.shortest(expression)).toHaveLength(shortest.length);
          expect(expression.least).toBeLessThanOrEqual(shortest.length);
        }
      }),
      { numRuns: 400 },
    );
  });

  test("an end far off is found without looking at all that is on the way", () => {
    const e = new Expressions(20_000);
    const derivatives = new Derivatives(e);
    const letters = e.byte(0x61, 0x7a);
    const words = e.repeat(e.union(letters, e.literal("ab"), e.literal("the ")), 300, 400);
    const far = e.intersection(
      words,
      e.repeat(e.byte(0x20, 0x7a), 350, 5000),
      e.complement(e.literal("a".repeat(350))),
    );
    expect(derivatives.isEmpty(far)).toBe(false);
    expect(
      derivatives.isEmpty(
        e.intersection(e.repeat(letters, 0, 5000), e.sequence(e.anything, e.literal("foo"))),
      ),
    ).toBe(false);
  });
});
