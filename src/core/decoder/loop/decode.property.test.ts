/** Whatever mods answer: the request ends, and text, tokens, context and trace agree at every moment. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { mix32, randomBits } from "../../base/random.ts";
import { type EventType, eventTypes } from "../../sdk/event.ts";
import { defaultSampling } from "../../sdk/request.ts";
import type { TraceRecord } from "../../trace/format/format.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import { byteTokenizer, END } from "../testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { runDecode } from "../testing/run-decode.ts";
import { type ScriptedModel, scriptedModel } from "../testing/scripted-model.ts";
import { checkTrace, withoutTimes } from "../testing/trace-log.ts";

/** Logits that depend on every token of the context; now and then the end of sequence is likely. */
function randomLogits(context: readonly number[]): Float32Array {
  const key = context.reduce((hash, token) => mix32(hash + token), context.length);
  const ofEnd = key % 7 === 0 ? 6 : -6;
  return Float32Array.from({ length: 257 }, (_, token) =>
    token === END ? ofEnd : (randomBits(key, token) % 1000) / 200,
  );
}

const token = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(65, 66, 0xc3, 0xa9, 0xe2, 32) },
  fc.constantFrom(END, END + 1, -1, 0.5),
);
const tokens = fc.array(token, { maxLength: 5 });
const count = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 4 }) },
  fc.constantFrom(-1, 1.5, Number.NaN, 1e9),
);
const mask = fc.constantFrom(
  new Uint32Array(9).fill(0x0f0f0f0f),
  new Uint32Array(9).fill(0xffffffff),
  new Uint32Array(9),
  new Uint32Array(3),
);
const sparse = fc.record(
  {
    mask,
    ban: tokens,
    only: tokens,
    add: fc.dictionary(fc.constantFrom("65", "66", "x", "400"), fc.float()),
  },
  { requiredKeys: [] },
);
const flag = fc.constantFrom(true, false, true, false, undefined, null, 1);
const dense = fc.constantFrom(
  new Float32Array(257),
  new Float32Array(257).fill(Number.NEGATIVE_INFINITY),
  new Float32Array(257).fill(Number.NaN),
  new Float32Array(3),
);
const action = fc.oneof(
  fc.constant(undefined),
  fc.record({ type: fc.constant("noop") }),
  fc.record(
    { type: fc.constant("adjustPrefill"), tokens, maxSteps: count },
    { requiredKeys: ["type", "tokens"] },
  ),
  fc.record(
    {
      type: fc.constant("adjustLogits"),
      logits: fc.oneof(sparse, sparse, dense),
      temperature: count,
      hidden: flag,
    },
    { requiredKeys: ["type", "logits"] },
  ),
  fc.record({ type: fc.constant("forceTokens"), tokens, hidden: flag }, { requiredKeys: ["type", "tokens"] }),
  fc.record({ type: fc.constant("backtrack"), count, tokens }, { requiredKeys: ["type", "count"] }),
  fc.record(
    { type: fc.constant("backtrack"), count, tokens, hidden: flag },
    { requiredKeys: ["type", "count"] },
  ),
  fc.record({
    type: fc.constantFrom("forceOutput", "toolCalls", "error"),
    tokens,
    calls: fc.constantFrom([], [{ name: "f" }], 3),
    message: fc.constantFrom("no", 3),
  }),
  fc.anything(),
);
/** The replies of a mod, event by event, over and over; at which events. A wild one is soon at fault. */
const wildMod = fc.record({
  handles: fc.uniqueArray(fc.constantFrom<EventType>(...eventTypes), { maxLength: 6 }),
  answers: fc.array(
    fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 3, arbitrary: action }),
    { minLength: 1, maxLength: 12 },
  ),
});
/** A mod whose answers are valid, and that may well go on for ever. */
function tameMod(handles: EventType[], counts: number[]) {
  const known = fc.array(fc.constantFrom(65, 66, 0xc3, 0xa9, END), { minLength: 1, maxLength: 3 });
  const answer = fc.oneof(
    fc.constant(undefined),
    fc.record({ type: fc.constant("backtrack"), count: fc.constantFrom(...counts) }),
    fc.record({ type: fc.constant("backtrack"), count: fc.constantFrom(...counts), tokens: known }),
    fc.record({ type: fc.constant("forceTokens"), tokens: known, hidden: fc.boolean() }),
  );
  return fc.record({
    handles: fc.constant(handles),
    answers: fc.array(answer, { minLength: 1, maxLength: 6 }),
  });
}
const mod = fc.oneof(wildMod, tameMod(["added"], [0, 1]), tameMod(["forwardPass", "sampled"], [0]));
const requests = fc.record({
  mods: fc.array(mod, { maxLength: 3 }),
  maxTokens: fc.integer({ min: 0, max: 12 }),
  capacity: fc.integer({ min: 4, max: 40 }),
  seed: fc.integer(),
  onModError: fc.constantFrom("stop" as const, "continue" as const, "continue" as const),
  temperature: fc.constantFrom(0, 1, 0.3),
  penalties: fc.constantFrom(1, 1.3),
  stop: fc.constantFrom([], [], ["AB"], ["é", "B"]),
  lastRowOnly: fc.boolean(),
});

