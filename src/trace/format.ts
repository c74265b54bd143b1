/**
 * The recorded request: an append-only list of records, from which every view is drawn without model,
 * tokenizer or mod. Types only. A published version opens for ever: to change a record,
 * raise `TRACE_VERSION` and add a step to `migrate.ts`.
 *
 * Times are whole microseconds since the request began. Log-probabilities are natural; entropies are bits.
 * `index` counts emitted tokens over the whole request and never goes back: a removed token keeps its index.
 * `step` is the number of tokens in the output, and goes back on a backtrack.
 */
import type { SamplingSettings } from "../base/sampling.ts";

export const TRACE_VERSION = 1;

export interface TraceMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly { readonly type: string; readonly text?: string }[] | null;
  readonly name?: string;
  readonly tool_calls?: readonly TraceToolCall[];
  readonly tool_call_id?: string;
}

export interface TraceToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Which weights ran, and on what. */
export interface TraceModelInfo {
  readonly id: string;
  readonly revision: string | null;
  /** The graph's file, for example `onnx/model_q4.onnx`. */
  readonly file: string;
  readonly device: "webgpu" | "wasm" | "scripted";
  /** What the device says of itself; empty when unknown. */
  readonly adapter: string;
  readonly vocabularySize: number;
}

export interface TraceMod {
  readonly name: string;
  /** TypeScript, as written. */
  readonly source: string;
}

/** A token with its text: the part of the output that it adds. Bytes of unfinished characters are held back to the token that completes them. The id is -1 where a link left ids out. */
export interface TraceToken {
  readonly token: number;
  readonly text: string;
}

export interface TraceAlternative extends TraceToken {
  readonly logprob: number;
}

/** Where the probability lay at one step. */
export interface TraceDistribution {
  /** Bits, over the whole vocabulary. */
  readonly entropy: number;
  /** Most likely first; at most `limits.alternatives`. */
  readonly top: readonly TraceAlternative[];
}

/** Always the first record. */
export interface RequestRecord {
  readonly type: "request";
  readonly version: number;
  readonly requestId: string;
  /** Milliseconds since 1970; 0 where it was left out. */
  readonly createdAt: number;
  readonly model: TraceModelInfo;
  readonly messages: readonly TraceMessage[];
  readonly sampling: SamplingSettings;
  readonly seed: number;
  readonly maxTokens: number;
  readonly stop: readonly string[];
  /** Most forward passes that the request may take. */
  readonly budget: number;
  readonly onModError: "stop" | "continue";
  readonly mods: readonly TraceMod[];
}

/** The prompt that was computed, after the mods. */
export interface PrefilledRecord {
  readonly type: "prefilled";
  readonly timeUs: number;
  readonly tokens: readonly TraceToken[];
  /** Number of tokens before a mod adjusted it; null when none did. */
  readonly originalLength: number | null;
}

/** One run of the model, and the logits it left for the next token. */
export interface ForwardPassRecord {
  readonly type: "forwardPass";
  readonly timeUs: number;
  readonly step: number;
  readonly durationUs: number;
  /** Tokens computed in this pass; 0 when the logits were still at hand. */
  readonly tokenCount: number;
  /** Tokens in the KV cache after it. */
  readonly contextLength: number;
  /** Before any mod. */
  readonly before: TraceDistribution;
}

/** The logits after the mods of one step; only where one changed them. */
export interface AdjustedRecord {
  readonly type: "adjusted";
  readonly timeUs: number;
  readonly step: number;
  readonly after: TraceDistribution;
  /** Temperature for this step alone; null: the request's. */
  readonly temperature: number | null;
}

/** One call of one mod. */
export interface ModCallRecord {
  readonly type: "modCall";
  readonly timeUs: number;
  readonly step: number;
  /** From asking the mod to its answer, without a forward pass that ran meanwhile. */
  readonly durationUs: number;
  /** Index into the request's mods. */
  readonly mod: number;
  readonly event: TraceEventType;
  readonly action: TraceAction;
  /** Another mod's flow action came first at this event. */
  readonly superseded: boolean;
  readonly console: readonly {
    readonly level: "debug" | "log" | "info" | "warn" | "error";
    readonly text: string;
  }[];
  readonly fault: TraceFault | null;
  /** Line of the mod that built the action, 1-based; null when unknown. */
  readonly line: number | null;
}

export type TraceEventType = "prefilled" | "forwardPass" | "sampled" | "added" | "backtracked" | "finished";

