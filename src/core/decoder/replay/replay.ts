/**
 * A request that continues another request from its middle. Up to the branch point nothing is computed and nothing is sampled:
 * the loop walks through the other request's records, asks the mods about what happened then, so that their state is what
 * it was, and holds their answers against those that were recorded. From the branch point on it computes; the KV cache
 * still has what both requests share.
 *
 * Example: a request of 500 tokens, at whose step 400 another token is to be taken. The mods are asked again about 400
 * recorded steps, one pass gives the logits of step 400, and the loop goes on with the other token.
 */
import type { TokenId } from "../../sdk/request.ts";
import type {
  ForwardPassRecord,
  ModCallRecord,
  SampledRecord,
  TraceEventType,
  TraceHealed,
  TraceRecord,
} from "../../trace/format/format.ts";
import type { TraceBranch, TraceBranchDifference } from "../../trace/format/format-request.ts";
import type { RequestEnding } from "../ports/change.ts";
import type { ModHost, RecordedTopTokens } from "../ports/mod-host.ts";
import type { ModSource } from "../ports/request.ts";
import { RequestError } from "../ports/request-error.ts";
import { type BranchMods, branchModsOf } from "./branch-mods.ts";
import {
  type BranchPoint,
  countCaughtUpRecords,
  countCopiedRecords,
  firstBranchTokenIndex,
  healingOfPass,
  lastStepOfOrigin,
} from "./branch-point.ts";
import { changesOutput, isDerived } from "./derived-records.ts";
import { countTopKTokens, missingForCatchUp, missingLogits, recordedTopTokensAt } from "./recorded-logits.ts";
import {
  describePlace,
  describeRecord,
  differenceOf,
  differenceSentence,
  type ReplayDifference,
} from "./replay-difference.ts";

/** A mod's reply, or its effect, differs from the record. */
export class ReplayError extends RequestError {
  override readonly name = "ReplayError";
}

type Difference = Omit<ReplayDifference, "place">;

const nothing: Difference = { now: "the recorded run ends", where: null, recorded: null, event: null };

interface ReplayPorts {
  readonly mods: readonly ModHost[];
  /** In the order of the mods. */
  readonly modSources: readonly ModSource[];
  readonly record: (record: TraceRecord) => void;
  readonly now: () => number;
  readonly pausedMs?: (() => number) | undefined;
}

export class Replay {
  readonly point: BranchPoint;
  readonly #ports: ReplayPorts;
  readonly #startMs: number;
  readonly #lastStepOfOrigin: number;
  /** Whether the mods get the recorded logits. If these lack values that a mod reads, the model computes each step again. */
  readonly showsRecordedLogits: boolean;
  /**
   * How many records at the start are only sent to the mods (`catch-up.ts`). Replies to these events change nothing; later
   * records must come out the same.
   */
  readonly caughtUp: number;
  readonly branchMods: BranchMods;
  /** The first past event to which a mod's reply differs from the recorded one. */
  catchUpDifference: TraceBranchDifference | null = null;
  /** Place of the next record that the loop must produce. */
  #next = 0;
  /** `branching`: the branch point is reached, but the request's own first pass has not begun. */
  #stage: "replaying" | "branching" | "over" = "replaying";
  #difference: ReplayDifference | null = null;
  #calls = 0;
  /** Added to the clock, so that times continue from the last record. */
  #shiftMs = 0;
  #lastMs = 0;

  /** @throws ReplayError if the records do not begin with a request */
  constructor(point: BranchPoint, ports: ReplayPorts) {
    if (point.records[0]?.type !== "request")
      throw new ReplayError("The trace does not begin with its request.");
    this.point = point;
    this.#ports = ports;
    this.#startMs = ports.now();
    this.#lastStepOfOrigin = lastStepOfOrigin(point);
    this.caughtUp = countCaughtUpRecords(point);
    this.branchMods = branchModsOf(point, ports.mods, ports.modSources);
    const missing =
      missingForCatchUp(ports.mods, point.records, this.caughtUp, this.branchMods.before) ??
      (point.follows ? null : missingLogits(ports.mods, point.records, point.at, this.caughtUp));
    this.showsRecordedLogits = missing === null;
  }

  /** The first difference, which ended the replay; null while there is none. */
  get difference(): ReplayDifference | null {
    return this.#difference;
  }

  /** Number of replies of mods that equal the recorded replies. */
  get calls(): number {
    return this.#calls;
  }

  /** The branch point has not been reached. */
  get isActive(): boolean {
    return this.#stage === "replaying";
  }

  /** The request's own first pass has begun. */
  get isOver(): boolean {
    return this.#stage === "over";
  }

