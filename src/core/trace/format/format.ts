/**
 * The recorded request: an append-only list of records, from which every view is drawn without model, tokenizer or mod.
 * How to change a record: docs/contributing/recipes.md, "A field of the trace".
 *
 * Times are whole microseconds since the request began. Log-probabilities are natural; entropies are bits.
 * `index` counts emitted tokens over the whole request and never goes back: a removed token keeps its index.
 * `step` is the number of tokens in the output, and goes back on a backtrack.
 */
import type { TraceAction } from "./format-action.ts";
import type { TraceLayers } from "./format-layers.ts";
import type { RequestRecord, TraceToolCall } from "./format-request.ts";
import type {
  TraceDistribution,
  TraceEventType,
  TraceScores,
  TraceToken,
  TraceTokenSource,
  TraceTopK,
} from "./format-values.ts";

export type { TraceAction } from "./format-action.ts";
export {
  eventTypes,
  type TraceDistribution,
  type TraceEventType,
  type TraceScores,
  type TraceSteering,
  type TraceToken,
  type TraceTokenSource,
  type TraceTopK,
  type TraceTopToken,
  type TraceUnlistedBounds,
  type TraceVector,
  tokenSources,
} from "./format-values.ts";

/**
 * The version of records, of `.trace` files and of links. It stays 1 until the first release. After a release, the first change
 * to a record raises it by 1, and an older Midtoken asks its user to reload instead of calling the trace damaged.
 */
export const TRACE_VERSION = 1;

/* A link holds an option of the lists here, in `format-values.ts` and in `format-request.ts` by its place in the list. Add options at the end only. */

/** The prompt as the model gets it, after any change by mods. Written before the first forward pass. */
export interface PrefilledRecord {
  readonly type: "prefilled";
  readonly timeUs: number;
  readonly tokens: readonly TraceToken[];
  /** Number of tokens before a mod adjusted the prompt; null if no mod did. */
  readonly originalLength: number | null;
  /** True if the prompt was given as text, so that token healing may take back its end. */
  readonly isOpen?: true;
  /** Places in `tokens` of the special tokens, in their order. Absent if there are none. */
  readonly special?: readonly number[];
}

/** One forward pass of the model, and the distribution that it computed for the next token. */
export interface ForwardPassRecord {
  readonly type: "forwardPass";
  readonly timeUs: number;
  readonly step: number;
  readonly durationUs: number;
  /** Tokens computed in this pass, draft tokens included; 0 if an earlier pass had computed the logits already. */
  readonly tokenCount: number;
  /** Tokens in the KV cache after the pass, without draft tokens. */
  readonly contextLength: number;
  /** The distribution before any mod; null after a pass in the middle of a prompt, which leaves no logits. */
  readonly before: TraceDistribution | null;
  /** The longest top-k list that mods read, before edits; null if `before.top` is as long or `limits.topKEntries` is reached. */
  readonly likeliest: TraceTopK | null;
}

/** The distribution after the mods' edits at one step. Recorded only if a mod changed the logits. */
export interface AdjustedRecord {
  readonly type: "adjusted";
  readonly timeUs: number;
  readonly step: number;
  readonly after: TraceDistribution;
  /** The temperature that a mod set for this step alone; null if the request's temperature was used. */
  readonly temperature: number | null;
}

export const consoleLevels = ["log", "debug", "info", "warn", "error"] as const;

/** One call of one mod. */
export interface ModCallRecord {
  readonly type: "modCall";
  readonly timeUs: number;
  readonly step: number;
  /** Time between the call and the mod's reply, without any forward pass that ran meanwhile. */
  readonly durationUs: number;
  /** Index into the request's mods. */
  readonly mod: number;
  readonly event: TraceEventType;
  readonly action: TraceAction;
  /**
   * The top tokens that the mod read at `forwardPass`, if an earlier mod had changed them; null otherwise, and after
   * the trace has `limits.topKEntries` entries.
   */
  readonly given: TraceTopK | null;
  /** The scores that the mod asked for, in its order; absent if it asked for none. */
  readonly scores?: readonly TraceScores[];
  /**
   * True if the action was not carried out: another mod's change came first at this event, a mod failed and ended the request, or a
   * token that a user chose comes next.
   */
  readonly superseded: boolean;
  readonly console: readonly {
    readonly level: (typeof consoleLevels)[number];
    readonly text: string;
  }[];
  readonly fault: TraceFault | null;
  /** Line of the mod that built the action, 1-based; null when unknown. */
  readonly line: number | null;
}

export const faultKinds = ["invalid-action", "threw", "timeout", "protocol", "crashed"] as const;

