/** The logits of one step: computed, edited by mods, sampled. */
import { type Action, InvalidActionError, type SparseLogitsEdit } from "../sdk/action.ts";
import type { TokenId } from "../sdk/request.ts";
import type { SampledRecord } from "../trace/format.ts";
import { firstScored, indexOf } from "./branch-point.ts";
import { createStepLogits, type DecodeState, type StepLogits } from "./decode-state.ts";
import { type Differences, differencesBetween } from "./differences.ts";
import { type Distribution, distributionOf, distributionOfEdited } from "./distribution.ts";
import type { Advance } from "./kv-cache.ts";
import { topOfPass } from "./likeliest-given.ts";
import { LikeliestTokens } from "./likeliest-tokens.ts";
import { changesFew, editInPlace, editLogits, logitsProblem, undoEdit } from "./logits.ts";
import { readsLogits } from "./mod-host.ts";
import { claimPassAhead } from "./pass-ahead.ts";
import { readPasses } from "./read-passes.ts";
import { beginBranch, showRecordedLogits } from "./replayed-step.ts";
import type { Choice } from "./sampler.ts";
import { recordScores, rowsToScore } from "./scores.ts";
import type { Original } from "./softmax-weights.ts";

/** Lets the model read what it has not seen of the output, and gives the logits for the next token. @throws ForwardError, or the signal's reason. */
export async function computeStepLogits(state: DecodeState): Promise<StepLogits> {
  const { ports, output, replay } = state;
  const { kvCache, now } = ports;
  state.toldChoice = null;
  const recorded = replay?.isActive ? replay.nextPass() : null;
  if (replay && recorded && replay.showsRecordedLogits) {
    return showRecordedLogits(state, replay, recorded);
  }
  const isBranch = replay?.begin() ?? false;
  if (replay && isBranch) await beginBranch(state, replay);
  const ahead = claimPassAhead(state);
  const known = ahead?.known ?? kvCache.sharedLength(output.sequence);
  const knownLogits = ahead ? ahead.knownLogits : kvCache.logitsAfter(known);
  const isPrefill = state.steps === 0;
  const rows = rowsToScore(output, known, kvCache.model.vocabularySize);
  const advance =
    ahead?.advance ??
    (isPrefill
      ? await readPasses(state, output.sequence)
      : await kvCache.advance(output.sequence, now, rows));
  if (isPrefill) notePrefill(state, advance);
  // A replay counts the passes of the request that it replays.
  if (isPrefill || (recorded?.tokenCount ?? advance.passes.length) > 0) state.passes += 1;
  const before = advance.rows.at(-1) ?? new Float32Array();
  const distribution = checkedDistribution(state, before, ahead?.distribution ?? distributionOf(before));
  // A prompt's earlier passes stand in the trace already.
  const lastPass = advance.passes.at(-1) ?? { tokenCount: 0, durationMs: 0 };
  const likeliest = new LikeliestTokens(before);
  const read = topOfPass(state, before, distribution, likeliest);
  state.recorder.forwardPass(output.length, lastPass, output.sequence.length, distribution, read);
  const toScore = replay && isBranch ? (firstScored(replay.point) ?? indexOf(replay.point)) : 0;
  recordScores(state, { known, knownLogits, rows: advance.rows, firstIndex: toScore });
  state.steps += 1;
  const given = isBranch ? (replay?.token ?? null) : null;
  state.stepLogits = createStepLogits(
    output.length,
    before,
    distribution,
    { recorded: null, given },
    likeliest,
  );
  return state.stepLogits;
}

/** As many of the most likely tokens as mods ask for, as a rule. */
const usualTopK = 64;

/** Does what edits of the step's logits and their sampling will need. While the mods are asked there is nothing else to do. */
export function prepareEdits(state: DecodeState, stepLogits: StepLogits): void {
  const { before, likeliest, recorded } = stepLogits;
  if (recorded) return;
  stepLogits.copy = spareBuffer(state, stepLogits);
  stepLogits.copy.set(before);
  const isRead = state.mods.some(({ isStopped, host }) => !isStopped && readsLogits(host));
  if (isRead) likeliest.prepare(usualTopK);
  state.sampler.prepare(before, state.request.sampling);
}

/** Composes what one mod asks of the step. `mod`: its index. @throws InvalidActionError when it leaves nothing to sample. */
export function editStepLogits(
  state: DecodeState,
  stepLogits: StepLogits,
  action: Action,
  mod: number,
): void {
  if (action.type !== "adjustLogits") return;
  const { logits, temperature, hidden } = action;
  const isEdit = logits instanceof Float32Array || Object.keys(logits).length > 0;
  if (isEdit && stepLogits.recorded && state.replay?.failsEdit(mod)) {
    throw new InvalidActionError("adjustLogits", "forwardPass", "It left nothing to sample.");
  }
  if (isEdit && !stepLogits.recorded) changeLogits(state, stepLogits, logits);
  stepLogits.temperature = temperature ?? stepLogits.temperature;
  if (hidden) stepLogits.hiddenBy ??= mod;
}

/** Whether the token of this step will be hidden, as far as the mods have been asked. */
export function isHiddenStep({ output }: DecodeState, { hiddenBy }: StepLogits): boolean {
  return output.hiddenBy !== null || hiddenBy !== null;
}

