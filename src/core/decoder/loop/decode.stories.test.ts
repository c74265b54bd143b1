/** The loop on the bundled model, on WebAssembly: the rows of the specification that need a model that means something. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadModel, type ModelBundle } from "../../../runtime/engine/load/load-model.ts";
import { type ModelHub, startModelHub } from "../../../runtime/engine/testing/model-hub.ts";
import { defaultSampling } from "../../sdk/request.ts";
import type { TraceRecord } from "../../trace/format/format.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import type { DecodeRequest } from "../ports/request.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { decodeRequest } from "../testing/run-decode.ts";
import { checkTrace, passSizes, traceLog, withoutTimes } from "../testing/trace-log.ts";
import { decode } from "./decode.ts";

let hub: ModelHub;
let bundle: ModelBundle;
beforeAll(async () => {
  hub = await startModelHub({ "midtoken/stories260k": "public/models/stories260k" });
  const url = hub.url("midtoken/stories260k");
  bundle = await loadModel(
    { id: "stories260k", url, revision: null, dtype: { webgpu: "q4", wasm: "fp32" } },
    "wasm",
  );
});
afterAll(async () => {
  await bundle?.model.dispose();
  await hub?.close();
});

const encode = (text: string) => bundle.tokenizer.encode(text);
const force = (text: string) => ({ type: "forceTokens", tokens: encode(text) });
const back = (count: number, text = "") => ({ type: "backtrack", count, tokens: encode(text) });

interface Story {
  readonly prompt?: string;
  readonly mods?: readonly Handlers[];
  readonly request?: Partial<DecodeRequest>;
  readonly kvCache?: KvCache;
}

async function tell({
  prompt = "Once upon a time",
  mods = [],
  request = {},
  kvCache = new KvCache(bundle.model),
}: Story) {
  const hosts = mods.map((handlers, index) => inProcessMod(`mod${index}`, handlers));
  const records: TraceRecord[] = [];
  const finished = await decode(
    decodeRequest("", {
      prompt: bundle.formatPrompt([{ role: "user", content: prompt }]),
      modSources: hosts.map(({ name }) => ({ source: name })),
      maxTokens: 20,
      ...request,
    }),
    {
      kvCache,
      tokenizer: bundle.tokenizer,
      mods: hosts,
      record: (record) => records.push(record),
      now: () => performance.now(),
    },
  );
  const { tokens } = checkTrace(records);
  if (finished.reason === "length") expect(finished.text).toBe(bundle.tokenizer.decode(tokens));
  expect(bundle.model.length).toBe(kvCache.length);
  return { finished, records, tokens, kvCache, text: finished.text };
}

/** Does it once, as soon as the output's text ends in `ending`. */
function onceAfter(ending: string, action: () => unknown): Handlers {
  let text: number[] = [];
  let isDone = false;
  return {
    backtracked: ({ removed }) => {
      text = text.slice(0, text.length - removed.length);
    },
    added: ({ tokens }) => {
      text.push(...tokens);
      if (isDone || !bundle.tokenizer.decode(text).endsWith(ending)) return undefined;
      isDone = true;
      return action();
    },
  };
}

const plain =
  ", there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big, red ball.";

test("without a mod it tells its story", async () => {
  expect((await tell({ request: { maxTokens: 60 } })).text.slice(0, plain.length)).toBe(plain);
});

test("a stop sequence ends it", async () => {
  const { finished } = await tell({ request: { maxTokens: 60, stop: ["Lily. She"] } });
  expect([finished.reason, finished.text]).toEqual(["stop", ", there was a little girl named "]);
});

describe("what follows a change follows from the changed text", () => {
  const rows: Record<string, () => [kept: string, mod: Handlers]> = {
    "forced after a token": () => [", there was a dragon", onceAfter(" was", () => force(" a dragon"))],
    "forced in place of a sampled token": () => {
      let isDone = false;
      return [
        ", a wizard",
        {
          sampled: ({ step }) => {
            if (isDone || step !== 1) return undefined;
            isDone = true;
            return force(" a wizard");
          },
        },
      ];
    },
    "put in place of what was just added": () => [", there were", onceAfter(" was", () => back(1, " were"))],
    "put in place of several tokens": () => {
      const removed = encode(", there was").length;
      return [" ago,", onceAfter(", there was", () => back(removed, " ago,"))];
    },
  };
  test.each(Object.keys(rows))("%s", async (name) => {
    const [kept, mod] = rows[name]?.() ?? ["", {}];
    const changed = await tell({ mods: [mod], request: { maxTokens: 24 } });
    expect(changed.text.startsWith(kept)).toBe(true);
    const prompt = bundle.formatPrompt([{ role: "user", content: "Once upon a time" }]);
    const begun = [...prompt, ...changed.tokens.slice(0, encode(kept).length)];
    expect(bundle.tokenizer.decode(begun.slice(prompt.length))).toBe(kept);
    const fresh = await tell({ request: { prompt: begun, maxTokens: 24 - encode(kept).length } });
    expect(kept + fresh.text).toBe(changed.text);
  });
});

test("a backtrack without tokens tells the same again", async () => {
  const again = await tell({ mods: [onceAfter("Lily", () => back(4))] });
  expect(traceLog(again.records)).toContain("<4");
  expect(again.text).toBe((await tell({})).text);
});

test("banned words do not appear; the trace has what was likely before", async () => {
  const ban = () => ({ type: "adjustLogits", logits: { ban: encode(" there") } });
  const { text, records } = await tell({ mods: [{ forwardPass: ban }] });
  expect(text).not.toContain(" there");
  const counterfactuals = records.flatMap((record) =>
    record.type === "sampled" && record.counterfactual ? [record.counterfactual.text] : [],
  );
  expect(counterfactuals).toContain(" there");
});

