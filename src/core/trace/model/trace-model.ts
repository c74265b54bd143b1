/**
 * Builds the data that the views draw from a trace's records, as they arrive, in constant time for each (amortised). The model
 * only grows: token, event and span numbers never change their meaning, so a view may store them. `trace-view.ts` has pure
 * functions that read the model.
 */
import type {
  AddedRecord,
  BacktrackedRecord,
  FinishedRecord,
  ForwardPassRecord,
  ModCallRecord,
  PrefilledRecord,
  SampledRecord,
  ScoredRecord,
  TraceRecord,
} from "../format/format.ts";
import { actionTraits } from "../format/format-action.ts";
import type { RequestRecord } from "../format/format-request.ts";
import type { LeftOut } from "../format/left-out.ts";
import { isHidden, markSpanWrittenAgain } from "./questions.ts";
import { createSteeringFollower, type SteeringFollower } from "./steering.ts";
import { createTokenTable, noIndex, type TokenKind, type TokenTable } from "./token-table.ts";
import {
  addModCall,
  type EventItem,
  entropyOf,
  findOrAddEvent,
  type Intervention,
  isSuperseded,
  noTotals,
  type RemovedSpan,
  type TraceTotals,
} from "./trace-items.ts";

export type { EventItem, Intervention, RemovedSpan, TraceTotals };

export interface TraceModel {
  /** A counter that every `append` raises. */
  readonly version: number;
  readonly records: readonly TraceRecord[];
  readonly leftOut: ReadonlySet<LeftOut>;
  readonly request: RequestRecord | null;
  readonly prefilled: PrefilledRecord | null;
  readonly finished: FinishedRecord | null;
  readonly tokens: TokenTable;
  /** Indices of the tokens in the output now. */
  readonly outputTokens: readonly number[];
  readonly spans: readonly RemovedSpan[];
  readonly events: readonly EventItem[];
  readonly interventions: readonly Intervention[];
  readonly totals: Readonly<TraceTotals>;
  /** Adds the next records of a trace. Their references must be valid: from the recorder, or checked by `parseTrace`. */
  append(records: readonly TraceRecord[]): void;
}

/** Numbers of records and events to which later records may refer; `noIndex` or null if there is none. */
interface Pending {
  forward: { record: number; event: number } | null;
  adjusted: number;
  sampled: number;
  /** The last mod call that forces tokens or backtracks, until its tokens have come. */
  flow: { record: number; event: number } | null;
  /** The removed span whose replacement has not come yet. */
  span: RemovedSpan | null;
  readonly steering: SteeringFollower;
}

interface Building {
  version: number;
  readonly records: TraceRecord[];
  request: RequestRecord | null;
  prefilled: PrefilledRecord | null;
  finished: FinishedRecord | null;
  readonly leftOut: ReadonlySet<LeftOut>;
  readonly tokens: TokenTable;
  readonly outputTokens: number[];
  readonly spans: RemovedSpan[];
  readonly events: EventItem[];
  readonly interventions: Intervention[];
  readonly totals: TraceTotals;
}

export function createTraceModel(leftOut: Iterable<LeftOut> = []): TraceModel {
  const pending: Pending = {
    forward: null,
    adjusted: noIndex,
    sampled: noIndex,
    flow: null,
    span: null,
    steering: createSteeringFollower(),
  };
  const model: Building & Pick<TraceModel, "append"> = {
    version: 0,
    records: [],
    leftOut: new Set(leftOut),
    request: null,
    prefilled: null,
    finished: null,
    tokens: createTokenTable(),
    outputTokens: [],
    spans: [],
    events: [],
    interventions: [],
    totals: noTotals(),
    append(records) {
      for (const record of records) {
        model.records.push(record);
        pending.steering.take(record);
        take(model, pending, record, model.records.length - 1);
      }
      model.version += 1;
    },
  };
  return model;
}

