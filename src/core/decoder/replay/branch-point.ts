/** The place at which a request continues another request. Plain data. */
import type { TokenId } from "../../sdk/request.ts";
import type { ForwardPassRecord, TraceHealed, TraceRecord } from "../../trace/format/format.ts";

/** The place where a request branches off another request. */
export interface BranchPoint {
  /** All records of the other request, which this request continues. */
  readonly records: readonly TraceRecord[];
  /**
   * Index in `records` at which the branch begins: a forward pass, for a branch at its step, or an `added` record of forced
   * tokens, which are left out. `records.length` replays all records. If the record before is `added` or `backtracked` and
   * its mod calls are left out, the branch begins with that event.
   */
  readonly at: number;
  /** Number of the forced tokens at `at` that stay; 0 by default. */
  readonly kept?: number;
  /** The token for that step; null to let the sampler choose. */
  readonly token: TokenId | null;
  /**
   * Present if the branch has other mods than the records: these mods get the past events, and their replies change nothing
   * before the branch point. For each mod the index of the recorded mod that it replaces; null for a new mod.
   */
  readonly follows?: readonly (number | null)[];
}

/** Whether the record is a pass with logits. A pass in the middle of a prompt has none. */
export function isStepPass(record: TraceRecord | undefined): record is ForwardPassRecord {
  return record?.type === "forwardPass" && record.before !== null;
}

/**
 * The healing at the forward pass whose record is at `place`: its logits came from the pass before, and no mod was
 * asked about them. Null for any other record.
 */
export function healingOfPass(records: readonly TraceRecord[], place: number): TraceHealed | null {
  const pass = records[place];
  if (pass?.type !== "forwardPass" || pass.before === null) return null;
  const adjusted = records[place + 1]?.type === "adjusted" ? 1 : 0;
  const next = records[place + 1 + adjusted];
  return next?.type === "sampled" ? (next.healed ?? null) : null;
}

/** How many records at the start come from a run with other mods: the mods get these events to catch up, and their replies change nothing. Replies to later events are compared with the records. */
export function countCaughtUpRecords({ records, at, follows }: BranchPoint): number {
  const [request] = records;
  const caughtUp = request?.type === "request" ? (request.branch?.caughtUp ?? 0) : 0;
  return follows ? at : Math.min(at, caughtUp);
}

/** Index of the first token that is the branch's own. */
export function firstBranchTokenIndex({ records, at, kept = 0 }: BranchPoint): number {
  let index = kept;
  for (const record of records.slice(0, at)) if (record.type === "added") index += record.tokens.length;
  return index;
}

/**
 * Returns the place of the last record of a step that another request made under its own limits; -1 if there is none. The records
 * after this step belong to the end of that request. If all records are replayed, a branch has copied the steps of the other
 * request to the beginning of its own records.
 */
export function lastStepOfOrigin({ records, at }: BranchPoint): number {
  const lastStep = records.findLastIndex(
    ({ type }) => type === "forwardPass" || type === "sampled" || type === "added",
  );
  if (at < records.length) return lastStep;
  const [request] = records;
  const branch = request?.type === "request" ? request.branch : null;
  if (branch === null) return -1;
  const ownToken = records.findIndex((record) => record.type === "added" && record.index >= branch.index);
  return ownToken < 0 ? lastStep : ownToken - 1;
}

/** How many records at the start of the branch were copied from the request that it continues. */
export function countCopiedRecords(point: BranchPoint): number {
  const { at, kept = 0 } = point;
  return at + (kept > 0 && countCaughtUpRecords(point) === at ? 1 : 0);
}

/** Whether the first `end` records end with an event without replies: the request then continues by asking the mods. */
export function endsUnanswered(records: readonly TraceRecord[], end: number): boolean {
  const last = records[end - 1];
  const next = records[end];
  if (last?.type !== "added" && last?.type !== "backtracked") return false;
  // Replacement tokens belong to the change that removed the old tokens.
  if (last.type === "backtracked" && last.replacement > 0) return false;
  return next === undefined || (next.type === "modCall" && next.event === last.type);
}

/** The time in milliseconds in which the recorded prompt was read. */
export function recordedPromptMs(records: readonly TraceRecord[]): number {
  const first = records.findIndex(isStepPass);
  return records
    .slice(0, first + 1)
    .reduce((sum, record) => sum + (record.type === "forwardPass" ? record.durationUs / 1000 : 0), 0);
}

/**
 * Index of the first forced token that the pass at the branch point must score, because the trace has its score later or not
 * at all. Null if there is none.
 */
export function firstIndexToScore({ records, at, kept = 0 }: BranchPoint): number | null {
  const record = records[at];
  if (kept > 0 && record?.type === "added") return record.index;
  if (isStepPass(record)) {
    const after = records[at + 1];
    return after?.type === "scored" ? after.index : null;
  }
  let first: number | null = null;
  for (let place = at - 1; place > 0 && !isStepPass(records[place]); place -= 1) {
    const before = records[place];
    if (before?.type === "added" && before.source !== "sampled") first = before.index;
  }
  return first;
}

/** Whether vectors steered or replaced hidden states before the branch point: the model's layers must then be open. */
export function isSteered({ records, at }: BranchPoint): boolean {
  return records
    .slice(0, at)
    .some(
      (record) =>
        record.type === "modCall" && (record.action.type === "steer" || record.action.type === "patch"),
    );
}