/** Composes one edit onto the step's logits: in place, where it changes few. @throws InvalidActionError when it leaves nothing to sample. */
function changeLogits(
  state: DecodeState,
  stepLogits: StepLogits,
  logits: Float32Array | SparseLogitsEdit,
): void {
  const { before, after, likeliest } = stepLogits;
  const sparse = logits instanceof Float32Array || !changesFew(logits, before.length) ? null : logits;
  const edited = sparse
    ? changeable(state, stepLogits)
    : editLogits(after, logits, spareBuffer(state, stepLogits));
  const changed = sparse ? editInPlace(edited, sparse) : differencesBetween(after, edited);
  const differences = sparse ? joined(stepLogits.differences, changed) : differencesBetween(before, edited);
  const distribution = distributionOfEdited(edited, stepLogits.distributionAfter, changed, (count) =>
    likeliest.of(edited, count, differences),
  );
  if (!Number.isFinite(distribution.logSumExp)) {
    const problem = logitsProblem(edited) ?? undefined;
    if (sparse && changed) undoEdit(edited, changed);
    throw new InvalidActionError("adjustLogits", "forwardPass", problem);
  }
  stepLogits.after = edited;
  stepLogits.distributionAfter = distribution;
  stepLogits.differences = differences;
}

/** What differs after two edits; a token that both changed is what it was before the first. */
function joined(first: Differences | null, second: Differences | null): Differences | null {
  return first && second && new Map([...second, ...first]);
}

/** The logits as mods left them, in an array that may be changed. */
function changeable(state: DecodeState, stepLogits: StepLogits): Float32Array {
  const { before, after, copy } = stepLogits;
  if (after !== before) return after;
  stepLogits.copy = null;
  if (copy) return copy;
  const room = spareBuffer(state, stepLogits);
  room.set(before);
  return room;
}

/** An array for the next edit: two take turns, since memory that is new at each token would be collected as often. */
function spareBuffer({ editBuffers }: DecodeState, stepLogits: StepLogits): Float32Array {
  const { before, after } = stepLogits;
  stepLogits.copy = null;
  const free = editBuffers.find((room) => room !== after);
  if (free !== undefined) return free;
  const room = new Float32Array(before.length);
  editBuffers.push(room);
  return room;
}

/** Writes down what the mods made of the logits, if anything. */
export function recordEdits(state: DecodeState, stepLogits: StepLogits): void {
  if (stepLogits.after === stepLogits.before && stepLogits.temperature === null) return;
  state.recorder.adjusted(stepLogits.step, stepLogits.distributionAfter, stepLogits.temperature);
}

/** What was chosen, and the work that need not be done before the mods are asked about it. */
interface Sampled {
  readonly token: TokenId;
  readonly logprob: number;
  /** Writes it down, with what the same draw would have chosen without the mods. */
  readonly record: () => void;
}

/** Chooses the next token. */
export function sampleToken(state: DecodeState, stepLogits: StepLogits): Sampled {
  const isEdited = stepLogits.after !== stepLogits.before || stepLogits.temperature !== null;
  const { before: row, differences } = stepLogits;
  const draw = state.draws.take(stepLogits.step, isHiddenStep(state, stepLogits));
  stepLogits.draw = draw;
  const recorded = state.replay?.isActive ? state.replay.nextChoice() : null;
  if (recorded) return takeRecorded(state, recorded);
  const choice = chooseFrom(state, stepLogits, isEdited ? { row, differences } : undefined);
  const logprob = logprobOf(choice.token, stepLogits.after, stepLogits.distributionAfter);
  const record = () => {
    const unedited = isEdited
      ? chooseFrom(state, { ...stepLogits, after: row, temperature: null }, { row, differences: new Map() })
          .token
      : null;
    state.recorder.sampled({
      step: stepLogits.step,
      choice,
      draw,
      logprobBefore: logprobOf(choice.token, stepLogits.before, stepLogits.distribution),
      logprobAfter: logprob,
      ghost: unedited === choice.token ? null : unedited,
    });
  };
  return { token: choice.token, logprob, record };
}

/**
 * What the step's draw takes from its logits; where no token was chosen yet, what the next draw of the place would take.
 * The output has to be as it was when they were computed. `original`: see Sampler.
 */
export function chooseFrom(state: DecodeState, stepLogits: StepLogits, original?: Original): Choice {
  const { sampling } = state.request;
  const settings =
    stepLogits.temperature === null ? sampling : { ...sampling, temperature: stepLogits.temperature };
  const history = { tokens: state.output.keptSequence, promptLength: state.output.promptLength };
  const { given } = stepLogits;
  if (given !== null) return state.sampler.choiceOf(given, stepLogits.after, settings, history);
  const draw = stepLogits.draw ?? state.draws.peek(stepLogits.step, isHiddenStep(state, stepLogits));
  return state.sampler.sample(stepLogits.after, settings, history, draw, original);
}

/** What was chosen at this step when it was recorded. */
function takeRecorded(state: DecodeState, recorded: SampledRecord): Sampled {
  const { logprobAfter, token } = recorded;
  return {
    token,
    logprob: logprobAfter,
    record: () => state.recorder.sampled({ ...recorded, choice: recorded, ghost: null }),
  };
}

/** A token that was taken by hand may have been banned: its log-probability is -∞, and a trace keeps numbers. */
const leastLogprob = -1000;

function logprobOf(token: TokenId, logits: Float32Array, { logSumExp }: Distribution): number {
  return Math.max(leastLogprob, (logits[token] ?? 0) - logSumExp);
}

function notePrefill(state: DecodeState, { reused, passes }: Advance): void {
  state.reusedTokens = reused;
  state.prefillMs = passes.reduce((sum, { durationMs }) => sum + durationMs, 0);
  state.decodeStartMs = state.now();
}

/** @throws ForwardError when the logits are none that a model means: a device that computes wrong must not pass for an answer. */
function checkedDistribution(
  state: DecodeState,
  logits: Float32Array,
  distribution: Distribution,
): Distribution {
  if (Number.isFinite(distribution.logSumExp)) return distribution;
  const problem = logitsProblem(logits) ?? "";
  throw state.ports.kvCache.fail(`its logits cannot be sampled. ${problem} Load the model again.`);
}
