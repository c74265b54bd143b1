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
  goesOn: boolean;
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
const narrowest = 2;

/** Calls `give` for each block of a lane in view, from left to right. The block is the same object at each call. */
export function eachBlock(
  trace: TraceModel,
  lane: Lane,
  scale: AxisScale,
  give: (block: Readonly<LaneBlock>) => void,
): void {
  const columns = gather(scale, give);
  const table = timeSpansOfLane(trace, lane);
  if (!table) eachToken(trace, scale, columns.add);
  else if (scale.axis === "tokens") eachByToken(trace, lane, table, scale, columns.add);
  else eachByTime(trace, lane, table, scale, columns.add);
  columns.end();
}

type Add = (item: number, from: number, to: number, share: number, look: BlockLook, goesOn?: boolean) => void;

/** Passes wide blocks on unchanged, and merges narrow blocks into columns of one px. */
function gather({ axis, view, width }: AxisScale, give: (block: Readonly<LaneBlock>) => void) {
  const block: LaneBlock = { item: 0, count: 0, left: 0, width: 0, share: 0, look: "sampled", goesOn: false };
  const end = () => {
    if (block.count > 0) give(block);
    block.count = 0;
  };
  const begin = (
    item: number,
    left: number,
    wide: number,
    share: number,
    look: BlockLook,
    goesOn: boolean,
  ) => {
    end();
    Object.assign(block, { item, count: 1, left, width: wide, share, look, goesOn });
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
  // The factor of `toX`, computed once, because it is needed for each span in view.
  const pxPerValue = width / (view.to - view.from);
  const add: Add = (item, from, to, share, look, goesOn = false) => {
    const left = (from - view.from) * pxPerValue;
    const right = (to - view.from) * pxPerValue;
    const column = Math.floor(left);
    if (right - left >= narrowest) begin(item, left, right - left, share, look, goesOn);
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
function eachByToken(
  trace: TraceModel,
  lane: Lane,
  table: TimeSpanTable,
  { view }: AxisScale,
  add: Add,
): void {
  const { token, startUs, endUs } = table;
  const lookAt = lookerOf(trace, lane, table);
  const first = firstIndexAtLeast(token, Math.floor(view.from));
  const end = firstIndexAtLeast(token, Math.ceil(view.to));
  const longest = trace.leftOut.has("timings") ? 0 : longestSpanDuration(lane, table, first, end);
  for (let span = first; span < end; ) {
    const at = token[span] ?? 0;
    let next = span;
    while (next < end && token[next] === at) next += 1;
    const room = 1 / (next - span);
    for (let place = 0; span < next; span += 1, place += 1) {
      const took = (endUs[span] ?? 0) - (startUs[span] ?? 0);
      const share = longest > 0 ? Math.min(1, took / longest) : 1;
      add(span, at + place * room, at + (place + 1) * room, share, lookAt(span));
    }
  }
}

/**
 * The longest duration of some spans. Passes of the prompt are left out, because all other spans would look flat. 0 if there
 * is none.
 */
export function longestSpanDuration(lane: Lane, table: TimeSpanTable, first: number, end: number): number {
  let longest = 0;
  for (let span = first; span < end; span += 1) {
    if (lane.kind === "passes" && table.token[span] === 0) continue;
    longest = Math.max(longest, (table.endUs[span] ?? 0) - (table.startUs[span] ?? 0));
  }
  return longest;
}

function eachByTime(
  trace: TraceModel,
  lane: Lane,
  table: TimeSpanTable,
  { view }: AxisScale,
  add: Add,
): void {
  const { startUs, endUs } = table;
  const lookAt = lookerOf(trace, lane, table);
  for (let span = firstIndexAtLeast(endUs, view.from); span < startUs.length; span += 1) {
    const start = startUs[span] ?? 0;
    if (start > view.to) return;
    add(span, start, endUs[span] ?? start, 1, lookAt(span));
  }
}

function eachToken(trace: TraceModel, { axis, view }: AxisScale, add: Add): void {
  const { tokens } = trace;
  const count = tokens.text.length;
  const from = axis === "tokens" ? Math.max(0, Math.floor(view.from)) : tokenAtValue(trace, axis, view.from);
  let before = lookOfToken(trace, from - 1);
  for (let index = from; index < count; index += 1) {
    let start = index;
    let end = index + 1;
    if (axis === "time") {
      const own = tokens.timeUs[index] ?? 0;
      const isAlone = tokens.timeUs[index - 1] !== own && tokens.timeUs[index + 1] !== own;
      const times = isAlone
        ? { fromUs: Math.min(own, tokens.timeUs[index - 1] ?? 0), toUs: own }
        : timeOfToken(trace, index);
      [start, end] = [times.fromUs, times.toUs];
    }
    if (start > view.to) return;
    const look = lookOfToken(trace, index);
    add(index, start, end, 1, look, look === before && isTogether(trace, index));
    before = look;
  }
}

type LookAt = (span: number) => BlockLook;

function lookerOf(trace: TraceModel, { kind }: Lane, table: TimeSpanTable): LookAt {
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
function isTogether({ tokens }: TraceModel, index: number): boolean {
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
