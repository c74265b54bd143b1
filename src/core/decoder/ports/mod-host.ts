/** The port between the decode loop and a loaded mod, wherever it runs. */
import type { Action } from "../../sdk/action.ts";
import { maximumLensTokens } from "../../sdk/activation-needs.ts";
import type { EventType, MessageSpan, TokenSource } from "../../sdk/event.ts";
import type { ModNeeds } from "../../sdk/mod.ts";
import type {
  FinishReason,
  Message,
  ResponseFormat,
  TokenId,
  ToolDefinition,
  Usage,
} from "../../sdk/request.ts";
import type { ScoreContinuations } from "../../sdk/score-arguments.ts";
import type { LayerSizes, WireTop } from "../../sdk/wire-event.ts";

/** A token of the output. */
export interface EmittedToken {
  readonly token: TokenId;
  /** The text that the token adds. Bytes of an unfinished character wait for the token that completes it. */
  readonly text: string;
  /** Counts all tokens that were ever emitted in this request. */
  readonly index: number;
  readonly source: TokenSource;
  /** UTF-16 units of the token's own text that belong to the healed prompt and are not in `text`; 0 by default. */
  readonly inPrompt?: number;
  /** The token is hidden and will be removed: see `Output.visibleLength`. */
  readonly isHidden: boolean;
}

/**
 * Events inside the loop: plain data, with the present logits and output. The host sends the parts that the mod asked for.
 * `text` is the text that the tokens add to the output, or removed from it: bytes of an unfinished character come with the
 * token that completes it. `hidden`: the tokens are hidden; at `forwardPass` and `sampled`, the next token will be hidden.
 */
export type LoopEvent =
  | {
      readonly type: "prefilled";
      readonly requestId: string;
      readonly step: number;
      readonly tokens: readonly TokenId[];
      readonly messages: readonly Message[];
      /** Absent if no message's span is known. */
      readonly spans?: readonly (MessageSpan | null)[];
      readonly tools: readonly ToolDefinition[];
      readonly responseFormat: ResponseFormat | null;
      readonly maxTokens: number;
      /** Absent if the model was loaded without its layers. */
      readonly sizes?: LayerSizes;
    }
  | {
      readonly type: "forwardPass";
      readonly requestId: string;
      readonly step: number;
      /**
       * `(vocabulary)`, after the edits of earlier mods; null if the logits are on a device and no mod needs them. The host
       * must not store or change them.
       */
      readonly logits: Float32Array | null;
      /**
       * Returns the `count` most likely tokens of this row, sorted, among equal ones the lower id first. Present if the loop
       * has them, to save the host the search. The caller must not change them.
       */
      readonly top?: (count: number) => WireTop;
      /**
       * Whether any token of a mask (one bit for each token) can still be sampled. Only for hosts with `asksWhatIsLeft`. A
       * promise if the logits are on a device.
       */
      readonly canSample?: (mask: Uint32Array) => boolean | Promise<boolean>;
      /** Absent if the model was loaded without its layers. */
      readonly sizes?: LayerSizes;
      /** The activations of the layers that the request's mods read; absent if no mod reads any. */
      readonly activations?: StepActivations;
      readonly hidden: boolean;
      readonly emitted: readonly EmittedToken[];
    }
  | {
      readonly type: "sampled";
      readonly requestId: string;
      readonly step: number;
      readonly token: TokenId;
      readonly text: string;
      readonly logprob: number;
      readonly hidden: boolean;
      readonly emitted: readonly EmittedToken[];
    }
  | {
      readonly type: "added";
      readonly requestId: string;
      readonly step: number;
      readonly tokens: readonly TokenId[];
      readonly text: string;
      readonly source: TokenSource;
      readonly mod: string | null;
      readonly isEos: boolean;
      readonly hidden: boolean;
      readonly emitted: readonly EmittedToken[];
    }
  | {
      readonly type: "backtracked";
      readonly requestId: string;
      readonly step: number;
      readonly removed: readonly TokenId[];
      readonly text: string;
      readonly mod: string;
      readonly hidden: boolean;
      readonly emitted: readonly EmittedToken[];
    }
  | {
      readonly type: "finished";
      readonly requestId: string;
      readonly step: number;
      readonly reason: FinishReason;
      readonly tokens: readonly TokenId[];
      /** The response, as in the trace: without the end-of-sequence token and stop sequences. */
      readonly text: string;
      readonly usage: Usage;
    };

