/** Chooses the next token of the output from the logits of a step. */

import type { TokenId } from "../../sdk/request.ts";
import type { SampledRecord } from "../../trace/format/format.ts";
import { hasNoCutOff } from "../logits/listed-draw.ts";
import type { ServerDraw } from "../ports/listed-logits.ts";
import type { TokenChoice, TokenHistory } from "../ports/logits.ts";
import type { DecodeState } from "./decode-state.ts";
import { isHiddenStep, type StepLogits, samplingSettingsWith } from "./logits-of-step.ts";

/** The chosen token, and the work that can wait until the mods have been asked about the token. */
export interface SampledToken {
  readonly token: TokenId;
  readonly logprob: number;
  /** Records the token, and the token that the same draw would have chosen without the mods. */
  readonly record: () => void | Promise<void>;
}

/** Chooses the next token. @throws ForwardError */
export async function sampleToken(state: DecodeState, stepLogits: StepLogits): Promise<SampledToken> {
  const { step, editableLogits, temperature } = stepLogits;
  const isEdited = editableLogits.isEdited || temperature !== null;
  const draw = state.draws.take(step, isHiddenStep(state, stepLogits));
  stepLogits.draw = draw;
  const recorded = state.source.nextChoice();
  if (recorded) return recordedToken(state, recorded);
  const choice = await chooseStepToken(state, stepLogits, isEdited);
  noteServerDraw(state, stepLogits, choice);
  const logprobs = await editableLogits.logprobsOf(choice.token);
  const logprobBefore = finiteLogprob(logprobs.before);
  const logprobAfter = finiteLogprob(logprobs.after);
  const recordWith = (unedited: TokenId) => {
    const counterfactual = unedited === choice.token ? null : unedited;
    const { healed } = state;
    state.recorder.sampled({ step, choice, draw, logprobBefore, logprobAfter, counterfactual, healed });
  };
  const record = () =>
    isEdited ? passUneditedToken(state, stepLogits, recordWith) : recordWith(choice.token);
  return { token: choice.token, logprob: logprobAfter, record };
}

/**
 * The token that the step's draw chooses from the logits. If no token is chosen yet, the token that the next draw of this
 * place would choose. A token that a user chose takes the place of both. The output must be the same as when the logits were
 * computed. `isBoth`: see DrawInput.
 */
export function chooseStepToken(
  state: DecodeState,
  stepLogits: StepLogits,
  isBoth = false,
): TokenChoice | Promise<TokenChoice> {
  const { userToken, editableLogits, temperature } = stepLogits;
  const drawn = serverDrawFor(state, stepLogits);
  if (drawn !== null) return serverChoice(state, stepLogits, drawn);
  const settings = samplingSettingsWith(state, temperature);
  const history = historyOf(state);
  if (userToken !== null) return editableLogits.choiceOf(userToken, settings, history);
  return editableLogits.sample({ settings, history, draw: drawOf(state, stepLogits), isBoth });
}

/**
 * The token that a server drew for this step, null if its draw does not count. A mod may have removed tokens: the result has the
 * distribution of the tokens that are left whether the server's token is taken or, if it was removed, our sampler draws another
 * one. With cut-offs this does not hold, because they keep other tokens after a removal.
 */
function serverDrawFor(state: DecodeState, stepLogits: StepLogits): ServerDraw | null {
  return countsServerDraw(state, stepLogits) ? stepLogits.serverDraw : null;
}

function countsServerDraw(
  { request: { sampling } }: DecodeState,
  { userToken, temperature, editableLogits, isReweighted }: StepLogits,
): boolean {
  if (userToken !== null || temperature !== null) return false;
  return !editableLogits.isEdited || (!isReweighted && hasNoCutOff(sampling));
}

function noteServerDraw(state: DecodeState, stepLogits: StepLogits, { token }: TokenChoice): void {
  const { serverDraw } = stepLogits;
  const isTaken = countsServerDraw(state, stepLogits) && (serverDraw === null || serverDraw.token === token);
  state.ports.kvCache.model.noteServerDraw?.(isTaken);
}

async function serverChoice(
  state: DecodeState,
  stepLogits: StepLogits,
  { token }: ServerDraw,
): Promise<TokenChoice> {
  const { editableLogits } = stepLogits;
  const { sampling: settings } = state.request;
  const history = historyOf(state);
  const { after } = await editableLogits.logprobsOf(token);
  if (after === Number.NEGATIVE_INFINITY)
    return editableLogits.sample({ settings, history, draw: drawOf(state, stepLogits), isBoth: false });
  const choice = await (editableLogits.knownChoiceOf?.(token, settings, history) ??
    editableLogits.choiceOf(token, settings, history));
  return { ...choice, drawnBy: "server" };
}

/**
 * Passes to `use` the token that the step's draw chooses from the model's unedited logits at the request's own temperature.
 * Returns no promise if no device has to be asked.
 */
function passUneditedToken(
  state: DecodeState,
  stepLogits: StepLogits,
  use: (unedited: TokenId) => void,
): void | Promise<void> {
  const { editableLogits, userToken } = stepLogits;
  if (userToken !== null) return use(userToken);
  const drawn = serverDrawFor(state, stepLogits);
  if (drawn !== null) return use(drawn.token);
  const draw = drawOf(state, stepLogits);
  const { sampling: settings } = state.request;
  const choice = editableLogits.sampleUnedited({ settings, history: historyOf(state), draw, isBoth: true });
  return choice instanceof Promise ? choice.then(({ token }) => use(token)) : use(choice.token);
}

function drawOf(state: DecodeState, stepLogits: StepLogits): number {
  return stepLogits.draw ?? state.draws.peek(stepLogits.step, isHiddenStep(state, stepLogits));
}

function historyOf({ output }: DecodeState): TokenHistory {
  return { tokens: output.visibleSequence, promptLength: output.promptLength };
}

/** The recorded choice of this step. */
function recordedToken(state: DecodeState, recorded: SampledRecord): SampledToken {
  const { logprobAfter, token } = recorded;
  return {
    token,
    logprob: logprobAfter,
    record: () => {
      const changed = { choice: recorded, counterfactual: null, healed: state.healed };
      state.recorder.sampled({ ...recorded, ...changed });
    },
  };
}

/** A token that the user chose may be banned: its log-probability is then -∞, and a trace has only finite numbers. */
const leastLogprob = -1000;

/** The log-probability, but at least `leastLogprob`. */
export function finiteLogprob(logprob: number): number {
  return Math.max(leastLogprob, logprob);
}
