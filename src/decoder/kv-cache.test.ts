/** How many tokens are computed until the cache holds a text, given what it holds before. */
import { describe, expect, test } from "vitest";
import { ForwardError, KvCache } from "./kv-cache.ts";
import { alphabetLogits, byteTokenizer, END } from "./testing/byte-tokenizer.ts";
import { type ScriptedModelOptions, scriptedModel } from "./testing/scripted-model.ts";

const encode = byteTokenizer.encode;
const now = () => 0;
const reading = { now };

function make(options: Partial<ScriptedModelOptions> = {}) {
  const model = scriptedModel({
    vocabularySize: 257,
    endOfSequence: [END],
    logits: alphabetLogits,
    ...options,
  });
  return { model, kvCache: new KvCache(model) };
}

/** Contexts in turn; a `*` before one means that it is a request's prompt. Expected: tokens of each pass, and what was reused. */
const tables: Record<string, [texts: string[], passes: number[][], reused: number[]]> = {
  "token by token": [
    ["*ab", "abc", "abcd"],
    [[2], [1], [1]],
    [0, 2, 3],
  ],
  "a span in one pass": [
    ["*ab", "abcdefg"],
    [[2], [5]],
    [0, 2],
  ],
  "the same again: logits at hand": [
    ["*ab", "abc", "abc"],
    [[2], [1], []],
    [0, 2, 3],
  ],
  "a prefix: its last token runs again": [
    ["*abcdef", "abc"],
    [[6], [1]],
    [0, 2],
  ],
  "a branch": [
    ["*abcdef", "abcXY"],
    [[6], [2]],
    [0, 3],
  ],
  "nothing in common": [
    ["*abc", "xyz"],
    [[3], [3]],
    [0, 0],
  ],
  "the same prompt again: its logits are kept": [
    ["*ab", "abc", "abcd", "*ab", "abc"],
    [[2], [1], [1], [], [1]],
    [0, 2, 3, 2, 2],
  ],
  "the next turn of a chat": [
    ["*ab", "abcd", "*abcdef"],
    [[2], [2], [2]],
    [0, 2, 4],
  ],
  "an edited prompt": [
    ["*abcdef", "abcdefg", "*abXdef"],
    [[6], [1], [4]],
    [0, 6, 2],
  ],
  "one token": [
    ["*a", "ab", "*a"],
    [[1], [1], []],
    [0, 1, 1],
  ],
  "a prompt of 1,100 tokens in three passes": [[`*${"a".repeat(1100)}`], [[512, 512, 76]], [0]],
  "a span of 600 tokens in one": [
    ["*a", "a".repeat(601)],
    [[1], [600]],
    [0, 1],
  ],
};

test.each(Object.entries(tables))("%s", async (_, [texts, passes, reused]) => {
  const { model, kvCache } = make();
  for (const [turn, text] of texts.entries()) {
    const tokens = encode(text.replace("*", ""));
    const advance = text.startsWith("*")
      ? await kvCache.prefill(tokens, reading)
      : await kvCache.advance(tokens, now);
    expect(advance.passes.map(({ tokenCount }) => tokenCount)).toEqual(passes[turn]);
    expect(advance.reused).toBe(reused[turn]);
    expect(advance.rows.at(-1)).toEqual(alphabetLogits(tokens));
    expect(model.context).toEqual(tokens);
    expect(kvCache.passCount).toBe(model.passes.length);
  }
});

test("rows of a span, oldest first", async () => {
  const { kvCache } = make();
  await kvCache.prefill(encode("ab"), reading);
  const { rows } = await kvCache.advance(encode("abcde"), now, 3);
  expect(rows).toEqual(["abc", "abcd", "abcde"].map((text) => alphabetLogits(encode(text))));
});

test("a model that answers one row gives one", async () => {
  const { kvCache } = make({ lastRowOnly: true });
  const { rows } = await kvCache.advance(encode("abcde"), now, 3);
  expect(rows).toEqual([alphabetLogits(encode("abcde"))]);
});

describe("a failure", () => {
  test("is a ForwardError with its cause, and nothing of the cache is trusted after it", async () => {
    let fails = false;
    const { model, kvCache } = make({
      logits: (tokens) => {
        if (fails) throw new Error("out of memory");
        return alphabetLogits(tokens);
      },
    });
    await kvCache.prefill(encode("abc"), reading);
    fails = true;
    const failure = await kvCache.advance(encode("abcd"), now).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ForwardError);
    expect(failure).toMatchObject({
      message: "The model failed: out of memory",
      cause: new Error("out of memory"),
    });
    expect(kvCache.hasFailed).toBe(true);
    fails = false;
    const { passes } = await kvCache.advance(encode("abcd"), now);
    expect(passes.map(({ tokenCount }) => tokenCount)).toEqual([4]);
    expect(model.context).toEqual(encode("abcd"));
    expect(kvCache.hasFailed).toBe(false);
  });

  test("for want of memory leaves the model as it was", async () => {
    const { model, kvCache } = make({ memory: 4 });
    await kvCache.prefill(encode("abc"), reading);
    await expect(kvCache.advance(encode("abcde"), now)).rejects.toThrow("There is memory for 4 tokens.");
    expect(kvCache.hasFailed).toBe(false);
    const { passes } = await kvCache.advance(encode("abcd"), now);
    expect(passes.map(({ tokenCount }) => tokenCount)).toEqual([1]);
    expect(model.context).toEqual(encode("abcd"));
  });

  test("cutting a dead model's cache is one as well", async () => {
    const { model, kvCache } = make();
    await kvCache.prefill(encode("abc"), reading);
    await model.dispose();
    expect(() => kvCache.truncate(1)).toThrow(ForwardError);
  });
});

test("two at once are refused: it would kill the page", async () => {
  const { kvCache } = make();
  const first = kvCache.prefill(encode("abc"), reading);
  await expect(kvCache.advance(encode("xyz"), now)).rejects.toThrow("await that one first");
  await first;
  await kvCache.advance(encode("xyz"), now);
});
