/** Rows of logits that stay on a device: the loop takes the same tokens as from rows that lie here, and writes down the same. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { mix32, randomBits } from "../../base/random.ts";
import { cutOffNames, samplingNumbers } from "../../base/sampling.ts";
import { defaultSampling } from "../../sdk/request.ts";
import type { TraceRecord } from "../../trace/format/format.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import type { ModHost } from "../ports/mod-host.ts";
import { END } from "../testing/byte-tokenizer.ts";
import {
  createSimulatedDevice,
  type SimulatedLogitsDevice,
  uploadLogitsTo,
  withLogitsOn,
} from "../testing/computed-logits.ts";
import { randomCutOffs } from "../testing/cut-off-values.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { runDecode } from "../testing/run-decode.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { withoutTimes } from "../testing/trace-log.ts";
import { deviceLogitsConformance } from "./device-logits.conformance.ts";
import { appliedOnGpu } from "./gpu-draw.ts";

const device = createSimulatedDevice({ fewest: 256, most: 384, pieceTokens: 1024 });
for (const { name, run } of deviceLogitsConformance(
  async (row, t) => uploadLogitsTo(device, row, t),
  20_011,
)) {
  test(`the rows of these tests keep what a device's rows have to keep: ${name}`, run);
}

const size = 257;
/** Logits that depend on every token of the context; with ties, and flat or steep by `spread`. */
const randomLogits = (spread: number) => (context: readonly number[]) => {
  const key = context.reduce((hash, token) => mix32(hash + token), context.length);
  return Float32Array.from({ length: size }, (_, token) =>
    token === END ? -6 : (((randomBits(key, token) % 1000) - 500) / 500) * spread,
  );
};

const token = fc.integer({ min: 0, max: 255 });
const tokens = fc.array(token, { minLength: 1, maxLength: 6 });
const amount = fc.oneof(fc.float({ min: -9, max: 9, noNaN: true }), fc.constantFrom(-Infinity, 40));
const part = fc.record(
  {
    ban: tokens,
    add: fc.dictionary(token.map(String), amount, { minKeys: 1, maxKeys: 4 }),
    only: fc.array(token, { minLength: 1, maxLength: 40 }),
    mask: fc.array(fc.integer(), { minLength: 9, maxLength: 9 }).map((words) => Uint32Array.from(words)),
  },
  { requiredKeys: [] },
);
const dense = fc
  .integer()
  .map((seed) => Float32Array.from({ length: size }, (_, i) => (randomBits(seed, i) % 50) / 9));
const edit = fc.record({
  type: fc.constant("adjustLogits"),
  logits: fc.oneof({ weight: 9, arbitrary: part }, dense),
  temperature: fc.constantFrom(undefined, undefined, 0, 0.3, 1.5),
});
const force = fc.record({ type: fc.constant("forceTokens"), tokens });
const back = fc.record({ type: fc.constant("backtrack"), count: fc.integer({ min: 0, max: 6 }), tokens });
const answers = (...kinds: fc.Arbitrary<object>[]) =>
  fc.dictionary(fc.integer({ min: 0, max: 30 }).map(String), fc.oneof(...kinds), { maxKeys: 6 });
const requests = fc.record({
  /** Masks of a host that keeps to them, as a request's format does; none, where it is empty. */
  masks: fc.array(
    fc
      .array(fc.constantFrom(0, 0, 1, 0x80000000, -1), { minLength: 9, maxLength: 9 })
      .map((words) => Uint32Array.from(words)),
    { maxLength: 3 },
  ),
  mods: fc.array(fc.record({ forwardPass: answers(edit, edit, edit, force), added: answers(force, back) }), {
    maxLength: 3,
  }),
  reads: fc.constantFrom(0, 3, 16),
  spread: fc.constantFrom(0.5, 3, 12, 40),
  cutOffs: randomCutOffs,
  sampling: fc.record({
    temperature: fc.constantFrom(0, 0.7, 1, 3),
    repetitionPenalty: fc.constantFrom(1, 1, 1.3),
    frequencyPenalty: fc.constantFrom(0, 0, 0.7),
  }),
  seed: fc.integer(),
  promptPassTokens: fc.constantFrom(2, 16),
});
type Request = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

