/**
 * The decode loop: one request from prompt to finish reason. The loop gets each step from a step source, applies changes to
 * the output, and asks the mods about every event; a mod replies with the next change. This file uses no clock, no random
 * numbers and no I/O.
 */
import type { FinishedRecord } from "../../trace/format/format.ts";
import type { Change, RequestEnding } from "../ports/change.ts";
import type { DecodeRequest } from "../ports/request.ts";
import {
  applyOutputEdit,
  type OutputEdit,
  outputEditsOf,
  removalOfHidden,
  removalOfOrphanedTokens,
} from "./apply.ts";
import { createDecodeState } from "./create-state.ts";
import type { DecodePorts, DecodeState, StepSource } from "./decode-state.ts";
import { editStepLogits, prepareEdits, recordEdits } from "./edit-logits.ts";
import { discardSpeculativePass } from "./end-speculative-pass.ts";
import { endingForError, finishedEvent, reachedEnd, requestTotalsOf } from "./ending.ts";
import type { EventDispatch } from "./event-dispatch.ts";
import { type ChosenToken, chooseAtHealedStep, removeHealedEnd, takeHealingToken } from "./heal.ts";
import { releaseLogitsBeforeHealableEnd } from "./healable-end.ts";
import { findHealing, type Healing } from "./healing.ts";
import { liveSteps } from "./live-steps.ts";
import { isHiddenStep, type StepLogits } from "./logits-of-step.ts";
import { askMods } from "./mods.ts";
import { waitIfPausedAt } from "./pause-point.ts";
import { promptEvent, recordPrompt } from "./prompt.ts";
import { sampleToken } from "./sample.ts";
import { activationsForMods, topKSeenBy, topKToRecord } from "./seen-logits.ts";
import { maySpeculate, speculate } from "./speculative-pass.ts";
import { computeStepLogits } from "./step-logits.ts";

/**
 * Decodes one request. Faults of mods and of the model are in the trace and in the finish reason; the promise does not
 * reject for them.
 * @param source gives the steps: live ones, or first those that another request recorded
 * @throws RangeError for a request that cannot be decoded at all (`checkRequest`): a bug of the caller.
 */
export async function decode(
  request: DecodeRequest,
  ports: DecodePorts,
  source: StepSource = liveSteps,
): Promise<FinishedRecord> {
  const state = createDecodeState(request, ports, source);
  const loopEnding = await decodeUntilEnd(state)
    .finally(() => {
      discardSpeculativePass(state);
      ports.kvCache.rest();
    })
    .catch((error: unknown) => {
      source.stop();
      return endingForError(error, ports.signal);
    });
  const unverifiedEnding = await removeHiddenTokens(state).then(
    () => loopEnding,
    (error: unknown) => endingForError(error, ports.signal),
  );
  const ending = source.checkedEnding(unverifiedEnding);
  releaseLogitsBeforeHealableEnd(state);
  state.logits.factory.releaseEdited();
  const outcome = requestTotalsOf(state, ending);
  await askMods(state, finishedEvent(state, ending, outcome));
  return state.recorder.finished(ending, outcome);
}

/** Decodes step by step until there is a reason to end. */
async function decodeUntilEnd(state: DecodeState): Promise<RequestEnding> {
  let ending = await applyChanges(state, await firstChange(state));
  while (!ending) {
    await waitIfPausedAt(state.ports, "step");
    state.ports.signal?.throwIfAborted();
    ending = await applyChanges(state, await decodeStep(state));
  }
  state.source.endSteps();
  return ending;
}

/** The first event of the request. Returns the change that a mod asks for. */
async function firstChange(state: DecodeState): Promise<Change | null> {
  const start = await state.source.start(state);
  switch (start.type) {
    case "prompt":
      return recordPrompt(state, await askMods(state, promptEvent(state)));
    case "event":
      return askMods(state, start.event);
    case "step":
      return null;
    case "end":
      return start.change;
  }
}

/** One step: the model, the mods, the sampler, the mods. Returns the change to make to the output. */
async function decodeStep(state: DecodeState): Promise<Change> {
  // A branch may begin at the step at which its origin healed a text.
  const { healed } = state;
  const stepLogits = await computeStepLogits(state);
  if (healed) return askAboutToken(state, await chooseAtHealedStep(state, stepLogits, state.output.hiddenBy));
  const changeByMod = await askMods(state, forwardPassEvent(state, stepLogits));
  if (changeByMod) {
    recordEdits(state, stepLogits);
    return changeByMod;
  }
  const healing = await findHealing(state, stepLogits);
  if (healing) return askAboutToken(state, await healAndChoose(state, stepLogits, healing));
  return askAboutToken(state, { stepLogits, sampled: await sampleToken(state, stepLogits) });
}

