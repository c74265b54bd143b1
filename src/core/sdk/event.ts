/** The events of a request, as a mod receives them. Their names are in the past tense, because they have happened. Read-only. */
import type { FinishReason, Message, ResponseFormat, TokenId, ToolDefinition, Usage } from "./request.ts";

/** A token and its natural-log probability over the whole vocabulary. */
export interface TokenLogprob {
  readonly token: TokenId;
  readonly logprob: number;
}

/** Who put a token into the output. */
export type TokenSource = "sampled" | "forced" | "reinjected";

/** The output at the time of an event. Hidden tokens are left out of `text` and `tokens`. */
export interface OutputSoFar {
  /** Whole characters only: an unfinished character is missing until a token completes it. Special tokens add nothing. */
  readonly text: string;
  readonly tokens: readonly TokenId[];
  /** The hidden tokens, which follow `tokens`. `backtrack(output.hiddenTokens.length)` removes them. */
  readonly hiddenTokens: readonly TokenId[];
  /**
   * The fewest last tokens that contain `text`, if the newest tokens complete `text`; null otherwise, and if hidden tokens
   * follow. The newest tokens are those of an `added` event; at other events, the last token. These tokens may hold more than
   * `text`: `backtrack(last.count, last.text.replace(text, other))` replaces `text` and keeps the rest.
   * @throws TypeError unless `text` is a text of at least one character.
   */
  lastTokensWith(text: string): LastTokens | null;
}

/** Tokens at the end of the output. */
export interface LastTokens {
  /** The number of these tokens. */
  readonly count: number;
  /** The text of the tokens. */
  readonly text: string;
}

interface EventBase {
  readonly requestId: string;
  /** Number of tokens in the output at the time of the event, hidden tokens included. */
  readonly step: number;
}

interface OutputEvent extends EventBase {
  /**
   * Returns the natural-log probability of each continuation: a text or a list of tokens that would follow the current output.
   * The output does not change. Continuations with a common beginning share its forward passes. At `sampled` the drawn token
   * is not part of the output. At most 64 continuations of 256 tokens, and 16 calls per event, before the handler returns.
   * @throws TypeError, RangeError for an invalid continuation; Error if the model's context has no room for the continuations.
   */
  score(continuations: readonly (string | readonly TokenId[])[]): Promise<readonly number[]>;
  /**
   * True if the event's tokens are hidden, as those of a hidden question are; for an event without tokens, if the next token
   * will be hidden. At `backtracked`: true if all removed tokens were hidden.
   */
  readonly hidden: boolean;
  /** The current output. It is sent only if the mod's source reads `output`. */
  readonly output: OutputSoFar;
}

/** Sizes of the model's layers. Reading them throws if the mod declared neither `layers` nor `lens`. */
interface ModelSizes {
  /** Number of the model's layers: layer numbers go from 0 to `layerCount - 1`. */
  readonly layerCount: number;
  /** Number of numbers in a hidden state and in a steering vector. */
  readonly hiddenSize: number;
}

/**
 * The tokens of the prompt that hold a message's text, from `start` up to, but not including, `end`. The first and the last
 * token may also hold characters of the chat template. Null if the message has no text, if the template changed the text, or
 * if a mod replaced the prompt with tokens or a text.
 */
export interface MessageSpan {
  readonly start: number;
  readonly end: number;
  /** The message's text in the prompt. Some templates remove spaces at the ends of messages. */
  readonly text: string;
}

/** Happens once, before the first forward pass. */
export interface PrefilledEvent extends EventBase, ModelSizes {
  readonly type: "prefilled";
  /** The prompt, with the changes of earlier mods. */
  readonly tokens: readonly TokenId[];
  /** The tokens as text, special tokens by their names. */
  readonly text: string;
  /** The conversation, with the changes of earlier mods. Replacing the prompt by tokens or a text changes no message. */
  readonly messages: readonly Message[];
  /** Where each message's text stands in `tokens`: an entry for each message, in the same order. */
  readonly spans: readonly (MessageSpan | null)[];
  readonly tools: readonly ToolDefinition[];
  readonly responseFormat: ResponseFormat | null;
  readonly maxTokens: number;
}

/** Happens after each forward pass, right before sampling. */
export interface ForwardPassEvent extends OutputEvent, ModelSizes {
  readonly type: "forwardPass";
  /** Raw logits `(vocabulary)`, with the edits of earlier mods, before any sampling transform. A copy: to change the logits, return it with `adjustLogits`. Throws if the mod did not ask for logits. */
  readonly logits: Float32Array;
  /** The k most likely tokens, most likely first. Throws if k is above the mod's `topK` (64 by default). */
  topK(k: number): readonly TokenLogprob[];
  /**
   * The residual stream after a layer, `(hidden)` numbers, at the last token, from which the next token is predicted: a copy.
   * It is sent only if the mod's source reads `hiddenState`. Throws for a layer that `layers` does not declare.
   */
  hiddenState(layer: number): Float32Array;
  /**
   * The k (up to 64) tokens that the model would most likely predict if this layer were its last, most likely first: final
   * norm and output matrix are applied to the layer's hidden state. Throws for a layer that `lens` does not declare.
   */
  lens(layer: number, k: number): readonly TokenLogprob[];
}

/** Happens when the sampler has chosen a token, before the token is emitted. */
export interface SampledEvent extends OutputEvent {
  readonly type: "sampled";
  readonly token: TokenId;
  /** The text that the token adds. Bytes of an unfinished character wait for the token that completes it. */
  readonly text: string;
  /** Natural-log probability after the mods' edits, before temperature and cut-offs. */
  readonly logprob: number;
}

/** Happens after tokens were added to the output, by the sampler or by a mod. `step` already counts these tokens. */
export interface AddedEvent extends OutputEvent {
  readonly type: "added";
  readonly tokens: readonly TokenId[];
  /** The text that the tokens add. Bytes of an unfinished character wait for the token that completes it. */
  readonly text: string;
  /** True unless the sampler chose the token. */
  readonly forced: boolean;
  readonly source: TokenSource;
  /** Name of the mod that forced the tokens, else null. */
  readonly mod: string | null;
  readonly isEos: boolean;
}

/** Happens after tokens were removed. `step` no longer counts these tokens. */
export interface BacktrackedEvent extends OutputEvent {
  readonly type: "backtracked";
  readonly removed: readonly TokenId[];
  /** The text that these tokens had added. */
  readonly text: string;
  readonly mod: string;
}

/** The last event of every request, whatever the reason of its end. */
export interface FinishedEvent extends EventBase {
  readonly type: "finished";
  readonly reason: FinishReason;
  readonly tokens: readonly TokenId[];
  /**
   * The output's text, without an end-of-sequence token, a stop sequence and the bytes of an incomplete last character. `tokens`
   * may still have the tokens of these.
   */
  readonly text: string;
  readonly usage: Usage;
}

export type ModEvent =
  | PrefilledEvent
  | ForwardPassEvent
  | SampledEvent
  | AddedEvent
  | BacktrackedEvent
  | FinishedEvent;

export type EventType = ModEvent["type"];

/** The event whose `type` is `Type`. */
export type EventOf<Type extends EventType> = Extract<ModEvent, { type: Type }>;

/** All event types, in the order in which they first occur in a request. */
export const eventTypes: readonly EventType[] = [
  "prefilled",
  "forwardPass",
  "sampled",
  "added",
  "backtracked",
  "finished",
];
