/**
 * Writes and reads each record but the request (`code-request.ts`) and mod calls (`code-mod-call.ts`). Every coder works both ways,
 * see `column-io.ts`. Links hold the fields in this order. Each coder names `EveryKey` of its record, so that the compiler asks for
 * a field that was added.
 */

import { type EveryKey, withoutUndefined } from "../../base/every-key.ts";
import * as format from "../format/format.ts";
import { codeModTopK } from "./code-top-k.ts";
import {
  type Coder,
  codeAddedToken,
  codeCounterfactual,
  codeDistribution,
  codeDurationUs,
  codeOutputLength,
  codeSampledToken,
  codeText,
  codeTimeUs,
  codeToken,
  codeToolCall,
} from "./code-values.ts";
import { type ColumnIo, codeFlag, codeList, codeNullable, codeOptional } from "./column-io.ts";
import { candidateCountGrid, entropyClass, logprobGrid, probabilityGrid, samplerDrawGrid } from "./grids.ts";

/**
 * Codes a flag that is rarely true in a column of its own. If the flag is never true in a trace, the column is all zeros and
 * takes no room.
 */
const rare = (io: ColumnIo, value: boolean | undefined) => codeFlag(io, "events.flags", value);

/** Whether token healing may take back the end of these tokens. */
const open = (io: ColumnIo, value: true | undefined) =>
  codeFlag(io, "healing.open", value === true) ? true : undefined;

export const codePrefilled: Coder<format.PrefilledRecord> = (io, context, value) =>
  withoutUndefined<format.PrefilledRecord>({
    type: "prefilled",
    timeUs: codeTimeUs(io, context, value?.timeUs),
    tokens: codeList(io, "prompt.numbers", value?.tokens, (each) => codeToken(io, context, "prompt", each)),
    originalLength: codeNullable(io, "prompt.numbers", value?.originalLength, (each) =>
      io.whole("prompt.numbers", each),
    ),
    isOpen: open(io, value?.isOpen),
    special: codePlaces(io, value?.special),
  });

/** Increasing places, each as its distance from the place before; undefined if there are none. */
function codePlaces(io: ColumnIo, value: readonly number[] | undefined): readonly number[] | undefined {
  let before = 0;
  const places = codeList(io, "special.numbers", value ?? [], (place) => {
    before += io.whole("special.numbers", place === undefined ? undefined : place - before);
    return before;
  });
  return places.length > 0 ? places : undefined;
}

/**
 * The fields about logits that the record of a forward pass has. `logits`: `before`. `topK`: `before` and `likeliest`.
 * `topKAlone`: `likeliest`.
 */
const logitsFields = ["logits", "none", "topK", "topKAlone"] as const;

function logitsFieldsOf(
  pass: format.ForwardPassRecord | undefined,
): (typeof logitsFields)[number] | undefined {
  if (!pass) return undefined;
  if (pass.likeliest) return pass.before ? "topK" : "topKAlone";
  return pass.before ? "logits" : "none";
}

export const codeForwardPass: Coder<format.ForwardPassRecord> = (io, context, value) => {
  const durationUs = codeDurationUs(io, value?.durationUs);
  const at = context.promptTokens + context.outputTokens.length;
  const timeUs = io.whole("timings.times", value?.timeUs, context.timeUs + durationUs);
  const place = codeOutputLength(io, context, value?.step);
  const tokenCount = io.whole("events.passes", value?.tokenCount, context.unread);
  const contextLength = io.whole("events.passes", value?.contextLength, at);
  const left = io.choice("events.flags", logitsFieldsOf(value), logitsFields, "logits");
  const hasLogits = left === "logits" || left === "topK";
  const before = hasLogits ? codeDistribution(io, context, value?.before ?? undefined) : null;
  const hasTopK = left === "topK" || left === "topKAlone";
  return {
    type: "forwardPass",
    timeUs,
    step: place,
    durationUs,
    tokenCount,
    contextLength,
    before,
    likeliest: hasTopK ? codeModTopK(io, context, value?.likeliest ?? undefined, before?.top ?? []) : null,
  } satisfies EveryKey<format.ForwardPassRecord>;
};