export interface TraceFault {
  readonly kind: (typeof faultKinds)[number];
  readonly message: string;
  readonly stack: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

/**
 * The end of a text that token healing took back, so that the next chosen token could begin with it. If the text came from a
 * mod, a `backtracked` record comes first; for the end of a prompt, there is no such record.
 */
export interface TraceHealed {
  readonly text: string;
  /** Number of tokens that the text had. */
  readonly tokens: number;
  /** True if the removed tokens were tokens of the prompt: their text is not part of the output. */
  readonly inPrompt: boolean;
}

/** The sampler's choice of a token, before it is emitted. */
export interface SampledRecord {
  readonly type: "sampled";
  readonly timeUs: number;
  readonly step: number;
  readonly token: number;
  readonly text: string;
  /** The uniform random number in [0, 1) that picked the token. */
  readonly draw: number;
  /** Log-probabilities of the sampled token before and after the mods, both before temperature, top-k, top-p and min-p. */
  readonly logprobBefore: number;
  readonly logprobAfter: number;
  /** Probability of the token in the distribution that was sampled, after temperature, top-k, top-p and min-p. */
  readonly probability: number;
  /** Tokens left by top-k, top-p and min-p; 0 if unknown, in a run that was only watched. */
  readonly candidates: number;
  /** The token that the same draw would have picked without the mods' edits; null if it is the same token. */
  readonly counterfactual: TraceToken | null;
  /** The end of the prompt, or of a mod's text, that token healing removed. This token begins with that text. */
  readonly healed?: TraceHealed;
  /**
   * "server" if the server drew the token: among the tokens that it had not listed, or every token of a run that was only watched.
   * Then `draw` did not choose it.
   */
  readonly drawnBy?: "server";
}

/** Tokens that were added to the output together. */
export interface AddedRecord {
  readonly type: "added";
  readonly timeUs: number;
  /** Number of tokens in the output, including these. */
  readonly step: number;
  /** Index of the first of these tokens. */
  readonly index: number;
  readonly tokens: readonly TraceToken[];
  readonly source: TraceTokenSource;
  /** Place among the request's mods of the mod that forced the tokens; null when no mod did. */
  readonly mod: number | null;
  readonly isEos: boolean;
  /**
   * True for hidden tokens, such as those of a hidden question, which are removed again. Stop sequences, limits and penalties
   * ignore hidden tokens.
   */
  readonly hidden: boolean;
  /**
   * For forced tokens: the token that the sampler would have drawn instead of the first one, with the same random number; null
   * if unknown.
   */
  readonly counterfactual: TraceToken | null;
  /** True if a mod gave the tokens as text, so that token healing may take back its end. */
  readonly isOpen?: true;
}

/** The probabilities of forced tokens, known after the pass that read them. */
export interface ScoredRecord {
  readonly type: "scored";
  readonly timeUs: number;
  /** Index of the first of these tokens. */
  readonly index: number;
  /** Log-probability of each token, in the order of their indices. */
  readonly logprobs: readonly number[];
  readonly distributions: readonly TraceDistribution[];
}

export interface BacktrackedRecord {
  readonly type: "backtracked";
  readonly timeUs: number;
  /** Number of tokens in the output after the removal. */
  readonly step: number;
  readonly mod: number;
  /** Indices of the removed tokens, in their order. */
  readonly removed: readonly number[];
  /** Number of tokens that replace the removed tokens. */
  readonly replacement: number;
}

export const finishReasons = [
  "stop",
  "length",
  "forced",
  "tool_calls",
  "error",
  "budget",
  "cancelled",
] as const;

/** The limit of an answer's length: the request, a mod's `maxSteps`, or the room in the model's context. */
export const lengthLimits = ["maxTokens", "maxSteps", "context"] as const;

/**
 * Codes of the errors that end a request. Absent: the engine failed, or a mod ended the request with its own message. "upstream": the
 * server that runs the model.
 */
export const endErrorCodes = [
  "context_length_exceeded",
  "mod_failed",
  "upstream_failed",
  "upstream_unavailable",
] as const;

/** Why a request ended with the reason `error`. */
export interface EndError {
  readonly message: string;
  /** The mod that ended the request; null if no mod did. */
  readonly mod: number | null;
  /** With "mod_failed", the message is the engine's, and names the mod. */
  readonly code?: (typeof endErrorCodes)[number];
}

/** Always the last record. */
export interface FinishedRecord {
  readonly type: "finished";
  readonly timeUs: number;
  readonly step: number;
  readonly reason: (typeof finishReasons)[number];
  /** The limit that ended the request, for the reason `length`; null for any other reason, and if it was not recorded. */
  readonly lengthLimit: (typeof lengthLimits)[number] | null;
  /** The output's text, without an end-of-sequence token, a stop sequence, and the bytes of an incomplete last character. */
  readonly text: string;
  readonly toolCalls: readonly TraceToolCall[];
  /** The error, for the reason `error`. */
  readonly error: EndError | null;
  readonly usage: {
    readonly promptTokens: number;
    readonly completionTokens: number;
    /** Tokens that were emitted hidden; `completionTokens` does not count them. */
    readonly hiddenTokens: number;
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
  /** The recorded layers (logit lens) at steps of the run, if the user saved them. Only files have them. */
  readonly layers?: TraceLayers;
}
