/** The logits of one step: computed, edited by mods, sampled. */
import { type Action, InvalidActionError } from "../sdk/action.ts";
import type { SamplingSettings, TokenId } from "../sdk/request.ts";
import type { SampledRecord } from "../trace/format.ts";
import { type Advance, ForwardError } from "./advance.ts";
import { firstScored, indexOf } from "./branch-point.ts";
import type { CacheKey } from "./cache-key.ts";
import { beginStep, createStepLogits, type DecodeState, type StepLogits } from "./decode-state.ts";
import { releaseEdited } from "./device-step-row.ts";
import { foresee } from "./foresee.ts";
import { topOfPass } from "./likeliest-given.ts";
import type { StepRow } from "./logits-row.ts";
import { readsLogits } from "./mod-host.ts";
import { claimPassAhead } from "./pass-ahead.ts";
import { readPasses } from "./read-passes.ts";
import { beginBranch, showRecordedLogits } from "./replayed-step.ts";
import { rowOf } from "./row-of.ts";
import type { Choice, History } from "./sampler.ts";
import { recordScores, rowsToScore, scoreKnown } from "./scores.ts";
import type { ReadKeys } from "./steered-text.ts";
import { recordToldSteering } from "./told-steering.ts";

/** Lets the model read what it has not seen of the output, and gives the logits for the next token. @throws ForwardError, or the signal's reason. */
export async function computeStepLogits(state: DecodeState): Promise<StepLogits> {
  const { ports, output, replay } = state;
  const { kvCache, now } = ports;
  state.toldChoice = null;
  recordToldSteering(state);
  const recorded = replay?.isActive ? replay.nextPass() : null;
  if (replay && recorded && replay.showsRecordedLogits) {
    return showRecordedLogits(state, replay, recorded);
  }
  const isBranch = replay?.begin() ?? false;
  if (replay && isBranch) await beginBranch(state, replay);
  const ahead = claimPassAhead(state);
  const isPrefill = state.steps === 0;
  const keys = await keysOf(state);
  if (isPrefill) await kvCache.resume(keys);
  const known = ahead?.known ?? kvCache.sharedLength(keys);
  const knownScore = ahead ? null : await scoreKnown(state, known, kvCache.logitsAfter(known));
  const rows = rowsToScore(output, known, kvCache.model.vocabularySize);
  const read: ReadKeys = (text) =>
    isPrefill ? readPasses(state, text) : kvCache.advance(text, now, rows, foresee(state));
  const again: ReadKeys = (text) => kvCache.advance(text, now);
  const advance =
    ahead?.advance ?? (await (state.inside?.text.pass(output.sequence, read, again) ?? read(keys)));
  if (isPrefill) notePrefill(state, advance);
  state.drafts?.note(advance.drafted, advance.isDrafted);
  // A replay counts the passes of the request that it replays.
  beginStep(state, (recorded?.tokenCount ?? advance.passes.length) > 0);
  const row = ahead?.row ?? rowOf(state, advance);
  await checkRow(state, row);
  const inside = (await state.inside?.read()) ?? null;
  // A prompt's earlier passes stand in the trace already.
  const lastPass = advance.passes.at(-1) ?? { tokenCount: 0, durationMs: 0 };
  state.recorder.forwardPass(
    output.length,
    lastPass,
    output.sequence.length,
    row.distribution,
    topOfPass(state, row),
  );
  const toScore = replay && isBranch ? (firstScored(replay.point) ?? indexOf(replay.point)) : 0;
  recordScores(state, { known, knownScore, rows: advance.rows, firstIndex: toScore });
  const given = isBranch ? (replay?.token ?? null) : null;
  releaseEdited(state.workspace);
  state.stepLogits = createStepLogits(output.length, row, { given, inside });
  return state.stepLogits;
}

/** The output's sequence as the KV cache is to hold it: where the inside of passes is steered, each token under what steers it. @throws ForwardError */
async function keysOf({
  inside,
  output,
  ports: { kvCache, now },
}: DecodeState): Promise<readonly CacheKey[]> {
  if (!inside) return output.sequence;
  inside.extend(output.sequence.length);
  return inside.text.settledKeys(output.sequence, (keys) => kvCache.advance(keys, now));
}

/** As many of the most likely tokens as mods ask for, as a rule. */
const usualTopK = 64;

/** Does what edits of the step's logits and their sampling will need. While the mods are asked there is nothing else to do. */
export function prepareEdits(state: DecodeState, stepLogits: StepLogits): void {
  if (stepLogits.recorded) return;
  const isRead = state.mods.some(({ isStopped, host }) => !isStopped && readsLogits(host));
  stepLogits.row.prepare(isRead ? usualTopK : 0, state.request.sampling);
}

