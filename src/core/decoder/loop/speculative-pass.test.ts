/** The pass that runs while mods are asked about `added` changes nothing but the time. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { mix32, randomBits } from "../../base/random.ts";
import { defaultSampling } from "../../sdk/request.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import { END } from "../testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { runDecode } from "../testing/run-decode.ts";
import { type ScriptedModel, scriptedModel } from "../testing/scripted-model.ts";
import { withoutTimes } from "../testing/trace-log.ts";

/** Logits that depend on every token of the context; the end of sequence is never likely. */
function randomLogits(context: readonly number[]): Float32Array {
  const key = context.reduce((hash, token) => mix32(hash + token), context.length);
  return Float32Array.from({ length: 257 }, (_, token) =>
    token === END ? -6 : (randomBits(key, token) % 1000) / 200,
  );
}

const known = fc.array(fc.constantFrom(65, 66, 0xc3, 0xa9, END), { minLength: 1, maxLength: 3 });
const action = fc.oneof(
  fc.record({ type: fc.constant("forceTokens"), tokens: known }),
  fc.record({ type: fc.constant("backtrack"), count: fc.integer({ min: 0, max: 12 }) }),
  fc.record({ type: fc.constant("backtrack"), count: fc.integer({ min: 0, max: 12 }), tokens: known }),
  fc.constant({ type: "forceTokens", tokens: [-1] }),
);
const end = fc.oneof(
  fc.record({ type: fc.constant("forceOutput"), tokens: known }),
  fc.constant({ type: "toolCalls", calls: [] }),
  fc.constant({ type: "error", message: "no" }),
);
/** Silent but at a few of its answers, counted from 0. */
const answers = fc.dictionary(
  fc.integer({ min: 0, max: 60 }).map(String),
  fc.oneof({ weight: 9, arbitrary: action }, end),
  { maxKeys: 4 },
);
const mod = fc.record({
  added: fc.option(answers, { freq: 9, nil: undefined }),
  sampled: fc.option(answers, { nil: undefined }),
  forwardPass: fc.option(answers, { nil: undefined }),
  edits: fc.boolean(),
});
const requests = fc.record({
  mods: fc.array(mod, { minLength: 1, maxLength: 3 }),
  maxTokens: fc.integer({ min: 10, max: 60 }),
  budget: fc.constantFrom(30, 200),
  capacity: fc.constantFrom(40, 200),
  seed: fc.integer(),
  onModError: fc.constantFrom("stop" as const, "continue" as const),
  temperature: fc.constantFrom(0, 1),
  penalties: fc.constantFrom(1, 1.3),
  stop: fc.constantFrom([], ["AB"], ["A"]),
  lastRowOnly: fc.boolean(),
});
type Request = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

function modsOf(request: Request) {
  return request.mods.map(({ edits, ...handlers }, index) => {
    const asked = Object.entries(handlers).flatMap(([type, given]) => {
      if (!given) return [];
      let next = 0;
      return [[type, () => given[String(next++)]] as const];
    });
    const edit = { forwardPass: () => ({ type: "adjustLogits", logits: { ban: [65 + index] } }) };
    return inProcessMod(`mod${index}`, { ...(edits && edit), ...Object.fromEntries(asked) } as Handlers);
  });
}

/** The request, and once more in the KV cache that it left. */
async function twice(request: Request, waitsForAdded: boolean) {
  const { maxTokens, budget, seed, onModError, temperature, penalties, stop, capacity, lastRowOnly } =
    request;
  const sampling = { ...defaultSampling, temperature, repetitionPenalty: penalties };
  const kvCache = new KvCache(
    scriptedModel({
      vocabularySize: 257,
      endOfSequence: [END],
      logits: randomLogits,
      capacity,
      lastRowOnly,
    }),
  );
  const run = async (mods: ReturnType<typeof modsOf>) => {
    const options = { prompt: "seed", mods, kvCache, waitsForAdded };
    const settings = { maxTokens, budget, seed, onModError, sampling, stop };
    const { records } = await runDecode({ ...options, request: settings });
    return { records: withoutTimes(records), events: mods.map(({ events }) => events) };
  };
  const outcome = [await run(modsOf(request)), await run(modsOf(request))];
  const { passes, context } = kvCache.model as ScriptedModel;
  return { outcome, context: [...context], passCount: kvCache.passCount, passes: passes.length };
}

