/** Requests whose mods steer, patch and read layers at any event, for properties: their mods answer by a count of what they were asked. */
import fc from "fast-check";
import { expect } from "vitest";
import { defaultSampling } from "../../sdk/request.ts";
import type { TraceRecord } from "../../trace/format/format.ts";
import { steeredSpansAtRecord } from "../../trace/model/steered-rows.ts";
import { sumByLayer } from "../activations/mod-vectors.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import { topKOf } from "../logits/top-k.ts";
import { largestDifference } from "../ports/language-model.compare.ts";
import type { LoopEvent, ModHost } from "../ports/mod-host.ts";
import type { DecodeRequest } from "../ports/request.ts";
import type { BranchPoint } from "../replay/branch-point.ts";
import { type Handlers, inProcessMod } from "./in-process-mod.ts";
import { computedStates, hiddenSize, layerCount, layeredModel, logitsOf } from "./layered-model.ts";
import { decodeRequest, type RunResult, runDecode } from "./run-decode.ts";
import { expectedPasses } from "./steered-oracle.ts";

const number = fc.integer({ min: -8, max: 8 }).map((n) => n / 8);
/** Few, so that the same steering comes again. */
const vector = fc
  .oneof(
    fc.constantFrom([0, 0, 0, 0], [1, -1, 0.5, 0], [0.25, 0.25, 0.25, 0.25]),
    fc.array(number, { minLength: hiddenSize, maxLength: hiddenSize }),
  )
  .map((numbers) => Float32Array.from(numbers));
const layer = fc.integer({ min: 0, max: layerCount - 1 });
const steering = fc.record({ layer, vector, scale: fc.constantFrom(0, 1, -1, 2) });
const activations = [
  fc.record({ type: fc.constant("steer"), vectors: fc.array(steering, { maxLength: 2 }) }),
  fc.record({ type: fc.constant("steer"), vectors: fc.array(steering, { maxLength: 2 }) }),
  fc.record({ type: fc.constant("patch"), layer, vector }),
];
const tokens = fc.array(fc.constantFrom(65, 66, 67), { minLength: 1, maxLength: 3 });
const hidden = fc.boolean();
const changes = [
  fc.record({ type: fc.constant("forceTokens"), tokens, hidden }),
  fc.record({ type: fc.constant("backtrack"), count: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ type: fc.constant("backtrack"), count: fc.integer({ min: 0, max: 3 }), tokens, hidden }),
];
const wrong = fc.constant({ type: "steer", vectors: "none" });
const answersOf = (...kinds: fc.Arbitrary<object>[]) =>
  fc.dictionary(fc.integer({ min: 0, max: 24 }).map(String), fc.oneof(...kinds), { maxKeys: 6 });
const mod = fc.record({
  prefilled: answersOf(...activations, fc.record({ type: fc.constant("adjustPrefill"), tokens })),
  forwardPass: answersOf(...activations, ...changes),
  sampled: answersOf(...activations, ...changes),
  added: answersOf(...activations, ...changes, wrong),
});
export const activationRequests = fc.record({
  mods: fc.array(mod, { minLength: 1, maxLength: 3 }),
  reads: fc.constantFrom("nothing", "states", "lens"),
  maxTokens: fc.integer({ min: 4, max: 12 }),
  seed: fc.integer(),
  temperature: fc.constantFrom(0, 1),
});
export type ActivationRequest = typeof activationRequests extends fc.Arbitrary<infer Value> ? Value : never;

/** The activations that a mod was sent. */
export interface SeenActivations {
  readonly states: Float32Array[][];
  readonly lens: Float32Array[][];
}

