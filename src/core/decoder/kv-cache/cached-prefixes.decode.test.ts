/** Requests of several conversations in turns, in a cache that keeps them: each is what it is in a cache of its own. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  comparableRecords,
  emptyCache,
  placesOfStepPasses,
  randomRequests,
  runRandomRequest,
} from "../testing/random-requests.ts";
import { checkTrace } from "../testing/trace-log.ts";

const trunk = "system ".repeat(14);
const prompts = [trunk + "one ".repeat(20), trunk + "two ".repeat(25), "another ".repeat(20)];

const turns = fc.array(
  fc.record({
    request: randomRequests,
    prompt: fc.constantFrom(...prompts),
    pick: fc.nat(),
    branch: fc.boolean(),
  }),
  { minLength: 2, maxLength: 5 },
);

test("the same tokens and records, of requests and of branches from them", async () => {
  const seen = { kept: 0, compared: 0, branches: 0 };
  await fc.assert(
    fc.asyncProperty(turns, fc.constantFrom(600, 100_000), async (list, prefixBytes) => {
      const kvCache = emptyCache(prefixBytes);
      for (const { request, prompt } of list) {
        const { records, finished } = await runRandomRequest(request, { kvCache, prompt });
        checkTrace(records);
        const alone = await runRandomRequest(request, { prompt });
        // A prompt that is at hand costs no pass: the budget may end the other request earlier.
        if (alone.finished.reason === "budget" || finished.reason === "budget") continue;
        expect(comparableRecords(records)).toEqual(comparableRecords(alone.records));
        seen.compared += 1;
        if (finished.usage.reusedTokens > trunk.length) seen.kept += 1;
      }
      for (const { request, prompt, pick } of list.filter(({ branch }) => branch)) {
        const { records } = await runRandomRequest(request, { prompt });
        const places = placesOfStepPasses(records);
        const at = places[pick % places.length];
        if (at === undefined) continue;
        const branchPoint = { records, at, token: null };
        const { records: own, finished } = await runRandomRequest(request, { kvCache, prompt, branchPoint });
        checkTrace(own);
        if (finished.reason === "budget") continue;
        expect(comparableRecords(own)).toEqual(comparableRecords(records));
        seen.branches += 1;
      }
      expect(kvCache.prefixes?.bytes).toBeLessThanOrEqual(prefixBytes);
    }),
    { numRuns: 24 },
  );
  expect(seen.kept).toBeGreaterThan(4);
  expect(seen.compared).toBeGreaterThan(20);
  expect(seen.branches).toBeGreaterThan(6);
});

test("a branch that goes back to the end of the prompt scores the tokens forced there, though the cache has lost these logits", async () => {
  const prompt = prompts[0] ?? "";
  const noMods = { mods: [], maxTokens: 5, seed: 0, temperature: 0, penalties: 1, stop: [] };
  const silent = { prefilled: {}, forwardPass: {}, sampled: {}, added: {}, backtracked: {} };
  const force = { type: "backtrack", count: 0, tokens: [65] };
  const goBack = { type: "backtrack", count: 4, tokens: [65] };
  const request = {
    ...noMods,
    mods: [
      { ...silent, forwardPass: { 0: force }, sampled: { 0: { type: "backtrack", count: 1 }, 5: goBack } },
    ],
  };
  const { records } = await runRandomRequest(request as never, { prompt });
  expect(records.filter(({ type }) => type === "scored")).toHaveLength(2);
  // The budget has room for the text, not for logits.
  const kvCache = emptyCache(600);
  await runRandomRequest(request as never, { kvCache, prompt });
  for (const other of [prompt, prompts[1] ?? ""])
    await runRandomRequest(noMods as never, { kvCache, prompt: other });
  const at = placesOfStepPasses(records)[1] ?? 0;
  const { records: own } = await runRandomRequest(request as never, {
    kvCache,
    prompt,
    branchPoint: { records, at, token: null },
  });
  expect(comparableRecords(own)).toEqual(comparableRecords(records));
});
