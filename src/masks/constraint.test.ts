import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createTokenizer } from "../tokenizer/create-tokenizer.ts";
import { type ConstraintState, constraintOf } from "./constraint.ts";
import type { Expression, Expressions } from "./expression.ts";
import { createStrategy, wholeText } from "./strategy.ts";

const folder = "../shared/tokenizers/smollm2-135m";
const read = (file: string) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
const tokenizer = createTokenizer({
  tokenizerJson: read("tokenizer.json"),
  tokenizerConfig: read("tokenizer_config.json"),
  vocabSize: 49152,
  eosTokenIds: [2],
});
const strategy = (build: (e: Expressions) => Expression) =>
  createStrategy({ kind: "regex", build, answerOf: wholeText });
const texts = (state: ConstraintState) => {
  const m = state.mask();
  const out: string[] = [];
  for (let t = 0; t < 49152; t++) if ((m[t >> 5]! >>> (t & 31)) & 1) out.push(tokenizer.tokenText(t));
  return out;
};

describe("constraint", () => {
  test("hi, hit", () => {
    let t0 = performance.now();
    const { start } = constraintOf(
      strategy((e) => e.union(e.literal("hi"), e.literal("hit"))),
      tokenizer,
    );
    console.log("make", performance.now() - t0);
    t0 = performance.now();
    console.log(texts(start), performance.now() - t0);
    const h = start.advance(tokenizer.encode("hi")[0]!)!;
    console.log(h.canEnd, texts(h), h.isComplete, h.forcedTokens());
    const t = h.advance(tokenizer.encode("t")[0]!)!;
    expect(t.isComplete).toBe(true);
  });
  test("prose", () => {
    const c = constraintOf(
      strategy((e) =>
        e.sequence(
          e.byte(65, 90),
          e.repeat(e.union(e.byte(97, 122), e.byte(32), e.byte(44), e.byte(46)), 20, 200),
          e.byte(46),
        ),
      ),
      tokenizer,
    );
    let s: ConstraintState | null = c.start;
    for (const tok of tokenizer.encode("This is a fine day, and i am happy.")) {
      const t0 = performance.now();
      s!.mask();
      console.log(performance.now() - t0);
      s = s!.advance(tok);
    }
    expect(s!.canEnd).toBe(true);
  });
  test("not", () => {
    const c = constraintOf(
      strategy((e) =>
        e.sequence(
          e.literal('{"name":"'),
          e.difference(e.repeat(e.byte(97, 122), 1, 5), e.literal("abc")),
          e.literal('"}'),
        ),
      ),
      tokenizer,
    );
    console.log(c.start.forcedTokens().map((t) => tokenizer.tokenText(t)));
    let s: ConstraintState | null = c.start;
    for (const tok of tokenizer.encode('{"name":"abc')) s = s!.advance(tok);
    expect(s!.allows(tokenizer.encode('"')[0]!)).toBe(false);
    expect(s!.allows(tokenizer.encode("d")[0]!)).toBe(true);
  });
});
