/** Events as they reach the runner of a mod: plain data that a port can carry. */
import type { TokenSource } from "./event.ts";
import type { FinishReason, Message, ResponseFormat, TokenId, ToolDefinition, Usage } from "./request.ts";

interface WireBase {
  readonly requestId: string;
  readonly step: number;
}

/** What happened to the output since the event that the mod was sent before: of what it knows, the first `keep` tokens still stand, and these follow. */
export interface WireOutputChange {
  readonly keep: number;
  readonly tokens: readonly TokenId[];
  /** So many of the last tokens are hidden. */
  readonly hidden: number;
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

export type WireEvent =
  | (WireBase & {
      readonly type: "prefilled";
      readonly tokens: readonly TokenId[];
      readonly messages: readonly Message[];
      readonly tools: readonly ToolDefinition[];
      readonly responseFormat: ResponseFormat | null;
      readonly maxTokens: number;
    })
  | (WireBase &
      WireOutput & {
        readonly type: "forwardPass";
        readonly top: WireTop;
        /** `(vocabulary)`. The mod's own copy: it may be changed. Absent when the mod did not ask for it. */
        readonly logits?: Float32Array;
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
      /** The answer: end-of-sequence and stop texts are not in it. */
      readonly text: string;
      readonly usage: Usage;
    });