  /** Ends the replay: further events are recorded as they happen. */
  stop(): void {
    if (this.isActive) this.#reach();
    this.#stage = "over";
  }

  /** Returns true once, for the first pass after the branch point. */
  begin(): boolean {
    if (this.#stage !== "branching") return false;
    this.#stage = "over";
    return true;
  }

  #reach(): void {
    this.#stage = "branching";
    // Recorded times leave out the pauses of the request, so the pauses so far are added here.
    this.#shiftMs = this.#startMs + this.#lastMs + (this.#ports.pausedMs?.() ?? 0) - this.#ports.now();
  }

  /** The token of the first computed step; null to let the sampler choose. */
  get token(): TokenId | null {
    return this.point.token;
  }

  /** The field `branch` of this request's own record. @throws ReplayError if the records do not begin with a request. */
  get branch(): TraceBranch {
    const { records, at, token } = this.point;
    const request = records[0];
    if (request?.type !== "request") throw new ReplayError("The trace does not begin with its request.");
    return {
      requestId: request.requestId,
      index: firstBranchTokenIndex(this.point),
      isChosen: token !== null,
      // The forced tokens that the branch keeps are copied too.
      caughtUp: this.caughtUp > 0 && this.caughtUp === at ? countCopiedRecords(this.point) : this.caughtUp,
      parentMods: this.branchMods.parentMods.length,
      difference: this.catchUpDifference,
    };
  }

  /** Copies the next record. The mods have already got its event. */
  copyRecord(record: TraceRecord): void {
    this.#write(record);
  }

  /** The mods have caught up. This is the branch point, unless more records are to be replayed. */
  endCatchUp(): void {
    if (this.caughtUp === this.point.at) this.#reach();
  }

  /** The time in milliseconds, continuing the times of the records. The clock stands still during the replay. */
  readonly now = (): number => {
    if (this.isActive) return this.#startMs + this.#lastMs;
    return this.#ports.now() + this.#shiftMs;
  };

