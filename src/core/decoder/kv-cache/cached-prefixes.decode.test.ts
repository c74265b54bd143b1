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
