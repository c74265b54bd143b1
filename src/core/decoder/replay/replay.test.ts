/** A request that branches off another one is what that one would have been, had it taken that token. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultSampling } from "../../sdk/request.ts";
import type { TraceRecord } from "../../trace/format/format.ts";
import type { ModHost } from "../ports/mod-host.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import {
  comparableRecords,
  emptyCache,
  placesOfForcedTokens,
  placesOfStepPasses,
  type RandomRequest,
  type RunVariant,
  randomRequests,
  runRandomRequest,
} from "../testing/random-requests.ts";
import { runDecode } from "../testing/run-decode.ts";
import type { ScriptedModel } from "../testing/scripted-model.ts";
import { checkTrace } from "../testing/trace-log.ts";
import type { BranchPoint } from "./branch-point.ts";

test.each([
  ["recorded logits", { readsAll: false }],
  ["recorded logits, asked ahead", { readsAll: false, pipelineDepth: 4 }],
  ["logits computed again", { readsAll: true }],
])(
  "with %s: nothing else taken, the branch is the request; another token taken, it replays",
  async (_, way) => {
    // The properties mean little unless there are branches of which some overrule a mod.
    const seen = { branches: 0, superseded: 0 };
    await fc.assert(
      fc.asyncProperty(
        randomRequests,
        fc.nat(),
        fc.constantFrom(65, 66, 67, 200),
        fc.boolean(),
        async (request, pick, token, isWarm) => {
          const kvCache = emptyCache();
          const { records } = await runRandomRequest(request, { kvCache });
          const places = placesOfStepPasses(records);
          const at = places[pick % places.length];
          if (at === undefined) return;
          const used = isWarm ? kvCache : emptyCache();
          const same = await runRandomRequest(request, {
            kvCache: used,
            ...way,
            branchPoint: { records, at, token: null },
          });
          // The branch's own first pass counts, which the other request may have had at hand: its budget may end it earlier.
          const isWhole = same.finished.reason !== "budget";
          if (isWhole) expect(comparableRecords(same.records)).toEqual(comparableRecords(records));
          checkTrace(same.records);

          const other = await takes(request, { kvCache: used, ...way }, { records, at, token });
          if (isWhole) seen.branches += 1;
          if (other.slice(at).some((record) => record.type === "modCall" && record.superseded))
            seen.superseded += 1;
        },
      ),
      { numRuns: 40 },
    );
    expect(seen.branches).toBeGreaterThan(20);
    expect(seen.superseded).toBeGreaterThan(0);
  },
);

test.each([
  ["recorded logits", { readsAll: false }],
  ["recorded logits, asked ahead", { readsAll: false, pipelineDepth: 4 }],
  ["logits computed again", { readsAll: true }],
])("with %s: a token taken among those that a mod forced replays", async (_, way) => {
  let branches = 0;
  await fc.assert(
    fc.asyncProperty(
      randomRequests,
      fc.nat(),
      fc.nat(),
      fc.boolean(),
      async (request, pick, keep, isWarm) => {
        const kvCache = emptyCache();
        const { records } = await runRandomRequest(request, { kvCache });
        const places = placesOfForcedTokens(records);
        const at = places[pick % places.length];
        const forced = records[at ?? -1];
        if (at === undefined || forced?.type !== "added") return;
        const point = { records, at, kept: keep % (forced.tokens.length + 1), token: 200 };
        await takes(request, { kvCache: isWarm ? kvCache : emptyCache(), ...way }, point);
        branches += 1;
      },
    ),
    { numRuns: 60 },
  );
  expect(branches).toBeGreaterThan(20);
});

test("a branch with another limit or a stop sequence keeps what was there before it", async () => {
  const seen = { smaller: 0, larger: 0, stops: 0 };
  const changed = fc.record({
    maxTokens: fc.integer({ min: 1, max: 20 }),
    stop: fc.constantFrom<readonly string[]>([], ["AB"], ["A"]),
  });
  await fc.assert(
    fc.asyncProperty(randomRequests, fc.nat(), changed, async (request, pick, settings) => {
      const { records } = await runRandomRequest(request);
      const places = placesOfStepPasses(records);
      const at = places[pick % places.length];
      if (at === undefined) return;
      const branchPoint = { records, at, token: null };
      const own = await runRandomRequest({ ...request, ...settings }, { branchPoint });
      expect(own.finished.error).toBeNull();
      expect(comparableRecords(own.records.slice(0, at))).toEqual(comparableRecords(records.slice(0, at)));
      checkTrace(own.records);
      const whole = { records: own.records, at: own.records.length, token: null };
      const verified = await runRandomRequest({ ...request, ...settings }, { branchPoint: whole });
      expect(verified.finished.error).toBeNull();
      expect(verified.records.slice(1)).toEqual(own.records.slice(1));
      if (settings.maxTokens < request.maxTokens) seen.smaller += 1;
      if (settings.maxTokens > request.maxTokens) seen.larger += 1;
      if (own.finished.reason === "stop") seen.stops += 1;
    }),
    { numRuns: 70 },
  );
  expect(seen.smaller).toBeGreaterThan(15);
  expect(seen.larger).toBeGreaterThan(15);
  expect(seen.stops).toBeGreaterThan(1);
});

test("a run that ended at its limit of tokens continues, and is then the run with the larger limit", async () => {
  let continued = 0;
  await fc.assert(
    fc.asyncProperty(randomRequests, fc.integer({ min: 1, max: 4 }), async (request, shorter) => {
      const whole = await runRandomRequest(request);
      const limited = { ...request, maxTokens: shorter };
      const { records, finished } = await runRandomRequest(limited);
      const at = placesOfStepPasses(records).at(-1);
      if (finished.lengthLimit !== "maxTokens" || at === undefined) return;
      const branchPoint = { records, at, token: null };
      const longer = await runRandomRequest(request, { branchPoint });
      if (longer.finished.reason === "budget") return;
      expect(comparableRecords(longer.records)).toEqual(comparableRecords(whole.records));
      continued += 1;
    }),
    { numRuns: 35 },
  );
  expect(continued).toBeGreaterThan(20);
});

/** Branches off and holds the branch to what it promises: what came before is there, the token is taken, and all of it replays. Gives its records. */
async function takes(
  request: RandomRequest,
  way: RunVariant,
  branchPoint: BranchPoint,
): Promise<readonly TraceRecord[]> {
  const { records: before, at, kept = 0, token } = branchPoint;
  const { records } = await runRandomRequest(request, { ...way, branchPoint });
  checkTrace(records);
  expect(records.slice(1, at)).toEqual(before.slice(1, at));
  const own = records.slice(at);
  const forced = before[at];
  if (forced?.type === "added" && kept > 0)
    expect(own[0]).toMatchObject({ type: "added", tokens: forced.tokens.slice(0, kept) });
  // The preserved tokens may have ended the answer.
  const choice = own.find(({ type }) => type === "sampled" || type === "finished");
  expect(choice).toMatchObject(
    choice?.type === "sampled" ? { token } : { reason: expect.stringMatching(/^(stop|length|budget)$/) },
  );
  const whole = { records, at: records.length, token: null };
  const replayed = await runRandomRequest(request, { ...way, kvCache: emptyCache(), branchPoint: whole });
  expect(replayed.finished.error).toBeNull();
  expect(replayed.records.slice(1)).toEqual(records.slice(1));
  return records;
}

