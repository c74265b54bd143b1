/** A mod that reads the most likely tokens is asked again from the record alone; what it would answer otherwise is found. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mix32, randomBits } from "../../base/random.ts";
import { defaultSampling } from "../../sdk/request.ts";
import { decodeTraceFile, encodeTraceFile } from "../../trace/codec/codec.ts";
import { TRACE_VERSION, type TraceRecord } from "../../trace/format/format.ts";
import { traceLimits } from "../../trace/format/limits.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import type { LoopEvent, ModHost } from "../ports/mod-host.ts";
import { byteTokenizer, END } from "../testing/byte-tokenizer.ts";
import { inProcessMod } from "../testing/in-process-mod.ts";
import { decodeRequest, runDecode } from "../testing/run-decode.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { verifyReplay } from "./verify.ts";

/** Logits that depend on every token of the context, with many that are equal. */
function randomLogits(context: readonly number[]): Float32Array {
  const key = context.reduce((hash, token) => mix32(hash + token), context.length);
  return Float32Array.from({ length: 257 }, (_, token) =>
    token === END ? -6 : Math.round((randomBits(key, token) % 1000) / 20) / 4,
  );
}

type Shown = Extract<LoopEvent, { type: "forwardPass" }>;

/** A digest of everything that a mod is shown: any other number, or order, gives another answer. */
function replyTo(event: Shown, count: number, salt: number): unknown {
  const { tokens, logprobs } = event.top?.(count) ?? { tokens: [], logprobs: [] };
  const hash = Array.from(tokens).reduce(
    (sum, token, place) => mix32(sum + token + Math.round((logprobs[place] ?? 0) * 1e6)),
    salt,
  );
  const pick = (number: number) => tokens[(hash >>> number) % Math.max(tokens.length, 1)] ?? 65;
  const [first, second] = [pick(3), pick(9)];
  switch (hash % 8) {
    case 0:
      return { type: "adjustLogits", logits: { ban: [...new Set([first, second])] } };
    case 1:
      return { type: "adjustLogits", logits: { only: [...tokens].slice(0, 1 + (hash % 70)) } };
    case 2:
      return { type: "adjustLogits", logits: { add: { [first]: 2.5, [second]: -1 } } };
    case 3:
      return { type: "adjustLogits", logits: {}, temperature: 0.5 };
    case 4:
      return { type: "forceTokens", tokens: [first], hidden: hash % 5 === 0 };
    case 5:
      return event.step > 0 ? { type: "backtrack", count: 1, tokens: [first] } : null;
    default:
      return null;
  }
}

interface ModPlan {
  readonly count: number;
  readonly salt: number;
  /** Answers otherwise from this step on. */
  readonly from?: number;
  /** Asked ahead where it is more than one. */
  readonly pipelineDepth?: number;
}

const hostOf = (
  { count, salt, from = Number.POSITIVE_INFINITY, pipelineDepth = 1 }: ModPlan,
  place: number,
): ModHost => {
  const answer = (event: Shown) => replyTo(event, count, event.step >= from ? salt + 1 : salt);
  const host = inProcessMod(`mod${place}`, { forwardPass: answer, added: () => null });
  return {
    ...host,
    ask: host.ask,
    dispose: host.dispose,
    needs: { topK: count, logits: false },
    pipelineDepth,
  };
};

const plan = fc.record({ count: fc.constantFrom<number>(1, 10, 11, 64), salt: fc.nat({ max: 1000 }) });
const requests = fc.record({
  mods: fc.array(plan, { minLength: 1, maxLength: 3 }),
  maxTokens: fc.integer({ min: 1, max: 14 }),
  seed: fc.nat(),
  temperature: fc.constantFrom(0, 1),
});
type Request = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

function settingsOf({ maxTokens, seed, temperature, mods }: Request) {
  const sampling = { ...defaultSampling, temperature };
  const modSources = mods.map((_, place) => ({ source: `mod ${place}` }));
  return { maxTokens, seed, budget: 40, sampling, onModError: "continue" as const, modSources };
}

