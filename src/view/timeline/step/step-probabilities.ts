/** The probabilities of one step: from the model, after each mod, and in the draw, as far as they are recorded. Pure. */

import type {
  ModCallRecord,
  SampledRecord,
  TraceDistribution,
  TraceTopK,
} from "../../../core/trace/format/format.ts";
import { modCallSummary } from "../../../core/trace/model/call-summary.ts";
import { noIndex } from "../../../core/trace/model/token-table.ts";
import type { EventItem, TraceModel } from "../../../core/trace/model/trace-model.ts";
import { modName, recordOf } from "../../../core/trace/model/trace-view.ts";
import { isChosenByUser } from "./inspection.ts";

export interface TokenProbability {
  /** Token id; -1 if a link left the ids out. */
  readonly token: number;
  /** Null if the record has only the id. */
  readonly text: string | null;
  /** Probability over the whole vocabulary, before temperature and cut-offs. */
  readonly probability: number;
}

/** The probabilities at one time: a list of the most likely tokens, sorted; and an upper bound for every token that is not listed. */
export interface ListedProbabilities {
  readonly list: readonly TokenProbability[];
  readonly mostOther: number;
}

/** The probabilities after one mod. */
export interface ProbabilitiesStage {
  /** Number of the record of the call. */
  readonly record: number;
  readonly modName: string;
  readonly summary: string;
  /** Null if the probabilities after this mod were not recorded, because nothing read them. */
  readonly probabilities: ListedProbabilities | null;
  /** The temperature after this mod: from this mod, or else from an earlier mod, or else the request's. */
  readonly temperature: number;
}

export interface StepProbabilities {
  readonly model: ListedProbabilities;
  /** The probabilities after each call that changed them, in order; the last entry is the distribution that was sampled from. */
  readonly stages: readonly ProbabilitiesStage[];
  /** Number of stages that are left out between the first stages and the last. */
  readonly leftOut: number;
  /** The record of the draw; null if the trace has none. */
  readonly sampled: SampledRecord | null;
  /** The temperature of the draw. */
  readonly temperature: number;
  /** True if a mod replaced the drawn token with another token. */
  readonly isForced: boolean;
  /** True if the user chose the token, so that the random number decided nothing. */
  readonly isChosenByUser: boolean;
}

/** The most mods whose probabilities are shown separately. */
const mostStages = 6;

/** Null if the record has no probabilities of the step, or if a mod wrote the token without a draw. */
export function stepProbabilities(trace: TraceModel, index: number): StepProbabilities | null {
  if (trace.leftOut.has("probabilities")) return null;
  const { tokens, events, request } = trace;
  const cause = events[tokens.event[index] ?? noIndex];
  if (!cause || !request) return null;
  const isFirst = tokens.addedRecord[index] !== tokens.addedRecord[index - 1];
  // A mod that forces a token at `sampled` acts after the draw; the draw's forward pass is the event before.
  const isForced = cause.type === "sampled" && isFirst && tokens.source[index] !== "sampled";
  const event = isForced ? events[cause.number - 1] : cause;
  const forward = recordOf(trace, event?.record ?? noIndex, "forwardPass");
  if (!event || !forward?.before || forward.before.top.length === 0) return null;
  if (!isForced && tokens.source[index] !== "sampled") return null;
  const adjusted = recordOf(trace, event.adjusted ?? noIndex, "adjusted");
  const sampledNumber = isForced ? cause.record : tokens.sampledRecord[index];
  const sampled = recordOf(trace, sampledNumber ?? noIndex, "sampled");
  const texts = textsOf(forward.before, adjusted?.after ?? null, sampled);
  const model = probabilitiesOf(
    forward.before,
    forward.likeliest,
    texts,
    sampled && { ...sampled, logprob: sampled.logprobBefore },
  );
  const last =
    adjusted &&
    probabilitiesOf(adjusted.after, null, texts, sampled && { ...sampled, logprob: sampled.logprobAfter });
  const edits = editsAt(trace, event);
  const shown = edits.length > mostStages ? [...edits.slice(0, mostStages - 1), ...edits.slice(-1)] : edits;
  return {
    model,
    stages: shown.map((edit) => stageOf(trace, event, edit, edit === edits.at(-1) ? last : null, texts)),
    leftOut: edits.length - shown.length,
    sampled,
    temperature: adjusted?.temperature ?? request.sampling.temperature,
    isForced,
    isChosenByUser: isChosenByUser(trace, index),
  };
}

