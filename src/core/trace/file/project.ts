/**
 * Reduces a trace to the parts that go into a link: the chosen parts, with rounded numbers. The result is a valid trace itself.
 */
import { forEachResumable, type ResumableWork, runToEnd } from "../../base/resumable-work.ts";
import {
  candidateCountGrid,
  entropyGrid,
  logprobGrid,
  probabilityGrid,
  type RoundingGrid,
  samplerDrawGrid,
  snap,
} from "../codec/grids.ts";
import {
  TRACE_VERSION,
  type Trace,
  type TraceAction,
  type TraceDistribution,
  type TraceRecord,
  type TraceToken,
  type TraceVector,
} from "../format/format.ts";
import type { LeftOut } from "../format/left-out.ts";
import { workOfRecord } from "../format/record-work.ts";
import { vectorsOf } from "../format/vectors.ts";
import { toWellFormed } from "../parse/check.ts";

/** The parts of a trace that a link holds. */
export interface LinkParts {
  /** Probabilities before and after the mods, and entropies; rounded. */
  readonly probabilities: boolean;
  /** The alternatives of each step: none, the three most likely where a mod acted or the entropy is above 2 bits, or all. */
  readonly alternatives: "none" | "gated" | "all";
  /** The sampler's random draws, to 16 bits. */
  readonly draws: boolean;
  /** Ids of tokens. The tokens' texts are always in the link. */
  readonly tokenIds: boolean;
  /** Times, durations and the date. */
  readonly timings: boolean;
  /** The mods' console output. */
  readonly logs: boolean;
  /** Messages and the computed prompt. */
  readonly prompt: boolean;
}

export const defaultParts: LinkParts = {
  probabilities: true,
  alternatives: "none",
  draws: false,
  tokenIds: true,
  timings: false,
  logs: true,
  prompt: true,
};

const gate = { bits: 2, count: 3 };

/** Which parts of any trace these settings leave out; `leftOutAlways` says what else no link has. */
export function leftOutOf(parts: LinkParts): readonly LeftOut[] {
  const notes: (LeftOut | false)[] = [
    !parts.timings && "timings",
    parts.probabilities ? "exactNumbers" : "probabilities",
    parts.alternatives === "none" && "alternatives",
    parts.alternatives === "gated" && "someAlternatives",
    !parts.draws && "draws",
    !parts.tokenIds && "tokenIds",
    !parts.prompt && "prompt",
    !parts.logs && "logs",
  ];
  return notes.filter((note) => note !== false);
}

/** The parts of this trace that links never hold. */
export function leftOutAlways({ records }: Trace): readonly LeftOut[] {
  const hasRead = (record: TraceRecord) =>
    (record.type === "forwardPass" && record.likeliest !== null) ||
    (record.type === "modCall" && record.given !== null);
  const hasNumbers = (record: TraceRecord) =>
    record.type === "modCall" && vectorsOf(record.action).some(({ numbers }) => numbers !== null);
  return [
    ...(records.some(hasRead) ? (["given"] as const) : []),
    ...(records.some(hasNumbers) ? (["vectors"] as const) : []),
  ];
}

/** The trace that a link with these parts shows: `decodePermalink(encodePermalink(trace, parts))` gives exactly this. */
export function reduceToLinkParts(trace: Trace, parts: LinkParts): Trace {
  return runToEnd(reducingToLinkParts(trace, parts));
}

/** Like `reduceToLinkParts`, in steps. */
export function* reducingToLinkParts(trace: Trace, parts: LinkParts): ResumableWork<Trace> {
  const adjusted = adjustedPasses(trace.records);
  const [request] = trace.records;
  const vocabularySize = request?.type === "request" ? request.model.vocabularySize : 0;
  const records: TraceRecord[] = [];
  yield* forEachResumable(
    trace.records,
    (record, number) =>
      records.push(projectRecord(record, { parts, vocabularySize, wasAdjusted: adjusted.has(number) })),
    workOfRecord,
  );
  return { version: TRACE_VERSION, records };
}

/** Places of the `forwardPass` records whose logits a mod changed. */
function adjustedPasses(records: readonly TraceRecord[]): ReadonlySet<number> {
  const found = new Set<number>();
  let pass = -1;
  records.forEach(({ type }, number) => {
    if (type === "forwardPass") pass = number;
    if (type === "adjusted" && pass >= 0) found.add(pass);
  });
  return found;
}

/** The settings that decide how much of a field a link holds. */
interface Projection {
  readonly parts: LinkParts;
  readonly vocabularySize: number;
  /** True if a mod changed the logits of this forward pass. */
  readonly wasAdjusted: boolean;
}

/**
 * Returns the value that a link holds for a field: the value itself, a rounded value, or a neutral value if the part is left out.
 */
type Keep<Value> = (value: Value, projection: Projection) => Value;
type KeptFields<Fields> = { readonly [Name in Exclude<keyof Fields, "type">]-?: Keep<Fields[Name]> };

const always = <Value>(value: Value): Value => value;
/**
 * Drops the field. A value would take two hundred characters of the link at each step, and only a replay of mods needs the
 * value.
 */
const never = (): null => null;
const timing: Keep<number> = (value, { parts }) => (parts.timings ? value : 0);
/** Rounds a number to a grid, since a link holds places on grids; returns 0 if the link leaves probabilities out. */
const rounded =
  (grid: RoundingGrid): Keep<number> =>
  (value, { parts }) =>
    parts.probabilities ? snap(grid, value) : 0;
