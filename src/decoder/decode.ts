/**
 * The decode loop: one request from prompt to finish reason. Mods answer its events with actions, and the recorder writes
 * everything down. No clock, no randomness and no I/O of its own.
 */
import { untilAborted } from "../base/abort.ts";
import type { FinishedRecord } from "../trace/format.ts";
import { apply, takeOutAbandoned, takeOutHidden } from "./apply.ts";
import { createAskedAhead } from "./ask-ahead.ts";
import type { BranchPoint } from "./branch-point.ts";
import type { Change, RequestEnding } from "./change.ts";
import { createDecodeState, type DecodePorts, type DecodeState } from "./decode-state.ts";
import { releaseEdited } from "./device-step-row.ts";
import { endingOf, finish, reachedEnd } from "./ending.ts";
import { givenTo, insideOf, topFor } from "./likeliest-given.ts";
import { askMods } from "./mods.ts";
import { takeBackPassAhead } from "./pass-ahead.ts";
import { readPrompt } from "./prompt.ts";
import type { Replay } from "./replay.ts";
import type { DecodeRequest } from "./request.ts";
import { retell } from "./retell.ts";
import {
  computeStepLogits,
  editStepLogits,
  isHiddenStep,
  prepareEdits,
  recordEdits,
  sampleToken,
} from "./step-logits.ts";

/**
 * Decodes one request, from its prompt or from where it branches off another one. What a mod or the model does wrong is in
 * the trace and in the reason to finish; it never rejects for it.
 * @throws RangeError for a request that cannot be decoded at all (`checkRequest`): a bug of the caller.
 */
export async function decode(
  request: DecodeRequest,
  ports: DecodePorts,
  origin?: BranchPoint | Replay,
): Promise<FinishedRecord> {
  const state = createDecodeState(request, ports, origin);
  state.askedAhead = createAskedAhead(state);
  const ending = await play(state)
    .finally(() => takeBackPassAhead(state))
    .catch((error: unknown) => {
      state.replay?.stop();
      state.askedAhead?.end();
      return endingOf(error, ports.signal);
    });
  const last = await takeOutHidden(state).then(
    () => ending,
    (error: unknown) => endingOf(error, ports.signal),
  );
  const checked = state.replay?.checkedEnding(last) ?? last;
  state.askedAhead?.end();
  releaseEdited(state.workspace);
  return finish(state, checked);
}

/** Step by step, until there is a reason to end. */
async function play(state: DecodeState): Promise<RequestEnding> {
  const { replay } = state;
  let ending = await settle(state, await (replay?.told ? retell(state, replay) : readPrompt(state)));
  while (!ending) {
    await untilAborted(state.ports.gate?.("step") ?? Promise.resolve(), state.ports.signal);
    ending = await settle(state, await step(state));
  }
  return ending;
}

/** One step: the model, the mods, the sampler, the mods. Gives the change to make to the output. */
async function step(state: DecodeState): Promise<Change> {
  const stepLogits = await computeStepLogits(state);
  const { emitted } = state.output;
  const at = () => ({
    ...{ requestId: state.request.requestId, step: stepLogits.step },
    ...{ hidden: isHiddenStep(state, stepLogits), emitted },
  });

  const steered = await askMods(state, {
    type: "forwardPass",
    event: (mod) => ({
      type: "forwardPass",
      ...at(),
      ...insideOf(state, stepLogits),
      logits: stepLogits.row.logits,
      top: (count) => topFor(stepLogits, mod, count),
      canSample: (mask) => stepLogits.row.canSample(mask),
    }),
    given: (host, mod) => givenTo(stepLogits, host, mod),
    prepare: () => prepareEdits(state, stepLogits),
    edit: (action, mod) => editStepLogits(state, stepLogits, action, mod),
    // A token that was chosen by hand is taken whatever the mods want here. They may take it back afterwards.
    isFinal: stepLogits.given !== null || state.replay?.overrules === true,
  });
  if (steered) {
    recordEdits(state, stepLogits);
    return steered;
  }

  const { token, logprob, record } = await sampleToken(state, stepLogits);
  const vetoed = await askMods(state, {
    type: "sampled",
    event: () => ({ type: "sampled", ...at(), token, text: state.output.textToAdd(token), logprob }),
    meanwhile() {
      recordEdits(state, stepLogits);
      return record();
    },
  });
  if (vetoed === null) return { type: "sampled", token, hiddenBy: stepLogits.hiddenBy };
  // A question that begins in place of a token takes nothing away: the token is drawn once the question is erased.
  const isQuestion = "hidden" in vetoed && vetoed.hidden;
  if (isQuestion && !isHiddenStep(state, stepLogits)) state.draws.putBack(stepLogits.step, false);
  return vetoed;
}

/** Makes a change, then the one that a mod answers to it, and so on; then looks whether the output is at its end. */
async function settle(state: DecodeState, first: Change | null): Promise<RequestEnding | null> {
  let change = first ?? takeOutAbandoned(state);
  for (; change; change = (await apply(state, change)) ?? takeOutAbandoned(state)) {
    if (change.type === "end") return change.ending;
    state.ports.signal?.throwIfAborted();
  }
  return reachedEnd(state);
}
