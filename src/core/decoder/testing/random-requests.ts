/** Requests of which any step and any mod may be anything, for properties of branches: their mods answer by a count of what they were asked. */
import fc from "fast-check";
import { mix32, randomBits } from "../../base/random.ts";
import { type ActionType, allowedActions } from "../../sdk/action.ts";
import type { EventType } from "../../sdk/event.ts";
import { defaultSampling } from "../../sdk/request.ts";
import type { TraceRecord } from "../../trace/format/format.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import type { ModHost } from "../ports/mod-host.ts";
import { type BranchPoint, isStepPass } from "../replay/branch-point.ts";
import { END } from "./byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "./in-process-mod.ts";
import { type RunResult, runDecode } from "./run-decode.ts";
import { scriptedModel } from "./scripted-model.ts";
import { withoutTimes } from "./trace-log.ts";

/** Logits that depend on every token of the context; the end of sequence is never likely. */
function randomLogits(context: readonly number[]): Float32Array {
  const key = context.reduce((hash, token) => mix32(hash + token), context.length);
  return Float32Array.from({ length: 257 }, (_, token) =>
    token === END ? -6 : (randomBits(key, token) % 1000) / 200,
  );
}

const known = fc.array(fc.constantFrom(65, 66, 0xc3, 0xa9), { minLength: 1, maxLength: 3 });
const hidden = fc.boolean();
const count = fc.integer({ min: 0, max: 5 });
const edit = fc.record({
  logits: fc.record({ ban: known }),
  temperature: fc.constantFrom(undefined, 0, 1.5),
  hidden,
});

/**
 * The fields of each action, listed twice if the action should come often. The compiler asks for every action, because a branch
 * must keep the effects of past actions. The list is empty if the action does nothing, ends the request, or is tested with
 * `activation-requests.ts`.
 */
const actions: Readonly<Record<ActionType, readonly fc.Arbitrary<object>[]>> = {
  noop: [],
  adjustPrefill: [fc.record({ tokens: known })],
  adjustLogits: [edit, edit],
  forceTokens: [fc.record({ tokens: known, hidden })],
  backtrack: [fc.record({ count }), fc.record({ count, tokens: known, hidden })],
  forceOutput: [],
  toolCalls: [],
  steer: [],
  patch: [],
  error: [],
};
/** The replies of a mod to an event, by the number of the call; nothing to all others. */
const answersTo = (event: EventType) => {
  const kinds = allowedActions[event].flatMap((type) =>
    actions[type].map((fields) => fields.map((own) => ({ type, ...own }))),
  );
  return fc.dictionary(fc.integer({ min: 0, max: 40 }).map(String), fc.oneof(...kinds), { maxKeys: 5 });
};
const mod = fc.record({
  prefilled: answersTo("prefilled"),
  forwardPass: answersTo("forwardPass"),
  sampled: answersTo("sampled"),
  added: answersTo("added"),
  backtracked: fc.constant({}),
});
export const randomRequests = fc.record({
  mods: fc.array(mod, { maxLength: 3 }),
  maxTokens: fc.integer({ min: 5, max: 16 }),
  seed: fc.integer(),
  temperature: fc.constantFrom(0, 1),
  penalties: fc.constantFrom(1, 1.3),
  stop: fc.constantFrom<readonly string[]>([], ["AB"]),
});
export type RandomRequest = typeof randomRequests extends fc.Arbitrary<infer Value> ? Value : never;

/** `readsAll`: the mods are shown all logits, so that a replay has to compute them. `pipelineDepth`: see ModHost. */
export function modsOf(request: RandomRequest, readsAll: boolean, pipelineDepth = 1): ModHost[] {
  return request.mods.map((given, index) => {
    const handlers = Object.entries(given).map(([type, answers]) => {
      let next = 0;
      return [type, () => (answers as Record<string, unknown>)[String(next++)]];
    });
    const host = inProcessMod(`mod${index}`, Object.fromEntries(handlers) as Handlers);
    return {
      ...host,
      ask: host.ask,
      dispose: host.dispose,
      needs: { topK: 0, logits: readsAll },
      pipelineDepth,
    };
  });
}

/** An empty KV cache of a model with random logits; its passes also read long drafts. `prefixBytes`: budget for cached texts. */
export function emptyCache(prefixBytes = 0): KvCache {
  const passCost = (tokens: number) => 1 + tokens / 1000;
  const model = {
    vocabularySize: 257,
    endOfSequence: [END],
    logits: randomLogits,
    promptPassTokens: 16,
    passCost,
  };
  return new KvCache(scriptedModel(model), { prefixBudget: () => prefixBytes });
}

export interface RunVariant {
  readonly prompt?: string;
  readonly kvCache?: KvCache;
  readonly branchPoint?: BranchPoint;
  readonly readsAll?: boolean;
  readonly pipelineDepth?: number;
  /** The mods have other sources, and answer as before. */
  readonly isEdited?: boolean;
}

export function runRandomRequest(request: RandomRequest, way: RunVariant = {}): Promise<RunResult> {
  const { kvCache = emptyCache(), branchPoint, prompt = "seed" } = way;
  const { readsAll = false, pipelineDepth = 1, isEdited = false } = way;
  const { maxTokens, seed, temperature, penalties, stop } = request;
  const sampling = { ...defaultSampling, temperature, repetitionPenalty: penalties };
  return runDecode({
    prompt,
    mods: modsOf(request, readsAll, pipelineDepth),
    kvCache,
    request: {
      maxTokens,
      seed,
      budget: 40,
      sampling,
      stop,
      onModError: "continue",
      modSources: request.mods.map((_, mod) => ({ source: `mod ${mod}${isEdited ? ", edited" : ""}` })),
    },
    ...(branchPoint && { branchPoint }),
  });
}

/** Records without times, and without what depends on what the KV cache held. */
export function comparableRecords(records: readonly TraceRecord[]): unknown[] {
  const own = records.slice(1).filter((record) => record.type !== "forwardPass" || record.before !== null);
  return withoutTimes(own).map((record) => {
    const { tokenCount: _, usage: __, ...rest } = record as Record<string, unknown>;
    return rest;
  });
}

/** Places of tokens that mods forced. */
export function placesOfForcedTokens(records: readonly TraceRecord[]): number[] {
  return [...records.keys()].filter((place) => {
    const record = records[place];
    return record?.type === "added" && record.source !== "sampled";
  });
}

/** Places of the passes that left logits. */
export function placesOfStepPasses(records: readonly TraceRecord[]): number[] {
  return [...records.keys()].filter((place) => isStepPass(records[place]));
}