const ofPrompt = <Value>(value: readonly Value[], { parts }: Projection) => (parts.prompt ? value : []);
const tokenId: Keep<number> = (value, { parts }) => (parts.tokenIds ? value : -1);
const token: Keep<TraceToken> = (value, projection) => ({
  token: tokenId(value.token, projection),
  text: toWellFormed(value.text),
});
const counterfactual: Keep<TraceToken | null> = (value, projection) => value && token(value, projection);
const tokens: Keep<readonly TraceToken[]> = (value, projection) =>
  value.map((each) => token(each, projection));
/** The distribution of a step at which a mod acted. Its top-k tokens are dropped only if `parts.alternatives` is "none". */
const touched: Keep<TraceDistribution> = (value, projection) =>
  distribution(value, { ...projection, wasAdjusted: true });

const withoutNumbers = (vector: TraceVector): TraceVector => ({ ...vector, numbers: null });

const action: Keep<TraceAction> = (value, { parts }) => {
  if (value.type === "adjustLogits") return { ...value, digest: null };
  if (value.type === "patch") return { ...value, vector: withoutNumbers(value.vector) };
  if (value.type === "steer") {
    const vectors = value.vectors.map((each) => ({ ...each, vector: withoutNumbers(each.vector) }));
    return { ...value, vectors };
  }
  return parts.tokenIds || !("tokens" in value) ? value : { ...value, tokens: value.tokens.map(() => -1) };
};

/**
 * For every field of every record, the value that a link holds. The type asks for all fields, so a new field does not compile
 * until it is listed here.
 */
const kept: {
  readonly [Type in TraceRecord["type"]]: KeptFields<Extract<TraceRecord, { type: Type }>>;
} = {
  request: {
    requestId: always,
    createdAt: timing,
    model: always,
    messages: ofPrompt,
    rawPrompt: always,
    parseSpecial: always,
    heal: always,
    // The tools are part of the prompt that the model read. Without them `toolChoice` cannot name one, and becomes "auto".
    tools: ofPrompt,
    toolChoice: (value, { parts }) => (parts.prompt ? value : "auto"),
    parallelToolCalls: always,
    responseFormat: always,
    sampling: always,
    seed: always,
    maxTokens: always,
    stop: always,
    budget: always,
    onModError: always,
    deadlines: always,
    mods: always,
    branch: always,
    maker: always,
    thinking: always,
    reasoning: always,
  },
  prefilled: {
    timeUs: timing,
    tokens: (value, projection) => (projection.parts.prompt ? tokens(value, projection) : []),
    originalLength: always,
    isOpen: always,
    special: (value, { parts }) => (parts.prompt ? value : undefined),
  },
  forwardPass: {
    timeUs: timing,
    step: always,
    durationUs: timing,
    tokenCount: always,
    contextLength: always,
    before: (value, projection) => value && distribution(value, projection),
    likeliest: never,
  },
  adjusted: { timeUs: timing, step: always, after: touched, temperature: always },
  modCall: {
    timeUs: timing,
    step: always,
    durationUs: timing,
    mod: always,
    event: always,
    action,
    given: never,
    scores: always,
    superseded: always,
    console: (value, { parts }) => (parts.logs ? value : []),
    fault: always,
    line: always,
  },
  sampled: {
    timeUs: timing,
    step: always,
    token: tokenId,
    text: toWellFormed,
    draw: (value, { parts }) => (parts.draws ? snap(samplerDrawGrid, value) : 0),
    logprobBefore: rounded(logprobGrid),
    logprobAfter: rounded(logprobGrid),
    probability: rounded(probabilityGrid),
    // A count equal to the vocabulary's size means that nothing was cut off: that number stays exact.
    candidates: (value, projection) =>
      value === projection.vocabularySize && projection.parts.probabilities
        ? value
        : rounded(candidateCountGrid)(value, projection),
    counterfactual,
    healed: (value) => value && { ...value, text: toWellFormed(value.text) },
    drawnBy: always,
  },
  added: {
    timeUs: timing,
    step: always,
    index: always,
    tokens,
    source: always,
    mod: always,
    isEos: always,
    hidden: always,
    counterfactual,
    isOpen: always,
  },
  scored: {
    timeUs: timing,
    index: always,
    logprobs: (value, projection) => value.map((each) => rounded(logprobGrid)(each, projection)),
    distributions: (value, projection) => value.map((each) => touched(each, projection)),
  },
  backtracked: { timeUs: timing, step: always, mod: always, removed: always, replacement: always },
  finished: {
    timeUs: timing,
    step: always,
    reason: always,
    lengthLimit: always,
    text: always,
    toolCalls: always,
    error: always,
    usage: always,
    prefillUs: timing,
    decodeUs: timing,
  },
};

/** Projects one record. The table has every field but `type`. An optional field that the link leaves out is absent. */
function projectRecord(record: TraceRecord, projection: Projection): TraceRecord {
  const keep = kept[record.type] as Readonly<Record<string, Keep<unknown> | undefined>>;
  const fields = Object.entries(record).map(([name, value]) => [
    name,
    (keep[name] ?? always)(value, projection),
  ]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as unknown as TraceRecord;
}

function distribution(
  { entropy, top, partial }: TraceDistribution,
  projection: Projection,
): TraceDistribution {
  const { parts, wasAdjusted } = projection;
  if (!parts.probabilities) return { entropy: 0, top: [] };
  const isGated = parts.alternatives === "gated" && (wasAdjusted || entropy > gate.bits);
  const gatedTop = isGated ? top.slice(0, gate.count) : [];
  const kept = parts.alternatives === "all" ? top : gatedTop;
  return {
    entropy: snap(entropyGrid, entropy),
    top: kept.map((each) => ({ ...token(each, projection), logprob: snap(logprobGrid, each.logprob) })),
    ...(partial && { partial }),
  };
}
