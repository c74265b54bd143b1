/**
 * Sends recorded events to mods before the loop reaches them. A record states the events of a replay in advance, so
 * the loop need not wait for a mod in a sandbox after every event, and the mod need not wait for the loop.
 *
 * The events are worked out from the record alone, on a separate state. The loop proceeds as usual, reaches the same
 * events, and takes the replies from here (`catch-up-replies.ts` says how the files fit together). An event that the record
 * does not determine is not sent in advance: the loop sends it, and later events are known again.
 *
 * Example: a mod handles `sampled` and `added`, and its host accepts 4 events at once (`pipelineDepth`; a sandbox accepts 64).
 *   the loop reaches      the mod has these events without a reply
 *   sampled 0             sampled 0, added 1, sampled 1, added 2
 *   added 1               added 1, sampled 1, added 2, and the next one: sampled 2
 *   the first new step    one event at a time, because no record states the next one
 *
 * Rules: if the loop reaches another event than the record states, `replyTo` throws a ReplayError and the replay ends. `end()`
 * stops the mods that got events which did not happen, since their state is wrong.
 */
import type { ScoreContinuations } from "../../sdk/score-arguments.ts";
import type { ModCallRecord, TraceRecord } from "../../trace/format/format.ts";
import type { DecodeState, RunningMod } from "../loop/decode-state.ts";
import { SeededDraws } from "../loop/draws.ts";
import { activationsForMods } from "../loop/seen-logits.ts";
import type { LoopEvent, ModReply, RecordedTopTokens } from "../ports/mod-host.ts";
import { endsUnanswered } from "./branch-point.ts";
import { type PastEvent, PastRecordFollower, placeOfStepResult } from "./past-events.ts";
import { recordedTopTokensAt, topTokensForCatchUp, unknownLogits } from "./recorded-logits.ts";
import { scorerFromRecord } from "./recorded-scores.ts";
import type { Replay } from "./replay.ts";

/** An event that was sent to a mod in advance; null if the event is not known before the loop reaches it. */
type Ahead = {
  readonly event: LoopEvent;
  readonly reply: Promise<ModReply>;
  readonly arrive: (score: ScoreContinuations) => void;
} | null;

/** Recorded events that are sent to the mods before the loop reaches them. */
export interface PrefetchedReplies {
  /**
   * The reply of the mod to the event that the loop has reached.
   * @throws ReplayError if the event differs from the recorded one.
   */
  replyTo(mod: RunningMod, event: LoopEvent, score: ScoreContinuations): Promise<ModReply>;
  /** Stops the mods that got events which did not happen. */
  end(): void;
}

/**
 * Null if the request replays nothing, if the trace lacks logits that the mods read, or if a mod accepts only one event at a
 * time.
 */
export function createPrefetchedReplies(state: DecodeState, replay: Replay): PrefetchedReplies | null {
  const { mods } = state;
  const depth = Math.min(...mods.map(({ host }) => host.pipelineDepth ?? 1));
  const isOfUse = replay.isActive && replay.showsRecordedLogits && mods.length > 0 && depth > 1;
  return isOfUse ? new RecordedQuestions(state, replay, depth) : null;
}

class RecordedQuestions implements PrefetchedReplies {
  readonly #state: DecodeState;
  readonly #replay: Replay;
  readonly #records: readonly TraceRecord[];
  /** How many events without a reply each mod may have, including the event that the loop has reached. */
  readonly #depth: number;
  /** The past events, in the state after the record before `#next`. */
  readonly #past: PastRecordFollower;
  readonly #ahead: ReadonlyMap<RunningMod, Ahead[]>;
  /** Mods that failed in the recorded request and got no further events. */
  readonly #stopped = new Set<number>();
  /** The mods' recorded replies to the last pass. */
  #passCalls: readonly ModCallRecord[] = [];
  #next = 1;
  /** The number of events that are not known before the loop reaches them: no later event is sent in advance meanwhile. */
  #unknown = 0;

  constructor(state: DecodeState, replay: Replay, depth: number) {
    this.#state = state;
    this.#replay = replay;
    this.#records = replay.point.records.slice(0, replay.point.at);
    this.#depth = depth;
    this.#past = new PastRecordFollower(copyOf(state), replay);
    this.#ahead = new Map(state.mods.map((mod) => [mod, []]));
  }

  replyTo(mod: RunningMod, event: LoopEvent, score: ScoreContinuations): Promise<ModReply> {
    this.#ask();
    const next = this.#ahead.get(mod)?.shift();
    // The loop has reached an event that the record did not determine.
    if (next === null) this.#unknown -= 1;
    if (!next) return mod.host.ask(event, score);
    if (comparedTextOf(event) !== comparedTextOf(next.event))
      throw this.#replay.otherEvent(event.type, mod.host.name);
    this.#ask();
    next.arrive(score);
    return next.reply;
  }

  end(): void {
    this.#next = this.#records.length;
    for (const [mod, ahead] of this.#ahead) {
      const isAhead = ahead.splice(0).some((question) => question !== null);
      if (!isAhead) continue;
      mod.isStopped = true;
      mod.host.dispose();
    }
  }