export function modsOf({ mods, reads }: ActivationRequest, seen: SeenActivations): ModHost[] {
  return mods.map((given, index) => {
    const handlers = Object.entries(given).map(([type, answers]) => {
      let next = 0;
      return [
        type,
        (event: LoopEvent) => {
          if (event.type === "forwardPass" && index === 0 && event.activations) note(seen, event.activations);
          return (answers as Record<string, unknown>)[String(next++)];
        },
      ];
    });
    const { ask, dispose, ...host } = inProcessMod(`mod${index}`, Object.fromEntries(handlers) as Handlers);
    const needs = {
      topK: 0,
      logits: false,
      activations: { layers: "all", hiddenStates: reads === "states", lens: reads === "lens" ? "all" : [] },
    } as const;
    return { ...host, ask, dispose, needs };
  });
}

function note(
  { states, lens }: SeenActivations,
  step: NonNullable<Extract<LoopEvent, { type: "forwardPass" }>["activations"]>,
) {
  states.push([...step.hiddenStates.values()]);
  lens.push([...step.lens.values()].map(({ logprobs }) => Float32Array.from(logprobs)));
}

export interface RunOptions {
  readonly kvCache: KvCache;
  readonly prompt: string;
  readonly branchPoint?: BranchPoint;
}

export function settingsOf({
  maxTokens,
  seed,
  temperature,
  mods,
}: ActivationRequest): Partial<DecodeRequest> {
  return {
    maxTokens,
    seed,
    budget: 60,
    onModError: "continue",
    sampling: { ...defaultSampling, temperature },
    modSources: mods.map((mod) => ({ source: JSON.stringify(mod) })),
    model: { ...decodeRequest("").model, layers: { layerCount, hiddenSize } },
  };
}

export async function runActivationRequest(
  from: ActivationRequest,
  options: RunOptions,
): Promise<RunResult & { readonly seen: SeenActivations }> {
  const seen: SeenActivations = { states: [], lens: [] };
  const result = await runDecode({ ...options, mods: modsOf(from, seen), request: settingsOf(from) });
  return { ...result, seen };
}

export function cacheWith(prefixBytes: number, lastRowOnly = false): KvCache {
  const model = layeredModel({ promptPassTokens: 7, lastRowOnly });
  return new KvCache(model, { prefixBudget: () => prefixBytes });
}

/** Expects that each pass with logits left the logits that the recorded steering gives. Returns the number of passes compared. */
export function checkPasses(records: readonly TraceRecord[], from = 0): number {
  const passes = expectedPasses(records).filter(({ place }) => place >= from);
  for (const { place, logits } of passes) {
    const record = records[place];
    if (record?.type !== "forwardPass" || !record.before) throw new Error("No pass stands there.");
    const top = topKOf(logits, 10);
    const given = Float32Array.from(record.before.top, ({ logprob }) => logprob);
    expect(largestDifference(given, Float32Array.from(top.logprobs))).toBeLessThan(1e-4);
  }
  // The same by what views have of it.
  const last = passes.at(-1);
  if (last) expect(largestDifference(logitsByRows(records, last.place), last.logits)).toBeLessThan(1e-4);
  return passes.length;
}

/** The logits of the pass at `place`, by `steeredSpansAtRecord`. */
function logitsByRows(records: readonly TraceRecord[], place: number): Float32Array {
  const { spans } = steeredSpansAtRecord(records, place);
  const text = textAt(records, place).map((token, at) => {
    const span = spans?.find(({ from, to }) => from <= at && at < to);
    const isLast = span?.to === at + 1;
    const patches = new Map(span?.patches.map(({ layer, vector: own }) => [layer, own] as const));
    return { token, vectors: sumByLayer(span?.vectors ?? []), ...(isLast && { patches }) };
  });
  return logitsOf(computedStates(text).at(-1)?.at(-1) ?? new Float32Array());
}

function textAt(records: readonly TraceRecord[], end: number): number[] {
  const text: number[] = [];
  for (const record of records.slice(0, end)) {
    if (record.type === "prefilled" || record.type === "added")
      text.push(...record.tokens.map(({ token }) => token));
    if (record.type === "backtracked") text.length -= record.removed.length;
  }
  return text;
}