/** Removes the end of a text and chooses a token in its place. @throws ForwardError */
async function healAndChoose(
  state: DecodeState,
  stepLogits: StepLogits,
  healing: Healing,
): Promise<ChosenToken> {
  const hiddenBy = state.output.hiddenBy ?? stepLogits.hiddenBy;
  recordEdits(state, stepLogits);
  const event = await removeHealedEnd(state, healing);
  if (event) await askMods(state, event);
  if (healing.chosen) return takeHealingToken(state, stepLogits, healing.chosen, hiddenBy);
  return chooseAtHealedStep(state, await computeStepLogits(state), hiddenBy);
}

/** Asks the mods about a token that was chosen. Returns the change to make to the output. */
async function askAboutToken(state: DecodeState, { stepLogits, sampled }: ChosenToken): Promise<Change> {
  const { token, logprob, record } = sampled;
  const { healed } = state;
  const changeByMod = await askMods(state, {
    type: "sampled",
    event: () => ({
      type: "sampled",
      requestId: state.request.requestId,
      step: stepLogits.step,
      hidden: isHiddenStep(state, stepLogits),
      emitted: state.output.emitted,
      token,
      text: state.output.textToAdd(token),
      logprob,
    }),
    meanwhile() {
      if (!healed) recordEdits(state, stepLogits);
      return record();
    },
  });
  if (changeByMod === null) return { type: "sampled", token, hiddenBy: stepLogits.hiddenBy };
  // If a question begins in place of a token, the token is drawn after the question is erased.
  const isQuestion = "hidden" in changeByMod && changeByMod.hidden;
  if (isQuestion && !isHiddenStep(state, stepLogits)) {
    state.draws.putBack(stepLogits.step, false);
    state.serverDraws.putBack(state.output.sequence, stepLogits.serverDraw);
  }
  return healed ? withoutHealing(changeByMod) : changeByMod;
}

function forwardPassEvent(state: DecodeState, stepLogits: StepLogits): EventDispatch {
  return {
    type: "forwardPass",
    event: (mod) => ({
      type: "forwardPass",
      requestId: state.request.requestId,
      step: stepLogits.step,
      hidden: isHiddenStep(state, stepLogits),
      emitted: state.output.emitted,
      ...activationsForMods(state, stepLogits),
      logits: stepLogits.editableLogits.logits,
      top: (count) => topKSeenBy(stepLogits, mod, count),
      canSample: (mask) => stepLogits.editableLogits.canSample(mask),
    }),
    given: (host, mod) => topKToRecord(stepLogits, host, mod),
    prepare: () => prepareEdits(state, stepLogits),
    edit: (action, mod) => editStepLogits(state, stepLogits, action, mod),
    // A token that the user chose is added even if mods reply with other changes here. They may remove the token afterwards.
    isFinal: stepLogits.userToken !== null || state.source.overrules,
  };
}

/** Makes a change, then the change that a mod replies with, and so on. Then checks whether the request ends. */
async function applyChanges(state: DecodeState, first: Change | null): Promise<RequestEnding | null> {
  let change = first ?? removalOfOrphanedTokens(state);
  while (change) {
    if (change.type === "end") return change.ending;
    state.ports.signal?.throwIfAborted();
    change = (await applyChange(state, change)) ?? removalOfOrphanedTokens(state);
  }
  return reachedEnd(state);
}

/** Makes one change. Returns the change that a mod replies with; null if no mod replies with a change. */
async function applyChange(
  state: DecodeState,
  change: Exclude<Change, { type: "end" }>,
): Promise<Change | null> {
  for (const edit of outputEditsOf(state, change)) {
    if (edit.type === "end") return edit;
    const { healed } = state;
    const event = await applyOutputEdit(state, edit);
    const reply = event && (await askAboutEdit(state, edit, event));
    if (reply) return healed ? withoutHealing(reply) : reply;
  }
  return null;
}

/**
 * If a mod replies to a healing token with a text of its own, perhaps the same text, this text is not healed. Otherwise a
 * mod that always forces " Fran" at step 1 would never end.
 */
function withoutHealing(change: Change): Change {
  return "heal" in change ? { ...change, heal: false } : change;
}

/** Asks the mods about an edit. Meanwhile the pass that reads a sampled token may run. */
async function askAboutEdit(
  state: DecodeState,
  edit: OutputEdit,
  event: EventDispatch,
): Promise<Change | null> {
  const reply = askMods(state, event);
  const isSampled = edit.type === "append" && edit.source === "sampled";
  if (!isSampled || !maySpeculate(state)) return reply;
  const speculativePass = speculate(state);
  state.speculation.running = speculativePass;
  const change = await reply.finally(() => speculativePass);
  if (change) discardSpeculativePass(state);
  return change;
}

/** Removes hidden tokens at the end of the request, because they are not part of the response. @throws ForwardError */
async function removeHiddenTokens(state: DecodeState): Promise<void> {
  const edit = removalOfHidden(state);
  if (!edit || edit.type === "end") return;
  const event = await applyOutputEdit(state, edit);
  if (event) await askMods(state, event);
}