describe("what a branch costs", () => {
  const silent: RandomRequest = { mods: [], maxTokens: 40, seed: 3, temperature: 1, penalties: 1, stop: [] };

  test("in the KV cache of the other request, one pass of one token gives the first new token", async () => {
    const kvCache = emptyCache();
    const { records } = await runRandomRequest(silent, { kvCache });
    const { passes } = kvCache.model as ScriptedModel;
    const before = passes.length;
    const at = placesOfStepPasses(records)[30] as number;
    let passesToFirst = 0;
    await runDecode({
      prompt: "seed",
      kvCache,
      branchPoint: { records, at, token: 65 },
      request: { maxTokens: 40, seed: 3, sampling: { ...defaultSampling, temperature: 1 } },
      onRecord(record) {
        if (record.type === "added" && record.index === 30) passesToFirst = passes.length - before;
      },
    });
    expect(passesToFirst).toBe(1);
    expect(passes[before]?.tokens).toHaveLength(1);
  });

  test("after another request, what is shared is read in passes of the prompt's size", async () => {
    const kvCache = emptyCache();
    const { records } = await runRandomRequest(silent, { kvCache });
    // It shares the first letter.
    await runDecode({ prompt: "something else", kvCache });
    const { passes } = kvCache.model as ScriptedModel;
    const before = passes.length;
    await runRandomRequest(silent, {
      kvCache,
      branchPoint: { records, at: placesOfStepPasses(records)[36] as number, token: null },
    });
    expect(passes.slice(before, before + 4).map(({ tokens }) => tokens.length)).toEqual([3, 16, 16, 3]);
  });

  test.each([
    ["nothing of the logits", { topK: 0, logits: false }, 1],
    ["what every record has", { topK: 10, logits: false }, 1],
    ["what is recorded for it", { topK: 64, logits: false }, 1],
    // The logits after the prompt are still at hand.
    ["more than is recorded", { topK: 65, logits: false }, 19],
    ["all of them", { topK: 0, logits: true }, 19],
  ])("with a mod that reads %s", async (_, needs, expected) => {
    const topTokens: number[] = [];
    const reader = () => ({
      ...inProcessMod("reader", {}),
      handles: new Set(["forwardPass"] as const),
      ask: async (event: Parameters<ModHost["ask"]>[0]) => {
        if (event.type === "forwardPass") topTokens.push(event.top?.(needs.topK || 1).tokens[0] ?? -1);
        return { action: { type: "noop" } as const, fault: null, console: [] };
      },
      needs,
    });
    const kvCache = emptyCache();
    const request = { maxTokens: 20, seed: 3 };
    const { records } = await runDecode({ prompt: "seed", mods: [reader()], kvCache, request });
    const asked = topTokens.splice(0);
    const { passes } = kvCache.model as ScriptedModel;
    const before = passes.length;
    const branchPoint = { records, at: placesOfStepPasses(records)[19] as number, token: null };
    await runDecode({ prompt: "seed", mods: [reader()], kvCache, request, branchPoint });
    expect(topTokens).toEqual(asked);
    expect(passes.length - before).toBe(expected);
  });
});