function take(model: Building, pending: Pending, record: TraceRecord, number: number): void {
  switch (record.type) {
    case "request":
      model.request = record;
      return;
    case "prefilled":
      model.prefilled = record;
      findOrAddEvent(model.events, record, number);
      return;
    case "forwardPass":
      takeForwardPass(model, pending, record, number);
      return;
    case "adjusted":
      takeAdjusted(model, pending, number);
      return;
    case "modCall":
      takeModCall(model, pending, record, number);
      return;
    case "sampled":
      takeSampled(model, pending, record, number);
      return;
    case "added":
      takeAdded(model, pending, record, number);
      return;
    case "scored":
      takeScored(model, record, number);
      return;
    case "backtracked":
      takeBacktracked(model, pending, record, number);
      return;
    case "finished":
      model.finished = record;
      findOrAddEvent(model.events, record, number);
  }
}

function takeForwardPass(model: Building, pending: Pending, record: ForwardPassRecord, number: number): void {
  pending.forward = { record: number, event: findOrAddEvent(model.events, record, number).number };
  pending.adjusted = noIndex;
  pending.sampled = noIndex;
  model.totals.forwardUs += record.durationUs;
  if (record.tokenCount > 0) model.totals.forwardPasses += 1;
}

function takeAdjusted(model: Building, pending: Pending, number: number): void {
  pending.adjusted = number;
  const event = pending.forward && model.events[pending.forward.event];
  if (event) event.adjusted = number;
}

function takeModCall(model: Building, pending: Pending, record: ModCallRecord, number: number): void {
  const event = addModCall(model.events, record, number);
  model.totals.modCalls += 1;
  model.totals.modUs += record.durationUs;
  if (record.fault) model.totals.faults += 1;
  const kind = record.fault ? "fault" : record.action.type;
  if (kind === "noop" || (kind !== "fault" && isSuperseded(record))) return;
  if (kind !== "fault" && actionTraits[kind].addsTokens) {
    pending.flow = { record: number, event: event.number };
  }
  model.interventions.push({
    number: model.interventions.length,
    kind,
    mod: record.mod,
    callRecord: number,
    event: event.number,
    tokenIndex: interventionToken(model, record),
  });
}

function interventionToken(model: Building, record: ModCallRecord): number {
  const next = model.tokens.token.length;
  if (record.fault || record.action.type !== "backtrack") return next;
  return model.outputTokens[model.outputTokens.length - record.action.count] ?? next;
}

function takeSampled(model: Building, pending: Pending, record: SampledRecord, number: number): void {
  pending.sampled = number;
  findOrAddEvent(model.events, record, number);
}

function takeAdded(model: Building, pending: Pending, record: AddedRecord, number: number): void {
  const event = findOrAddEvent(model.events, record, number);
  event.firstToken = record.index;
  event.tokenCount = record.tokens.length;
  const repeated = pending.span ? markSpanWrittenAgain(model, pending.span, record.tokens) : 0;
  for (let offset = 0; offset < record.tokens.length; offset += 1) {
    addToken(model, pending, record, number, offset, offset < repeated);
  }
  pending.sampled = noIndex;
  pending.adjusted = noIndex;
  pending.span = null;
  pending.flow = null;
}

