/**
 * Writes the trace: one method for each record of `trace/format/format.ts`. The recorder gets logits as a `Distribution`,
 * because the trace contains nothing else of them.
 */

import { type EveryKey, withoutUndefined } from "../../base/every-key.ts";
import type { EventType } from "../../sdk/event.ts";
import type { TokenId, Usage } from "../../sdk/request.ts";
import type { Tokenizer } from "../../sdk/tokenizer.ts";
import type {
  AddedRecord,
  FinishedRecord,
  TraceAction,
  TraceDistribution,
  TraceFault,
  TraceHealed,
  TraceRecord,
  TraceScores,
  TraceToken,
  TraceTopK,
} from "../../trace/format/format.ts";
import type { TraceBranch, TraceMod } from "../../trace/format/format-request.ts";
import { traceLimits } from "../../trace/format/limits.ts";
import type { PassTiming } from "../kv-cache/pass-timing.ts";
import type { RequestEnding } from "../ports/change.ts";
import type { Distribution, TokenChoice } from "../ports/logits.ts";
import type { EmittedToken, ModHost, ModReply } from "../ports/mod-host.ts";
import type { DecodeRequest } from "../ports/request.ts";

/**
 * A record in which optional fields must be written too (`undefined` if absent), so that the compiler finds every place
 * after a field is added.
 */
type EveryRecord = {
  readonly [Type in TraceRecord["type"]]: EveryKey<Extract<TraceRecord, { type: Type }>>;
}[TraceRecord["type"]];

interface RecorderPorts {
  readonly tokenizer: Tokenizer;
  readonly mods: readonly ModHost[];
  readonly record: (record: TraceRecord) => void;
  readonly now: () => number;
}

/** A call of one mod, with its reply. */
export interface ModCall {
  readonly mod: number;
  readonly event: EventType;
  readonly step: number;
  readonly durationMs: number;
  readonly reply: ModReply;
  readonly action: TraceAction;
  readonly given: TraceTopK | null;
  /** The scores that the mod got. */
  readonly scores: readonly TraceScores[];
  readonly superseded: boolean;
  readonly fault: TraceFault | null;
}

/** The sampler's choice, and the choice without the mods' edits. */
export interface SampledChoice {
  readonly step: number;
  readonly choice: TokenChoice;
  readonly draw: number;
  readonly logprobBefore: number;
  readonly logprobAfter: number;
  /** Null if it is the same token. */
  readonly counterfactual: TokenId | null;
  /** The end of the prompt, or of a mod's text, that token healing removed and with which this token begins; null if nothing was removed. */
  readonly healed: TraceHealed | null;
}

/** How likely the model found one token that was forced. */
export interface ForcedTokenScore {
  readonly index: number;
  readonly logprob: number;
  readonly distribution: Distribution;
}

/** Counts and times at the end of a request. */
export interface RequestTotals {
  readonly step: number;
  readonly text: string;
  readonly usage: Usage;
  readonly prefillMs: number;
  readonly decodeMs: number;
}

export class Recorder {
  readonly #request: DecodeRequest;
  readonly #ports: RecorderPorts;
  readonly #startMs: number;
  #topKLeft: number;

  /** `topKCount`: number of top-k tokens that the trace has already. */
  constructor(request: DecodeRequest, ports: RecorderPorts, topKCount = 0) {
    this.#topKLeft = traceLimits.topKEntries - topKCount;
    this.#request = request;
    this.#ports = ports;
    this.#startMs = ports.now();
  }

