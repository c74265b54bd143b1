import { describe, expect, test } from "vitest";
import type { Expression, Expressions } from "../automaton/expression.ts";
import { ConstraintLimitError, StrategyError } from "../strategy-error.ts";
import { describeRepositoryVocabularies } from "../testing/describe-repository-vocabularies.ts";
import { repositoryTokenizer } from "../testing/repository-vocabularies.ts";
import { hasToken } from "../vocabulary/token-bits.ts";
import { type ConstraintState, constraintOf } from "./constraint.ts";
import { strategyOf, testForcedTokens } from "./forced-tokens.conformance.ts";

describeRepositoryVocabularies("forced tokens over %s", testForcedTokens);

const smol = repositoryTokenizer("smollm2-135m");
const startOf = (build: (e: Expressions) => Expression) => constraintOf(strategyOf(build), smol).start;

function follow(start: ConstraintState, text: string): ConstraintState {
  let state = start;
  for (const token of smol.encode(text)) {
    const next = state.advance(token);
    if (next === null) throw new Error(`"${smol.tokenText(token)}" of "${text}" is not allowed.`);
    state = next;
  }
  return state;
}

const textsOf = (state: ConstraintState) =>
  Array.from({ length: smol.vocabSize }, (_, token) => token)
    .filter((token) => hasToken(state.mask(), token))
    .map((token) => smol.tokenText(token))
    .sort();

describe("a state", () => {
  const hi = (e: Expressions) => e.union(e.literal("hi"), e.literal("hit"));

  test("of a choice that begins another: both may follow", () => {
    const start = startOf(hi);
    expect(textsOf(start)).toEqual(["h", "hi", "hit"]);
    expect([start.canEnd, start.isComplete]).toEqual([false, false]);
    const afterHi = follow(start, "hi");
    expect(textsOf(afterHi)).toEqual(["t"]);
    expect([afterHi.canEnd, afterHi.isComplete, afterHi.forcedTokens()]).toEqual([true, false, []]);
    const end = follow(afterHi, "t");
    expect([end.canEnd, end.isComplete, textsOf(end)]).toEqual([true, true, []]);
  });

  test("is a value: an older one answers as before", () => {
    const start = startOf((e) => e.repeat(e.byte(0x61, 0x7a), 2, 9));
    const before = [...start.mask()];
    const one = follow(start, "a");
    follow(one, "bcdefgh");
    expect([...start.mask()]).toEqual(before);
    expect(one.allows(smol.encode("b")[0] as number)).toBe(true);
    expect(follow(one, "bcdefgh")).toBe(follow(one, "bcdefgh"));
  });

  test("allows no token that ends the output, has no text, or does not exist", () => {
    const start = startOf((e) => e.anything);
    for (const token of [2, 0, -1, 49_152, 0.5, Number.NaN]) {
      expect([token, start.allows(token), start.advance(token)]).toEqual([token, false, null]);
    }
    expect(hasToken(start.mask(), 2)).toBe(false);
    expect(hasToken(start.mask(), 0)).toBe(false);
  });

  test("of a strategy that allows nothing is not made", () => {
    expect(() => startOf((e) => e.intersection(e.literal("a"), e.repeat(e.byte(0x62), 0, 5)))).toThrow(
      StrategyError,
    );
  });

  test("counts tokens against a budget, and then ends as soon as it can", () => {
    const start = startOf((e) =>
      e.budget(e.sequence(e.repeat(e.byte(0x61, 0x7a), 0, 99), e.literal("!")), 2),
    );
    const one = follow(start, "a");
    expect(textsOf(one).length).toBeGreaterThan(1000);
    expect(textsOf(follow(one, "b"))).toEqual(["!"]);
  });

  test("a constraint is made once for a strategy and a vocabulary", () => {
    const one = strategyOf((e) => e.literal("a"));
    expect(constraintOf(one, smol)).toBe(constraintOf(one, smol));
  });
});

describe("what is too much to keep is let go, and states go on", () => {
  test("a counter to 60,000 is walked to its end and back", () => {
    const start = startOf((e) => e.sequence(e.repeat(e.byte(0x61), 60_000, 60_000), e.literal("!")));
    const eight = smol.encode("aaaaaaaa")[0] as number;
    const length = smol.tokenText(eight).length;
    let state: ConstraintState | null = start;
    const early = start.advance(eight);
    for (let done = 0; done + length <= 60_000; done += length) state = state?.advance(eight) ?? null;
    const rest = 60_000 % length;
    if (state && rest > 0) state = follow(state, "a".repeat(rest));
    expect(state && textsOf(state)).toEqual(["!"]);
    expect(early && textsOf(early)).toEqual(textsOf(start));
  });
});