const modelOf = () =>
  scriptedModel({
    vocabularySize: 257,
    endOfSequence: [END],
    logits: randomLogits,
    promptPassTokens: 16,
  });

async function recordOf(request: Request): Promise<readonly TraceRecord[]> {
  const { records } = await runDecode({
    prompt: "seed",
    mods: request.mods.map(hostOf),
    kvCache: new KvCache(modelOf()),
    request: settingsOf(request),
  });
  return records;
}

function verifyWith(request: Request, records: readonly TraceRecord[], mods: readonly ModHost[]) {
  const now = () => 0;
  return verifyReplay(decodeRequest("seed", settingsOf(request)), records, {
    tokenizer: byteTokenizer,
    mods,
    now,
  });
}

const callsIn = (records: readonly TraceRecord[]) => records.filter(({ type }) => type === "modCall").length;

test("mods that read up to 64 most likely tokens, also after another mod's edit, answer from a record as they did", async () => {
  const seen = { edits: 0, given: 0 };
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const records = await recordOf(request);
      for (const pipelineDepth of [1, 2, 64]) {
        const mods = request.mods.map((mod, place) => hostOf({ ...mod, pipelineDepth }, place));
        const found = await verifyWith(request, records, mods);
        expect(found).toEqual({ calls: callsIn(records), difference: null, missing: null });
      }
      for (const record of records) {
        if (record.type === "adjusted") seen.edits += 1;
        if (record.type === "modCall" && record.given) seen.given += 1;
      }
    }),
    { numRuns: 40 },
  );
  expect(seen.edits).toBeGreaterThan(40);
  expect(seen.given).toBeGreaterThan(40);
});

test("a file has what the mods read, to the bit", async () => {
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const records = await recordOf(request);
      const file = decodeTraceFile(encodeTraceFile({ version: TRACE_VERSION, records })).trace.records;
      expect(file).toEqual(records);
      const found = await verifyWith(request, file, request.mods.map(hostOf));
      expect(found).toMatchObject({ difference: null, missing: null });
    }),
    { numRuns: 5 },
  );
});

test("the first answer that is another is found, at its step", async () => {
  let differences = 0;
  await fc.assert(
    fc.asyncProperty(requests, fc.nat({ max: 10 }), fc.constantFrom(1, 64), async (request, from, depth) => {
      const records = await recordOf(request);
      const other = (mod: ModPlan, place: number) => hostOf({ ...mod, from, pipelineDepth: depth }, place);
      const mods = request.mods.map(other);
      const { difference, calls } = await verifyWith(request, records, mods);
      // The replies that the other mod would have given, computed the slow way: record it and compare.
      const run = await runDecode({
        prompt: "seed",
        mods: request.mods.map(other),
        kvCache: new KvCache(modelOf()),
        request: settingsOf(request),
      });
      const bare = (record: TraceRecord | undefined) =>
        JSON.stringify({ ...record, timeUs: 0, durationUs: 0 });
      const first = records.findIndex((record, place) => bare(record) !== bare(run.records[place]));
      if (difference === null) {
        expect(first).toBe(-1);
        return;
      }
      differences += 1;
      expect(difference.place).toBe(first);
      expect(records[first]).toMatchObject({ type: "modCall", event: "forwardPass" });
      expect(difference.event).toBe("forwardPass");
      expect(calls).toBe(callsIn(records.slice(0, first)));
    }),
    { numRuns: 35 },
  );
  expect(differences).toBeGreaterThan(15);
});

const silent = (needs: ModHost["needs"]): ModHost => {
  const host = inProcessMod("m", { forwardPass: () => null });
  return { ...host, ask: host.ask, dispose: host.dispose, needs };
};
const one: Request = { mods: [{ count: 64, salt: 6 }], maxTokens: 5, seed: 1, temperature: 1 };

