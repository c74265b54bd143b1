/** Steps that are replayed from records, and the step at which a branch begins. */

import type { ForwardPassRecord } from "../../trace/format/format.ts";
import type { FillCache } from "../kv-cache/forward-pass.ts";
import { beginStep, type DecodeState } from "../loop/decode-state.ts";
import { createStepLogits, type StepLogits } from "../loop/logits-of-step.ts";
import { prefillAndRecord } from "../loop/read-passes.ts";
import type { Distribution } from "../ports/logits.ts";
import { firstBranchTokenIndex, firstIndexToScore, recordedPromptMs } from "./branch-point.ts";
import { unknownLogits } from "./recorded-logits.ts";
import type { Replay } from "./replay.ts";

/**
 * Makes the logits of a recorded step: instead of all logits, the top tokens that the mods got. Counts the step and records its
 * pass.
 */
export function createRecordedLogits(
  state: DecodeState,
  replay: Replay,
  { durationUs, tokenCount, before }: ForwardPassRecord,
): StepLogits {
  const { output, ports } = state;
  const isPrefill = state.counts.steps === 0;
  state.activations?.extend(output.sequence.length);
  if (isPrefill) {
    state.metrics.prefillMs = recordedPromptMs(replay.point.records);
    state.metrics.decodeStartMs = state.now();
  }
  beginStep(state, tokenCount > 0);
  const top = before?.top ?? [];
  const sums = { reference: 0, weight: 1, weighted: 0 };
  const distribution: Distribution = { logSumExp: 0, entropy: before?.entropy ?? 0, top, sums };
  const pass = { tokenCount, durationMs: durationUs / 1000 };
  const recorded = replay.nextStep();
  state.recorder.forwardPass(output.length, pass, output.sequence.length, distribution);
  const unknown = unknownLogits(ports.kvCache.model.vocabularySize);
  const row = state.logits.factory.known(unknown, distribution);
  return createStepLogits(output.length, row, { recorded });
}

/**
 * Makes the KV cache hold the text that the branch shares with the other request, up to the first token of the branch's own
 * first pass: the last token, or the token before forced tokens that this pass has to score.
 */
export async function cacheSharedText(state: DecodeState, replay: Replay): Promise<void> {
  const { output, ports } = state;
  const { kvCache } = ports;
  if (state.counts.steps === 0) return;
  const read: FillCache = (keys) => prefillAndRecord(state, keys);
  state.activations?.extend(output.sequence.length);
  const sequence = (await state.activations?.text.settledKeys(output.sequence, read)) ?? output.sequence;
  await kvCache.resume(sequence);
  const cachedLength = kvCache.sharedLength(sequence);
  state.metrics.reusedTokens = Math.min(output.promptLength, cachedLength);
  const first = firstIndexToScore(replay.point);
  const own = firstBranchTokenIndex(replay.point);
  // Tokens that mods forced at the branch point, before any pass, are scored as well.
  const scored = output.emitted.findIndex(
    ({ index, source }) => index === first || (source !== "sampled" && index >= own),
  );
  // The probability of a token comes from the logits before it, so the pass begins with the token before the first scored
  // token.
  const start = (scored < 0 ? output.sequence.length : output.promptLength + scored) - 1;
  // Removes the recorded request's draft tokens too: the number of passes must not depend on them.
  kvCache.truncate(Math.min(cachedLength, start));
  // The prompt comes first, because the logits after a prompt stay cached: a backtrack may end there. The cache may have served
  // another request since, and it does not always copy these logits with the text.
  if (!kvCache.hasLogitsAfterPrompt(output.promptLength))
    await prefillAndRecord(state, sequence.slice(0, output.promptLength));
  if (start - kvCache.sharedLength(sequence) > kvCache.model.promptPassTokens) {
    await prefillAndRecord(state, sequence.slice(0, start));
  }
}