/** Composes what one mod asks of the step. `mod`: its index. @throws InvalidActionError when it leaves nothing to sample. */
export async function editStepLogits(
  state: DecodeState,
  stepLogits: StepLogits,
  action: Action,
  mod: number,
): Promise<void> {
  if (action.type !== "adjustLogits") return;
  const { logits, temperature, hidden } = action;
  const isEdit = logits instanceof Float32Array || Object.keys(logits).length > 0;
  if (isEdit && stepLogits.recorded && state.replay?.failsEdit(mod)) {
    throw new InvalidActionError("adjustLogits", "forwardPass", "It left nothing to sample.");
  }
  const sampledAt = temperature ?? stepLogits.temperature;
  if (isEdit && !stepLogits.recorded) await stepLogits.row.edit(logits, settingsAt(state, sampledAt));
  stepLogits.temperature = sampledAt;
  if (hidden) stepLogits.hiddenBy ??= mod;
}

/** Whether the token of this step will be hidden, as far as the mods have been asked. */
export function isHiddenStep({ output }: DecodeState, { hiddenBy }: StepLogits): boolean {
  return output.hiddenBy !== null || hiddenBy !== null;
}

/** The request's settings, at the temperature that a mod set where one did. */
function settingsAt({ request: { sampling } }: DecodeState, temperature: number | null): SamplingSettings {
  return temperature === null ? sampling : { ...sampling, temperature };
}

/** Writes down what the mods made of the logits, if anything. */
export function recordEdits(state: DecodeState, stepLogits: StepLogits): void {
  const { step, row, temperature } = stepLogits;
  if (row.isEdited || temperature !== null) state.recorder.adjusted(step, row.distributionAfter, temperature);
}

/** What was chosen, and the work that need not be done before the mods are asked about it. */
interface Sampled {
  readonly token: TokenId;
  readonly logprob: number;
  /** Writes it down, with what the same draw would have chosen without the mods. */
  readonly record: () => void | Promise<void>;
}

/** Chooses the next token. @throws ForwardError */
export async function sampleToken(state: DecodeState, stepLogits: StepLogits): Promise<Sampled> {
  const { step, row, temperature } = stepLogits;
  const isEdited = row.isEdited || temperature !== null;
  const draw = state.draws.take(step, isHiddenStep(state, stepLogits));
  stepLogits.draw = draw;
  const recorded = state.replay?.isActive ? state.replay.nextChoice() : null;
  if (recorded) return takeRecorded(state, recorded);
  const choice = await chooseFrom(state, stepLogits, isEdited);
  const logprobs = await row.logprobsOf(choice.token);
  const [logprobBefore, logprobAfter] = [recordable(logprobs.before), recordable(logprobs.after)];
  const write = (unedited: TokenId) => {
    const ghost = unedited === choice.token ? null : unedited;
    state.recorder.sampled({ step, choice, draw, logprobBefore, logprobAfter, ghost });
  };
  const record = () => (isEdited ? withUnedited(state, stepLogits, write) : write(choice.token));
  return { token: choice.token, logprob: logprobAfter, record };
}

/**
 * What the step's draw takes from its logits; where no token was chosen yet, what the next draw of the place would take.
 * The output has to be as it was when they were computed. `isBoth`: see Draw.
 */
export function chooseFrom(
  state: DecodeState,
  stepLogits: StepLogits,
  isBoth = false,
): Choice | Promise<Choice> {
  const { given, row, temperature } = stepLogits;
  const settings = settingsAt(state, temperature);
  const history = historyOf(state);
  if (given !== null) return row.choiceOf(given, settings, history);
  return row.sample({ settings, history, draw: drawOf(state, stepLogits), isBoth });
}

/** What the step's draw takes from its logits as the model gave them, at the request's own temperature. Handed on at once where it is known at once. */
function withUnedited(
  state: DecodeState,
  stepLogits: StepLogits,
  use: (token: TokenId) => void,
): void | Promise<void> {
  const { row, given } = stepLogits;
  if (given !== null) return use(given);
  const draw = drawOf(state, stepLogits);
  const { sampling: settings } = state.request;
  const choice = row.sampleUnedited({ settings, history: historyOf(state), draw, isBoth: true });
  return choice instanceof Promise ? choice.then(({ token }) => use(token)) : use(choice.token);
}

function drawOf(state: DecodeState, stepLogits: StepLogits): number {
  return stepLogits.draw ?? state.draws.peek(stepLogits.step, isHiddenStep(state, stepLogits));
}

function historyOf({ output }: DecodeState): History {
  return { tokens: output.keptSequence, promptLength: output.promptLength };
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

function recordable(logprob: number): number {
  return Math.max(leastLogprob, logprob);
}

function notePrefill(state: DecodeState, { reused, passes }: Advance): void {
  state.reusedTokens = reused;
  state.prefillMs = passes.reduce((sum, { durationMs }) => sum + durationMs, 0);
  state.decodeStartMs = state.now();
}

/** @throws ForwardError when the logits are none that a model means: a device that computes wrong must not pass for an answer. */
async function checkRow(state: DecodeState, row: StepRow): Promise<void> {
  if (Number.isFinite(row.distribution.logSumExp)) return;
  const problem = (await row.problem()) ?? "";
  // The model is not to blame, and can be used again: what it remembers of this text counts for texts that are steered so alone.
  if (state.inside?.isSteering)
    throw new ForwardError(
      `What the mods steer or patch leaves logits that cannot be sampled. ${problem} Give a smaller scale or smaller vectors.`,
    );
  throw state.ports.kvCache.fail(`its logits cannot be sampled. ${problem} Load the model again.`);
}