describe("a replay that comes to something else ends the request and says what", () => {
  const silent = inProcessMod("m", { sampled: () => null, added: () => null, forwardPass: () => null });
  const bang = [33];
  test.each<[string, Handlers, Partial<RandomRequest>, string]>([
    [
      "an answer",
      { added: ({ step }) => (step === 3 ? { type: "forceTokens", tokens: bang } : null) },
      {},
      'In this replay, the mod "m" replied with forceTokens "!" in added() at step 3; in the recorded run, the mod "m" did nothing in added().',
    ],
    [
      "a fault",
      {
        added() {
          throw new Error("no");
        },
      },
      {},
      'In this replay, the mod "m" failed (threw) in added() at step 1; in the recorded run, the mod "m" did nothing in added().',
    ],
    [
      "a prompt",
      { prefilled: () => ({ type: "adjustPrefill", tokens: bang }) },
      {},
      'In this replay, the mod "m" replied with adjustPrefill in prefilled() at step 0; in the recorded run, the prompt has 4 tokens at the start.',
    ],
    [
      "an end",
      {},
      { maxTokens: 2 },
      "In this replay, the request ends (length) at step 2; in the recorded run, the model ran a forward pass.",
    ],
  ])("%s", async (_, handlers, settings, message) => {
    const kvCache = emptyCache();
    const logits = { mods: [silent], kvCache, prompt: "seed" };
    const { records } = await runDecode({ ...logits, request: { maxTokens: 6 } });
    const asked = { sampled: () => null, added: () => null, forwardPass: () => null, ...handlers };
    const { finished } = await runDecode({
      mods: [inProcessMod("m", asked)],
      kvCache,
      prompt: "seed",
      request: { maxTokens: 6, ...settings },
      branchPoint: { records, at: records.length, token: null },
    });
    expect(finished).toMatchObject({ reason: "error", error: { message, mod: null } });
  });

  test("a stop in the middle of it ends the request where it was", async () => {
    const kvCache = emptyCache();
    const { records } = await runDecode({ mods: [silent], kvCache, request: { maxTokens: 8 } });
    const controller = new AbortController();
    const stopping = inProcessMod("m", {
      sampled: () => null,
      forwardPass: () => null,
      added({ step }) {
        if (step === 4) controller.abort("stop");
      },
    });
    const { finished, records: own } = await runDecode({
      mods: [stopping],
      kvCache,
      signal: controller.signal,
      request: { maxTokens: 8 },
      branchPoint: { records, at: records.length, token: null },
    });
    expect(finished).toMatchObject({ reason: "cancelled", step: 4 });
    checkTrace(own);
  });

  test("records without their request are refused", async () => {
    const branchPoint = { records: [], at: 0, token: null };
    await expect(runDecode({ branchPoint })).rejects.toThrow("The trace does not begin with its request.");
  });
});
