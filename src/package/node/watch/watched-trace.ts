/** The timeline of an answer that was only watched: what a service streams of it. Nothing is asked for again, and no mod runs. */
import { randomUUID } from "node:crypto";
import { defaultSampling } from "../../../core/base/sampling.ts";
import { distributionOfKnownLogits } from "../../../core/decoder/logits/listed-distribution.ts";
import type {
  FinishedRecord,
  Trace,
  TraceDistribution,
  TraceRecord,
} from "../../../core/trace/format/format.ts";
import type { RequestRecord, TraceMessage } from "../../../core/trace/format/format-request.ts";
import type { LeftOut } from "../../../core/trace/format/left-out.ts";
import { traceOf } from "../../../core/trace/format/trace-of.ts";
import type { ChatChunk, WatchedStep, WatchedToken } from "./chat-chunk.ts";

/** A request to a service, as it was sent. */
export interface WatchedRequest {
  readonly model: string;
  readonly messages: readonly TraceMessage[];
  readonly temperature: number;
  readonly topP: number;
  /** Null if none was sent. */
  readonly maxTokens: number | null;
  readonly seed: number | null;
  readonly stop: readonly string[];
}

/** The parts that the timeline of a watched answer lacks. */
export const watchedLeftOut: readonly LeftOut[] = ["tokenIds", "draws"];

/** In place of every id, since the service sends none. */
const noId = -1;
/** No vocabulary is larger: it bounds the entropy of the tokens that the service does not list. */
const largestVocabulary = 2 ** 20;

const failed = { mod: null, code: "upstream_failed" } as const;

/** Records the chunks of one answer. */
export class WatchedTraceRecorder {
  readonly #records: TraceRecord[];
  readonly #now: () => number;
  readonly #startMs: number;
  /** Bytes of a character may be spread over several tokens: the last of these tokens has the character. */
  readonly #decoder = new TextDecoder();
  #text = "";
  #step = 0;
  #lastUs = 0;
  #prefillUs: number | null = null;
  #promptTokens = 0;
  #finishReason: string | null = null;

  /** @param now milliseconds of a clock */
  constructor(request: WatchedRequest, now: () => number) {
    this.#now = now;
    this.#startMs = now();
    this.#records = [requestRecord(request)];
  }

  add({ text, steps, finishReason, promptTokens }: ChatChunk): void {
    this.#text += text;
    this.#promptTokens = promptTokens ?? this.#promptTokens;
    this.#finishReason ??= finishReason;
    for (const step of steps) this.#addStep(step);
  }

  /** @param error what ended the answer before its end; null if nothing did */
  end(error: { readonly message: string; readonly isStop: boolean } | null): Trace {
    const timeUs = this.#timeUs();
    const reason = reasonOf(this.#finishReason, error);
    const prefillUs = this.#prefillUs ?? timeUs;
    this.#records.push({
      type: "finished",
      timeUs,
      step: this.#step,
      reason,
      lengthLimit: reason === "length" ? "maxTokens" : null,
      text: this.#text,
      toolCalls: [],
      error: reason === "error" && error ? { ...failed, message: error.message } : null,
      usage: {
        promptTokens: this.#promptTokens,
        completionTokens: this.#step,
        hiddenTokens: 0,
        reusedTokens: 0,
        forwardPasses: this.#step,
      },
      prefillUs,
      decodeUs: timeUs - prefillUs,
    });
    return traceOf({ records: this.#records });
  }

  #addStep(step: WatchedStep): void {
    const timeUs = this.#timeUs();
    const text = step.bytes === null ? step.text : this.#decoder.decode(step.bytes, { stream: true });
    if (this.#prefillUs === null) {
      this.#prefillUs = timeUs;
      this.#records.push({ type: "prefilled", timeUs, tokens: [], originalLength: null });
    }
    this.#records.push(
      {
        type: "forwardPass",
        timeUs,
        step: this.#step,
        durationUs: timeUs - this.#lastUs,
        tokenCount: 1,
        contextLength: this.#step,
        before: distributionOf(step),
        likeliest: null,
      },
      {
        type: "sampled",
        timeUs,
        step: this.#step,
        token: noId,
        text,
        draw: 0,
        logprobBefore: step.logprob,
        logprobAfter: step.logprob,
        probability: Math.exp(step.logprob),
        candidates: 0,
        counterfactual: null,
        drawnBy: "server",
      },
      {
        type: "added",
        timeUs,
        step: this.#step + 1,
        index: this.#step,
        tokens: [{ token: noId, text }],
        source: "sampled",
        mod: null,
        isEos: false,
        hidden: false,
        counterfactual: null,
      },
    );
    this.#step += 1;
    this.#lastUs = timeUs;
  }

  #timeUs(): number {
    return Math.max(this.#lastUs, Math.round((this.#now() - this.#startMs) * 1000));
  }
}

/** Reasons of a service that end a whole answer. A trace has the same names for them. */
export const completeFinishReasons: readonly string[] = ["stop", "length"];

function reasonOf(
  finishReason: string | null,
  error: { readonly isStop: boolean } | null,
): FinishedRecord["reason"] {
  if (error) return error.isStop ? "cancelled" : "error";
  return finishReason === "length" ? "length" : "stop";
}

/** The tokens that the service lists, with bounds for the probabilities of all other tokens. */
function distributionOf({ top, ...own }: WatchedStep): TraceDistribution {
  const isListed = top.some((each) => keyOf(each) === keyOf(own));
  const tokens = isListed ? top : [...top, own];
  const scores = new Map(tokens.map(({ logprob }, place) => [place, logprob]));
  const listed = tokens.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0);
  const most = Math.max(0, 1 - listed);
  const known = {
    scores,
    vocabularySize: largestVocabulary,
    border: Math.min(...tokens.map(({ logprob }) => logprob)),
    rest: { least: most, most },
  };
  const { entropy, top: ranked, partial } = distributionOfKnownLogits(known);
  return {
    entropy,
    top: ranked.map(({ token, logprob }) => ({
      token: noId,
      text: textOf(tokens[token] as WatchedToken),
      logprob,
    })),
    ...(partial && { partial }),
  };
}

const keyOf = ({ bytes, text }: WatchedToken): string => (bytes === null ? text : bytes.join(" "));

const textOf = ({ bytes, text }: WatchedToken): string =>
  bytes === null ? text : new TextDecoder().decode(bytes);

function requestRecord(request: WatchedRequest): RequestRecord {
  const { model, messages, temperature, topP, maxTokens, seed, stop } = request;
  return {
    type: "request",
    requestId: `watch_${randomUUID()}`,
    createdAt: Date.now(),
    model: {
      id: model,
      revision: null,
      file: "",
      device: "server",
      adapter: "a hosted service",
      vocabularySize: 0,
    },
    messages,
    tools: [],
    toolChoice: "auto",
    parallelToolCalls: false,
    responseFormat: null,
    sampling: { ...defaultSampling, temperature, topP },
    seed: seed ?? 0,
    maxTokens: maxTokens ?? 0,
    stop,
    budget: 0,
    onModError: "stop",
    deadlines: null,
    mods: [],
    branch: null,
  };
}
