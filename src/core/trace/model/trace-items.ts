/** The items of a trace model besides its tokens: events, removed spans, interventions, totals. Plain data. */

import type { EffectiveAction } from "../format/action-types.ts";
import type { ModCallRecord, TraceEventType, TraceRecord } from "../format/format.ts";
import { actionTraits } from "../format/format-action.ts";

/** One event of the request, with the mod calls that it caused. */
export interface EventItem {
  /** Index in `TraceModel.events`. */
  readonly number: number;
  readonly type: TraceEventType;
  timeUs: number;
  step: number;
  /**
   * Number of the event's own record. Null until that record comes: for `prefilled` and `finished` it comes after the mod
   * calls.
   */
  record: number | null;
  /** Numbers of the mod call records, in order. */
  calls: readonly number[];
  /** Number of the `adjusted` record of a forward pass. */
  adjusted: number | null;
  /** Mods that edited the logits at this event: each mod once, in the order of their first edits. */
  editedBy: readonly number[];
  /** True if one of these calls edited more than the temperature. */
  editsProbabilities: boolean;
  /** The tokens that were added by, removed at, or sampled from this event: index of the first, and their number. */
  firstToken: number | null;
  tokenCount: number;
  /** The span that was removed at this event. */
  span: number | null;
}

/** Tokens that were removed together. Their indices ascend but may have gaps: tokens that an earlier backtrack removed. */
export interface RemovedSpan {
  readonly number: number;
  readonly removed: readonly number[];
  /** Output length after the removal. */
  readonly step: number;
  readonly mod: number;
  readonly timeUs: number;
  /** Number of the event at which the mod asked for the removal, and number of the record of that call. */
  readonly event: number | null;
  readonly callRecord: number | null;
  /** `replacementCount`: how many tokens will replace the removed tokens, by the record. `replacedBy`: the indices of the replacement tokens that were added so far. */
  readonly replacementCount: number;
  readonly replacedBy: number[];
  /** True if the tokens were a question to the model: a mod hid them from the start, or replaced them with the same text. */
  isQuestion: boolean;
  /** True if the whole text came back into the output, so that views show it once. */
  isRepeated: boolean;
}

/** A mod's change of the request, or its fault; for next/previous navigation. */
export interface Intervention {
  readonly number: number;
  readonly kind: EffectiveAction | "fault";
  readonly mod: number;
  /** Number of the call's record. */
  readonly callRecord: number;
  readonly event: number;
  /**
   * Index of the token that the navigation goes to: the first removed one, or the next one to be added (which may never
   * come).
   */
  readonly tokenIndex: number;
}

/** Running totals; `traceSummary` says what is shown. */
export interface TraceTotals {
  forwardPasses: number;
  forwardUs: number;
  modCalls: number;
  modUs: number;
  faults: number;
  adjusted: number;
  removed: number;
  forced: number;
  reinjected: number;
  /** Tokens that were drawn while mods steered. */
  steered: number;
}

/** One empty list shared by all events: most events have no calls and no edits, and a run may have 600,000 events. */
const nothing: readonly number[] = [];

/** The list with one more entry. The shared empty list is never changed: the first entry makes a new list. */
function withEntry(list: readonly number[], entry: number): readonly number[] {
  if (list === nothing) return [entry];
  (list as number[]).push(entry);
  return list;
}

/** The totals of a trace without records. */
export function noTotals(): TraceTotals {
  return {
    forwardPasses: 0,
    forwardUs: 0,
    modCalls: 0,
    modUs: 0,
    faults: 0,
    adjusted: 0,
    removed: 0,
    forced: 0,
    reinjected: 0,
    steered: 0,
  };
}

type EventRecord = Extract<TraceRecord, { type: TraceEventType }>;

/** The event of a record: the event that the mod calls before the record opened, or else a new event. */
export function findOrAddEvent(events: EventItem[], record: EventRecord, number: number): EventItem {
  const last = events.at(-1);
  const step = "step" in record ? record.step : 0;
  if (last && last.type === record.type && last.record === null) {
    last.record = number;
    last.timeUs = record.timeUs;
    last.step = step;
    return last;
  }
  return pushEvent(events, record.type, record.timeUs, step, number);
}

function pushEvent(
  events: EventItem[],
  type: TraceEventType,
  timeUs: number,
  step: number,
  record: number | null,
): EventItem {
  const item: EventItem = {
    number: events.length,
    type,
    timeUs,
    step,
    record,
    calls: nothing,
    adjusted: null,
    editedBy: nothing,
    editsProbabilities: false,
    firstToken: null,
    tokenCount: 0,
    span: null,
  };
  events.push(item);
  return item;
}

/** The event of a mod call: the last event, or a new event whose own record comes later. Adds the call to this event. */
export function addModCall(events: EventItem[], call: ModCallRecord, number: number): EventItem {
  const last = events.at(-1);
  const event =
    last?.type === call.event ? last : pushEvent(events, call.event, call.timeUs, call.step, null);
  event.calls = withEntry(event.calls, number);
  noteEdit(event, call);
  return event;
}

/**
 * Notes on the event that a call edited logits. Every token of the event needs this, and searching the calls each time would take
 * quadratic time.
 */
function noteEdit(event: EventItem, { action, fault, mod }: ModCallRecord): void {
  if (action.type !== "adjustLogits" || fault) return;
  if (!event.editedBy.includes(mod)) event.editedBy = withEntry(event.editedBy, mod);
  if (action.dense || action.ban + action.only + action.add > 0 || action.temperature === null)
    event.editsProbabilities = true;
}

/** The entropy of the distribution in a record, in bits; NaN if the record has none. */
export function entropyOf(record: TraceRecord | undefined): number {
  if (record?.type === "forwardPass") return record.before?.entropy ?? Number.NaN;
  return record?.type === "adjusted" ? record.after.entropy : Number.NaN;
}

/** True if the action was not carried out: see `ModCallRecord.superseded`. Steering and patches always take effect. */
export function isSuperseded({ superseded, action }: ModCallRecord): boolean {
  return superseded && !actionTraits[action.type].alwaysCounts;
}
