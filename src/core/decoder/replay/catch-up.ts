/**
 * Replays past events to mods that did not take part: a request continues from the middle of another request with other
 * mods. The recorded events are copied unchanged. Each event is sent to the mods, so that their state is as if they
 * had been there. Their replies change nothing; the first reply that differs from the recorded one is recorded.
 *
 * Example: a mod forced " Max" at step 12. The user edits the mod, and the request continues from step 40 with the new
 * version. The new version gets the events of all 40 steps. At step 12 it replies nothing, which is the recorded
 * difference. From step 40 on its replies count.
 */
import { untilAborted } from "../../base/abort.ts";
import type { AddedRecord, TraceEventType, TraceRecord } from "../../trace/format/format.ts";
import type { DecodeState, RequestStart } from "../loop/decode-state.ts";
import type { EventDispatch } from "../loop/event-dispatch.ts";
import { endsUnanswered, healingOfPass, recordedPromptMs } from "./branch-point.ts";
import { askAboutPast } from "./catch-up-replies.ts";
import { beginHealing, type PastEvent, PastRecordFollower } from "./past-events.ts";
import type { Replay } from "./replay.ts";
import { restoreSteering } from "./restored-steering.ts";

/**
 * Sends the past events to the mods, writes the copied records, and returns how the request continues.
 * @throws RequestError (ForwardError, or ReplayError if the records lack a vector), or the signal's reason.
 */
export async function catchUp(state: DecodeState, replay: Replay): Promise<RequestStart> {
  const { records, at, kept = 0 } = replay.point;
  const { caughtUp } = replay;
  const pastReplies = new PastRecordFollower(state, replay);
  state.activations?.beginPast();
  const failure = await tell(pastReplies);
  const partial = records[at];
  const isPartial = caughtUp === at && kept > 0 && partial?.type === "added";
  const step = isPartial ? partial.step - partial.tokens.length + kept : 0;
  const own = isPartial ? { ...partial, step, tokens: partial.tokens.slice(0, kept), isEos: false } : null;
  replay.catchUpDifference = pastReplies.difference;
  state.recorder.request(state.limits.budget, replay.branch, replay.branchMods.parentMods);
  copyRecordedOutput(state, replay, own);
  state.activations?.endPast();
  if (failure) throw failure.error;
  state.ports.signal?.throwIfAborted();
  if (pastReplies.fatal) return { type: "end", change: pastReplies.fatal };
  pastReplies.passHiddenOn();
  // Only the request record is before the branch point, so the branch begins with the prompt.
  if (caughtUp <= 1) return { type: "prompt" };
  const event = own ? pastReplies.take(own, caughtUp) : pastReplies.unanswered;
  if (event) return { type: "event", event: askNow(event, replay) };
  beginHealing(state, healingOfPass(records, at));
  return { type: "step" };
}

/** Sends the events of the records to the mods. If one fails, the remaining records are applied without asking mods, and the error is returned. */
async function tell(pastReplies: PastRecordFollower): Promise<{ readonly error: unknown } | null> {
  const { state, replay } = pastReplies;
  const { records } = replay.point;
  let failure: { readonly error: unknown } | null = null;
  for (let place = 1; place < replay.caughtUp; place += 1) {
    const record = records[place] as TraceRecord;
    try {
      restoreSteering(state, record);
    } catch (error) {
      failure ??= { error };
    }
    const event = pastReplies.take(record, place);
    if (event === null) continue;
    if (place === replay.caughtUp - 1 && endsUnanswered(records, replay.caughtUp)) {
      pastReplies.unanswered = event;
      continue;
    }
    if (failure || pastReplies.fatal || state.ports.signal?.aborted) continue;
    try {
      if (event.type === "forwardPass" && !replay.showsRecordedLogits) {
        await untilAborted(state.ports.pausePoint?.("pass") ?? Promise.resolve(), state.ports.signal);
      }
      await askAboutPast(pastReplies, event);
      state.ports.onCatchUp?.(place / replay.caughtUp);
    } catch (error) {
      failure = { error };
    }
  }
  return failure;
}

/** Writes the past records, with the indices that the mods have in this request. */
function copyRecordedOutput(state: DecodeState, replay: Replay, partial: AddedRecord | null): void {
  const { branchMods, caughtUp, point } = replay;
  const write = (record: TraceRecord) => {
    const isOfMod = "mod" in record && record.mod !== null;
    replay.copyRecord(isOfMod ? ({ ...record, mod: branchMods.placeOf(record.mod) } as TraceRecord) : record);
  };
  state.metrics.prefillMs = recordedPromptMs(point.records.slice(0, caughtUp));
  let isDecoding = false;
  for (const record of point.records.slice(1, caughtUp)) {
    write(record);
    if (isDecoding || record.type !== "forwardPass" || record.before === null) continue;
    isDecoding = true;
    state.metrics.decodeStartMs = state.now();
  }
  if (partial) write(partial);
  replay.endCatchUp();
}

/** The last event has no reply yet: the mods of the branch reply to it. */
function askNow(event: PastEvent, { overrules }: Replay): EventDispatch {
  return {
    type: event.type as TraceEventType,
    event: () => event.loopEvent(0),
    isFinal: overrules,
  };
}
