/**
 * Finds in a trace the logits that mods read at `forwardPass`, and decides whether the trace has enough of them to ask the mods
 * again without a model. A trace has no whole rows of logits. The field `before` has the top tokens before any mod, and
 * `likeliest` has more of them. If a mod came after an edit, `given` has the top tokens that this mod read.
 *
 * Example: at step 1 the model prefers "f", then "g" (tokens 102 and 103). Mod 0 bans 102. Mod 1 reads the top 2 and gets
 * 103 and 0, which its call records as `given`. A mod of a branch that asks for 2 tokens gets
 *   if it replaces mod 0       102, 103: what mod 0 saw, before its own ban
 *   if it replaces mod 1       103, 0: what mod 1 saw
 *   if it is new               unknown, because it comes after mod 0's ban: the model has to compute the step
 * With 3 tokens instead of 2, mod 1's `given` is too short. `missingForCatchUp` then names the place of the pass and says:
 *   The trace does not have the 3 most likely tokens that the mod "b2" reads at step 1: load the model.
 */
import type { ForwardPassRecord, ModCallRecord, TraceRecord, TraceTopK } from "../../trace/format/format.ts";
import { traceLimits } from "../../trace/format/limits.ts";
import { type ModHost, type RecordedTopTokens, readsActivations, readsLogits } from "../ports/mod-host.ts";
import { healingOfPass, isStepPass } from "./branch-point.ts";

/** The first logits that a mod needs again and that the records lack. */
export interface MissingLogits {
  /** Place of the forward pass among the records. */
  readonly place: number;
  /** In words. */
  readonly message: string;
}

/** Number of top-k tokens in the records. They count against the limit of the trace. */
export function countTopKTokens(records: readonly TraceRecord[]): number {
  return records.reduce((sum, record) => {
    if (record.type === "forwardPass") return sum + (record.likeliest?.tokens.length ?? 0);
    return record.type === "modCall" ? sum + (record.given?.tokens.length ?? 0) : sum;
  }, 0);
}

/** The top tokens that a mod saw at a pass with these calls; null if they are unknown. */
type ShownAt = (mod: number, pass: ForwardPassRecord, calls: readonly ModCallRecord[]) => TraceTopK | null;

/** The top tokens that each mod got at the forward pass whose record is at `place`. */
export function recordedTopTokensAt(records: readonly TraceRecord[], place: number): RecordedTopTokens {
  return stepShowing(records, place, shownTo);
}

function stepShowing(records: readonly TraceRecord[], place: number, shown: ShownAt): RecordedTopTokens {
  const pass = records[place] as ForwardPassRecord;
  let calls: readonly ModCallRecord[] | null = null;
  return {
    top(mod, count) {
      if (count === 0) return { tokens: [], logprobs: [] };
      calls ??= callsAfter(records, place);
      const { tokens, logprobs } = shown(mod, pass, calls) ?? { tokens: [], logprobs: [] };
      return {
        tokens: Int32Array.from(tokens.slice(0, count)),
        logprobs: Float32Array.from(logprobs.slice(0, count)),
      };
    },
  };
}

/** Checks the records from `start` to `end`. Returns null if the records have all logits that the mods read. */
export function missingLogits(
  mods: readonly ModHost[],
  records: readonly TraceRecord[],
  end: number,
  start = 0,
): MissingLogits | null {
  return firstMissing({ mods, records, start, end, shown: shownTo, stopsAtFaults: true });
}

interface PassesToShow {
  readonly mods: readonly ModHost[];
  readonly records: readonly TraceRecord[];
  readonly start: number;
  readonly end: number;
  readonly shown: ShownAt;
  /** Whether a mod that failed in the records gets no further events. */
  readonly stopsAtFaults: boolean;
}

function firstMissing({
  mods,
  records,
  start,
  end,
  shown,
  stopsAtFaults,
}: PassesToShow): MissingLogits | null {
  const [request] = records;
  const vocabularySize = request?.type === "request" ? request.model.vocabularySize : 0;
  const readers = mods.flatMap((host, mod) =>
    host.handles.has("forwardPass") && (readsLogits(host) || readsActivations(host)) ? [{ host, mod }] : [],
  );
  const stopped = new Set<number>();
  if (readers.length === 0) return null;
  for (let place = start; place < Math.min(end, records.length); place += 1) {
    const record = records[place];
    if (stopsAtFaults && record?.type === "modCall" && record.fault) stopped.add(record.mod);
    // Mods are asked only about passes that begin a step, and not about passes that heal the end of a text.
    if (!isStepPass(record) || healingOfPass(records, place)) continue;
    const calls = callsAfter(records, place);
    for (const { host, mod } of readers) {
      if (stopped.has(mod)) continue;
      const topK = shown(mod, record, calls);
      const isKept = !host.needs.logits && !host.asksWhatIsLeft && !readsActivations(host);
      if (isKept && topK !== null && hasEnough(topK, host.needs.topK, vocabularySize)) continue;
      return { place, message: whyMissing(host, record.step) };
    }
  }
  return null;
}

