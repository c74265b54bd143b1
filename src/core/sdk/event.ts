/** The facts of a generation, as a mod sees them. Past tense; read-only. */
import type { FinishReason, Message, ResponseFormat, TokenId, ToolDefinition, Usage } from "./request.ts";

/** A token and its natural-log probability over the whole vocabulary. */
export interface TokenLogprob {
  readonly token: TokenId;
  readonly logprob: number;
}

/** Who put a token into the output. */
export type TokenSource = "sampled" | "forced" | "reinjected";

/** The output when an event fires: tokens and text, so that a mod need not count for itself. Hidden tokens are left out. */
export interface OutputSoFar {
  /** In whole characters: the bytes of an unfinished one come with the token that completes it. Special tokens add nothing. */
  readonly text: string;
  readonly tokens: readonly TokenId[];
  /** The tokens after them that are hidden. `backtrack(output.hiddenTokens.length)` takes them back. */
  readonly hiddenTokens: readonly TokenId[];
  /**
   * The fewest last tokens that hold `text`, where the newest of them complete it; null elsewhere, and where hidden tokens follow. Newest are the
   * tokens of an `added` event, and at other events the last token. However the text is spelled, and whatever else stands in these
   * tokens: `backtrack(last.count, last.text.replace(text, other))` takes it back and leaves what stood beside it.
   * @throws TypeError unless `text` is a text of at least one character.
   */
  lastTokensWith(text: string): LastTokens | null;
}

/** Tokens at the end of the output. */
export interface LastTokens {
  /** How many they are. */
  readonly count: number;
  /** The text of the tokens. */
  readonly text: string;
}

interface EventBase {
  readonly requestId: string;
  /** How many tokens are emitted when the event fires, hidden ones included. */
  readonly step: number;
}

interface OutputEvent extends EventBase {
  /**
   * The natural-log probability of each continuation from here: texts or token lists that would follow the output as it stands.
   * The output does not change. Continuations with a common beginning share its forward passes. At `sampled` the drawn token is
   * not part of the output. At most 64 continuations of 256 tokens, and 16 calls at an event; call it before the handler returns.
   * @throws TypeError, RangeError for what is no continuation; Error where the context has no room for them.
   */
  score(continuations: readonly (string | readonly TokenId[])[]): Promise<readonly number[]>;
  /**
   * The event is about tokens that stand only for a while, as those of a hidden question do: its own, or the one that comes
   * next. At `backtracked`: all that were removed.
   */
  readonly hidden: boolean;
  /** The output as it stands. It is sent where the mod's source reads `output`. */
  readonly output: OutputSoFar;
}

/** Sizes of the model that the mod works inside. Each throws where the mod declared neither `layers` nor `lens`. */
interface ModelSizes {
  /** Layers of the model: they are counted from 0 to one less. */
  readonly layerCount: number;
  /** Numbers in a hidden state, and in a vector to steer with. */
  readonly hiddenSize: number;
}

/**
 * The tokens of a message's text in the prompt: from `start` to before `end`. The first and the last of them may also hold
 * characters of the chat template. Null if a message has no text, where the template changed the text, and if a mod
 * replaced the prompt by tokens or a text.
 */
export interface MessageSpan {
  readonly start: number;
  readonly end: number;
  /** The message's text as the prompt has it: a template may remove spaces at its ends. */
  readonly text: string;
}

/** Once, before the first forward pass. */
export interface PrefilledEvent extends EventBase, ModelSizes {
  readonly type: "prefilled";
  /** The prompt, as earlier mods left it. */
  readonly tokens: readonly TokenId[];
  /** The tokens as text, special tokens by their names. */
  readonly text: string;
  /** The conversation, as earlier mods left it. A mod that replaced the prompt by tokens or a text changed no message. */
  readonly messages: readonly Message[];
  /** Where each message's text stands in `tokens`: an entry for each message, in the same order. */
  readonly spans: readonly (MessageSpan | null)[];
  readonly tools: readonly ToolDefinition[];
  readonly responseFormat: ResponseFormat | null;
  readonly maxTokens: number;
}

/** After each forward pass, right before sampling. */
export interface ForwardPassEvent extends OutputEvent, ModelSizes {
  readonly type: "forwardPass";
  /** Raw logits `(vocabulary)`, as earlier mods left them, before any sampling transform. A copy: editing it changes nothing until it is answered with `adjustLogits`. Throws when the mod did not ask for them. */
  readonly logits: Float32Array;
  /** The k most likely tokens, sorted. Throws for k above what the mod declared (64 if it declared nothing). */
  topK(k: number): readonly TokenLogprob[];
  /**
   * The residual stream behind a layer, `(hidden)` numbers, at the token whose row predicts the next one: the mod's own copy. It
   * is sent where the mod's source reads `hiddenState`. Throws for a layer that `layers` does not declare.
   */
  hiddenState(layer: number): Float32Array;
  /**
   * The tokens that a layer would predict if it were the last: the k most likely, sorted, from its hidden state
   * through the final norm and the head; k up to 64. Throws for a layer that `lens` does not declare.
   */
  lens(layer: number, k: number): readonly TokenLogprob[];
}

/** When the sampler has picked a token that is not emitted yet. */
export interface SampledEvent extends OutputEvent {
  readonly type: "sampled";
  readonly token: TokenId;
  /** The text that the token adds. Bytes of an unfinished character wait for the token that completes it. */
  readonly text: string;
  /** Natural-log probability after the mods' edits, before temperature and cut-offs. */
  readonly logprob: number;
}

/** After every group of tokens became part of the output, whoever put it there. `step` already counts them. */
export interface AddedEvent extends OutputEvent {
  readonly type: "added";
  readonly tokens: readonly TokenId[];
  /** The text that the tokens add. Bytes of an unfinished character wait for the token that completes it. */
  readonly text: string;
  /** True unless the sampler chose it. */
  readonly forced: boolean;
  readonly source: TokenSource;
  /** Name of the mod that forced it, else null. */
  readonly mod: string | null;
  readonly isEos: boolean;
}

/** After tokens were removed. `step` no longer counts them. */
export interface BacktrackedEvent extends OutputEvent {
  readonly type: "backtracked";
  readonly removed: readonly TokenId[];
  /** The text that these tokens had added. */
  readonly text: string;
  readonly mod: string;
}

/** Once, last, whatever the reason. */
export interface FinishedEvent extends EventBase {
  readonly type: "finished";
  readonly reason: FinishReason;
  readonly tokens: readonly TokenId[];
  /**
   * The output's text. An end-of-sequence token, a stop text and the bytes of an incomplete last character are not in it,
   * though their tokens may be in `tokens`.
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

/** The event with a given tag. */
export type EventOf<Type extends EventType> = Extract<ModEvent, { type: Type }>;

/** All event types, in the order a request meets them. */
export const eventTypes: readonly EventType[] = [
  "prefilled",
  "forwardPass",
  "sampled",
  "added",
  "backtracked",
  "finished",
];
