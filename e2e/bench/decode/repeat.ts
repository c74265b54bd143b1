/** Whether the same request with the same seed gives the same tokens and the same trace, timings apart. */
import { KvCache } from "../../../src/core/decoder/kv-cache/kv-cache.ts";
import { requireAllLogits } from "../../../src/core/decoder/ports/mod-host.ts";
import { type InProcessMod, inProcessMod } from "../../../src/core/decoder/testing/in-process-mod.ts";
import type { TraceRecord } from "../../../src/core/trace/format/format.ts";
import type { ModelBundle } from "../../../src/runtime/engine/load/load-model.ts";
import { openBundle, type RunOutcome, runRequest, tokensOf, userSays } from "./ours.ts";
import type { Subject } from "./rival.ts";

export interface RepeatResult {
  readonly runs: number;
  /** Runs from an empty context whose whole trace is the first one's. */
  readonly fresh: number;
  /** Runs in one context, after other requests: the same but for how much of the prompt was computed anew. */
  readonly reused: number;
  /** Different texts over different seeds: with one alone, the comparison would say nothing. */
  readonly textsOfOtherSeeds: number;
  readonly changesByMod: number;
}

const seed = 20_261_121;

export async function sameSeed(subject: Subject, runs: number, maxTokens: number): Promise<RepeatResult> {
  const bundle = await openBundle(subject, "wasm");
  const messages = userSays(subject.content);
  const run = (options: { readonly seed: number; readonly kvCache?: KvCache }) =>
    runRequest(bundle, { messages, maxTokens, temperature: 1, mods: [meddler(bundle)], ...options });
  const expected = await run({ seed });

  let fresh = 0;
  for (let i = 0; i < runs; i++) if (withoutTimes(await run({ seed })) === withoutTimes(expected)) fresh += 1;

  const kvCache = new KvCache(bundle.model);
  const texts = new Set<string>();
  let reused = 0;
  for (let i = 0; i < runs; i++) {
    texts.add((await run({ seed: i, kvCache })).text);
    const again = await run({ seed, kvCache });
    if (withoutPrefillPlan(again) === withoutPrefillPlan(expected)) reused += 1;
  }
  await bundle.model.dispose();
  const changesByMod = expected.records.filter(
    ({ record }) => record.type === "modCall" && record.action.type !== "noop",
  ).length;
  return { runs, fresh, reused, textsOfOtherSeeds: texts.size, changesByMod };
}

/** Edits, forces and goes back now and then. */
function meddler({ tokenizer }: ModelBundle): InProcessMod {
  let hasGoneBack = false;
  return inProcessMod("meddler", {
    forwardPass: (event) => {
      const { step } = event;
      if (step % 5 === 4) {
        const logits = requireAllLogits(event);
        const strongest = logits.reduce((best, x, token) => (x > (logits[best] ?? 0) ? token : best), 0);
        return { type: "adjustLogits", logits: { ban: [strongest] }, temperature: 0.8 };
      }
      return step === 20 ? { type: "forceTokens", tokens: tokenizer.encode(" and suddenly") } : null;
    },
    sampled: ({ step }) => {
      if (step !== 30 || hasGoneBack) return null;
      hasGoneBack = true;
      return { type: "backtrack", count: 6, tokens: tokenizer.encode(" but") };
    },
  });
}

function withoutTimes(outcome: RunOutcome): string {
  const records = outcome.records.map(({ record }) => timeless(record));
  return JSON.stringify([tokensOf(outcome), records]);
}

/** The prompt's passes depend on what the cache held before; everything else may not. */
function withoutPrefillPlan(outcome: RunOutcome): string {
  const records = outcome.records.map(({ record }) => {
    if (record.type === "forwardPass" && record.step === 0) return timeless({ ...record, tokenCount: 0 });
    if (record.type !== "finished") return timeless(record);
    const usage = { ...record.usage, reusedTokens: 0, forwardPasses: 0 };
    return timeless({ ...record, usage });
  });
  return JSON.stringify([tokensOf(outcome), records]);
}

function timeless(record: TraceRecord): object {
  const times = { timeUs: 0, durationUs: 0, prefillUs: 0, decodeUs: 0 };
  return { ...record, ...times };
}