/** Asks what is left of its masks, one after the other, and keeps to them where something is. */
function keeper(masks: readonly Uint32Array[]): ModHost {
  const host = inProcessMod("keeper", {
    async forwardPass({ step, canSample }) {
      const mask = masks[step % masks.length] as Uint32Array;
      if (await canSample?.(mask)) return { type: "adjustLogits", logits: { mask } };
      return { type: "forceTokens", tokens: [step] };
    },
  });
  return { ...host, ask: host.ask, dispose: host.dispose, ...keepsAsFormatsDo };
}
const keepsAsFormatsDo = { needs: { topK: 0, logits: false }, asksWhatIsLeft: true };

async function run(
  { masks, mods, reads, spread, cutOffs, sampling, seed, promptPassTokens }: Request,
  on: SimulatedLogitsDevice | null,
) {
  const hosts: ModHost[] = mods.map((given, index) => {
    const handlers = Object.entries(given).map(([type, answers]) => {
      let next = 0;
      return [type, () => (answers as Record<string, unknown>)[String(next++)]];
    });
    const host = inProcessMod(`mod${index}`, Object.fromEntries(handlers) as Handlers);
    return { ...host, ask: host.ask, dispose: host.dispose, needs: { topK: reads, logits: false } };
  });
  if (masks.length > 0) hosts.push(keeper(masks));
  const logits = randomLogits(spread);
  const model = scriptedModel({ vocabularySize: size, endOfSequence: [END], logits, promptPassTokens });
  const kvCache = new KvCache(on ? withLogitsOn(on, model) : model);
  const request = { maxTokens: 12, seed, budget: 60, onModError: "continue" as const };
  const options = {
    prompt: "seed",
    mods: hosts,
    kvCache,
    request: { ...request, sampling: { ...defaultSampling, ...cutOffs, ...sampling } },
  };
  const { records } = await runDecode(options);
  // Once more, from the prompt's row, which is still at hand.
  const again = await runDecode({ ...options, mods: [] });
  return { records: [...records, ...again.records], kvCache };
}

/**
 * The places where records differ. Figures may be off by as much as the sums are; everything else has to be the same. A list, and no
 * `expect` for each of half a million values.
 */
function differencesOf(found: unknown, expected: unknown, path: string): string[] {
  if (typeof expected === "number" && /\.(logprob\w*|logprobs\.\d+|entropy|probability)$/.test(path))
    return Math.abs((found as number) - expected) < 1e-4 ? [] : [`${path}: ${found}, not ${expected}`];
  if (!expected || typeof expected !== "object" || !found || typeof found !== "object")
    return Object.is(found, expected) ? [] : [`${path}: ${found}, not ${expected}`];
  const [keys, wanted] = [Object.keys(found).join(), Object.keys(expected).join()];
  if (keys !== wanted) return [`${path} has ${keys}, not ${wanted}`];
  return Object.entries(expected).flatMap(([key, value]) =>
    differencesOf((found as Record<string, unknown>)[key], value, `${path}.${key}`),
  );
}

const compared = (records: readonly TraceRecord[]) => withoutTimes(records);

test("whatever the mods do and however it is sampled: the same tokens, the same trace, and no row is kept", async () => {
  let steps = 0;
  let read = 0;
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const on = createSimulatedDevice({ fewest: 16, most: 40, pieceTokens: 32 });
      const [there, here] = [await run(request, on), await run(request, null)];
      expect(differencesOf(compared(there.records), compared(here.records), "")).toEqual([]);
      // Only the rows that the cache has at hand are left.
      there.kvCache.truncate(0);
      expect(on.alive).toBe(0);
      const { cutOffs } = request;
      // With any other cut-off, every row is read.
      if (cutOffNames.some((name) => !appliedOnGpu[name] && cutOffs[name] !== samplingNumbers[name].neutral))
        return;
      steps += there.records.filter(({ type }) => type === "sampled").length;
      read += on.reads;
    }),
    { numRuns: 55 },
  );
  // Few steps bring the row here.
  expect(read / steps).toBeLessThan(0.03);
});
