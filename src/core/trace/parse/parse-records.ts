/** Checks records from outside: every field, and every reference to earlier records. */
import { forEachResumable, type ResumableWork, scaleProgress } from "../../base/resumable-work.ts";
import { checkVersion } from "../format/check-version.ts";
import * as format from "../format/format.ts";
import { traceLimits } from "../format/limits.ts";
import { workOfRecord } from "../format/record-work.ts";
import {
  addErrorKey,
  fields,
  finite,
  list,
  nullable,
  oneOf,
  optional,
  type Reader,
  refuse,
  tagged,
  text,
  truth,
  whole,
} from "./check.ts";
import { float32 } from "./parse-numbers.ts";
import { countReader, nameReader, onlyTrue, requestReader, toolCallsReader } from "./parse-request.ts";
import { createReferenceCheck, notTheRequest } from "./references.ts";

/** A token id; -1 if a link left the ids out. */
const tokenId = whole(-1, 2 ** 31 - 1);
const modNumber = whole(0, traceLimits.mods - 1);

const token: Reader<format.TraceToken> = fields<format.TraceToken>({ token: tokenId, text: nameReader });
const tokens = list(token, traceLimits.tokens);
const alternative = fields<format.TraceTopToken>({ token: tokenId, text: nameReader, logprob: finite });
const partial = fields<format.TraceUnlistedBounds>({ rest: finite, mostEntropy: finite });
const distribution = fields<format.TraceDistribution>({
  entropy: finite,
  top: list(alternative, traceLimits.alternatives),
  partial: optional(partial),
});

const scoreLimits = traceLimits.scores;

const scores = fields<format.TraceScores>({
  logprobs: list(float32, scoreLimits.continuations),
  passes: countReader,
  digest: whole(0, 2 ** 32 - 1),
});

const topKColumns = fields<format.TraceTopK>({
  asked: countReader,
  tokens: list(whole(0, 2 ** 31 - 1), traceLimits.topK),
  logprobs: list(float32, traceLimits.topK),
});
const topK: Reader<format.TraceTopK> = (value, isOurs) => {
  const read = topKColumns(value, isOurs);
  const { tokens, logprobs } = read;
  return tokens.length === logprobs.length ? read : refuse("as many tokens as log-probabilities", value);
};

const length: Reader<number> = (value) => {
  const number = finite(value);
  return number >= 0 ? number : refuse("a non-negative number", value);
};
const vector = fields<format.TraceVector>({
  digest: whole(0, 2 ** 32 - 1),
  norm: length,
  numbers: nullable(list(float32, traceLimits.vectorLength)),
});
const layer = whole(0, traceLimits.layers - 1);
const steering = fields<format.TraceSteering>({ layer, scale: finite, vector });

const forced = {
  tokens: list(tokenId, traceLimits.entries),
  text: text(traceLimits.answerLength),
  cut: countReader,
};
const action: Reader<format.TraceAction> = tagged<format.TraceAction>({
  noop: fields({ type: oneOf("noop") }),
  adjustPrefill: fields({
    type: oneOf("adjustPrefill"),
    tokenCount: countReader,
    maxSteps: nullable(countReader),
  }),
  adjustLogits: fields({
    type: oneOf("adjustLogits"),
    ban: countReader,
    only: countReader,
    add: countReader,
    dense: truth,
    digest: nullable(whole(0, 2 ** 32 - 1)),
    temperature: nullable(finite),
  }),
  forceTokens: fields({ type: oneOf("forceTokens"), ...forced }),
  backtrack: fields({ type: oneOf("backtrack"), count: countReader, ...forced }),
  forceOutput: fields({ type: oneOf("forceOutput"), ...forced }),
  toolCalls: fields({ type: oneOf("toolCalls"), calls: toolCallsReader }),
  error: fields({ type: oneOf("error"), message: nameReader }),
  steer: fields({ type: oneOf("steer"), vectors: list(steering, traceLimits.vectors) }),
  patch: fields({ type: oneOf("patch"), layer, vector }),
});
const fault = fields<format.TraceFault>({
  kind: oneOf(...format.faultKinds),
  message: nameReader,
  stack: nullable(nameReader),
  line: nullable(countReader),
  column: nullable(countReader),
});

const healed = fields<format.TraceHealed>({ text: nameReader, tokens: countReader, inPrompt: truth });