describe("bounds: an answer or a ConstraintLimitError, after a count of steps", () => {
  const a = (e: Expressions) => e.byte(0x61);
  const ab = (e: Expressions) => e.union(e.byte(0x61), e.byte(0x62));
  const nested = (e: Expressions, depth: number) => {
    let body = a(e);
    for (let level = 0; level < depth; level++)
      body = e.repeat(e.sequence(e.repeat(body, 0, 2), e.byte(0x62)), 0, 3);
    return body;
  };
  /** Whether the k-th byte from the end is an a: 2^k states. */
  const late = (e: Expressions, k: number) =>
    e.sequence(e.repeat(ab(e), 0, Number.POSITIVE_INFINITY), a(e), e.repeat(ab(e), k, k));

  test.each<[string, (e: Expressions) => Expression, string, boolean]>([
    ["a literal of 100,000 bytes", (e) => e.literal("a".repeat(100_000)), "aaaaaaaa".repeat(50), true],
    [
      "10,000 choices",
      (e) => e.union(...Array.from({ length: 10_000 }, (_, index) => e.literal(`a${index}`))),
      "a99",
      true,
    ],
    [
      "choices of 1 to 2,000 bytes",
      (e) => e.union(...Array.from({ length: 2_000 }, (_, index) => e.literal("a".repeat(index + 1)))),
      "a".repeat(400),
      true,
    ],
    [
      "100,000 parts that may be left out",
      (e) =>
        e.sequence(
          ...Array.from({ length: 100_000 }, (_, index) => e.optional(e.literal(String(index % 1000)))),
        ),
      "12",
      false,
    ],
    [
      "((a{1,100}){1,100}){1,100}",
      (e) => e.repeat(e.repeat(e.repeat(a(e), 1, 100), 1, 100), 1, 100),
      "a".repeat(400),
      true,
    ],
    [
      "((aa|b){2,100}){2,100}",
      (e) => e.repeat(e.repeat(e.union(e.literal("aa"), e.byte(0x62)), 2, 100), 2, 100),
      "aab".repeat(100),
      true,
    ],
    [
      "(a|aa|aaa|aaaa){1,500}",
      (e) => e.repeat(e.union(...[1, 2, 3, 4].map((n) => e.literal("a".repeat(n)))), 1, 500),
      "a".repeat(400),
      true,
    ],
    ["(a|b)*a(a|b){25}", (e) => late(e, 25), "abba".repeat(100), true],
    [
      "not (a|b)*a(a|b){25}",
      (e) => e.intersection(e.repeat(ab(e), 0, 200), e.complement(late(e, 25))),
      "abba".repeat(40),
      true,
    ],
    [
      "seven such at once",
      (e) => e.intersection(...[11, 12, 13, 14, 15, 16, 17].map((k) => late(e, k))),
      "ab",
      false,
    ],
    [
      "nothing is left of it",
      (e) => e.union(e.byte(0x63), e.intersection(late(e, 25), e.complement(late(e, 25)))),
      "c",
      false,
    ],
    ["300 levels", (e) => nested(e, 100), "b", true],
    ["10,000 levels", (e) => nested(e, 10_000), "b", false],
  ])("%s", (_, build, text, answers) => {
    const go = () => {
      let state: ConstraintState = startOf(build);
      state.mask();
      for (const token of smol.encode(text)) {
        const next = state.advance(token);
        if (!next) throw new Error(`"${text}" is not allowed.`);
        next.mask();
        next.forcedTokens();
        state = next;
      }
    };
    if (answers) go();
    else expect(go).toThrow(ConstraintLimitError);
  });

  test("a rule that begins with itself is named", () => {
    const loop = (e: Expressions): Expression =>
      e.rule("list", () => e.union(e.sequence(loop(e), e.literal(",a")), e.literal("a")));
    expect(() => startOf(loop).mask()).toThrow(/rule "list": the rule begins with itself/);
    const hidden = (e: Expressions): Expression =>
      e.rule("item", () =>
        e.sequence(
          e.optional(e.byte(0x62)),
          e.rule("other", () => e.union(hidden(e), e.literal("a"))),
        ),
      );
    expect(() => startOf(hidden).mask()).toThrow(/begins with itself/);
  });

  test("recursion as deep as the text is no recursion of ours", () => {
    const nest = (e: Expressions): Expression =>
      e.rule("nest", () => e.sequence(e.byte(0x28), e.optional(nest(e)), e.byte(0x29)));
    let state = startOf(nest);
    for (let level = 0; level < 5_000; level++) state = follow(state, "(");
    for (let level = 0; level < 5_000; level++) state = follow(state, ")");
    expect(state.isComplete).toBe(true);
  });
});