describe("what is not in the record", () => {
  test.each([
    [{ topK: 0, logits: true }, /^The mod "m" reads all logits, which no trace stores: load the model\.$/],
    [{ topK: 65, logits: false }, /reads the 65 most likely tokens, but a trace stores at most 64/],
  ])("%o", async (needs, message) => {
    const records = await recordOf(one);
    const found = await verifyWith(one, records, [silent(needs)]);
    expect(found).toMatchObject({ calls: 0, difference: null, missing: { step: 0, message } });
  });

  test("a mod that reads more than the recorded one did", async () => {
    const few = { ...one, mods: [{ count: 12, salt: 6 }] };
    const { missing } = await verifyWith(few, await recordOf(few), [silent({ topK: 13, logits: false })]);
    expect(missing?.message).toMatch(
      /does not have the 13 most likely tokens that the mod "m" reads at step 0/,
    );
  });

  test("from where the trace was full, nothing is verified; what comes before is", async () => {
    const records = await recordOf(one);
    const third = records.flatMap(({ type }, place) => (type === "forwardPass" ? [place] : []))[2] as number;
    const cut = records.map((record, place) =>
      record.type === "forwardPass" && place >= third ? { ...record, likeliest: null } : record,
    );
    const { difference, missing, calls } = await verifyWith(one, cut, one.mods.map(hostOf));
    expect(difference).toBeNull();
    expect(missing?.place).toBe(third);
    expect(calls).toBe(callsIn(records.slice(0, third)));
  });
});

test("a recorded run keeps what mods read until the trace has no room for it, and says nothing of what it does not read", async () => {
  const lists = (records: readonly TraceRecord[]) =>
    records.flatMap((record) =>
      record.type === "forwardPass" && record.likeliest ? [record.likeliest] : [],
    );
  const read = lists(await recordOf(one));
  expect(read.length).toBeGreaterThan(3);
  expect(read.every(({ asked, tokens }) => asked === 64 && tokens.length === 64)).toBe(true);
  expect(lists(await recordOf({ ...one, mods: [{ count: 10, salt: 6 }] }))).toEqual([]);
  expect(traceLimits.topK).toBe(64);
});

test("a run that was stopped is verified as far as it went", async () => {
  const controller = new AbortController();
  const stopping = inProcessMod("mod0", {
    added({ step }) {
      if (step === 3) controller.abort("stop");
    },
  });
  const { records, finished } = await runDecode({
    prompt: "seed",
    mods: [stopping],
    kvCache: new KvCache(modelOf()),
    signal: controller.signal,
    request: { ...settingsOf(one), maxTokens: 9 },
  });
  expect(finished.reason).toBe("cancelled");
  const same = inProcessMod("mod0", { added: () => null });
  const found = await verifyWith({ ...one, maxTokens: 9 }, records, [same]);
  expect(found).toEqual({ calls: callsIn(records), difference: null, missing: null });
});

test("a difference in the answer of one mod waits for the answers of the others, which are asked at the same time", async () => {
  const quiet = (name: string) => inProcessMod(name, { added: () => null, finished: () => null });
  const two = { ...one, mods: [...one.mods, ...one.mods] };
  const { records } = await runDecode({
    prompt: "seed",
    mods: [quiet("a"), quiet("b")],
    kvCache: new KvCache(modelOf()),
    request: settingsOf(two),
  });
  const other = inProcessMod("a", { added: () => ({ type: "forceTokens", tokens: [65] }) });
  const late = quiet("b");
  let isAsked = false;
  const ask: ModHost["ask"] = async (event) => {
    if (isAsked) throw new Error("It was asked before it had answered.");
    isAsked = true;
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    isAsked = false;
    return late.ask(event);
  };
  const slow: ModHost = { ...late, ask, dispose: late.dispose };
  const { difference } = await verifyWith(two, records, [other, slow]);
  expect(difference).toMatchObject({ event: "added", where: "at step 1" });
});
