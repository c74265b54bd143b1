/** PromptLookup change the number of passes and nothing else: tokens, records, what mods are sent, and what is left in the KV cache. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { mix32, randomBits } from "../../base/random.ts";
import { defaultSampling } from "../../sdk/request.ts";
import type { TraceRecord } from "../../trace/format/format.ts";
import { END } from "../testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { runDecode } from "../testing/run-decode.ts";
import { type ScriptedModel, scriptedModel } from "../testing/scripted-model.ts";
import { checkTrace, withoutTimes } from "../testing/trace-log.ts";
import { KvCache } from "./kv-cache.ts";

/** Logits of a text that goes round in circles, as long as nothing disturbs it: they depend on the last two tokens. */
function circularLogits(context: readonly number[]): Float32Array {
  const key = mix32((context.at(-1) ?? 0) * 300 + ((context.at(-2) ?? 0) % 3));
  const logits = new Float32Array(257).fill(-9);
  for (let token = 65; token < 75; token++) logits[token] = (randomBits(key, token) % 1000) / 150;
  logits[END] = key % 97 === 0 ? 8 : -9;
  return logits;
}

const known = fc.array(fc.constantFrom(65, 66, 67, 68, END), { minLength: 1, maxLength: 4 });
const count = fc.integer({ min: 0, max: 6 });
const hidden = fc.boolean();
const change = fc.oneof(
  fc.record({ type: fc.constant("forceTokens"), tokens: known, hidden }),
  fc.record({ type: fc.constant("backtrack"), count }),
  fc.record({ type: fc.constant("backtrack"), count, tokens: known, hidden }),
);
const edit = fc.record({
  type: fc.constant("adjustLogits"),
  logits: fc.oneof(fc.record({ ban: known }), fc.record({ only: known })),
  temperature: fc.constantFrom(undefined, 0, 1.5),
  hidden,
});
const end = fc.oneof(
  fc.record({ type: fc.constant("forceOutput"), tokens: known }),
  fc.constant({ type: "error", message: "no" }),
);
/** Silent but at a few of its answers, counted from 0. */
const answers = (...kinds: fc.Arbitrary<object>[]) =>
  fc.dictionary(fc.integer({ min: 0, max: 60 }).map(String), fc.oneof(...kinds), { maxKeys: 4 });
const mod = fc.record({
  prefilled: answers(fc.record({ type: fc.constant("adjustPrefill"), tokens: known })),
  forwardPass: answers(change, edit, edit, edit, edit),
  sampled: answers(change),
  added: fc.option(answers(change, change, change, end), { nil: undefined }),
});
const requests = fc.record({
  mods: fc.array(mod, { maxLength: 2 }),
  maxTokens: fc.integer({ min: 1, max: 90 }),
  budget: fc.constantFrom(25, 300, 300),
  capacity: fc.constantFrom(30, 300, 300),
  memory: fc.constantFrom(300, 40),
  seed: fc.integer(),
  temperature: fc.constantFrom(0, 0, 0.5),
  penalties: fc.constantFrom(1, 1, 1.2),
  stop: fc.constantFrom([], [], ["ABA"]),
  lastRowOnly: fc.constantFrom(false, false, false, true),
  waitsForAdded: fc.boolean(),
  perToken: fc.constantFrom(0.01, 0.5),
});
type Request = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

function modsOf(request: Request) {
  return request.mods.map((handlers, index) => {
    const asked = Object.entries(handlers).flatMap(([type, given]) => {
      if (!given) return [];
      let next = 0;
      return [[type, () => (given as Record<string, unknown>)[String(next++)]] as const];
    });
    return inProcessMod(`mod${index}`, Object.fromEntries(asked) as Handlers);
  });
}

/** Without what drafts are there to change. */
function withoutPasses(records: readonly TraceRecord[]): unknown[] {
  return withoutTimes(records).map((record) => {
    const { tokenCount: _, usage, ...rest } = record as Record<string, unknown>;
    return usage ? { ...rest, usage: { ...(usage as object), forwardPasses: 0 } } : rest;
  });
}