/** The activations of a step's pass, at the token whose logits predict the next one. The host must not store or change them. */
export interface StepActivations {
  /** `(hidden)` by layer: at least for the layers in the `needs` of the mods that are asked. */
  readonly hiddenStates: ReadonlyMap<number, Float32Array>;
  /** The most likely tokens after a layer (the logit lens), at most `mostLensTokens`. */
  readonly lens: ReadonlyMap<number, WireTop>;
}

/** The tokens that mods got at a recorded step, whose logits are not stored. */
export interface RecordedTopTokens {
  /** The `count` most likely tokens that mod number `mod` got; fewer if the record has fewer. */
  top(mod: number, count: number): WireTop;
}

/** How many of the most likely tokens of each layer are sent to mods. */
export const mostLensTokens = maximumLensTokens;

/** The logits of an event, for a host that reads all of them. @throws Error if the host did not say so in its `needs`. */
export function requireAllLogits({
  logits,
  step,
}: Pick<Extract<LoopEvent, { type: "forwardPass" }>, "logits" | "step">): Float32Array {
  if (logits) return logits;
  throw new Error(
    `The logits of step ${step} are on the GPU: a mod that reads them has to declare needs.logits.`,
  );
}

/** A line that a mod wrote with `console`. */
export interface ConsoleLine {
  readonly level: "debug" | "log" | "info" | "warn" | "error";
  readonly text: string;
}

/** Why a mod's reply is not used. */
export interface ModFault {
  readonly kind: "invalid-action" | "threw" | "timeout" | "protocol" | "crashed";
  readonly message: string;
  readonly stack?: string;
  /** The 1-based position in the mod's TypeScript source, if known. */
  readonly line?: number;
  readonly column?: number;
}

/** One reply. Exactly one of `action` and `fault` is meaningful. */
export interface ModReply {
  readonly action: Action;
  readonly fault: ModFault | null;
  readonly console: readonly ConsoleLine[];
  /** The source line of the call that built the action, if known; 1-based. */
  readonly line?: number;
}

/**
 * A loaded mod. `ask` never rejects and always settles: every failure of a mod, also a missing reply, is a fault in the
 * reply.
 */
export interface ModHost {
  readonly name: string;
  /** The events that the mod has handlers for; other events are never sent. */
  readonly handles: ReadonlySet<EventType>;
  /** The logits and activations that the mod gets with `forwardPass`, and how far it goes back. */
  readonly needs: ModNeeds;
  /**
   * At `forwardPass` the mod calls `canSample`, also if the logits are on a device. Only for hosts in this process. No
   * record has the results.
   */
  readonly asksWhatIsLeft?: boolean;
  /**
   * How many events the mod accepts before it has replied to the first; 1 by default. The mod reads each event when it is
   * sent, and replies in order.
   */
  readonly pipelineDepth?: number;
  /** `score`: the function behind the mod's `event.score`. The promise settles after all calls of `score` have settled. */
  ask(event: LoopEvent, score?: ScoreContinuations): Promise<ModReply>;
  /** Stops the mod for good, even if it is busy. */
  dispose(): void;
}

/** False for a mod that gets no logits: it need not wait for the edits of the mods before it. */
export function readsLogits({ needs, asksWhatIsLeft = false }: ModHost): boolean {
  return needs.topK > 0 || needs.logits || asksWhatIsLeft;
}

/** Whether the mod gets hidden states or the lens of layers. No record has them. */
export function readsActivations({ needs: { activations } }: Pick<ModHost, "needs">): boolean {
  return (
    activations !== undefined &&
    (activations.hiddenStates || activations.lens === "all" || activations.lens.length > 0)
  );
}