test("tokens, trace, events and KV cache are those of a loop that waits", async () => {
  let [taken, ran] = [0, 0];
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const { passes: needed, ...waited } = await twice(request, true);
      const { passes, ...ahead } = await twice(request, false);
      expect(ahead).toEqual(waited);
      expect(ahead.passCount).toBe(needed);
      taken += passes - needed;
      ran += 1;
    }),
    { numRuns: 80 },
  );
  // The property means little unless passes were taken back now and then.
  expect(taken).toBeGreaterThan(ran / 10);
});

/** A model that says "abc…" for ever, and a mod that watches `added`. */
function watched(added: Handlers["added"], maxTokens: number, onForward = (_length: number) => undefined) {
  const logits = (context: readonly number[]) => {
    onForward(context.length);
    return randomLogits(context);
  };
  return runDecode({
    mods: [inProcessMod("watcher", { ...(added && { added }) })],
    request: { maxTokens },
    model: { logits },
  });
}

test("a mod that was silent for eight tokens is asked while the next pass runs", async () => {
  const reached: number[] = [];
  /** Tokens that the model had read when the mod's answer to each token came; the prompt has 4. */
  const read: number[] = [];
  await watched(
    async ({ step }) => {
      // A macrotask: whatever the loop does without this answer is done by then.
      await new Promise((done) => setTimeout(done));
      read[step - 1] = reached.at(-1) ?? 0;
    },
    12,
    (length) => void reached.push(length),
  );
  // Token n follows 4 + n - 1 others. The last one needs no pass.
  expect(read).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 15]);
});

test.each([
  { every: 5, passesLost: 0 },
  { every: 10, passesLost: 1 },
  { every: 20, passesLost: 2 },
  { every: 100, passesLost: 3 },
])("a mod that goes back once in $every tokens costs few passes", async ({ every, passesLost }) => {
  let count = 0;
  const { finished, model } = await watched(
    () => (++count % every === 0 ? { type: "backtrack", count: 1 } : undefined),
    300,
  );
  expect(finished.reason).toBe("length");
  expect(model.passes.length - finished.usage.forwardPasses).toBe(passesLost);
});

test("a model that dies in a pass that ran ahead ends the request as it would have later", async () => {
  const run = (waitsForAdded: boolean) =>
    runDecode({
      mods: [inProcessMod("watcher", { added: () => undefined })],
      request: { maxTokens: 30 },
      model: { logits: randomLogits, dies: { pass: 20, cause: new Error("lost") } },
      waitsForAdded,
    });
  const [ahead, waited] = [await run(false), await run(true)];
  expect(ahead.finished.reason).toBe("error");
  expect(withoutTimes(ahead.records)).toEqual(withoutTimes(waited.records));
});

test("cancelled while paused, a pass that ran ahead does not count", async () => {
  const run = async (waitsForAdded: boolean) => {
    const controller = new AbortController();
    let gates = 0;
    const pausePoint = async () => {
      if (++gates === 20) controller.abort();
    };
    const mods = [inProcessMod("watcher", { added: () => undefined })];
    const { signal } = controller;
    return runDecode({
      mods,
      request: { maxTokens: 30 },
      model: { logits: randomLogits },
      signal,
      pausePoint,
      waitsForAdded,
    });
  };
  const [ahead, waited] = [await run(false), await run(true)];
  expect(ahead.finished.reason).toBe("cancelled");
  expect(withoutTimes(ahead.records)).toEqual(withoutTimes(waited.records));
  expect(ahead.model.context).toEqual(waited.model.context);
  expect(ahead.kvCache.passCount).toBe(waited.kvCache.passCount);
});

test("what fails while a pass runs ahead waits for the pass: the model is not touched meanwhile", async () => {
  const model = scriptedModel({ vocabularySize: 257, endOfSequence: [END], logits: randomLogits });
  const state = { isBusy: false, touched: 0 };
  const slow: LanguageModel = {
    vocabularySize: 257,
    capacity: model.capacity,
    promptPassTokens: model.promptPassTokens,
    endOfSequence: [END],
    dispose: model.dispose,
    get length() {
      return model.length;
    },
    async forward(tokens, options) {
      state.isBusy = true;
      await new Promise((done) => setTimeout(done));
      state.isBusy = false;
      return model.forward(tokens, options);
    },
    truncate(length) {
      if (state.isBusy) state.touched += 1;
      model.truncate(length);
    },
  };
  let calls = 0;
  const running = runDecode({
    mods: [inProcessMod("watcher", { added: () => undefined })],
    request: { maxTokens: 30 },
    kvCache: new KvCache(slow),
    onRecord({ type }) {
      if (type === "modCall" && ++calls === 12) throw new Error("The page is gone.");
    },
  });
  await expect(running).rejects.toThrow("The page is gone.");
  expect(state).toEqual({ isBusy: false, touched: 0 });
});
