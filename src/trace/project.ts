/** What a link keeps of a trace: the parts that were asked for, numbers rounded. The result is a sound trace of its own. */
import { wellFormed } from "./check.ts";
import {
  countGrid,
  drawGrid,
  entropyGrid,
  type Grid,
  logprobGrid,
  probabilityGrid,
  snap,
} from "./codec/grids.ts";
import type { Trace, TraceAction, TraceDistribution, TraceRecord, TraceToken } from "./format.ts";
import { TRACE_VERSION } from "./format.ts";
import type { LeftOut } from "./left-out.ts";

/** Which parts a link keeps. */
export interface LinkParts {
  /** Probabilities before and after the mods, and entropies; rounded. */
  readonly probabilities: boolean;
  /** The alternatives of each step: none, the three likeliest where a mod acted or the entropy is above 2 bits, or all. */
  readonly alternatives: "none" | "gated" | "all";
  /** The sampler's random draws, to 16 bits. */
  readonly draws: boolean;
  /** Ids of tokens; their text is kept always. */
  readonly tokenIds: boolean;
  /** Times, durations and the date. */
  readonly timings: boolean;
  /** What mods wrote to the console. */
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

/** Which parts of a trace these settings leave out. */
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

/** The trace that a link with these parts shows: `decodePermalink(encodePermalink(trace, parts))` gives exactly this. */
export function projectTrace(trace: Trace, parts: LinkParts): Trace {
  const adjusted = adjustedPasses(trace.records);
  const [request] = trace.records;
  const all = request?.type === "request" ? request.model.vocabularySize : 0;
  return {
    version: TRACE_VERSION,
    records: trace.records.map((record, number) => projectRecord(record, parts, adjusted.has(number), all)),
  };
}

/** Numbers of the forward passes whose logits a mod changed. */
function adjustedPasses(records: readonly TraceRecord[]): ReadonlySet<number> {
  const found = new Set<number>();
  let pass = -1;
  records.forEach(({ type }, number) => {
    if (type === "forwardPass") pass = number;
    if (type === "adjusted" && pass >= 0) found.add(pass);
  });
  return found;
}

/** `all`: tokens of the vocabulary, which as a number of candidates means that nothing was cut off. */
function projectRecord(
  record: TraceRecord,
  parts: LinkParts,
  wasAdjusted: boolean,
  all: number,
): TraceRecord {
  const timed = parts.timings || !("timeUs" in record) ? record : { ...record, timeUs: 0 };
  switch (timed.type) {
    case "request":
      return {
        ...timed,
        createdAt: parts.timings ? timed.createdAt : 0,
        ...(parts.prompt ? {} : { messages: [], tools: [], toolChoice: "auto" as const }),
      };
    case "prefilled":
      return { ...timed, tokens: parts.prompt ? timed.tokens.map((each) => projectToken(each, parts)) : [] };
    case "forwardPass":
      return {
        ...timed,
        durationUs: parts.timings ? timed.durationUs : 0,
        before: timed.before && projectDistribution(timed.before, parts, wasAdjusted),
      };
    case "adjusted":
      return { ...timed, after: projectDistribution(timed.after, parts, true) };
    case "modCall":
      return {
        ...timed,
        durationUs: parts.timings ? timed.durationUs : 0,
        action: projectAction(timed.action, parts),
        console: parts.logs ? timed.console : [],
      };
    case "sampled": {
      const number = (grid: Grid, value: number) => (parts.probabilities ? snap(grid, value) : 0);
      return {
        ...timed,
        ...projectToken(timed, parts),
        draw: parts.draws ? snap(drawGrid, timed.draw) : 0,
        logprobBefore: number(logprobGrid, timed.logprobBefore),
        logprobAfter: number(logprobGrid, timed.logprobAfter),
        probability: number(probabilityGrid, timed.probability),
        candidates:
          timed.candidates === all && parts.probabilities ? all : number(countGrid, timed.candidates),
        ghost: projectGhost(timed.ghost, parts),
      };
    }
    case "added":
      return {
        ...timed,
        tokens: timed.tokens.map((each) => projectToken(each, parts)),
        ghost: projectGhost(timed.ghost, parts),
      };
    case "scored":
      return {
        ...timed,
        logprobs: timed.logprobs.map((each) => (parts.probabilities ? snap(logprobGrid, each) : 0)),
        distributions: timed.distributions.map((each) => projectDistribution(each, parts, true)),
      };
    case "backtracked":
      return timed;
    case "finished":
      return parts.timings ? timed : { ...timed, prefillUs: 0, decodeUs: 0 };
  }
}

function projectToken({ token, text }: TraceToken, parts: LinkParts): TraceToken {
  return { token: parts.tokenIds ? token : -1, text: wellFormed(text) };
}

function projectGhost(ghost: TraceToken | null, parts: LinkParts): TraceToken | null {
  return ghost && projectToken(ghost, parts);
}

function projectDistribution(
  { entropy, top }: TraceDistribution,
  parts: LinkParts,
  wasTouched: boolean,
): TraceDistribution {
  if (!parts.probabilities) return { entropy: 0, top: [] };
  const kept =
    parts.alternatives === "all"
      ? top
      : parts.alternatives === "gated" && (wasTouched || entropy > gate.bits)
        ? top.slice(0, gate.count)
        : [];
  return {
    entropy: snap(entropyGrid, entropy),
    top: kept.map((each) => ({ ...projectToken(each, parts), logprob: snap(logprobGrid, each.logprob) })),
  };
}

function projectAction(action: TraceAction, parts: LinkParts): TraceAction {
  return parts.tokenIds || !("tokens" in action)
    ? action
    : { ...action, tokens: action.tokens.map(() => -1) };
}