function whyMissing(host: ModHost, step: number): string {
  const { name, needs, asksWhatIsLeft } = host;
  if (readsActivations(host)) return `The mod "${name}" reads layers, which no trace stores: load the model.`;
  if (asksWhatIsLeft)
    return `The mod "${name}" asks which tokens are still allowed. Traces do not store this list: load the model.`;
  if (needs.logits) return `The mod "${name}" reads all logits, which no trace stores: load the model.`;
  if (needs.topK > traceLimits.topK) {
    return `The mod "${name}" reads the ${needs.topK} most likely tokens, but a trace stores at most ${traceLimits.topK}: load the model.`;
  }
  return `The trace does not have the ${needs.topK} most likely tokens that the mod "${name}" reads at step ${step}: load the model.`;
}

/**
 * Returns the top tokens for the mods of a branch, at the forward pass whose record is at `place`. A mod gets the top tokens that
 * the mod it replaces got. `before`: see BranchMods.
 */
export function topTokensForCatchUp(
  records: readonly TraceRecord[],
  place: number,
  before: readonly ReadonlySet<number>[],
): RecordedTopTokens {
  return stepShowing(records, place, inPlaceOf(before));
}

/** Like `missingLogits`, for mods that catch up with the first `end` records. */
export function missingForCatchUp(
  mods: readonly ModHost[],
  records: readonly TraceRecord[],
  end: number,
  before: readonly ReadonlySet<number>[],
): MissingLogits | null {
  return firstMissing({ mods, records, start: 0, end, shown: inPlaceOf(before), stopsAtFaults: false });
}

/** The top tokens that a mod gets which replaces these mods; null if another mod had changed them. */
function inPlaceOf(before: readonly ReadonlySet<number>[]): ShownAt {
  return (mod, pass, calls) => {
    const own = calls.find((call) => before[mod]?.has(call.mod));
    return shownTo(own?.mod ?? Number.POSITIVE_INFINITY, pass, calls);
  };
}

/** The calls of mods about the pass at `place`, in their order. */
function callsAfter(records: readonly TraceRecord[], place: number): ModCallRecord[] {
  const calls: ModCallRecord[] = [];
  for (let next = place + 1; next < records.length; next += 1) {
    const record = records[next] as TraceRecord;
    if (record.type === "modCall" && record.event === "forwardPass") calls.push(record);
    else if (record.type !== "scored" && record.type !== "adjusted") break;
  }
  return calls;
}

/** The top tokens that the mod saw at the pass; null if another mod had changed the logits and the record lacks the result. */
function shownTo(
  mod: number,
  { before, likeliest }: ForwardPassRecord,
  calls: readonly ModCallRecord[],
): TraceTopK | null {
  const own = calls.find((call) => call.mod === mod);
  if (own?.given) return own.given;
  if (calls.some((call) => call.mod < mod && isEdit(call))) return null;
  if (likeliest) return likeliest;
  const top = before?.top ?? [];
  return {
    asked: top.length,
    tokens: top.map(({ token }) => token),
    logprobs: top.map(({ logprob }) => logprob),
  };
}

function isEdit({ action, fault }: ModCallRecord): boolean {
  if (fault || action.type !== "adjustLogits") return false;
  return action.dense || action.ban + action.only + action.add > 0;
}

function hasEnough({ asked, tokens }: TraceTopK, count: number, vocabularySize: number): boolean {
  return count <= asked || tokens.length < asked || tokens.length === vocabularySize;
}

/** Placeholder logits whose values are unknown. All steps of all replays share them. */
let unknown = new Float32Array();

/** Logits of -Infinity, shared by all callers, who must not change them. */
export function unknownLogits(vocabularySize: number): Float32Array {
  if (unknown.length !== vocabularySize)
    unknown = new Float32Array(vocabularySize).fill(Number.NEGATIVE_INFINITY);
  return unknown;
}