/** Numbers of the records of the calls that changed the probabilities. */
function editsAt(trace: TraceModel, event: EventItem): readonly number[] {
  if (event.adjusted === null) return [];
  return event.calls.filter((number) => {
    const call = recordOf(trace, number, "modCall");
    return call !== null && call.action.type === "adjustLogits" && call.fault === null;
  });
}

function stageOf(
  trace: TraceModel,
  event: EventItem,
  record: number,
  last: ListedProbabilities | null,
  texts: ReadonlyMap<number, string>,
): ProbabilitiesStage {
  const call = recordOf(trace, record, "modCall");
  const readTopK = last ? null : readAfter(trace, event, record);
  return {
    record,
    modName: modName(trace, call?.mod ?? 0),
    summary: call ? modCallSummary(call) : "",
    probabilities: last ?? (readTopK && topKProbabilities(readTopK, texts)),
    temperature: temperatureAfter(trace, event, record),
  };
}

function temperatureAfter({ records, request }: TraceModel, event: EventItem, record: number): number {
  let temperature = request?.sampling.temperature ?? 0;
  for (const number of event.calls) {
    const call = records[number];
    if (call?.type === "modCall" && call.fault === null && call.action.type === "adjustLogits")
      temperature = call.action.temperature ?? temperature;
    if (number === record) break;
  }
  return temperature;
}

/** The probabilities after a mod, from the first later mod that read them before another mod changed them. */
function readAfter({ records }: TraceModel, event: EventItem, record: number): TraceTopK | null {
  for (let place = event.calls.indexOf(record) + 1; place < event.calls.length; place += 1) {
    const next = records[event.calls[place] ?? noIndex] as ModCallRecord | undefined;
    if (next?.given) return next.given;
    if (next?.action.type === "adjustLogits" && next.fault === null) return null;
  }
  return null;
}

function textsOf(
  before: TraceDistribution,
  after: TraceDistribution | null,
  sampled: SampledRecord | null,
): ReadonlyMap<number, string> {
  const known = [
    ...before.top,
    ...(after?.top ?? []),
    ...(sampled ? [sampled] : []),
    ...(sampled?.counterfactual ? [sampled.counterfactual] : []),
  ];
  return new Map(known.map(({ token, text }) => [token, text]));
}

/** The longest recorded list, with the drawn token, whose probability is always known. */
function probabilitiesOf(
  { top }: TraceDistribution,
  recorded: TraceTopK | null,
  texts: ReadonlyMap<number, string>,
  drawn: { readonly token: number; readonly text: string; readonly logprob: number } | null,
): ListedProbabilities {
  const listed = top.map(({ token, text, logprob }) => ({ token, text, probability: Math.exp(logprob) }));
  const { list, mostOther } =
    recorded && recorded.tokens.length > top.length
      ? topKProbabilities(recorded, texts)
      : { list: listed, mostOther: listed.at(-1)?.probability ?? 1 };
  if (!drawn || list.some((each) => tokenIdentity(each) === tokenIdentity(drawn))) return { list, mostOther };
  const drawnToken = { token: drawn.token, text: drawn.text, probability: Math.exp(drawn.logprob) };
  return { list: [...list, drawnToken].sort((one, other) => other.probability - one.probability), mostOther };
}

function topKProbabilities(
  { asked, tokens, logprobs }: TraceTopK,
  texts: ReadonlyMap<number, string>,
): ListedProbabilities {
  const list = tokens.map((token, place) => ({
    token,
    text: texts.get(token) ?? null,
    probability: Math.exp(logprobs[place] ?? Number.NEGATIVE_INFINITY),
  }));
  return { list, mostOther: tokens.length < asked ? 0 : (list.at(-1)?.probability ?? 1) };
}

/** The identity of a token: its id, or its text if ids are not recorded. */
export function tokenIdentity({
  token,
  text,
}: {
  readonly token: number;
  readonly text: string | null;
}): string {
  return token >= 0 ? String(token) : `text ${text}`;
}