function addToken(
  model: Building,
  pending: Pending,
  record: AddedRecord,
  number: number,
  offset: number,
  /** True if the token repeats text of a question. */
  isMoved: boolean,
): void {
  const token = record.tokens[offset];
  if (!token) return;
  const { tokens } = model;
  const index = tokens.token.length;
  const isSampled = record.source === "sampled";
  const isFirst = isSampled && offset === 0;
  const choice = isFirst ? recordAt(model, pending.sampled) : undefined;
  const sampled = choice?.type === "sampled" ? choice : null;
  const adjusted = isFirst ? pending.adjusted : noIndex;
  const forward = isFirst ? pending.forward : null;
  const cause = isSampled ? pending.forward : pending.flow;
  const steered = isSampled ? pending.steering.drawnUnder : null;
  const isEnd = record.isEos && offset === record.tokens.length - 1;
  // A backtrack of 0 tokens or of a question removes no text, so its tokens replace nothing and count as forced.
  const replaces = pending.span?.isQuestion === false;
  const source = record.source === "reinjected" && !replaces ? "forced" : record.source;
  const kind: TokenKind = isMoved ? "moved" : source;
  // Token healing narrows the probabilities to tokens that begin with the text; that is no edit of a mod.
  const isAdjusted = adjusted !== noIndex && !sampled?.healed;
  tokens.token.push(token.token);
  tokens.text.push(token.text);
  tokens.source.push(record.source);
  tokens.kind.push(kindOf(kind, isEnd, isAdjusted));
  tokens.step.push(record.step - record.tokens.length + offset);
  tokens.timeUs.push(record.timeUs);
  tokens.mod.push(record.mod ?? noIndex);
  tokens.removedBy.push(noIndex);
  tokens.replaces.push(pending.span?.number ?? noIndex);
  tokens.logprobBefore.push(sampled?.logprobBefore ?? Number.NaN);
  tokens.logprobAfter.push(sampled?.logprobAfter ?? Number.NaN);
  tokens.probability.push(sampled?.probability ?? Number.NaN);
  tokens.entropyBefore.push(entropyOf(recordAt(model, forward?.record ?? noIndex)));
  tokens.entropyAfter.push(entropyOf(recordAt(model, adjusted)));
  // Only the first of several tokens has a counterfactual token.
  tokens.counterfactual.push((sampled ?? (offset === 0 ? record : null))?.counterfactual ?? null);
  tokens.steered.push(steered);
  tokens.addedRecord.push(number);
  tokens.forwardRecord.push(forward?.record ?? noIndex);
  tokens.adjustedRecord.push(adjusted);
  tokens.sampledRecord.push(sampled ? pending.sampled : noIndex);
  tokens.scoredRecord.push(noIndex);
  tokens.event.push(cause?.event ?? noIndex);
  tokens.callRecord.push(isSampled ? noIndex : (pending.flow?.record ?? noIndex));
  pending.span?.replacedBy.push(index);
  model.outputTokens.push(index);
  if (isAdjusted) model.totals.adjusted += 1;
  if (steered) model.totals.steered += 1;
  if (source !== "sampled") model.totals[source] += 1;
}

function kindOf(kind: TokenKind, isEnd: boolean, isAdjusted: boolean): TokenKind {
  if (isEnd) return "end";
  return isAdjusted ? "adjusted" : kind;
}

/** Returns undefined for `noIndex` without a lookup: looking up entry -1 of a list is slow in browsers. */
function recordAt({ records }: Building, number: number): TraceRecord | undefined {
  return number === noIndex ? undefined : records[number];
}

function takeScored(model: Building, record: ScoredRecord, number: number): void {
  const { tokens } = model;
  record.logprobs.forEach((logprob, offset) => {
    const index = record.index + offset;
    tokens.logprobBefore[index] = logprob;
    tokens.entropyBefore[index] = record.distributions[offset]?.entropy ?? Number.NaN;
    tokens.scoredRecord[index] = number;
  });
}

function takeBacktracked(model: Building, pending: Pending, record: BacktrackedRecord, number: number): void {
  const event = findOrAddEvent(model.events, record, number);
  const span: RemovedSpan = {
    number: model.spans.length,
    removed: record.removed,
    step: record.step,
    mod: record.mod,
    timeUs: record.timeUs,
    event: pending.flow?.event ?? null,
    callRecord: pending.flow?.record ?? null,
    replacementCount: record.replacement,
    replacedBy: [],
    isQuestion: record.removed.length > 0 && record.removed.every((index) => isHidden(model, index)),
    isRepeated: false,
  };
  model.spans.push(span);
  event.span = span.number;
  event.firstToken = record.removed[0] ?? null;
  event.tokenCount = record.removed.length;
  for (const index of record.removed) model.tokens.removedBy[index] = span.number;
  model.outputTokens.length -= record.removed.length;
  model.totals.removed += record.removed.length;
  pending.span = record.replacement > 0 ? span : null;
  pending.sampled = noIndex;
  pending.adjusted = noIndex;
}
