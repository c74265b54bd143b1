/** Requests whose mods steer, patch and read layers: what the model computes is what the trace says that it was steered by. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { topKOf } from "../logits/top-k.ts";
import { largestDifference } from "../ports/language-model.compare.ts";
import { mostLensTokens } from "../ports/mod-host.ts";
import { verifyReplay } from "../replay/verify.ts";
import {
  type ActivationRequest,
  activationRequests,
  cacheWith,
  checkPasses,
  modsOf,
  runActivationRequest,
  settingsOf,
} from "../testing/activation-requests.ts";
import { byteTokenizer } from "../testing/byte-tokenizer.ts";
import { logitsOf } from "../testing/layered-model.ts";
import { comparableRecords, placesOfStepPasses } from "../testing/random-requests.ts";
import { decodeRequest } from "../testing/run-decode.ts";
import { expectedPasses } from "../testing/steered-oracle.ts";
import { checkTrace } from "../testing/trace-log.ts";

const trunk = "words that several prompts begin with, ".repeat(2);
const prompts = [`${trunk}one`, `${trunk}another`, "one prompt of a few words", "x"];
const turns = fc.array(
  fc.record({ request: activationRequests, prompt: fc.constantFrom(...prompts), pick: fc.nat() }),
  {
    minLength: 1,
    maxLength: 6,
  },
);

test("each pass is steered as its trace says, whatever the KV cache held before", async () => {
  const met = { passes: 0, steered: 0, reused: 0, states: 0, lens: 0, patched: 0, kept: 0 };
  await fc.assert(
    fc.asyncProperty(
      turns,
      fc.constantFrom(0, 100_000),
      fc.boolean(),
      async (list, prefixBytes, lastRowOnly) => {
        const kvCache = cacheWith(prefixBytes, lastRowOnly);
        for (const { request: each, prompt } of list) {
          const { records, finished, seen } = await runActivationRequest(each, { kvCache, prompt });
          checkTrace(records);
          met.passes += checkPasses(records);
          met.kept += finished.usage.reusedTokens > trunk.length - 9 ? 1 : 0;
          met.reused += finished.usage.reusedTokens > 1 ? 1 : 0;
          const actions = records.flatMap((record) => (record.type === "modCall" ? record.action.type : []));
          met.steered += actions.includes("steer") ? 1 : 0;
          met.patched += actions.includes("patch") ? 1 : 0;
          const expected = expectedPasses(records);
          for (const [i, states] of seen.states.entries())
            for (const [at, state] of states.entries()) {
              met.states += 1;
              expect(largestDifference(state, expected[i]?.states[at] as Float32Array)).toBeLessThan(1e-4);
            }
          for (const [i, layers] of seen.lens.entries())
            for (const [at, logprobs] of layers.entries()) {
              met.lens += 1;
              const state = expected[i]?.states[at] as Float32Array;
              const top = topKOf(logitsOf(state), mostLensTokens);
              expect(largestDifference(logprobs, Float32Array.from(top.logprobs))).toBeLessThan(1e-4);
            }
          expect(kvCache.activations?.steerings.size).toBeLessThan(200);
        }
      },
    ),
    { numRuns: 20 },
  );
  for (const [what, count] of Object.entries(met)) expect([what, count > 2]).toEqual([what, true]);
});

/** The same request with other vectors: its mods are others. */
function changed(request: ActivationRequest): ActivationRequest {
  const [first, ...others] = request.mods;
  const other = { type: "steer", vectors: [{ layer: 1, vector: new Float32Array([0, 0, 1, 1]), scale: 1 }] };
  return {
    ...request,
    mods: [{ ...first, prefilled: { 0: other } } as (typeof request.mods)[number], ...others],
  };
}

test("branches, of the same mods and of changed ones, go on steered as their traces say", async () => {
  const met = { same: 0, changed: 0, again: 0, own: 0, verified: 0 };
  await fc.assert(
    fc.asyncProperty(turns, fc.boolean(), async (list, isEmptied) => {
      const kvCache = cacheWith(isEmptied ? 0 : 100_000);
      for (const { request, prompt, pick } of list) {
        const { records, finished } = await runActivationRequest(request, { kvCache, prompt });
        const places = placesOfStepPasses(records);
        const at = places[pick % places.length];
        if (at === undefined || finished.reason === "budget") continue;
        if (isEmptied) kvCache.truncate(0);
        const same = await runActivationRequest(request, {
          kvCache,
          prompt,
          branchPoint: { records, at, token: null },
        });
        expect(comparableRecords(same.records)).toEqual(comparableRecords(records));
        met.same += 1;
        const follows = request.mods.map((_, place) => place);
        const other = await runActivationRequest(changed(request), {
          kvCache,
          prompt,
          branchPoint: { records, at, token: null, follows },
        });
        checkTrace(other.records);
        expect(other.finished.error?.message).toBe(undefined);
        met.own += checkPasses(other.records, at);
        met.changed += 1;
        // And a branch of that branch, of which the mods are told a part and asked about the rest.
        const later = placesOfStepPasses(other.records).filter((place) => place >= at);
        const last = later[pick % later.length];
        if (last === undefined || other.finished.reason === "budget") continue;
        const again = await runActivationRequest(changed(request), {
          kvCache,
          prompt,
          branchPoint: { records: other.records, at: last, token: null },
        });
        expect(comparableRecords(again.records)).toEqual(comparableRecords(other.records));
        met.again += 1;
        if (request.reads !== "nothing") continue;
        const mods = modsOf(request, { states: [], lens: [] });
        const about = decodeRequest(prompt, settingsOf(request));
        const verification = await verifyReplay(about, records, {
          tokenizer: byteTokenizer,
          mods,
          now: () => 0,
        });
        expect(verification.difference).toBe(null);
        met.verified += verification.missing === null ? 1 : 0;
      }
    }),
    { numRuns: 20 },
  );
  for (const [what, count] of Object.entries(met)) expect([what, count > 2]).toEqual([what, true]);
});
