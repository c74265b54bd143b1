/**
 * The passes that make the KV cache hold a text, and give the logits that healing its end needs (`healing.ts`).
 *
 * Most models give the logits of several positions in one pass. A graph that computes the last position only needs one pass more:
 * the first pass reads the text up to its healable end, the second pass reads the end. A pass must show first that a graph is of this
 * kind, so the first healed text costs two passes more.
 */
import type { CacheKey } from "../kv-cache/cache-key.ts";
import type { PassResult } from "../kv-cache/forward-pass.ts";
import type { ModelLogits } from "../ports/logits.ts";
import type { DecodeState } from "./decode-state.ts";
import { prefillAndRecord } from "./read-passes.ts";
import { guessesFor } from "./speculation.ts";

export interface ReadIntoCacheOptions {
  /** The text is the prompt of the request, or begins with the prompt. */
  readonly isPrefill: boolean;
  /** Rows of logits that the last pass gives. */
  readonly rows: number;
  /** The most tokens at the end of the text that healing may take back (`countLogitsToHeal`); 0 if it may take back none. */
  readonly toHeal: number;
}

/** Makes the KV cache hold these keys. @throws ForwardError, or the signal's reason. */
export async function readTextIntoCache(
  state: DecodeState,
  keys: readonly CacheKey[],
  { isPrefill, rows, toHeal }: ReadIntoCacheOptions,
): Promise<PassResult> {
  const { kvCache, now } = state.ports;
  const read = (text: readonly CacheKey[], wanted: number): Promise<PassResult> => {
    if (isPrefill) return prefillAndRecord(state, text, wanted);
    const isWhole = text.length === keys.length;
    return kvCache.forward(text, now, wanted, isWhole ? guessesFor(state) : undefined);
  };
  if (toHeal === 0) return read(keys, rows);
  let first: PassResult | null = null;
  if (!kvCache.returnsLastLogitsOnly) {
    first = await read(keys, rows);
    if (first.rows.length > toHeal) return first;
  }
  const before = await read(keys.slice(0, -toHeal), 1);
  state.logits.beforeHealableEnd = {
    tokens: toHeal,
    row: before.rows.at(-1) as ModelLogits,
    snapshot: kvCache.remember(),
  };
  const end = await read(keys, 1);
  const passes = [...(first?.passes ?? []), ...before.passes, ...end.passes];
  return { ...end, reused: (first ?? before).reused, passes: isPrefill ? passes : joined(passes) };
}

/** The record of a step has one pass. */
function joined(passes: PassResult["passes"]): PassResult["passes"] {
  const tokenCount = passes.reduce((sum, pass) => sum + pass.tokenCount, 0);
  const durationMs = passes.reduce((sum, pass) => sum + pass.durationMs, 0);
  return [{ tokenCount, durationMs }];
}
