/** The lanes of a run's tracks, and their blocks in px. Narrow blocks are merged. Pure. */

import { firstIndexAtLeast, type TimeSpanTable, timeSpansOf } from "../../../core/trace/model/time-spans.ts";
import { noIndex } from "../../../core/trace/model/token-table.ts";
import { timeOfToken } from "../../../core/trace/model/token-times.ts";
import { isSuperseded } from "../../../core/trace/model/trace-items.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { modName, recordOf } from "../../../core/trace/model/trace-view.ts";
import type { AxisView } from "../axis-view.ts";
import { type AxisName, tokenAtValue } from "./track-axis.ts";

export type LaneKind = "passes" | "sampling" | "mod" | "output";

export interface Lane {
  readonly kind: LaneKind;
  /** Number of the mod; 0 for other lanes. */
  readonly mod: number;
  readonly name: string;
}

/** The lanes: passes, sampling, one lane for each mod, and output. */
export function lanesOf(trace: TraceModel): readonly Lane[] {
  const mods = Math.max(trace.request?.mods.length ?? 0, timeSpansOf(trace).mods.length);
  return [
    { kind: "passes", mod: 0, name: "Model" },
    { kind: "sampling", mod: 0, name: "Sampling" },
    ...Array.from({ length: mods }, (_, mod) => ({ kind: "mod" as const, mod, name: modName(trace, mod) })),
    { kind: "output", mod: 0, name: "Output" },
  ];
}

/** The looks of blocks, from least to most important. A merged block has the most important look of its parts. */
export const blockLooks = [
  "sampled",
  "silent",
  "sampling",
  "pass",
  "prompt",
  "end",
  "other",
  "steered",
  "adjusted",
  "reinjected",
  "forced",
  "removed",
  "fault",
] as const;

export type BlockLook = (typeof blockLooks)[number];

export interface LaneBlock {
  /** Number of the span in the lane's table; in the output lane, index of the token. For a merged block, the item that gave the look. */
  item: number;
  /** Number of spans or tokens that are merged in the block. */
  count: number;
  /** Px. */
  left: number;
  width: number;
  /** Height as a share of the lane's height, from 0 to 1. */
  share: number;
  look: BlockLook;
  /** Whether the block continues the block before it: tokens that a mod added, or removed, together. */
  continuesPrevious: boolean;
}

/** The drawn part of an axis, and its width. */
export interface AxisScale {
  readonly axis: AxisName;
  readonly view: AxisView;
  /** Px. */
  readonly width: number;
}

/** The spans of a lane; null for the output lane, which has tokens instead. */
export function timeSpansOfLane(trace: TraceModel, { kind, mod }: Lane): TimeSpanTable | null {
  if (kind === "output") return null;
  const timeSpans = timeSpansOf(trace);
  return kind === "mod" ? (timeSpans.mods[mod] ?? emptyTable) : timeSpans[kind];
}

const emptyTable: TimeSpanTable = { startUs: [], endUs: [], token: [], record: [] };

/** Px. Narrower blocks are merged into columns of one px. */
const narrowestBlock = 2;

/** Calls `visit` for each block of a lane in view, from left to right. The block is the same object at each call. */
export function visitLaneBlocks(
  trace: TraceModel,
  lane: Lane,
  scale: AxisScale,
  visit: (block: Readonly<LaneBlock>) => void,
): void {
  const columns = mergeNarrowBlocks(scale, visit);
  const table = timeSpansOfLane(trace, lane);
  if (!table) addTokens(trace, scale, columns.add);
  else if (scale.axis === "tokens") addSpansByToken(trace, lane, table, scale, columns.add);
  else addSpansByTime(trace, lane, table, scale, columns.add);
  columns.end();
}

type AddItem = (
  item: number,
  from: number,
  to: number,
  share: number,
  look: BlockLook,
  continuesPrevious?: boolean,
) => void;

/** Passes wide blocks on unchanged, and merges narrow blocks into columns of one px. */
function mergeNarrowBlocks({ axis, view, width }: AxisScale, visit: (block: Readonly<LaneBlock>) => void) {
  const block: LaneBlock = {
    item: 0,
    count: 0,
    left: 0,
    width: 0,
    share: 0,
    look: "sampled",
    continuesPrevious: false,
  };
  const end = () => {
    if (block.count > 0) visit(block);
    block.count = 0;
  };
  const begin = (
    item: number,
    left: number,
    blockWidth: number,
    share: number,
    look: BlockLook,
    continuesPrevious: boolean,
  ) => {
    end();
    Object.assign(block, { item, count: 1, left, width: blockWidth, share, look, continuesPrevious });
  };
  const addToColumn = (item: number, column: number, share: number, look: BlockLook) => {
    if (block.count === 0 || block.width !== 1 || block.left !== column) {
      begin(item, column, 1, share, look, false);
      return;
    }
    block.count += 1;
    block.share = axis === "time" ? Math.min(1, block.share + share) : Math.max(block.share, share);
    if (look === block.look || blockLooks.indexOf(look) <= blockLooks.indexOf(block.look)) return;
    block.look = look;
    block.item = item;
  };
  // The factor of `axisValueToX`, computed once, because it is needed for each span in view.
  const pxPerValue = width / (view.to - view.from);
  const add: AddItem = (item, from, to, share, look, continuesPrevious = false) => {
    const left = (from - view.from) * pxPerValue;
    const right = (to - view.from) * pxPerValue;
    const column = Math.floor(left);
    if (right - left >= narrowestBlock) begin(item, left, right - left, share, look, continuesPrevious);
    else if (axis === "tokens") addToColumn(item, column, share, look);
    else {
      // On the time axis, the height of a column is the share of its time in which work was done.
      for (let at = column; at === column || at < right; at += 1)
        addToColumn(item, at, share * Math.max(0, Math.min(right, at + 1) - Math.max(left, at)), look);
    }
  };
  return { add, end };
}

