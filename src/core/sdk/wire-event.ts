/** Events as they reach the runner of a mod: plain data that a port can carry. */
import type { MessageSpan, TokenSource } from "./event.ts";
import type { FinishReason, Message, ResponseFormat, TokenId, ToolDefinition, Usage } from "./request.ts";

interface WireBase {
  readonly requestId: string;
  readonly step: number;
}

/**
 * The change of the output since the last event that was sent to the mod: the first `keep` tokens stay, and `tokens` follow.
 */
export interface WireOutputChange {
  readonly keep: number;
  readonly tokens: readonly TokenId[];
  /** The number of last tokens that are hidden. */
  readonly hidden: number;
  /** Number of UTF-16 units at the beginning of the first token that belong to the prompt, not to the output; 0 by default. */
  readonly inPrompt?: number;
}

interface WireOutput {
  readonly hidden: boolean;
  /** Absent when the mod does not read `event.output`. */
  readonly output?: WireOutputChange;
}

/** The most likely tokens, most likely first; two columns of one length. */
export interface WireTop {
  readonly tokens: Int32Array | readonly TokenId[];
  /** Natural logarithms, over the whole vocabulary. */
  readonly logprobs: Float32Array | readonly number[];
}

/** The layers of a model whose passes can be read and steered. */
export interface LayerSizes {
  readonly layerCount: number;
  /** Numbers in a hidden state. */
  readonly hiddenSize: number;
}

/** The activations that are sent to a mod, at the token whose logits predict the next token. */
export interface WireActivations {
  /** Layers whose hidden states follow in `hiddenStates`, `(layers, hidden)`. The mod's own copy. */
  readonly hiddenLayers: readonly number[];
  readonly hiddenStates: Float32Array;
  /** The layers whose predictions are in `lens`, in the same order. */
  readonly lensLayers: readonly number[];
  readonly lens: readonly WireTop[];
}

export type WireEvent =
  | (WireBase & {
      readonly type: "prefilled";
      readonly tokens: readonly TokenId[];
      readonly messages: readonly Message[];
      /** Absent if the span of no message is known. */
      readonly spans?: readonly (MessageSpan | null)[];
      readonly tools: readonly ToolDefinition[];
      readonly responseFormat: ResponseFormat | null;
      readonly maxTokens: number;
      /** Absent if the mod uses no layers. */
      readonly sizes?: LayerSizes;
    })
  | (WireBase &
      WireOutput & {
        readonly type: "forwardPass";
        readonly top: WireTop;
        /** `(vocabulary)`. The mod's own copy, which it may change. Absent if the mod did not ask for logits. */
        readonly logits?: Float32Array;
        /** Both absent if the mod uses no layers. */
        readonly sizes?: LayerSizes;
        readonly activations?: WireActivations;
      })
  | (WireBase &
      WireOutput & {
        readonly type: "sampled";
        readonly token: TokenId;
        readonly text: string;
        readonly logprob: number;
      })
  | (WireBase &
      WireOutput & {
        readonly type: "added";
        readonly tokens: readonly TokenId[];
        readonly text: string;
        readonly source: TokenSource;
        readonly mod: string | null;
        readonly isEos: boolean;
      })
  | (WireBase &
      WireOutput & {
        readonly type: "backtracked";
        readonly removed: readonly TokenId[];
        readonly text: string;
        readonly mod: string;
      })
  | (WireBase & {
      readonly type: "finished";
      readonly reason: FinishReason;
      readonly tokens: readonly TokenId[];
      /** The answer, without end-of-sequence token and stop sequence. */
      readonly text: string;
      readonly usage: Usage;
    });
