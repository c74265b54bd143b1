/**
 * Sends one past event to the mods of a branch, and compares their replies with the recorded ones. A mod of the branch follows
 * the recorded mod that it replaces, such as the version before the user's edit. Replies change nothing here: the first
 * one that differs is noted, and a mod that fails is stopped.
 *
 * Three files work together. `catch-up.ts` calls `askAboutPast` for each past event. At a forward pass, `recorded-logits.ts`
 * finds in the trace the top tokens that the mods read; if the trace lacks them, the model computes the step again. Each event
 * reaches the mods through the step source, where `prefetched-replies.ts` may have sent it to the sandbox already.
 *
 * Example: the recorded run is "efg!"#$%": its mod "m" replied to `added` at step 3 with a forced "!". A branch begins before
 * step 6 with an edited "m", which does nothing. The edited mod gets `forwardPass` 0, `sampled` 0, `added` 1, … `added` 6. The
 * `added` event at step 3 is record 18 of the trace:
 *   recorded reply    forceTokens "!"
 *   reply now         noop
 *   noted             { record: 18, mod: 0, now: "did nothing", recorded: 'replied with forceTokens "!"' }
 * The branch still begins with "efg!"#", because its records are copied from the recorded run.
 */
import type { Action } from "../../sdk/action.ts";
import type { Message, TokenId } from "../../sdk/request.ts";
import type { ModCallRecord } from "../../trace/format/format.ts";
import { toWellFormed } from "../../trace/parse/check.ts";
import type { FillCache } from "../kv-cache/forward-pass.ts";
import type { DecodeState, RunningMod } from "../loop/decode-state.ts";
import { editStepLogits } from "../loop/edit-logits.ts";
import type { EventDispatch } from "../loop/event-dispatch.ts";
import { createStepLogits, type StepLogits } from "../loop/logits-of-step.ts";
import { askForReply, endingChangeForFault, interpretReply, stopMod } from "../loop/mod-replies.ts";
import { messagesForMods, renderMessagesOfAction } from "../loop/prompt.ts";
import { prefillAndRecord } from "../loop/read-passes.ts";
import { scorerOf } from "../loop/score-continuations.ts";
import { activationsForMods, topKSeenBy } from "../loop/seen-logits.ts";
import type { LoopEvent } from "../ports/mod-host.ts";
import type { PastEvent, PastRecordFollower } from "./past-events.ts";
import { topTokensForCatchUp, unknownLogits } from "./recorded-logits.ts";
import { scorerFromRecord } from "./recorded-scores.ts";
import { describeReply, isSameReply } from "./replay-difference.ts";

/**
 * Sends one past event to the mods that handle it, and notes the first reply that differs from the recorded one.
 * @throws ForwardError if the mods read logits that the model has to compute again, and the model fails.
 */
export async function askAboutPast(pastReplies: PastRecordFollower, event: PastEvent): Promise<void> {
  const { state } = pastReplies;
  const asked = state.mods.filter(({ isStopped, host }) => !isStopped && host.handles.has(event.type));
  const shown = await whatIsShown(pastReplies, event);
  const heard = new Set<number>();
  const replyOf = (mod: RunningMod) => {
    const score = scorerFromRecord(callOf(pastReplies, event, mod.index), scorerOf(state, []));
    return askForReply(state, mod, shown.event(mod.index), score);
  };
  // If no mod sees the edits of another mod, all mods are asked at once: each has its own sandbox.
  const replies = shown.edit ? null : asked.map((mod) => replyOf(mod));
  for (const [place, mod] of asked.entries()) {
    const reply = await (replies?.[place] ?? replyOf(mod));
    const { action, fault } = await interpretReply(state, mod, reply, { ...shown, isPast: true });
    const recorded = callOf(pastReplies, event, mod.index);
    if (recorded) heard.add(recorded.mod);
    if (!isSameReply({ action, fault }, recorded ?? noReply)) {
      pastReplies.differing.add(mod.index);
      note(pastReplies, event, { mod: mod.index, now: describeReply({ action, fault }), recorded });
    }
    if (!fault) continue;
    stopMod(state, mod);
    if (state.request.onModError === "stop") pastReplies.fatal ??= catchUpFault(mod, event, fault);
  }
  // Recorded replies that no mod gave now: the mod does not handle the event, was stopped, or is not in the branch.
  for (const call of event.calls) {
    if (heard.has(call.mod) || isSameReply(call, noReply)) continue;
    const follower = state.mods.find(({ index }) => follows(pastReplies, index, call.mod));
    if (follower) pastReplies.differing.add(follower.index);
    const mod = follower?.index ?? pastReplies.replay.branchMods.placeOf(call.mod);
    note(pastReplies, event, {
      mod,
      now: follower ? describeReply(noReply) : "is not part of the new run",
      recorded: call,
    });
  }
}

const noReply = { action: { type: "noop" }, fault: null } as const;

