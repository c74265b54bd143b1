/** Scores of continuations: passes, limits, the KV cache after it, other models and other moments. */
import { describe, expect, test } from "vitest";
import { mix32, randomBits } from "../../base/random.ts";
import type { ScoreContinuations } from "../../sdk/score-arguments.ts";
import { decodeTraceFile, encodeTraceFile } from "../../trace/codec/codec.ts";
import { TRACE_VERSION } from "../../trace/format/format.ts";
import { verifyReplay } from "../replay/verify.ts";
import { byteTokenizer, END } from "../testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { decodeRequest, type RunOptions, runDecode } from "../testing/run-decode.ts";
import { withoutTimes } from "../testing/trace-log.ts";

function randomLogits(context: readonly number[]): Float32Array {
  const key = context.reduce((hash, token) => mix32(hash + token), context.length);
  return Float32Array.from({ length: 257 }, (_, token) =>
    token === END ? -9 : (randomBits(key, token) % 1000) / 99,
  );
}

function logprobOf(context: readonly number[], tokens: readonly number[]): number {
  return tokens.reduce((sum, token, place) => {
    const row = randomLogits([...context, ...tokens.slice(0, place)]);
    const total = row.reduce((all, logit) => all + Math.exp(logit), 0);
    return sum + (row[token] ?? 0) - Math.log(total);
  }, 0);
}

const texts = ["abcd", "abce", "abxy", "a", "zz", "abcd"].map((text) => byteTokenizer.encode(text));
const moments = ["forwardPass", "sampled", "added"] as const;
const run = (handlers: Handlers, options: RunOptions = {}) =>
  runDecode({
    ...options,
    mods: [inProcessMod("scores", handlers)],
    model: { logits: randomLogits, ...options.model },
  });

/** Scores at every event of these types, and checks each number. */
function scoring(types: readonly (typeof moments)[number][], ask = texts): Handlers {
  const at = async (
    event: { emitted: readonly { token: number }[] },
    _log: unknown,
    score: ScoreContinuations,
  ) => {
    const context = [...byteTokenizer.encode("abcd"), ...event.emitted.map(({ token }) => token)];
    for (const [place, logprob] of (await score(ask)).entries())
      expect(logprob).toBeCloseTo(logprobOf(context, ask[place] ?? []), 4);
  };
  return Object.fromEntries(types.map((type) => [type, at]));
}

describe.each([true, false])("of a model that gives the last row alone: %s", (lastRowOnly) => {
  test.each([...moments.map((type) => [type]), moments])(
    "scores at %s, %s, %s change nothing else",
    async (...types) => {
      const asked = types.filter((type) => moments.includes(type));
      const options = { model: { lastRowOnly }, request: { budget: 1000 } };
      const scored = await run(scoring(asked), options);
      const silent = await run(Object.fromEntries(asked.map((type) => [type, () => null])), options);
      expect(scored.records.flatMap((record) => (record.type === "modCall" && record.fault) || [])).toEqual(
        [],
      );
      const withoutScores = scored.records.map((record) => {
        const { scores: _, ...rest } = { scores: null, ...record };
        return rest;
      });
      expect(withoutTimes(withoutScores as typeof scored.records)).toEqual(withoutTimes(silent.records));
    },
  );
});

test("shared beginnings are read once", async () => {
  const { records } = await run(scoring(["forwardPass"]), { request: { maxTokens: 1 } });
  // "abc", "abx" and "z": what is behind the last token is not read.
  expect(records.flatMap((record) => (record.type === "modCall" && record.scores) || [])).toMatchObject([
    { passes: 3 },
  ]);
});

test.each<[string, RunOptions]>([
  ["context of 6 tokens already holds 4", { model: { capacity: 6 } }],
  ["budget of 2 passes", { request: { budget: 2 } }],
])("a score that %s is refused, and the mod goes on", async (words, options) => {
  const refusals: string[] = [];
  const { finished } = await run(
    {
      forwardPass: async (_event, _log, score) => {
        await score(texts).catch(({ message }: Error) => refusals.push(message));
      },
    },
    options,
  );
  expect(refusals[0]).toContain(words);
  expect(finished.error).toBeNull();
});

test("two mods that score at once wait for one another", async () => {
  const mods = ["one", "other"].map((name) => inProcessMod(name, scoring(["added"])));
  const { records } = await runDecode({ mods, model: { logits: randomLogits } });
  const calls = records.filter((record) => record.type === "modCall");
  expect(calls.every(({ scores, fault }) => scores?.length === 1 && fault === null)).toBe(true);
});

test("a request that scored is verified from its file alone, and another mod's scores are a difference", async () => {
  const branchy = (most: number): Handlers => ({
    added: async (_event, _log, score) => {
      const [first = 0, second = 0] = await score(texts.slice(0, most));
      return first > second ? { type: "backtrack", count: 1, tokens: [65] } : null;
    },
  });
  const request = { maxTokens: 6, budget: 40 };
  const { records } = await run(branchy(6), { request });
  expect(records.filter((record) => record.type === "modCall" && record.scores).length).toBeGreaterThan(2);
  const file = decodeTraceFile(encodeTraceFile({ version: TRACE_VERSION, records })).trace.records;
  expect(file).toEqual(records);
  const check = (most: number) =>
    verifyReplay(decodeRequest("abcd", { ...request, modSources: [{ source: "" }] }), file, {
      tokenizer: byteTokenizer,
      mods: [{ ...inProcessMod("scores", branchy(most)), needs: { topK: 0, logits: false } }],
      now: () => 0,
    });
  expect(await check(6)).toMatchObject({ difference: null, missing: null });
  expect((await check(5)).difference).not.toBeNull();
});

test("a branch takes the recorded scores, and scores anew from its own step on", async () => {
  const { records, kvCache } = await run(scoring(["added"]));
  const at = records.findIndex((record) => record.type === "forwardPass" && record.step === 4);
  const branch = await run(scoring(["added"]), { kvCache, branchPoint: { records, at, token: 66 } });
  const calls = branch.records.filter((record) => record.type === "modCall");
  expect(calls.every(({ scores, fault }) => scores?.length === 1 && fault === null)).toBe(true);
});