export const codeAdjusted: Coder<format.AdjustedRecord> = (io, context, value) =>
  ({
    type: "adjusted",
    timeUs: codeTimeUs(io, context, value?.timeUs),
    step: codeOutputLength(io, context, value?.step),
    after: codeDistribution(io, context, value?.after),
    temperature: codeNullable(io, "events.numbers", value?.temperature, (each) =>
      io.number("events.floats", each),
    ),
  }) satisfies EveryKey<format.AdjustedRecord>;

/** The columns of numbers that depend on how sure the model was, by `entropyClass`. */
const stepColumns = {
  before: [
    "probabilities.before0",
    "probabilities.before1",
    "probabilities.before2",
    "probabilities.before3",
    "probabilities.before4",
  ],
  sampled: [
    "probabilities.sampled0",
    "probabilities.sampled1",
    "probabilities.sampled2",
    "probabilities.sampled3",
    "probabilities.sampled4",
  ],
  candidates: [
    "probabilities.candidates0",
    "probabilities.candidates1",
    "probabilities.candidates2",
    "probabilities.candidates3",
    "probabilities.candidates4",
  ],
} as const;

export const codeSampled: Coder<format.SampledRecord> = (io, context, value) => {
  const timeUs = codeTimeUs(io, context, value?.timeUs);
  const at = codeOutputLength(io, context, value?.step);
  const { token, text: tokenText, logprob } = codeSampledToken(io, context, value);
  const sure = entropyClass(context.entropy);
  const logprobBefore = io.number(stepColumns.before[sure], value?.logprobBefore, logprobGrid, logprob);
  const logprobAfter = io.number("probabilities.after", value?.logprobAfter, logprobGrid, logprobBefore);
  const candidates = io.number(
    stepColumns.candidates[sure],
    value?.candidates,
    candidateCountGrid,
    context.candidates[sure],
  );
  const likely = candidates === 1 ? 1 : probabilityGrid.numberAt(logprobGrid.placeOf(logprobAfter));
  return withoutUndefined<format.SampledRecord>({
    type: "sampled",
    timeUs,
    step: at,
    token,
    text: tokenText,
    draw: io.number("draws.draws", value?.draw, samplerDrawGrid),
    logprobBefore,
    logprobAfter,
    probability: io.number(stepColumns.sampled[sure], value?.probability, probabilityGrid, likely),
    candidates,
    counterfactual: codeCounterfactual(io, context, value?.counterfactual),
    healed: codeOptional(io, "healing.flags", value?.healed !== undefined, value?.healed, (each) => ({
      text: codeText(io, "healing", each?.text),
      tokens: io.whole("healing.numbers", each?.tokens),
      inPrompt: codeFlag(io, "healing.numbers", each?.inPrompt),
    })),
    drawnBy: codeFlag(io, "partial.flags", value?.drawnBy !== undefined) ? "server" : undefined,
  });
};

export const codeAdded: Coder<format.AddedRecord> = (io, context, value) => {
  const { announced } = context;
  const timeUs = codeTimeUs(io, context, value?.timeUs);
  const source = io.choice(
    "events.numbers",
    value?.source,
    format.tokenSources,
    announced?.source ?? (context.replacing ? "reinjected" : "forced"),
  );
  const mod = io.whole("events.numbers", value && (value.mod ?? -1), announced?.mod ?? -1);
  const index = io.whole("events.steps", value?.index, context.emitted);
  const code = (each: format.TraceToken | undefined) => codeAddedToken(io, context, each);
  const tokens = codeList(io, "pieces.numbers", value?.tokens, code, announced?.ids.length ?? 1);
  return withoutUndefined<format.AddedRecord>({
    type: "added",
    timeUs,
    step: io.whole("events.steps", value?.step, context.outputTokens.length + tokens.length),
    index,
    tokens,
    source,
    mod: mod < 0 ? null : mod,
    isEos: codeFlag(io, "events.numbers", value?.isEos),
    hidden: rare(io, value?.hidden),
    counterfactual: codeCounterfactual(io, context, value?.counterfactual),
    isOpen: open(io, value?.isOpen),
  });
};

