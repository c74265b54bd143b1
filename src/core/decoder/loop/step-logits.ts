/** Gets the logits of one step: from the step source if they are recorded, otherwise from the model. */

import type { CacheKey } from "../kv-cache/cache-key.ts";
import type { FillCache, PassResult } from "../kv-cache/forward-pass.ts";
import type { EditableLogits } from "../ports/logits.ts";
import { ForwardError } from "../ports/request-error.ts";
import { beginStep, type DecodeState } from "./decode-state.ts";
import { takeSpeculativePass } from "./end-speculative-pass.ts";
import { countLogitsToHeal, releaseLogitsBeforeHealableEnd } from "./healable-end.ts";
import { createStepLogits, type StepLogits } from "./logits-of-step.ts";
import { readTextIntoCache } from "./read-text.ts";
import { countLogitsToScore, recordScores, scoreForcedTokenAt, type TokenScore } from "./scores.ts";
import { topKForPassRecord } from "./seen-logits.ts";

/** Returns the logits for the next token. @throws ForwardError, or the signal's reason. */
export async function computeStepLogits(state: DecodeState): Promise<StepLogits> {
  const { logits, output, source } = state;
  logits.knownChoice = null;
  releaseLogitsBeforeHealableEnd(state);
  const next = await source.nextStep(state);
  logits.rows = [];
  if (next.type === "recorded") {
    logits.current = next.logits;
    return next.logits;
  }
  const { editableLogits, passResult, known, knownScore } = await computePass(state);
  logits.rows = passResult.rows;
  beginStep(state, next.countsAsPass ?? passResult.passes.length > 0);
  await checkLogits(state, editableLogits);
  const activations = (await state.activations?.read()) ?? null;
  recordPass(state, passResult, editableLogits);
  recordScores(state, { known, knownScore, rows: passResult.rows, firstIndex: next.scoredFrom });
  logits.factory.releaseEdited();
  const serverDraw = state.serverDraws.take(output.sequence);
  logits.current = createStepLogits(output.length, editableLogits, {
    userToken: next.token,
    activations,
    serverDraw,
  });
  return logits.current;
}

/** The result of a pass that the model computed for the step. */
interface ComputedPass {
  /** Tokens of the text that were in the cache. */
  readonly known: number;
  /** The score of the first token after them, if a mod forced it. */
  readonly knownScore: TokenScore | null;
  readonly passResult: PassResult;
  readonly editableLogits: EditableLogits;
}

/** Lets the model read the tokens of the output that it has not seen, unless a speculative pass read them. @throws ForwardError, or the signal's reason. */
async function computePass(state: DecodeState): Promise<ComputedPass> {
  const { output, now, speculation } = state;
  const { kvCache } = state.ports;
  const speculativePass = takeSpeculativePass(state);
  const keys = await keysOf(state);
  if (speculativePass) {
    speculation.promptLookup?.note(speculativePass.passResult.drafted, speculativePass.passResult.isDrafted);
    return { ...speculativePass, knownScore: null };
  }
  const isPrefill = state.counts.steps === 0;
  if (isPrefill) await kvCache.resume(keys);
  const known = kvCache.sharedLength(keys);
  const knownScore = await scoreForcedTokenAt(state, known, kvCache.logitsAfter(known));
  const logitsToHeal = countLogitsToHeal(state);
  const rows = Math.max(countLogitsToScore(output, known, kvCache.model), 1 + logitsToHeal);
  // If the end of the text is in the cache, the pass reads it again, because the logits before it are needed too.
  if (logitsToHeal > 0) kvCache.truncate(Math.min(known, output.sequence.length - 1 - logitsToHeal));
  const reading = { isPrefill, rows: isPrefill ? 1 + logitsToHeal : rows, toHeal: logitsToHeal };
  const read: FillCache = (text) => readTextIntoCache(state, text, reading);
  const again: FillCache = (text) => kvCache.forward(text, now);
  const passResult = await (state.activations?.text.pass(output.sequence, read, again) ?? read(keys));
  if (isPrefill) notePrefill(state, passResult);
  speculation.promptLookup?.note(passResult.drafted, passResult.isDrafted);
  return { known, knownScore, passResult, editableLogits: state.logits.factory.ofPass(passResult) };
}

/** The output's sequence as keys of the KV cache: each token with the vectors that steer it. @throws ForwardError */
async function keysOf({
  activations,
  output,
  ports: { kvCache, now },
}: DecodeState): Promise<readonly CacheKey[]> {
  if (!activations) return output.sequence;
  activations.extend(output.sequence.length);
  return activations.text.settledKeys(output.sequence, (keys) => kvCache.forward(keys, now));
}

/** Records the last pass. The earlier passes of a prompt are in the trace already. */
function recordPass(state: DecodeState, { passes }: PassResult, editableLogits: EditableLogits): void {
  const { output, recorder } = state;
  const lastPass = passes.at(-1) ?? { tokenCount: 0, durationMs: 0 };
  const top = topKForPassRecord(state, editableLogits);
  recorder.forwardPass(output.length, lastPass, output.sequence.length, editableLogits.distribution, top);
}

function notePrefill({ metrics, now }: DecodeState, { reused, passes }: PassResult): void {
  metrics.reusedTokens = reused;
  metrics.prefillMs = passes.reduce((sum, { durationMs }) => sum + durationMs, 0);
  metrics.decodeStartMs = now();
}

/** @throws ForwardError if no model can give such logits: the output of a broken device must not look like an answer. */
async function checkLogits(state: DecodeState, editableLogits: EditableLogits): Promise<void> {
  if (Number.isFinite(editableLogits.distribution.logSumExp)) return;
  const problem = (await editableLogits.problem()) ?? "";
  // The model has not failed and can be used again: the steering vectors cause the error, and texts under other vectors do
  // not reuse the cached text.
  if (state.activations?.isSteering)
    throw new ForwardError(
      `After the mods steered or patched layers, the logits cannot be sampled. ${problem} Give a smaller scale or smaller vectors.`,
    );
  throw state.ports.kvCache.fail(`its logits cannot be sampled. ${problem} Load the model again.`);
}