/**
 * An action as it is kept: edits of logits become counts. `tokens` are those that may be emitted; `cut` counts those that
 * were left out, beyond the request's limit or after an end of sequence.
 */
export type TraceAction =
  | { readonly type: "noop" }
  | { readonly type: "adjustPrefill"; readonly tokenCount: number; readonly maxSteps: number | null }
  | {
      readonly type: "adjustLogits";
      readonly ban: number;
      readonly only: number;
      readonly add: number;
      readonly dense: boolean;
      readonly temperature: number | null;
    }
  | {
      readonly type: "forceTokens";
      readonly tokens: readonly number[];
      readonly text: string;
      readonly cut: number;
    }
  | {
      readonly type: "backtrack";
      readonly count: number;
      readonly tokens: readonly number[];
      readonly text: string;
      readonly cut: number;
    }
  | {
      readonly type: "forceOutput";
      readonly tokens: readonly number[];
      readonly text: string;
      readonly cut: number;
    }
  | { readonly type: "toolCalls"; readonly calls: readonly TraceToolCall[] }
  | { readonly type: "error"; readonly message: string };

export interface TraceFault {
  readonly kind: "invalid-action" | "threw" | "timeout" | "protocol" | "crashed";
  readonly message: string;
  readonly stack: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

/** The sampler's choice, not emitted yet. */
export interface SampledRecord {
  readonly type: "sampled";
  readonly timeUs: number;
  readonly step: number;
  readonly token: number;
  readonly text: string;
  /** Uniform draw in [0, 1) that picked it. */
  readonly draw: number;
  /** Before the mods, and after them; both before temperature and cut-offs. */
  readonly logprobBefore: number;
  readonly logprobAfter: number;
  /** Probability in the distribution that was sampled. */
  readonly probability: number;
  /** Tokens left by top-k, top-p and min-p. */
  readonly candidates: number;
  /** What the same draw would have taken without the mods' edits; null when the same. */
  readonly ghost: TraceToken | null;
}

/** Tokens that became part of the output together. */
export interface AddedRecord {
  readonly type: "added";
  readonly timeUs: number;
  /** Counts these tokens. */
  readonly step: number;
  /** Index of the first. */
  readonly index: number;
  readonly tokens: readonly TraceToken[];
  readonly source: "sampled" | "forced" | "reinjected";
  /** Index of the mod that forced them, else null. */
  readonly mod: number | null;
  readonly isEos: boolean;
  /** For forced tokens: what the sampler would have taken at the first with that step's draw; null when unknown. */
  readonly ghost: TraceToken | null;
}

/** What the model thought of tokens that were forced, known after the pass that read them. */
export interface ScoredRecord {
  readonly type: "scored";
  readonly timeUs: number;
  /** Index of the first. */
  readonly index: number;
  /** One per token. */
  readonly logprobs: readonly number[];
  readonly distributions: readonly TraceDistribution[];
}

export interface BacktrackedRecord {
  readonly type: "backtracked";
  readonly timeUs: number;
  /** After the removal. */
  readonly step: number;
  readonly mod: number;
  /** Indices of the removed tokens, in their order. */
  readonly removed: readonly number[];
  /** How many tokens are put in their place. */
  readonly replacement: number;
}

/** Always the last record. */
export interface FinishedRecord {
  readonly type: "finished";
  readonly timeUs: number;
  readonly step: number;
  readonly reason: "stop" | "length" | "forced" | "tool_calls" | "error" | "budget" | "cancelled";
  /** The answer: end-of-sequence and stop texts are not in it. */
  readonly text: string;
  readonly toolCalls: readonly TraceToolCall[];
  /** Why, for the reason `error`. */
  readonly error: { readonly message: string; readonly mod: number | null } | null;
  readonly usage: {
    readonly promptTokens: number;
    readonly completionTokens: number;
    /** Prompt tokens found in the KV cache. */
    readonly reusedTokens: number;
    readonly forwardPasses: number;
  };
  readonly prefillUs: number;
  readonly decodeUs: number;
}

export type TraceRecord =
  | RequestRecord
  | PrefilledRecord
  | ForwardPassRecord
  | AdjustedRecord
  | ModCallRecord
  | SampledRecord
  | AddedRecord
  | ScoredRecord
  | BacktrackedRecord
  | FinishedRecord;

export interface Trace {
  readonly version: typeof TRACE_VERSION;
  readonly records: readonly TraceRecord[];
}
