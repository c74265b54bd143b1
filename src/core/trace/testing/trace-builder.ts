/**
 * Builds traces without a model, for tests and for the page. Call the methods in the order in which the decode loop records.
 */
import { defaultSampling } from "../../base/sampling.ts";
import type {
  AddedRecord,
  FinishedRecord,
  ModCallRecord,
  SampledRecord,
  Trace,
  TraceAction,
  TraceDistribution,
  TraceEventType,
  TraceFault,
  TraceRecord,
  TraceToken,
  TraceTopK,
} from "../format/format.ts";
import type { RequestRecord } from "../format/format-request.ts";
import { traceOf } from "../format/trace-of.ts";

export interface TraceBuilder {
  readonly records: TraceRecord[];
  /** Tokens in the output now. */
  readonly step: number;
  /** Tokens emitted so far. */
  readonly emitted: number;
  /** Tokens that the model has read. */
  readonly contextLength: number;
  /** Tokens of prompt and output that the model has not read. */
  readonly unread: number;
  prefill(tokens: readonly TraceToken[], originalLength?: number | null): void;
  forward(before: TraceDistribution | null, tokenCount?: number, topK?: TraceTopK | null): void;
  adjust(after: TraceDistribution, temperature?: number | null): void;
  call(mod: number, event: TraceEventType, action?: TraceAction, extra?: Partial<ModCallRecord>): void;
  sample(token: TraceToken, numbers: Partial<SampledRecord>): void;
  add(tokens: readonly TraceToken[], source: AddedRecord["source"], extra?: Partial<AddedRecord>): void;
  score(index: number, logprobs: readonly number[], distributions: readonly TraceDistribution[]): void;
  /** Removes the last `count` tokens of the output. */
  backtrack(mod: number, count: number, replacement: number): void;
  finish(reason: FinishedRecord["reason"], extra?: Partial<FinishedRecord>): Trace;
}

/** Catch-up fields of a branch whose own mods took part from the start. */
export const noCatchUp = { caughtUp: 0, parentMods: 0, difference: null } as const;

/** An edit of the logits that banned one token. */
export const banOfOne: TraceAction = {
  type: "adjustLogits",
  ban: 1,
  only: 0,
  add: 0,
  dense: false,
  digest: 3_735_928_559,
  temperature: null,
};

export function fault(kind: TraceFault["kind"], message: string, line: number | null = null): TraceFault {
  return { kind, message, stack: line === null ? null : `at mod.ts:${line}:3`, line, column: line && 3 };
}

/** A request with the bundled model's settings; `overrides` replaces any of them. */
export function requestRecord(overrides: Partial<RequestRecord> = {}): RequestRecord {
  return {
    type: "request",
    requestId: "req_7f3a9c21",
    createdAt: 1_790_000_000_000,
    model: {
      id: "models/stories260k",
      revision: null,
      file: "onnx/model.onnx",
      device: "wasm",
      adapter: "",
      vocabularySize: 512,
    },
    messages: [{ role: "user", content: "Once upon a time" }],
    tools: [],
    toolChoice: "auto",
    parallelToolCalls: true,
    responseFormat: null,
    sampling: defaultSampling,
    seed: 42,
    maxTokens: 300,
    stop: [],
    budget: 1264,
    onModError: "stop",
    deadlines: null,
    branch: null,
    mods: [],
    ...overrides,
  };
}

export function createTraceBuilder(request: RequestRecord = requestRecord()): TraceBuilder {
  const records: TraceRecord[] = [request];
  const outputTokens: { index: number; text: string }[] = [];
  let timeUs = 0;
  let emitted = 0;
  let passes = 0;
  let contextLength = 0;
  let promptTokens = 0;
  const after = (duration: number): number => {
    timeUs += duration;
    return timeUs;
  };
  const builder: TraceBuilder = {
    records,
    get step() {
      return outputTokens.length;
    },
    get emitted() {
      return emitted;
    },
    get contextLength() {
      return contextLength;
    },
    get unread() {
      return promptTokens + outputTokens.length - contextLength;
    },
    prefill(tokens, originalLength = null) {
      promptTokens = tokens.length;
      records.push({ type: "prefilled", timeUs: after(312), tokens, originalLength });
    },
    forward(before, tokenCount = 1, topK = null) {
      const durationUs = 700 + 37 * tokenCount + (emitted % 7) * 11;
      passes += tokenCount > 0 ? 1 : 0;
      contextLength += tokenCount;
      const time = after(durationUs);
      const step = outputTokens.length;
      records.push({
        type: "forwardPass",
        timeUs: time,
        step,
        durationUs,
        tokenCount,
        contextLength,
        before,
        likeliest: topK,
      });
    },
    adjust(distribution, temperature = null) {
      const time = after(9);
      records.push({
        type: "adjusted",
        timeUs: time,
        step: outputTokens.length,
        after: distribution,
        temperature,
      });
    },
    call(mod, event, action = { type: "noop" }, extra = {}) {
      const durationUs = 96 + (emitted % 5) * 13;
      records.push({
        type: "modCall",
        timeUs: after(durationUs),
        step: outputTokens.length,
        durationUs,
        mod,
        event,
        action,
        given: null,
        superseded: false,
        console: [],
        fault: null,
        line: action.type === "noop" ? null : 7,
        ...extra,
      });
    },
    sample(token, numbers) {
      records.push({
        type: "sampled",
        timeUs: after(14),
        step: outputTokens.length,
        ...token,
        draw: 0.5,
        logprobBefore: -0.1,
        logprobAfter: numbers.logprobBefore ?? -0.1,
        probability: Math.exp(numbers.logprobAfter ?? numbers.logprobBefore ?? -0.1),
        candidates: request.model.vocabularySize,
        counterfactual: null,
        ...numbers,
      });
    },
    add(tokens, source, extra = {}) {
      const index = emitted;
      for (const { text } of tokens) outputTokens.push({ index: emitted++, text });
      const defaults = {
        mod: source === "sampled" ? null : 0,
        isEos: false,
        hidden: false,
        counterfactual: null,
      };
      const time = after(3);
      records.push({
        type: "added",
        timeUs: time,
        step: outputTokens.length,
        index,
        tokens,
        source,
        ...defaults,
        ...extra,
      });
    },
    score(index, logprobs, distributions) {
      records.push({ type: "scored", timeUs: after(5), index, logprobs, distributions });
    },
    backtrack(mod, count, replacement) {
      const removed = outputTokens.splice(outputTokens.length - count, count).map(({ index }) => index);
      contextLength = Math.min(contextLength, promptTokens + outputTokens.length);
      records.push({
        type: "backtracked",
        timeUs: after(6),
        step: outputTokens.length,
        mod,
        removed,
        replacement,
      });
    },
    finish(reason, extra = {}) {
      records.push({
        type: "finished",
        timeUs: after(2),
        step: outputTokens.length,
        reason,
        lengthLimit: reason === "length" ? "maxTokens" : null,
        text: outputTokens.map(({ text }) => text).join(""),
        toolCalls: [],
        error: null,
        usage: {
          promptTokens,
          completionTokens: outputTokens.length,
          hiddenTokens: 0,
          reusedTokens: 0,
          forwardPasses: passes,
        },
        prefillUs: 4200,
        decodeUs: Math.max(timeUs - 4200, 0),
        ...extra,
      });
      return traceOf({ records });
    },
  };
  return builder;
}