  /** Sends as many events as the mods accept. */
  #ask(): void {
    while (this.#next < this.#records.length && this.#unknown === 0 && this.#hasRoom()) {
      const place = this.#next;
      const record = this.#records[place] as TraceRecord;
      this.#next += 1;
      const past = this.#past.take(record, place);
      if (past && !this.#put(past, record)) this.#next = this.#records.length;
      if (record.type === "modCall" && record.fault && place >= this.#replay.caughtUp)
        this.#stopped.add(record.mod);
    }
  }

  #hasRoom(): boolean {
    for (const ahead of this.#ahead.values()) if (ahead.length >= this.#depth - 1) return false;
    return true;
  }

  /**
   * Sends an event to the mods. Returns false if it is uncertain which mods get the event: the loop then asks from there on.
   */
  #put(past: PastEvent, record: TraceRecord): boolean {
    const { caughtUp, point } = this.#replay;
    const isLastCaughtUp = past.place === caughtUp - 1 && endsUnanswered(point.records, caughtUp);
    const isCaughtUp = past.place < caughtUp && !isLastCaughtUp;
    if (past.type === "forwardPass") this.#passCalls = past.calls;
    for (const [mod, ahead] of this.#ahead) {
      if (mod.isStopped || !mod.host.handles.has(past.type) || this.#stopped.has(mod.index)) continue;
      if (!isCaughtUp && !past.calls.some((call) => call.mod === mod.index)) return false;
      const event =
        past.place < caughtUp ? this.#caughtUpEvent(past, mod) : this.#replayedEvent(past, mod, record);
      if (event === null) this.#unknown += 1;
      ahead.push(event && this.#askHost(mod, event, past));
    }
    return true;
  }

  /** A score that is not in the record is computed when the loop reaches the event. */
  #askHost(mod: RunningMod, event: LoopEvent, { calls, place }: PastEvent): NonNullable<Ahead> {
    let arrive: (score: ScoreContinuations) => void = () => undefined;
    const promise = new Promise<ScoreContinuations>((resolve) => {
      arrive = resolve;
    });
    const { caughtUp, branchMods } = this.#replay;
    const call = calls.find((each) =>
      place < caughtUp ? branchMods.before[mod.index]?.has(each.mod) : each.mod === mod.index,
    );
    const score = scorerFromRecord(call ?? null, async (tokens) => (await promise)(tokens));
    return { event, reply: mod.host.ask(event, score), arrive };
  }

  /** The event that `catch-up-replies.ts` will send; null if the event depends on replies of mods. */
  #caughtUpEvent(past: PastEvent, mod: RunningMod): LoopEvent | null {
    if (past.type === "prefilled") return null;
    if (past.type !== "forwardPass") return past.loopEvent(mod.index);
    const isFirst = !this.#state.mods.some(
      ({ index, isStopped, host }) => index < mod.index && !isStopped && host.handles.has("forwardPass"),
    );
    const hidden = this.#past.state.output.hiddenBy !== null;
    const step = topTokensForCatchUp(this.#replay.point.records, past.place, this.#replay.branchMods.before);
    return isFirst || hidden ? this.#passEvent(past, mod, hidden, step) : null;
  }

  /** The event that the loop will reach; null if the records do not determine it. */
  #replayedEvent(past: PastEvent, mod: RunningMod, record: TraceRecord): LoopEvent | null {
    const { records } = this.#replay.point;
    if (past.type === "prefilled") return null;
    if (past.type === "forwardPass") {
      const before = past.calls.filter((call) => call.mod < mod.index);
      const hidden = this.#isHiddenStep(before, past.place);
      // Which of several mods hid the step is not recorded.
      const isKnown = hidden === false || this.#past.state.output.hiddenBy !== null;
      return isKnown
        ? this.#passEvent(past, mod, hidden === true, recordedTopTokensAt(records, past.place))
        : null;
    }
    const event = past.loopEvent(mod.index);
    if (event.type === "sampled") {
      const hidden = this.#isHiddenStep(this.#passCalls, past.place);
      return hidden === null ? null : { ...event, hidden };
    }
    const { mods, ports } = this.#state;
    const name = "mod" in record && record.mod !== null ? (mods[record.mod]?.host.name ?? null) : null;
    if (event.type === "backtracked") return { ...event, mod: name ?? "" };
    if (event.type !== "added") return event;
    const isEos = ports.kvCache.model.endOfSequence.includes(event.tokens.at(-1) ?? -1);
    return { ...event, mod: name, isEos };
  }

  #passEvent({ step }: PastEvent, mod: RunningMod, hidden: boolean, shown: RecordedTopTokens): LoopEvent {
    const { request, ports } = this.#state;
    return {
      type: "forwardPass",
      requestId: request.requestId,
      step,
      emitted: this.#past.state.output.emitted,
      hidden,
      ...activationsForMods(this.#state, { activations: null }),
      logits: unknownLogits(ports.kvCache.model.vocabularySize),
      top: (count) => shown.top(mod.index, count),
    };
  }

  /** Whether the token of a step is hidden after these calls; null if the records do not say. */
  #isHiddenStep(calls: readonly ModCallRecord[], place: number): boolean | null {
    if (this.#past.state.output.hiddenBy !== null) return true;
    // The record of an edit does not say whether the edit hides the token; only the later records of the drawn token show
    // it.
    if (!calls.some(({ action, fault }) => action.type === "adjustLogits" && !fault)) return false;
    const { records } = this.#replay.point;
    const sampled = records[place]?.type === "sampled" ? place : placeOfStepResult(records, place);
    const outcome = records[sampled]?.type === "sampled" && records[placeOfStepResult(records, sampled)];
    return outcome && outcome.type === "added" && outcome.source === "sampled" ? outcome.hidden : null;
  }
}

/** A copy of the state that is ahead of the loop. It shares nothing that the records change. */
function copyOf(state: DecodeState): DecodeState {
  return {
    ...state,
    activations: null,
    draws: new SeededDraws(state.request.seed),
    limits: { ...state.limits },
    counts: { ...state.counts },
    logits: { ...state.logits },
  };
}

/** The fields of an event that are plain data, without logits and output. */
const comparedFields = "type requestId step hidden token tokens removed text logprob source mod isEos".split(
  " ",
);

function comparedTextOf(event: LoopEvent): string {
  return JSON.stringify(event, comparedFields);
}
