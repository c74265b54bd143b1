/** How many tokens are computed until the cache holds a text, given what it holds before. */

import { describe, expect, test } from "vitest";
import { ForwardError } from "../ports/request-error.ts";
import { alphabetLogits, byteTokenizer, END } from "../testing/byte-tokenizer.ts";
import { type ScriptedModelOptions, scriptedModel } from "../testing/scripted-model.ts";
import { KvCache } from "./kv-cache.ts";

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
    const passResult = text.startsWith("*")
      ? await kvCache.prefill(tokens, reading)
      : await kvCache.forward(tokens, now);
    expect(passResult.passes.map(({ tokenCount }) => tokenCount)).toEqual(passes[turn]);
    expect(passResult.reused).toBe(reused[turn]);
    expect(passResult.rows.at(-1)).toEqual(alphabetLogits(tokens));
    expect(model.context).toEqual(tokens);
    expect(kvCache.passCount).toBe(model.passes.length);
  }
});

test("rows of a span, oldest first", async () => {
  const { kvCache } = make();
  await kvCache.prefill(encode("ab"), reading);
  const { rows } = await kvCache.forward(encode("abcde"), now, 3);
  expect(rows).toEqual(["abc", "abcd", "abcde"].map((text) => alphabetLogits(encode(text))));
});

test("a model that answers one row gives one", async () => {
  const { kvCache } = make({ lastRowOnly: true });
  const { rows } = await kvCache.forward(encode("abcde"), now, 3);
  expect(rows).toEqual([alphabetLogits(encode("abcde"))]);
});

describe("a draft", () => {
  /** Reads "ab", then "abc" with "defg" drafted. */
  async function drafted(options: Partial<ScriptedModelOptions> = {}) {
    const made = make(options);
    await made.kvCache.prefill(encode("ab"), reading);
    const passResult = await made.kvCache.forward(encode("abc"), now, 1, { draft: () => encode("defg") });
    return { ...made, passResult };
  }
  const noDraft = () => {
    throw new Error("No pass, so nothing was to be drafted.");
  };

  test("is read along, as if it were not there", async () => {
    const { model, kvCache, passResult } = await drafted();
    expect(passResult).toMatchObject({
      passes: [{ tokenCount: 5 }],
      drafted: 4,
      isDrafted: false,
      reused: 2,
    });
    expect(passResult.rows).toEqual([alphabetLogits(encode("abc"))]);
    expect(model.context).toEqual(encode("abcdefg"));
    expect(kvCache.length).toBe(3);
    expect(kvCache.sharedLength(encode("abcdefg"))).toBe(3);
    expect(kvCache.logitsAfter(4)).toBe(undefined);
  });

  test("that comes true takes no pass, token by token", async () => {
    const { model, kvCache } = await drafted();
    for (const text of ["abcd", "abcde", "abcde", "abcdefg"]) {
      const passResult = await kvCache.forward(encode(text), now, 1, { draft: noDraft });
      expect(passResult.passes).toEqual([]);
      expect(passResult.rows).toEqual([alphabetLogits(encode(text))]);
      expect(kvCache.logitsAfter(text.length)).toEqual(alphabetLogits(encode(text)));
    }
    expect(model.passes).toHaveLength(2);
    expect(kvCache.passCount).toBe(2);
  });

  test("of which only a beginning comes true: the rest is read, and a row for each token is there", async () => {
    const { model, kvCache } = await drafted();
    const passResult = await kvCache.forward(encode("abcdeXY"), now, 4);
    expect(passResult).toMatchObject({ passes: [{ tokenCount: 2 }], isDrafted: true, reused: 3 });
    expect(passResult.rows).toEqual(
      ["abcd", "abcde", "abcdeX", "abcdeXY"].map((text) => alphabetLogits(encode(text))),
    );
    expect(model.context).toEqual(encode("abcdeXY"));
  });

  test("is gone once tokens are taken back, or another prompt is read", async () => {
    const cut = await drafted();
    cut.kvCache.truncate(3);
    expect(cut.model.context).toEqual(encode("abc"));
    const read = await drafted();
    const { passes } = await read.kvCache.prefill(encode("abcde"), reading);
    expect(passes).toMatchObject([{ tokenCount: 2 }]);
    expect(read.model.context).toEqual(encode("abcde"));
  });

  test("is there again when what it gave is forgotten; what another pass took its place is not", async () => {
    const { model, kvCache } = await drafted();
    const found = kvCache.remember();
    await kvCache.forward(encode("abcd"), now);
    found.takeBack();
    expect(kvCache.length).toBe(3);
    expect(kvCache.logitsAfter(3)).toEqual(alphabetLogits(encode("abc")));
    expect((await kvCache.forward(encode("abcde"), now)).passes).toEqual([]);
    const computed = kvCache.remember();
    await kvCache.forward(encode("abcdeX"), now, 1, { draft: () => encode("YZ") });
    computed.takeBack();
    expect(kvCache.passCount).toBe(2);
    expect(model.context).toEqual(encode("abcde"));
  });

  test("for which there is no memory is left out", async () => {
    const { model, passResult, kvCache } = await drafted({ memory: 5 });
    expect(passResult).toMatchObject({ passes: [{ tokenCount: 1 }], drafted: 0 });
    expect(model.context).toEqual(encode("abc"));
    expect(kvCache.hasFailed).toBe(false);
  });

  test("of a model that gives its last row alone is taken back, and not tried again", async () => {
    const { model, passResult, kvCache } = await drafted({ lastRowOnly: true });
    expect(passResult.rows).toEqual([alphabetLogits(encode("abc"))]);
    expect(model.context).toEqual(encode("abc"));
    await kvCache.forward(encode("abcd"), now, 1, { draft: () => encode("efg") });
    expect(model.passes.map(({ tokens }) => tokens.length)).toEqual([2, 5, 1, 1]);
  });
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
    const failure = await kvCache.forward(encode("abcd"), now).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ForwardError);
    expect(failure).toMatchObject({
      message: "The model failed: out of memory",
      cause: new Error("out of memory"),
    });
    expect(kvCache.hasFailed).toBe(true);
    fails = false;
    const { passes } = await kvCache.forward(encode("abcd"), now);
    expect(passes.map(({ tokenCount }) => tokenCount)).toEqual([4]);
    expect(model.context).toEqual(encode("abcd"));
    expect(kvCache.hasFailed).toBe(false);
  });

  test("for want of memory leaves the model as it was", async () => {
    const { model, kvCache } = make({ memory: 4 });
    await kvCache.prefill(encode("abc"), reading);
    await expect(kvCache.forward(encode("abcde"), now)).rejects.toThrow("There is memory for 4 tokens.");
    expect(kvCache.hasFailed).toBe(false);
    const { passes } = await kvCache.forward(encode("abcd"), now);
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
  await expect(kvCache.forward(encode("xyz"), now)).rejects.toThrow("await that request first");
  await first;
  await kvCache.forward(encode("xyz"), now);
});
