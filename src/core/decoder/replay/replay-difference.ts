/** Says in words how a replay differs from the trace. */
import { countWithNoun } from "../../base/number-text.ts";
import type { TokenId } from "../../sdk/request.ts";
import type { ModCallRecord, TraceAction, TraceEventType, TraceRecord } from "../../trace/format/format.ts";
import type { ModHost } from "../ports/mod-host.ts";

/** The first event or reply that differs from the trace. Plain data. */
export interface ReplayDifference {
  /** Index of the record that differs; the number of records if the trace ends before. */
  readonly place: number;
  /** The event or reply of this run, in words. */
  readonly now: string;
  /** Where, in words; null if it is after the end of the record. */
  readonly where: string | null;
  /** The recorded event or reply, in words; null if the record ends before it. */
  readonly recorded: string | null;
  /** The event to which a mod replied differently; null for another kind of difference. */
  readonly event: TraceEventType | null;
}

/** The difference as one sentence. */
export function differenceSentence({ now, where, recorded }: Omit<ReplayDifference, "place">): string {
  if (recorded === null)
    return `The replay went further than the recorded run: ${now}${where === null ? "" : ` ${where}`}.`;
  return `In this replay, ${now} ${where}; in the recorded run, ${recorded}.`;
}

/**
 * The difference between a record of the loop and the recorded one; null if there is none.
 * @param isExact the mods got the same logits as in the recorded request, so their edits must be the same to the bit
 */
export function differenceOf(
  record: TraceRecord,
  recorded: TraceRecord | undefined,
  mods: readonly ModHost[],
  isExact: boolean,
): Omit<ReplayDifference, "place"> | null {
  const event = record.type === "modCall" ? record.event : null;
  const now = describeRecord(record, mods);
  if (!recorded) return { now, where: describePlace(record), recorded: null, event };
  if (isSame(record, recorded, isExact)) return null;
  const place = describePlace(record) === describePlace(recorded) ? "" : ` ${describePlace(recorded)}`;
  const before = describeRecord(recorded, mods);
  const isOtherEdit = before === now && place === "";
  return {
    now: isOtherEdit ? `${now}, but with other tokens` : now,
    where: describePlace(record),
    recorded: `${before}${place}`,
    event,
  };
}

type Reply = Pick<ModCallRecord, "action" | "fault">;

/** Whether two replies to one event have the same effect. Edits are compared by their fields, as far as both are known. */
export function isSameReply(one: Reply, other: Reply): boolean {
  return areSameReplies(one, other, digestOf(one) !== null && digestOf(other) !== null);
}

function areSameReplies(one: Reply, other: Reply, isWithDigest: boolean): boolean {
  const shared = Math.min(addedTokens(one).length, addedTokens(other).length);
  const [first, second] = [one, other].map((reply) =>
    JSON.stringify([comparedAction(reply, isWithDigest, shared), reply.fault?.kind ?? null]),
  );
  return first === second;
}

function digestOf({ action }: Reply): number | null {
  return action.type === "adjustLogits" ? action.digest : null;
}

function addedTokens({ action }: Reply): readonly TokenId[] {
  return "tokens" in action ? action.tokens : [];
}

/**
 * The compared fields of an action. A list of added tokens is compared by its first `shared` tokens and by the number that the mod
 * asked for: a request with another limit cuts the list elsewhere.
 */
function comparedAction({ action }: Reply, isWithDigest: boolean, shared: number): unknown {
  switch (action.type) {
    case "steer":
    case "patch":
      return withoutNumbers(action);
    case "adjustLogits":
      return isWithDigest ? action : { ...action, digest: null };
    case "forceTokens":
    case "forceOutput":
    case "backtrack": {
      const { tokens, cut, text: _, ...rest } = action;
      return { ...rest, tokens: tokens.slice(0, shared), asked: tokens.length + cut };
    }
    default:
      return action;
  }
}

/** Vectors are compared by their digests: only the first record of each vector has the numbers, and links have no numbers. */
function withoutNumbers(action: Extract<TraceAction, { type: "steer" | "patch" }>): unknown {
  if (action.type === "patch") return [action.type, action.layer, action.vector.digest];
  return [action.type, action.vectors.map(({ layer, scale, vector }) => [layer, scale, vector.digest])];
}

function isSame(record: TraceRecord, recorded: TraceRecord, isExact: boolean): boolean {
  if (JSON.stringify(essence(record)) !== JSON.stringify(essence(recorded))) return false;
  if (record.type !== "modCall" || recorded.type !== "modCall") return true;
  return areSameReplies(
    record,
    recorded,
    isExact && digestOf(record) !== null && digestOf(recorded) !== null,
  );
}

/** The fields of a record that a replay must reproduce, without a mod's reply. Times, printed output and facts that only a model knows are left out. */
function essence(record: TraceRecord): unknown {
  switch (record.type) {
    case "prefilled":
      return [record.type, ids(record.tokens)];
    case "modCall":
      return [record.type, record.step, record.mod, record.event, record.superseded];
    case "added":
      return [
        record.type,
        record.step,
        record.index,
        ids(record.tokens),
        record.source,
        record.mod,
        record.hidden,
      ];
    case "backtracked":
      return [record.type, record.step, record.mod, record.removed];
    case "finished":
      return [record.type, record.step, record.reason, record.text, record.toolCalls];
    case "sampled":
      return [record.type, record.step, record.token];
    case "request":
      return [record.type];
    case "forwardPass":
    case "adjusted":
      return [record.type, record.step];
    case "scored":
      return [record.type, record.index];
  }
}

function ids(tokens: readonly { readonly token: TokenId }[]): readonly TokenId[] {
  return tokens.map(({ token }) => token);
}

export function describePlace(record: TraceRecord): string {
  return "step" in record ? `at step ${record.step}` : "at the start";
}

/** A sentence about a record; the caller puts "in the record" before it. */
export function describeRecord(record: TraceRecord, mods: readonly ModHost[]): string {
  const nameOf = (mod: number | null) => (mod === null ? "the model" : `the mod "${mods[mod]?.name ?? mod}"`);
  switch (record.type) {
    case "modCall":
      return `${nameOf(record.mod)} ${describeReply(record)} in ${record.event}()`;
    case "added":
      return `${nameOf(record.mod)} added ${JSON.stringify(record.tokens.map(({ text }) => text).join(""))}`;
    case "backtracked":
      return `${nameOf(record.mod)} removed ${countWithNoun(record.removed.length, "token")}`;
    case "finished":
      return `the request ended (${record.reason})`;
    case "prefilled":
      return `the prompt has ${record.tokens.length} tokens`;
    case "sampled":
      return `${JSON.stringify(record.text)} was drawn`;
    case "forwardPass":
      return "the model ran a forward pass";
    case "request":
    case "adjusted":
    case "scored":
      return `the event "${record.type}" occurred`;
  }
}

/** A mod's reply, in words that follow its name. */
export function describeReply({ action, fault }: Pick<ModCallRecord, "action" | "fault">): string {
  if (fault) return `failed (${fault.kind})`;
  if (action.type === "noop") return "did nothing";
  const text = "text" in action ? ` ${JSON.stringify(action.text)}` : "";
  return `replied with ${action.type}${text}`;
}