type Request = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

function makeMods(request: Request) {
  return request.mods.map(({ handles, answers }, index) => {
    let next = 0;
    const answer = () => answers[next++ % answers.length];
    return inProcessMod(`mod${index}`, Object.fromEntries(handles.map((type) => [type, answer])) as Handlers);
  });
}

async function run(request: Request, kvCache: KvCache, onRecord?: (record: TraceRecord) => void) {
  const { maxTokens, seed, onModError, temperature, penalties, stop } = request;
  const sampling = {
    ...defaultSampling,
    temperature,
    repetitionPenalty: penalties,
    frequencyPenalty: penalties - 1,
  };
  return runDecode({
    prompt: "seed",
    mods: makeMods(request),
    request: { maxTokens, seed, onModError, sampling, stop },
    kvCache,
    ...(onRecord && { onRecord }),
  });
}

function makeKvCache({ capacity, lastRowOnly }: Request): KvCache {
  return new KvCache(
    scriptedModel({
      vocabularySize: 257,
      endOfSequence: [END],
      logits: randomLogits,
      capacity,
      lastRowOnly,
    }),
  );
}

/** Follows the records as a client does, and compares with the model's context at each. */
function follow(model: ScriptedModel) {
  const state = { prompt: [] as number[], output: [] as { token: number; text: string }[] };
  return (record: TraceRecord): void => {
    if (record.type === "prefilled") state.prompt = record.tokens.map(({ token }) => token);
    if (record.type === "added") state.output.push(...record.tokens);
    if (record.type === "backtracked") state.output.length -= record.removed.length;
    const sequence = [...state.prompt, ...state.output.map(({ token }) => token)];
    expect(sequence.slice(0, model.context.length)).toEqual(model.context);
    if (record.type === "forwardPass") expect(record.contextLength).toBe(model.context.length);
    const text = state.output.map((entry) => entry.text).join("");
    const decoded = byteTokenizer.decode(state.output.map(({ token }) => token));
    expect(decoded.startsWith(text)).toBe(true);
    expect(decoded.slice(text.length)).toMatch(/^\ufffd?$/);
    if (record.type !== "finished" || record.reason === "tool_calls") return;
    const isCut = record.reason === "stop" && text !== record.text;
    expect(text.startsWith(record.text)).toBe(true);
    if (!isCut) expect(record.text).toBe(text);
  };
}

test("requests end, and text, tokens, context and trace agree", async () => {
  const reasons = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const kvCache = makeKvCache(request);
      const { records, finished } = await run(request, kvCache, follow(kvCache.model as ScriptedModel));
      const { tokens } = checkTrace(records);
      const limits = records.flatMap((record) =>
        record.type === "modCall" && record.action.type === "adjustPrefill"
          ? [record.action.maxSteps ?? 0]
          : [],
      );
      expect(tokens.length).toBeLessThanOrEqual(Math.max(request.maxTokens, ...limits));
      expect(finished.error === null).toBe(finished.reason !== "error");
      reasons.set(finished.reason, (reasons.get(finished.reason) ?? 0) + 1);
    }),
    { numRuns: 130 },
  );
  // The property means little unless requests of every kind are among them.
  expect([...reasons.keys()]).toEqual(expect.arrayContaining(["budget", "error", "length", "stop"]));
});

test("the same request has the same trace, whatever the context served before", async () => {
  await fc.assert(
    fc.asyncProperty(requests, requests, async (request, other) => {
      const first = await run(request, makeKvCache(request));
      const kvCache = makeKvCache(request);
      await run({ ...other, capacity: request.capacity, lastRowOnly: request.lastRowOnly }, kvCache);
      const again = await run(request, kvCache);
      const outputOf = (records: readonly TraceRecord[]) =>
        records.filter(({ type }) => type === "added" || type === "backtracked" || type === "sampled");
      expect(withoutTimes(outputOf(again.records))).toEqual(withoutTimes(outputOf(first.records)));
      expect(again.finished.text).toBe(first.finished.text);
    }),
    { numRuns: 70 },
  );
});