const record: Reader<format.TraceRecord> = tagged<format.TraceRecord>({
  request: requestReader,
  prefilled: fields<format.PrefilledRecord>({
    type: oneOf("prefilled"),
    timeUs: countReader,
    tokens,
    originalLength: nullable(countReader),
    isOpen: optional(onlyTrue),
    special: optional(list(countReader, traceLimits.tokens)),
  }),
  forwardPass: fields({
    type: oneOf("forwardPass"),
    timeUs: countReader,
    step: countReader,
    durationUs: countReader,
    tokenCount: countReader,
    contextLength: countReader,
    before: nullable(distribution),
    likeliest: nullable(topK),
  }),
  adjusted: fields({
    type: oneOf("adjusted"),
    timeUs: countReader,
    step: countReader,
    after: distribution,
    temperature: nullable(finite),
  }),
  modCall: fields<format.ModCallRecord>({
    type: oneOf("modCall"),
    timeUs: countReader,
    step: countReader,
    durationUs: countReader,
    mod: modNumber,
    event: oneOf(...format.eventTypes),
    action,
    given: nullable(topK),
    scores: optional(list(scores, scoreLimits.calls)),
    superseded: truth,
    console: list(fields({ level: oneOf(...format.consoleLevels), text: nameReader }), traceLimits.entries),
    fault: nullable(fault),
    line: nullable(countReader),
  }),
  sampled: fields<format.SampledRecord>({
    type: oneOf("sampled"),
    timeUs: countReader,
    step: countReader,
    token: tokenId,
    text: nameReader,
    draw: finite,
    logprobBefore: finite,
    logprobAfter: finite,
    probability: finite,
    candidates: countReader,
    counterfactual: nullable(token),
    healed: optional(healed),
    drawnBy: optional(oneOf("server")),
  }),
  added: fields<format.AddedRecord>({
    type: oneOf("added"),
    timeUs: countReader,
    step: countReader,
    index: countReader,
    tokens,
    source: oneOf(...format.tokenSources),
    mod: nullable(modNumber),
    isEos: truth,
    hidden: truth,
    counterfactual: nullable(token),
    isOpen: optional(onlyTrue),
  }),
  scored: fields({
    type: oneOf("scored"),
    timeUs: countReader,
    index: countReader,
    logprobs: list(finite, traceLimits.entries),
    distributions: list(distribution, traceLimits.entries),
  }),
  backtracked: fields({
    type: oneOf("backtracked"),
    timeUs: countReader,
    step: countReader,
    mod: modNumber,
    removed: list(countReader, traceLimits.tokens),
    replacement: countReader,
  }),
  finished: fields<format.FinishedRecord>({
    type: oneOf("finished"),
    timeUs: countReader,
    step: countReader,
    reason: oneOf(...format.finishReasons),
    lengthLimit: nullable(oneOf(...format.lengthLimits)),
    text: text(traceLimits.answerLength),
    toolCalls: toolCallsReader,
    error: nullable(
      fields<format.EndError>({
        message: nameReader,
        mod: nullable(modNumber),
        code: optional(oneOf(...format.endErrorCodes)),
      }),
    ),
    usage: fields({
      promptTokens: countReader,
      completionTokens: countReader,
      hiddenTokens: countReader,
      reusedTokens: countReader,
      forwardPasses: countReader,
    }),
    prefillUs: countReader,
    decodeUs: countReader,
  }),
});

const version = oneOf(format.TRACE_VERSION);
const recordList: Reader<unknown[]> = list((value) => value, traceLimits.records);
const trace = fields<{
  readonly version: typeof format.TRACE_VERSION;
  readonly records: unknown[];
  readonly layers: unknown;
}>({ version, records: recordList, layers: (value) => value });

/** A trace with checked records and unchecked layers. */
export interface CheckedRecords extends Pick<format.Trace, "version" | "records"> {
  readonly layers: unknown;
}

/** In steps: checks and rebuilds the records of a trace. @param isOurs as in `checkingOwnTrace`. @throws as `parseTrace` does. */
export function* checkingRecords(value: unknown, isOurs: boolean): ResumableWork<CheckedRecords> {
  checkVersion(value);
  const { version, records: given, layers } = trace(value);
  if (given.length === 0) throw notTheRequest();
  const records: format.TraceRecord[] = [];
  const check = createRecordCheck(given.length, isOurs);
  yield* scaleProgress(
    forEachResumable(
      given,
      (each) => records.push(check(each)),
      () => workOfRecord(records.at(-1) as format.TraceRecord),
    ),
    0,
    0.9,
  );
  return { version, records, layers };
}

/**
 * Checks records one after another, `total` in all (null if more may come): every field, and every reference to earlier records.
 * @param isOurs as in `checkingOwnTrace`.
 * @returns a function that returns the checked record, or throws TraceError.
 */
export function createRecordCheck(
  total: number | null,
  isOurs: boolean,
): (value: unknown) => format.TraceRecord {
  const checkReference = createReferenceCheck(total);
  let number = 0;
  return (value) => {
    const checked = recordAt(value, number, isOurs);
    checkReference(checked, number);
    number += 1;
    return checked;
  };
}

function recordAt(value: unknown, number: number, isOurs: boolean): format.TraceRecord {
  try {
    return record(value, isOurs);
  } catch (error) {
    throw addErrorKey("records", addErrorKey(number, error));
  }
}