export const codeScored: Coder<format.ScoredRecord> = (io, context, value) => {
  const timeUs = codeTimeUs(io, context, value?.timeUs);
  const index = io.whole("events.steps", value?.index, context.emitted);
  const code = (each: format.TraceDistribution | undefined) => codeDistribution(io, context, each);
  const distributions = codeList(io, "events.numbers", value?.distributions, code);
  const logprobs = distributions.map(({ entropy }, place) =>
    io.number(stepColumns.before[entropyClass(entropy)], value?.logprobs[place], logprobGrid),
  );
  return {
    type: "scored",
    timeUs,
    index,
    logprobs,
    distributions,
  } satisfies EveryKey<format.ScoredRecord>;
};

export const codeBacktracked: Coder<format.BacktrackedRecord> = (io, context, value) => {
  const { outputTokens, announced } = context;
  const timeUs = codeTimeUs(io, context, value?.timeUs);
  const count = io.whole("events.numbers", value?.removed.length);
  io.spend(count);
  const first = outputTokens.length - count;
  return {
    type: "backtracked",
    timeUs,
    step: io.whole("events.steps", value?.step, first),
    mod: io.whole("events.numbers", value?.mod, announced?.mod ?? 0),
    removed: Array.from({ length: count }, (_, place) =>
      io.whole("events.steps", value?.removed[place], outputTokens[first + place]?.index ?? 0),
    ),
    replacement: io.whole("events.numbers", value?.replacement, announced?.ids.length ?? 0),
  } satisfies EveryKey<format.BacktrackedRecord>;
};

export const codeFinished: Coder<format.FinishedRecord> = (io, context, value) => {
  const number = (each: number | undefined, guess = 0) => io.whole("settings.numbers", each, guess);
  const { promptTokens, outputTokens, forwardPasses } = context;
  return {
    type: "finished",
    timeUs: codeTimeUs(io, context, value?.timeUs),
    step: codeOutputLength(io, context, value?.step),
    reason: io.choice("settings.numbers", value?.reason, format.finishReasons),
    lengthLimit: codeNullable(io, "settings.numbers", value?.lengthLimit, (each) =>
      io.choice("settings.numbers", each, format.lengthLimits),
    ),
    text: codeAnswer(io, outputTokens.map((each) => each.text).join(""), value?.text),
    toolCalls: codeList(io, "settings.numbers", value?.toolCalls, (each) => codeToolCall(io, each)),
    error: codeNullable(io, "settings.numbers", value?.error, (each) =>
      withoutUndefined<format.EndError>({
        message: codeText(io, "events", each?.message),
        mod: codeNullable(io, "settings.numbers", each?.mod, number),
        code: codeOptional(io, "errorCode.numbers", each?.code !== undefined, each?.code, (code) =>
          io.choice("errorCode.numbers", code, format.endErrorCodes),
        ),
      }),
    ),
    usage: {
      promptTokens: number(value?.usage.promptTokens, promptTokens),
      completionTokens: number(value?.usage.completionTokens, outputTokens.length),
      hiddenTokens: number(value?.usage.hiddenTokens),
      reusedTokens: number(value?.usage.reusedTokens),
      forwardPasses: number(value?.usage.forwardPasses, forwardPasses),
    },
    prefillUs: codeDurationUs(io, value?.prefillUs),
    decodeUs: codeDurationUs(io, value?.decodeUs),
  } satisfies EveryKey<format.FinishedRecord>;
};

/** `FinishedRecord.text`. It is the output, the beginning of the output (where a stop sequence was cut off), or another text. */
function codeAnswer(io: ColumnIo, output: string, value: string | undefined): string {
  const part = value && output.startsWith(value) ? "beginning" : "other";
  const likeness = value === output ? "all" : part;
  const kind = io.choice("pieces.numbers", likeness, ["all", "beginning", "other"]);
  if (kind === "all") return output;
  return kind === "beginning"
    ? output.slice(0, io.whole("pieces.numbers", value?.length))
    : codeText(io, "text", value);
}