interface Other {
  /** Place in this request's list. */
  readonly mod: number;
  readonly now: string;
  readonly recorded: ModCallRecord | null;
}

/** Longer texts are cut, since a mod may force a text of any length. */
const longestWords = 200;

function note(pastReplies: PastRecordFollower, { place }: PastEvent, { mod, now, recorded }: Other): void {
  pastReplies.difference ??= {
    record: place,
    mod,
    now: cut(now),
    recorded: cut(recorded ? describeReply(recorded) : "gave no reply"),
  };
}

function cut(words: string): string {
  return words.length > longestWords ? `${toWellFormed(words.slice(0, longestWords))}…` : words;
}

/** The recorded reply of the mod that this mod replaces. */
function callOf(pastReplies: PastRecordFollower, { calls }: PastEvent, mod: number): ModCallRecord | null {
  return calls.find((call) => follows(pastReplies, mod, call.mod)) ?? null;
}

function follows({ replay }: PastRecordFollower, mod: number, recorded: number): boolean {
  return replay.branchMods.before[mod]?.has(recorded) === true;
}

function catchUpFault(
  mod: RunningMod,
  { type, step }: PastEvent,
  fault: NonNullable<ModCallRecord["fault"]>,
) {
  return endingChangeForFault(mod, type, step, {
    ...fault,
    message: `${fault.message.replace(/\.$/, "")}, while the mod was catching up on the earlier events of the run.`,
  });
}

/** The event in the form in which mods get it, and the function that handles their edits. */
type Shown = Pick<EventDispatch, "type" | "event" | "complete" | "edit">;

async function whatIsShown({ state, replay }: PastRecordFollower, event: PastEvent): Promise<Shown> {
  if (event.type === "prefilled") return promptShown(state, event);
  if (event.type !== "forwardPass") return { type: event.type, event: event.loopEvent };
  const { branchMods, point, showsRecordedLogits } = replay;
  const stepLogits = showsRecordedLogits ? recordedLogits(state) : await computedLogits(state);
  const recorded = topTokensForCatchUp(point.records, event.place, branchMods.before);
  return {
    type: "forwardPass",
    event: (mod): LoopEvent => ({
      type: "forwardPass",
      requestId: state.request.requestId,
      step: event.step,
      emitted: state.output.emitted,
      ...activationsForMods(state, stepLogits),
      hidden: state.output.hiddenBy !== null || stepLogits.hiddenBy !== null,
      logits: stepLogits.editableLogits.logits,
      top: (count) => (showsRecordedLogits ? recorded.top(mod, count) : topKSeenBy(stepLogits, mod, count)),
      canSample: (mask) => stepLogits.editableLogits.canSample(mask),
    }),
    // Without logits, edits need not be computed.
    edit: async (action, mod) => {
      if (!showsRecordedLogits) await editStepLogits(state, stepLogits, action, mod);
      else if (action.type === "adjustLogits" && action.hidden) stepLogits.hiddenBy ??= mod;
    },
  };
}

/**
 * Each mod gets the prompt with the changes that the mods before it make now. The prompt that the model read stays
 * unchanged.
 */
function promptShown(state: DecodeState, past: PastEvent): Shown {
  let tokens: readonly TokenId[] = state.request.prompt;
  let messages: readonly Message[] | null = state.request.messages;
  return {
    type: "prefilled",
    event: (mod) =>
      ({
        ...past.loopEvent(mod),
        tokens: [...tokens],
        ...messagesForMods(state, messages, tokens),
      }) as LoopEvent,
    complete: (action) => renderMessagesOfAction(state, action, messages),
    edit: (action: Action) => {
      if (action.type !== "adjustPrefill") return;
      tokens = action.tokens;
      messages = action.messages ?? null;
    },
  };
}

/** Logits of unknown values, for mods that read only top tokens: these tokens come from the record. */
function recordedLogits({ output, ports, logits: { factory } }: DecodeState): StepLogits {
  const sums = { reference: 0, weight: 1, weighted: 0 };
  const distribution = { logSumExp: 0, entropy: 0, top: [], sums };
  const row = factory.known(unknownLogits(ports.kvCache.model.vocabularySize), distribution);
  return createStepLogits(output.length, row);
}

/** The trace lacks logits that the mods read: the model computes the step again. */
async function computedLogits(state: DecodeState): Promise<StepLogits> {
  const { output, ports } = state;
  const { sequence } = output;
  const again: FillCache = (keys) => ports.kvCache.forward(keys, ports.now);
  const first: FillCache = state.counts.steps === 1 ? (keys) => prefillAndRecord(state, keys) : again;
  const keys = (await state.activations?.text.settledKeys(sequence, again)) ?? sequence;
  if (state.counts.steps === 1) await ports.kvCache.resume(keys);
  const passResult = await (state.activations?.text.pass(sequence, first, again) ?? first(keys));
  const activations = (await state.activations?.read()) ?? null;
  return createStepLogits(output.length, state.logits.factory.ofPass(passResult), { activations });
}