test("an end of sequence may be vetoed", async () => {
  const [end = 0] = bundle.model.endOfSequence;
  const mod: Handlers = {
    sampled: ({ step }) => (step === 3 ? { type: "forceTokens", tokens: [end] } : undefined),
    added: ({ isEos }) => (isEos ? back(1, " And then") : undefined),
  };
  const { finished } = await tell({ mods: [mod], request: { maxTokens: 12 } });
  expect(finished.reason).toBe("length");
  expect(finished.text).toContain(" And then");
});

test("64 forced tokens are one pass and are scored", async () => {
  const tokens = Array.from({ length: 64 }, (_, place) => encode(plain)[place % 20] ?? 0);
  const { records } = await tell({
    mods: [{ forwardPass: ({ step }) => (step === 1 ? { type: "forceTokens", tokens } : undefined) }],
    request: { maxTokens: 67 },
  });
  expect(passSizes(records).slice(1)).toEqual([1, 64, 1]);
  const scores = records.flatMap((record) => (record.type === "scored" ? record.logprobs : []));
  expect(scores).toHaveLength(64);
  expect(scores.every((logprob) => logprob < 0)).toBe(true);
});

test("forced tokens that the model would have chosen are as likely as when it chose them", async () => {
  const { records } = await tell({});
  const chosen = records.flatMap((record) => (record.type === "sampled" ? [record] : []));
  const tokens = chosen.slice(1, 13).map(({ token }) => token);
  const forced = await tell({
    mods: [{ added: ({ step }) => (step === 1 ? { type: "forceTokens", tokens } : undefined) }],
  });
  const [scored] = forced.records.flatMap((record) => (record.type === "scored" ? [record] : []));
  expect(scored?.logprobs).toEqual(
    chosen.slice(1, 13).map(({ logprobBefore }) => expect.closeTo(logprobBefore, 3)),
  );
  expect(forced.text).toBe((await tell({})).text);
});

test("a re-run with an edited mod computes nothing of the prompt again", async () => {
  const { kvCache } = await tell({});
  const { records, finished } = await tell({ kvCache, mods: [onceAfter(" was", () => force(" a cat"))] });
  expect(passSizes(records)[0]).toBe(0);
  expect(finished.usage.reusedTokens).toBe(finished.usage.promptTokens);
});

test("the next turn of a chat computes what is new", async () => {
  const { kvCache, text } = await tell({});
  const { finished } = await tell({ kvCache, prompt: `Once upon a time${text} She` });
  expect(finished.usage.promptTokens - finished.usage.reusedTokens).toBeLessThanOrEqual(3);
});

test("the same seed has the same trace, 100 of 100", async () => {
  const request = { maxTokens: 12, seed: 11, sampling: { ...defaultSampling, topP: 0.95 } };
  const story = () => ({ request, mods: [onceAfter(" was", () => back(2, " came"))] });
  const { kvCache, records: cold } = await tell(story());
  const first = withoutTimes((await tell({ ...story(), kvCache })).records);
  const output = (records: unknown[]) =>
    records.filter((record) => ["sampled", "added", "scored"].includes((record as TraceRecord).type));
  expect(output(first)).toEqual(output(withoutTimes(cold)));
  for (let round = 0; round < 99; round++)
    expect(withoutTimes((await tell({ ...story(), kvCache })).records)).toEqual(first);
});

describe("scores", () => {
  const options = ["girl", "boy", "girl who", "big dog", "big cat", "big", "princess named Lily", "old"];
  const continuations = () => options.map((option) => encode(` little ${option}`));

  /** Tokens that a mod forces while the scores are asked. */
  async function forcedLogprob(tokens: readonly number[]): Promise<number> {
    const mods: Handlers[] = [
      { forwardPass: ({ step }) => (step === 4 ? { type: "forceTokens", tokens } : null) },
    ];
    const { records } = await tell({ mods });
    const scored = records.filter((record) => record.type === "scored").flatMap(({ logprobs }) => logprobs);
    return scored.slice(0, tokens.length).reduce((sum, logprob) => sum + logprob, 0);
  }

  test("of 8 options with a shared prefix equal forced runs, in at most the passes of the distinct suffixes", async () => {
    const seen: (readonly number[])[] = [];
    const asks: Handlers = {
      forwardPass: async ({ step }, _log, score) => {
        if (step === 4) seen.push(await score(continuations()));
      },
    };
    const kvCache = new KvCache(bundle.model);
    const scored = await tell({ mods: [asks], kvCache });
    const calls = scored.records.filter((record) => record.type === "modCall" && record.scores);
    expect(calls).toMatchObject([{ scores: [{ logprobs: seen[0] }] }]);
    const passes = calls.flatMap((call) => (call.type === "modCall" ? (call.scores ?? []) : []))[0]?.passes;
    expect(passes).toBeLessThanOrEqual(options.length);
    for (const [place, tokens] of continuations().entries())
      expect(Math.abs((seen[0]?.[place] ?? 0) - (await forcedLogprob(tokens)))).toBeLessThan(1e-4);
    // Tokens, passes and text are those of a request in which nothing is scored.
    const silent = await tell({ mods: [{ forwardPass: () => null }] });
    const withoutScores = scored.records.map((record) => {
      if (record.type !== "modCall" || !record.scores) return record;
      const { scores: _, ...rest } = record;
      return rest;
    });
    expect(withoutTimes(withoutScores)).toEqual(withoutTimes(silent.records));
  });
});