/** On the token axis, the spans of a token share the token's room, and their height shows their duration. */
function addSpansByToken(
  trace: TraceModel,
  lane: Lane,
  table: TimeSpanTable,
  { view }: AxisScale,
  add: AddItem,
): void {
  const { token, startUs, endUs } = table;
  const lookAt = spanLooks(trace, lane, table);
  const first = firstIndexAtLeast(token, Math.floor(view.from));
  const end = firstIndexAtLeast(token, Math.ceil(view.to));
  const longest = trace.leftOut.has("timings") ? 0 : longestSpanDurationUs(lane, table, first, end);
  for (let span = first; span < end; ) {
    const tokenIndex = token[span] ?? 0;
    let next = span;
    while (next < end && token[next] === tokenIndex) next += 1;
    const room = 1 / (next - span);
    for (let place = 0; span < next; span += 1, place += 1) {
      const took = (endUs[span] ?? 0) - (startUs[span] ?? 0);
      const share = longest > 0 ? Math.min(1, took / longest) : 1;
      add(span, tokenIndex + place * room, tokenIndex + (place + 1) * room, share, lookAt(span));
    }
  }
}

/**
 * The longest duration of some spans. Passes of the prompt are left out, because all other spans would look flat. 0 if there
 * is none.
 */
export function longestSpanDurationUs(lane: Lane, table: TimeSpanTable, first: number, end: number): number {
  let longest = 0;
  for (let span = first; span < end; span += 1) {
    if (lane.kind === "passes" && table.token[span] === 0) continue;
    longest = Math.max(longest, (table.endUs[span] ?? 0) - (table.startUs[span] ?? 0));
  }
  return longest;
}

function addSpansByTime(
  trace: TraceModel,
  lane: Lane,
  table: TimeSpanTable,
  { view }: AxisScale,
  add: AddItem,
): void {
  const { startUs, endUs } = table;
  const lookAt = spanLooks(trace, lane, table);
  for (let span = firstIndexAtLeast(endUs, view.from); span < startUs.length; span += 1) {
    const start = startUs[span] ?? 0;
    if (start > view.to) return;
    add(span, start, endUs[span] ?? start, 1, lookAt(span));
  }
}

function addTokens(trace: TraceModel, { axis, view }: AxisScale, add: AddItem): void {
  const { tokens } = trace;
  const count = tokens.text.length;
  const from = axis === "tokens" ? Math.max(0, Math.floor(view.from)) : tokenAtValue(trace, axis, view.from);
  let before = lookOfToken(trace, from - 1);
  for (let index = from; index < count; index += 1) {
    let start = index;
    let end = index + 1;
    if (axis === "time") {
      const timeUs = tokens.timeUs[index] ?? 0;
      const isAlone = tokens.timeUs[index - 1] !== timeUs && tokens.timeUs[index + 1] !== timeUs;
      const times = isAlone
        ? { fromUs: Math.min(timeUs, tokens.timeUs[index - 1] ?? 0), toUs: timeUs }
        : timeOfToken(trace, index);
      start = times.fromUs;
      end = times.toUs;
    }
    if (start > view.to) return;
    const look = lookOfToken(trace, index);
    add(index, start, end, 1, look, look === before && isSameActionAsBefore(trace, index));
    before = look;
  }
}

type LookOfSpan = (span: number) => BlockLook;

function spanLooks(trace: TraceModel, { kind }: Lane, table: TimeSpanTable): LookOfSpan {
  if (kind === "passes") return (span) => (table.token[span] === 0 ? "prompt" : "pass");
  if (kind === "sampling") return () => "sampling";
  const known = callLooks.get(table) ?? [];
  callLooks.set(table, known);
  while (known.length < table.record.length) known.push(lookOfCall(trace, table.record[known.length]));
  return (span) => known[span] ?? "silent";
}

/** Cached looks of calls, by table: a call never changes. */
const callLooks = new WeakMap<TimeSpanTable, BlockLook[]>();

function lookOfCall(trace: TraceModel, record: number | undefined): BlockLook {
  const call = recordOf(trace, record, "modCall");
  if (!call) return "silent";
  if (call.fault || call.action.type === "error") return "fault";
  return isSuperseded(call) ? "silent" : lookOfAction[call.action.type];
}

const lookOfAction = {
  noop: "silent",
  adjustPrefill: "other",
  adjustLogits: "adjusted",
  forceTokens: "forced",
  backtrack: "removed",
  forceOutput: "forced",
  toolCalls: "other",
  error: "fault",
  steer: "steered",
  patch: "steered",
} as const satisfies Record<string, BlockLook>;

/** Whether one action of a mod added, or removed, this token together with the token before it. */
function isSameActionAsBefore({ tokens }: TraceModel, index: number): boolean {
  const span = tokens.removedBy[index] ?? noIndex;
  if (span !== noIndex) return span === tokens.removedBy[index - 1];
  return tokens.source[index] !== "sampled" && tokens.addedRecord[index] === tokens.addedRecord[index - 1];
}

function lookOfToken({ tokens, spans }: TraceModel, index: number): BlockLook {
  const span = tokens.removedBy[index] ?? noIndex;
  if (span !== noIndex) return spans[span]?.isQuestion ? "other" : "removed";
  const kind = tokens.kind[index] ?? "sampled";
  if (kind === "moved") return "other";
  if (kind !== "sampled" && (kind !== "adjusted" || tokens.counterfactual[index])) return kind;
  return tokens.steered[index] ? "steered" : "sampled";
}
