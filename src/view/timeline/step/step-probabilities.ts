/** The probabilities of one step as they went from the model through each mod to the draw, as far as the record holds them. Pure. */

import type {
  ModCallRecord,
  SampledRecord,
  TraceDistribution,
  TraceTopK,
} from "../../../core/trace/format/format.ts";
import { callSummary } from "../../../core/trace/model/call-summary.ts";
import { none } from "../../../core/trace/model/token-table.ts";
import type { EventItem, TraceModel } from "../../../core/trace/model/trace-model.ts";
import { modName, recordOf } from "../../../core/trace/model/trace-view.ts";

export interface KnownProbabilities {
  /** Id; -1 where a link left the ids out. */
  readonly token: number;
  /** Null if the record has the id alone. */
  readonly text: string | null;
  /** Over the whole vocabulary, before temperature and cut-offs. */
  readonly probability: number;
}

/** The probabilities as they were at one time: the most likely tokens first, and what every token that is not listed has at most. */
export interface Probabilities {
  readonly list: readonly KnownProbabilities[];
  readonly mostOther: number;
}

/** The probabilities after one mod. */
export interface ProbabilitiesStage {
  /** Number of the record of the call. */
  readonly record: number;
  readonly modName: string;
  readonly summary: string;
  /** Null if the record does not hold them: nobody read them after this mod. */
  readonly probabilities: Probabilities | null;
  /** The temperature after this mod: its own, or that of an earlier mod, or the request's. */
  readonly temperature: number;
}

export interface StepProbabilities {
  readonly model: Probabilities;
  /** The probabilities after each call that changed them, in order; the last entry is the distribution that was sampled from. */
  readonly stages: readonly ProbabilitiesStage[];
  /** Stages that are left out between the first ones and the last. */
  readonly leftOut: number;
  /** Null if nothing was drawn: a mod forced a token before. */
  readonly sampled: SampledRecord | null;
  /** The temperature of the draw. */
  readonly temperature: number;
  /** A mod put another token in the place of the one that was drawn. */
  readonly isForced: boolean;
}

/** Mods whose probabilities are shown one by one. */
const mostStages = 6;

/** Null if the record has no probabilities of the step: they were left out, or the token is one of several that were forced together. */
export function stepProbabilities(trace: TraceModel, index: number): StepProbabilities | null {
  if (trace.leftOut.has("probabilities")) return null;
  const { tokens, events, request } = trace;
  const cause = events[tokens.event[index] ?? none];
  if (!cause || !request) return null;
  const isFirst = tokens.addedRecord[index] !== tokens.addedRecord[index - 1];
  // A mod that forces at `sampled` does so after the draw, whose pass is the event before.
  const isForced = cause.type === "sampled" && isFirst && tokens.source[index] !== "sampled";
  const event = isForced ? events[cause.number - 1] : cause;
  const forward = recordOf(trace, event?.record ?? none, "forwardPass");
  if (!event || !forward?.before || forward.before.top.length === 0) return null;
  if (!isForced && tokens.source[index] !== "sampled") return null;
  const adjusted = recordOf(trace, event.adjusted ?? none, "adjusted");
  const sampledNumber = isForced ? cause.record : tokens.sampledRecord[index];
  const sampled = recordOf(trace, sampledNumber ?? none, "sampled");
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
  const all = editsAt(trace, event);
  const shown = all.length > mostStages ? [...all.slice(0, mostStages - 1), ...all.slice(-1)] : all;
  return {
    model,
    stages: shown.map((edit) => stageOf(trace, event, edit, edit === all.at(-1) ? last : null, texts)),
    leftOut: all.length - shown.length,
    sampled,
    temperature: adjusted?.temperature ?? request.sampling.temperature,
    isForced,
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
  last: Probabilities | null,
  texts: ReadonlyMap<number, string>,
): ProbabilitiesStage {
  const call = recordOf(trace, record, "modCall");
  const given = last ? null : readAfter(trace, event, record);
  return {
    record,
    modName: modName(trace, call?.mod ?? 0),
    summary: call ? callSummary(call) : "",
    probabilities: last ?? (given && topKProbabilities(given, texts)),
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

/** The probabilities that the next mod read, up to the mod that changed them again. */
function readAfter({ records }: TraceModel, event: EventItem, record: number): TraceTopK | null {
  for (let place = event.calls.indexOf(record) + 1; place < event.calls.length; place += 1) {
    const next = records[event.calls[place] ?? none] as ModCallRecord | undefined;
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

/** The longest of the lists that were recorded, and the token that was drawn, which is always known. */
function probabilitiesOf(
  { top }: TraceDistribution,
  recorded: TraceTopK | null,
  texts: ReadonlyMap<number, string>,
  drawn: { readonly token: number; readonly text: string; readonly logprob: number } | null,
): Probabilities {
  const listed = top.map(({ token, text, logprob }) => ({ token, text, probability: Math.exp(logprob) }));
  const { list, mostOther } =
    recorded && recorded.tokens.length > top.length
      ? topKProbabilities(recorded, texts)
      : { list: listed, mostOther: listed.at(-1)?.probability ?? 1 };
  if (!drawn || list.some((each) => keyOf(each) === keyOf(drawn))) return { list, mostOther };
  const own = { token: drawn.token, text: drawn.text, probability: Math.exp(drawn.logprob) };
  return { list: [...list, own].sort((one, other) => other.probability - one.probability), mostOther };
}

function topKProbabilities(
  { asked, tokens, logprobs }: TraceTopK,
  texts: ReadonlyMap<number, string>,
): Probabilities {
  const list = tokens.map((token, place) => ({
    token,
    text: texts.get(token) ?? null,
    probability: Math.exp(logprobs[place] ?? Number.NEGATIVE_INFINITY),
  }));
  return { list, mostOther: tokens.length < asked ? 0 : (list.at(-1)?.probability ?? 1) };
}

/** The identity of a token: its id, or its text if ids are not recorded. */
export function keyOf({ token, text }: { readonly token: number; readonly text: string | null }): string {
  return token >= 0 ? String(token) : `text ${text}`;
}