  /** Writes a record of the loop. During the replay the recorded one is written instead. @throws ReplayError if the two differ. */
  readonly record = (record: TraceRecord): void => {
    if (!this.isActive) {
      this.#ports.record(record);
    } else if (record.type === "request") {
      this.#ports.record(record);
      this.#next = 1;
    } else if (!isDerived(record)) {
      this.#copyDerived();
      const recorded = this.point.records[this.#next];
      const difference = differenceOf(record, recorded, this.#ports.mods, this.showsRecordedLogits);
      if (difference !== null || !recorded) throw this.#differs(difference ?? nothing);
      if (record.type === "modCall") this.#calls += 1;
      this.#write(recorded);
    }
  };

  /** The next record if it is a forward pass; null at the branch point, where the replay ends. @throws ReplayError if the next record is another one. */
  nextPass(): ForwardPassRecord | null {
    const record = this.#comes();
    if (record === null) this.#reach();
    if (record === null || record.type === "forwardPass") return record;
    throw this.#differs({ now: "the model runs a forward pass", ...this.#recorded(record) });
  }

  /**
   * Whether the trace says that this mod's edit left no token to sample. The trace lacks the logits, so this cannot be
   * computed again.
   */
  failsEdit(mod: number): boolean {
    const record = this.isActive ? this.#comes() : null;
    return record?.type === "modCall" && record.mod === mod && record.fault?.kind === "invalid-action";
  }

  /** The recorded logits of the next pass. */
  nextStep(): RecordedTopTokens {
    return recordedTopTokensAt(this.point.records, this.#place());
  }

  /**
   * If the branch keeps some of several forced tokens: the recorded token that the sampler would have chosen in place of the
   * first.
   */
  get counterfactualToken(): TokenId | null {
    const record = this.point.records[this.point.at];
    return record?.type === "added" ? (record.counterfactual?.token ?? null) : null;
  }

  /** Number of top-k tokens in the replayed records. */
  get topKCount(): number {
    return countTopKTokens(this.point.records.slice(0, this.point.at));
  }

  /** Returns the recorded call of a mod at the current event, or null if the record has no such call. */
  callTo(mod: number, event: TraceEventType): ModCallRecord | null {
    if (!this.isActive || this.#next < this.caughtUp) return null;
    for (let place = this.#next; place < this.point.at; place += 1) {
      const record = this.point.records[place];
      if (record?.type === "modCall" && record.event === event) {
        if (record.mod === mod) return record;
      } else if (record && !isDerived(record)) return null;
    }
    return null;
  }

  /**
   * Called after the mods have replied at a step: the healing that was recorded next, or null if the next record is the
   * token of this step.
   */
  nextHealing(): TraceHealed | null {
    const { records } = this.point;
    for (let place = this.#place(); place < records.length; place += 1) {
      const record = records[place] as TraceRecord;
      if (record.type === "forwardPass" && !isDerived(record)) return healingOfPass(records, place);
      const isOfRemoval =
        record.type === "backtracked" || (record.type === "modCall" && record.event === "backtracked");
      if (!isOfRemoval && !isDerived(record)) return null;
    }
    return null;
  }

  /** The next record, a sampled token. @throws ReplayError if it is another one. */
  nextChoice(): SampledRecord {
    const record = this.#comes();
    if (record?.type === "sampled") return record;
    throw this.#differs({ now: "a token is drawn", ...this.#recorded(record) });
  }

  /**
   * The forced tokens that stay: all, or as many as the branch keeps. If the records are those of a branch, as many as that
   * branch kept.
   */
  tokensToPreserve(tokens: readonly TokenId[]): readonly TokenId[] {
    if (!this.isActive) return tokens;
    const record = this.#comes();
    if (record === null) {
      this.#copyDerived();
      this.#reach();
      return tokens.slice(0, this.point.kept ?? 0);
    }
    return record.type === "added" ? tokens.slice(0, record.tokens.length) : [];
  }

  /** Whether the mods' changes at this event are overruled because a user chose the token, now or when the request was recorded. */
  get overrules(): boolean {
    if (this.#stage === "branching") return this.point.token !== null;
    if (!this.isActive) return false;
    const { records, at } = this.point;
    for (let place = this.#next; place < Math.min(at, records.length); place += 1) {
      const record = records[place] as TraceRecord;
      if (record.type !== "modCall" && !isDerived(record)) return false;
      // Nothing but a token chosen by a user supersedes the first change of an event.
      if (record.type === "modCall" && changesOutput(record)) return record.superseded;
    }
    return false;
  }

  /** The next record is the first that this request makes itself. False if all records are replayed. */
  get isAtBranchPoint(): boolean {
    return this.isActive && this.#comes() === null && this.point.at < this.point.records.length;
  }

  /** The replay has not reached the last step that another request made under its own limits. */
  get continues(): boolean {
    return this.isActive && this.#comes() !== null && this.#place() <= this.#lastStepOfOrigin;
  }

  /**
   * The same ending if the records end in the same way. Otherwise an ending that names the difference, and the replay is
   * over.
   */
  checkedEnding(ending: RequestEnding): RequestEnding {
    if (!this.isActive) return ending;
    const record = this.#comes();
    const isEnd = record?.type === "finished" || (record?.type === "modCall" && record.event === "finished");
    const last = this.point.records.at(-1);
    if (isEnd && last?.type === "finished" && last.reason === ending.reason) return ending;
    const why = ending.error ? `: ${ending.error.message}` : "";
    // The error that ended the request may itself be the first difference.
    const { message } = this.#difference
      ? new ReplayError(differenceSentence(this.#difference))
      : this.#differs({ now: `the request ends (${ending.reason}${why})`, ...this.#recorded(record) });
    this.stop();
    return { reason: "error", error: { message, mod: null } };
  }

  /** The event differs from the one that was sent to the mod in advance. */
  otherEvent(event: TraceEventType, mod: string): ReplayError {
    const now = `the mod "${mod}" received a different "${event}" event`;
    return this.#differs({ now, ...this.#recorded(this.#comes()), event });
  }

  /** The record that the loop must produce next; null at the branch point. */
  #comes(): TraceRecord | null {
    const place = this.#place();
    return place < this.point.at ? (this.point.records[place] ?? null) : null;
  }

  /** The place of the next record. */
  #place(): number {
    const { records, at } = this.point;
    let place = this.#next;
    while (place < Math.min(at, records.length) && isDerived(records[place] as TraceRecord)) place += 1;
    return place;
  }

  #recorded(record: TraceRecord | null): Omit<Difference, "now"> {
    if (record === null) return { where: null, recorded: null, event: null };
    return { where: describePlace(record), recorded: describeRecord(record, this.#ports.mods), event: null };
  }

  #differs(difference: Difference): ReplayError {
    this.#difference = { ...difference, place: this.#place() };
    return new ReplayError(differenceSentence(difference));
  }

  #copyDerived(): void {
    for (;;) {
      const record = this.point.records[this.#next];
      if (!record || this.#next >= this.point.at || !isDerived(record)) return;
      this.#write(record);
    }
  }

  #write(record: TraceRecord): void {
    this.#next += 1;
    if ("timeUs" in record) this.#lastMs = record.timeUs / 1000;
    this.#ports.record(record);
  }
}
