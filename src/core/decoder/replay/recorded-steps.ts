/**
 * Steps that another request recorded, up to the branch point; from there on live steps. For a recorded step nothing is
 * computed or sampled: the loop walks through the records, asks the mods about the recorded events, and `Replay` compares
 * the results with the records.
 */
import type { EventType } from "../../sdk/event.ts";
import type { TokenId } from "../../sdk/request.ts";
import type { ScoreContinuations } from "../../sdk/score-arguments.ts";
import type { ModCallRecord, SampledRecord, TraceHealed } from "../../trace/format/format.ts";
import type {
  DecodePorts,
  DecodeState,
  NextStep,
  RequestStart,
  RunningMod,
  StepSource,
} from "../loop/decode-state.ts";
import type { RequestEnding } from "../ports/change.ts";
import type { LoopEvent, ModReply } from "../ports/mod-host.ts";
import type { DecodeRequest } from "../ports/request.ts";
import { type BranchPoint, firstBranchTokenIndex, firstIndexToScore, isSteered } from "./branch-point.ts";
import { catchUp } from "./catch-up.ts";
import { createPrefetchedReplies, type PrefetchedReplies } from "./prefetched-replies.ts";
import { scorerFromRecord } from "./recorded-scores.ts";
import { cacheSharedText, createRecordedLogits } from "./recorded-step.ts";
import { Replay } from "./replay.ts";
import type { ReplayDifference } from "./replay-difference.ts";
import { recordRestoredSteering } from "./restored-steering.ts";

export class RecordedSteps implements StepSource {
  readonly #point: BranchPoint;
  #connected: Replay | null = null;
  #askedAhead: PrefetchedReplies | null = null;

  /** For one request. */
  constructor(point: BranchPoint) {
    this.#point = point;
  }

  connect(ports: DecodePorts, { modSources }: DecodeRequest): DecodePorts {
    const replay = new Replay(this.#point, { ...ports, modSources });
    this.#connected = replay;
    const pausedMs = () => (replay.isActive ? 0 : (ports.pausedMs?.() ?? 0));
    return { ...ports, record: replay.record, now: replay.now, pausedMs };
  }

  get #replay(): Replay {
    if (this.#connected) return this.#connected;
    throw new Error("Call connect() before reading recorded steps.");
  }

  /** The first difference from the record, which ended the request; null if there is none. */
  get difference(): ReplayDifference | null {
    return this.#replay.difference;
  }

  /** Number of mod replies that equal the recorded replies. */
  get calls(): number {
    return this.#replay.calls;
  }

  get isPast(): boolean {
    return this.#replay.isActive;
  }

  /** The KV cache may still have the tokens that the branch needs at its first own pass. */
  get leavesCacheAlone(): boolean {
    return this.#replay.isActive && this.#replay.showsRecordedLogits;
  }

  get hasSteering(): boolean {
    return isSteered(this.#point);
  }

  get recordedTopK(): number {
    return this.#replay.topKCount;
  }

  async start(state: DecodeState): Promise<RequestStart> {
    this.#askedAhead = createPrefetchedReplies(state, this.#replay);
    // If the mods of a branch catch up, its request record says whether a reply differed, so the record is written after the
    // catch-up.
    if (this.#replay.caughtUp > 0) return catchUp(state, this.#replay);
    state.recorder.request(state.limits.budget, this.#replay.branch);
    return { type: "prompt" };
  }

  ask(mod: RunningMod, event: LoopEvent, score: ScoreContinuations): Promise<ModReply> {
    const known = scorerFromRecord(this.#replay.callTo(mod.index, event.type), score);
    return this.#askedAhead?.replyTo(mod, event, known) ?? mod.host.ask(event, known);
  }

  async nextStep(state: DecodeState): Promise<NextStep> {
    const replay = this.#replay;
    recordRestoredSteering(state);
    const recorded = replay.isActive ? replay.nextPass() : null;
    if (recorded && replay.showsRecordedLogits)
      return { type: "recorded", logits: createRecordedLogits(state, replay, recorded) };
    const isBranch = replay.begin();
    if (isBranch) await cacheSharedText(state, replay);
    return {
      type: "compute",
      countsAsPass: recorded && recorded.tokenCount > 0,
      scoredFrom: isBranch ? (firstIndexToScore(this.#point) ?? firstBranchTokenIndex(this.#point)) : 0,
      token: isBranch ? replay.token : null,
    };
  }

  recordedCall(mod: RunningMod, event: EventType): ModCallRecord | null {
    return this.#replay.callTo(mod.index, event);
  }

  get isKnownToContinue(): boolean {
    return this.#replay.continues;
  }

  nextChoice(): SampledRecord | null {
    return this.#replay.isActive ? this.#replay.nextChoice() : null;
  }

  nextHealing(): TraceHealed | null {
    return this.#replay.isActive ? this.#replay.nextHealing() : null;
  }

  get counterfactualToken(): TokenId | null {
    return this.#replay.counterfactualToken;
  }

  tokensToPreserve(tokens: readonly TokenId[]): readonly TokenId[] {
    return this.#replay.tokensToPreserve(tokens);
  }

  get overrules(): boolean {
    return this.#replay.overrules;
  }

  failsEdit(mod: number): boolean {
    return this.#replay.failsEdit(mod);
  }

  endSteps(): void {
    if (this.#replay.isAtBranchPoint) this.stop();
  }

  stop(): void {
    this.#replay.stop();
    this.#askedAhead?.end();
  }

  checkedEnding(ending: RequestEnding): RequestEnding {
    const checked = this.#replay.checkedEnding(ending);
    this.#askedAhead?.end();
    return checked;
  }
}