/** Twice in one KV cache. */
async function run(request: Request, promptLookup?: boolean) {
  const { maxTokens, budget, seed, temperature, penalties, stop, capacity, memory, lastRowOnly, perToken } =
    request;
  const sampling = { ...defaultSampling, temperature, repetitionPenalty: penalties };
  const kvCache = new KvCache(
    scriptedModel({
      vocabularySize: 257,
      endOfSequence: [END],
      logits: circularLogits,
      capacity,
      memory,
      lastRowOnly,
      passCost: (tokens) => 1 + (tokens - 1) * perToken,
    }),
  );
  const outcomes = [];
  for (const _ of [1, 2]) {
    const mods = modsOf(request);
    const { records } = await runDecode({
      prompt: "ABCD ABCE ",
      mods,
      kvCache,
      waitsForAdded: request.waitsForAdded,
      promptLookup,
      request: { maxTokens, budget, seed, sampling, stop, onModError: "continue" },
    });
    checkTrace(records);
    outcomes.push({ records, events: mods.map(({ events }) => events) });
  }
  const { passes, context } = kvCache.model as ScriptedModel;
  return { outcomes, passes: passes.length, context, kvCache };
}

test("tokens, records, events and what the cache holds are those without drafts, in fewer passes", async () => {
  let [plain, drafted] = [0, 0];
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const without = await run(request, false);
      const withDrafts = await run(request);
      for (const [turn, { records, events }] of without.outcomes.entries()) {
        const other = withDrafts.outcomes[turn];
        expect(withoutPasses(other?.records ?? [])).toEqual(withoutPasses(records));
        expect(other?.events).toEqual(events);
      }
      const { length } = without.context;
      expect(withDrafts.context.slice(0, length)).toEqual(without.context);
      expect(withDrafts.kvCache.length).toBe(without.kvCache.length);
      plain += without.passes;
      drafted += withDrafts.passes;
    }),
    { numRuns: 130 },
  );
  // The property means little unless drafts came true.
  expect(drafted).toBeLessThan(0.8 * plain);
});

test("a pass that ran ahead has the draft that it would have had later", async () => {
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const [waited, ahead] = [
        await run({ ...request, waitsForAdded: true }),
        await run({ ...request, waitsForAdded: false }),
      ];
      const plan = ({ outcomes }: typeof waited) => outcomes.map(({ records }) => withoutTimes(records));
      expect(plan(ahead)).toEqual(plan(waited));
      expect(ahead.kvCache.passCount).toBe(waited.kvCache.passCount);
    }),
    { numRuns: 35 },
  );
});

test("no pass reads what can no longer be said", async () => {
  const logits = (context: readonly number[]) => {
    const row = new Float32Array(257);
    row[context.at(-1) === 65 ? 66 : 65] = 9;
    return row;
  };
  const { model, finished } = await runDecode({
    prompt: "ABABABAB",
    model: { logits, passCost: () => 1 },
    request: { maxTokens: 21 },
  });
  expect(finished.text).toHaveLength(21);
  // The prompt, and all but the last token.
  expect(Math.max(...model.passes.map(({ at, tokens }) => at + tokens.length))).toBe(8 + 20);
  expect(model.passes.length).toBeLessThan(5);
});

test("where what a pass costs is assumed, drafts are made only for who asks for them", async () => {
  const passes = async (isPassCostAssumed: boolean, promptLookup?: boolean) => {
    const logits = (context: readonly number[]) => {
      const row = new Float32Array(257);
      row[context.at(-1) === 65 ? 66 : 65] = 9;
      return row;
    };
    const model = scriptedModel({ vocabularySize: 257, endOfSequence: [END], logits, passCost: () => 1 });
    const kvCache = new KvCache(Object.assign(model, { isPassCostAssumed }));
    await runDecode({ prompt: "ABABABAB", kvCache, request: { maxTokens: 21 }, promptLookup });
    return model.passes.length;
  };
  expect(await passes(true)).toBe(21);
  expect(await passes(true, true)).toBeLessThan(5);
  expect(await passes(false)).toBeLessThan(5);
  expect(await passes(false, false)).toBe(21);
});