  /** `parentMods`: mods that took part only in the steps before the branch. */
  request(budget: number, branch: TraceBranch | null, parentMods: readonly TraceMod[] = []): void {
    const request = this.#request;
    const mods = this.#ports.mods.map(({ name, needs: { maxBacktrack } }, index) => ({
      name,
      source: "",
      ...request.modSources[index],
      ...(maxBacktrack !== undefined && { maxBacktrack }),
    }));
    this.#record({
      type: "request",
      requestId: request.requestId,
      createdAt: request.createdAt,
      model: request.model,
      messages: request.messages,
      rawPrompt: request.rawPrompt ? true : undefined,
      parseSpecial: request.parseSpecial ? true : undefined,
      heal: request.heal === false ? false : undefined,
      thinking: request.thinking,
      reasoning: request.reasoning ?? undefined,
      tools: request.tools.map((tool) => JSON.stringify(tool)),
      toolChoice: request.toolChoice,
      parallelToolCalls: request.parallelToolCalls,
      responseFormat: request.responseFormat && JSON.stringify(request.responseFormat),
      sampling: request.sampling,
      seed: request.seed,
      maxTokens: request.maxTokens,
      stop: request.stop,
      budget,
      onModError: request.onModError,
      deadlines: request.deadlines,
      mods: [...mods, ...parentMods],
      branch,
      maker: undefined,
    });
  }

  prefilled(prompt: readonly TokenId[], originalLength: number | null, isOpen = false): void {
    const tokens = prompt.map((token) => this.#token(token));
    const special = prompt.flatMap((token, place) => (this.#isSpecial(token) ? [place] : []));
    this.#record({
      type: "prefilled",
      timeUs: this.#timeUs(),
      tokens,
      originalLength,
      isOpen: isOpen || undefined,
      special: special.length > 0 ? special : undefined,
    });
  }

  /** `contextLength` after the pass. A pass in the middle of a prompt leaves no logits: its `distribution` is null. `topK`: see the record. */
  forwardPass(
    step: number,
    pass: PassTiming,
    contextLength: number,
    distribution: Distribution | null,
    topK: TraceTopK | null = null,
  ): void {
    this.#record({
      type: "forwardPass",
      timeUs: this.#timeUs(),
      step,
      durationUs: microseconds(pass.durationMs),
      tokenCount: pass.tokenCount,
      contextLength,
      before: distribution && this.#traceDistribution(distribution),
      likeliest: this.#withinLimit(topK),
    });
  }

  adjusted(step: number, distribution: Distribution, temperature: number | null): void {
    const after = this.#traceDistribution(distribution);
    this.#record({ type: "adjusted", timeUs: this.#timeUs(), step, after, temperature });
  }

  modCall({ mod, event, step, durationMs, reply, action, given, scores, superseded, fault }: ModCall): void {
    this.#record({
      type: "modCall",
      timeUs: this.#timeUs(),
      step,
      durationUs: microseconds(durationMs),
      mod,
      event,
      action,
      given: this.#withinLimit(given),
      scores: scores.length > 0 ? scores : undefined,
      superseded,
      console: reply.console,
      fault,
      line: reply.line ?? null,
    });
  }

  sampled({ step, choice, draw, logprobBefore, logprobAfter, counterfactual, healed }: SampledChoice): void {
    this.#record({
      type: "sampled",
      timeUs: this.#timeUs(),
      step,
      ...this.#token(choice.token),
      draw,
      logprobBefore,
      logprobAfter,
      probability: choice.probability,
      candidates: choice.candidates,
      counterfactual: counterfactual === null ? null : this.#token(counterfactual),
      healed: healed ?? undefined,
      drawnBy: choice.drawnBy,
    });
  }

  added(
    group: readonly EmittedToken[],
    {
      step,
      mod,
      isEos,
      counterfactual,
      isOpen = false,
    }: Pick<AddedRecord, "step" | "mod" | "isEos"> & { counterfactual: TokenId | null; isOpen?: boolean },
  ): void {
    this.#record({
      type: "added",
      timeUs: this.#timeUs(),
      step,
      index: group[0]?.index ?? 0,
      tokens: group.map(({ token, text }) => ({ token, text })),
      source: group[0]?.source ?? "sampled",
      mod,
      isEos,
      hidden: group.every(({ isHidden }) => isHidden),
      counterfactual: counterfactual === null ? null : this.#token(counterfactual),
      isOpen: isOpen || undefined,
    });
  }

  /** @param scores of tokens whose indices follow one another without a gap */
  scored(scores: readonly ForcedTokenScore[]): void {
    this.#record({
      type: "scored",
      timeUs: this.#timeUs(),
      index: scores[0]?.index ?? 0,
      logprobs: scores.map(({ logprob }) => logprob),
      distributions: scores.map(({ distribution }) => this.#traceDistribution(distribution)),
    });
  }

  backtracked(step: number, mod: number, removed: readonly EmittedToken[], replacement: number): void {
    this.#record({
      type: "backtracked",
      timeUs: this.#timeUs(),
      step,
      mod,
      removed: removed.map(({ index }) => index),
      replacement,
    });
  }

  finished(ending: RequestEnding, { step, text, usage, prefillMs, decodeMs }: RequestTotals): FinishedRecord {
    return this.#record({
      type: "finished",
      timeUs: this.#timeUs(),
      step,
      reason: ending.reason,
      lengthLimit: ending.lengthLimit ?? null,
      text,
      toolCalls: ending.toolCalls ?? [],
      error: ending.error ?? null,
      usage,
      prefillUs: microseconds(prefillMs),
      decodeUs: microseconds(decodeMs),
    });
  }

  #record<Type extends TraceRecord["type"]>(
    every: EveryRecord & { readonly type: Type },
  ): Extract<TraceRecord, { type: Type }> {
    const record = withoutUndefined<TraceRecord>(every as EveryKey<TraceRecord>);
    this.#ports.record(record);
    return record as Extract<TraceRecord, { type: Type }>;
  }

  /** The tokens, and their text. */
  text(tokens: readonly TokenId[]): string {
    return this.#ports.tokenizer.decode(tokens);
  }

  /** The list; null if the trace has no room for it. */
  #withinLimit(list: TraceTopK | null): TraceTopK | null {
    if (list === null || list.tokens.length > this.#topKLeft) return null;
    this.#topKLeft -= list.tokens.length;
    return list;
  }

  #timeUs(): number {
    return microseconds(this.#ports.now() - this.#startMs);
  }

  #token(token: TokenId): TraceToken {
    return { token, text: this.#ports.tokenizer.tokenText(token) };
  }

  /** Special tokens have no bytes. */
  #isSpecial(token: TokenId): boolean {
    return this.#ports.tokenizer.tokenBytes(token).length === 0;
  }

  #traceDistribution({ entropy, top, partial }: Distribution): TraceDistribution {
    const { tokenizer } = this.#ports;
    const alternatives = top.map(({ token, logprob }) => ({
      token,
      text: tokenizer.tokenText(token),
      logprob,
    }));
    return { entropy, top: alternatives, ...(partial && { partial }) };
  }
}

function microseconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds * 1000));
}
