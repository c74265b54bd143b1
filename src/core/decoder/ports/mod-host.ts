/** The port between the decode loop and a loaded mod, wherever it runs. */
import type { Action } from "../../sdk/action.ts";
import { maximumLens } from "../../sdk/activation-needs.ts";
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
import type { ScoreTokens } from "../../sdk/score-arguments.ts";
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
  /** The token is in the output only for a while: see `Output.keptLength`. */
  readonly isHidden: boolean;
}

/**
 * Events as the loop has them: plain data, with live logits and the live output. The host sends the parts that the mod asked for.
 * `text` is what the tokens add to the output's text, or took from it: bytes of an unfinished character come with the token
 * that completes it. `hidden`: the tokens stand only for a while; at `forwardPass` and `sampled`, so will the next one, as
 * far as the mods before have answered. `emitted` is the output as it stands, not to be kept or changed by the host.
 */
export type LoopEvent =
  | {
      readonly type: "prefilled";
      readonly requestId: string;
      readonly step: number;
      readonly tokens: readonly TokenId[];
      readonly messages: readonly Message[];
      /** Absent if the span of no message is known. */
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
       * `(vocabulary)`, after the edits of earlier mods; null if the logits lie on a device and no mod needs them.
       * The host must not store or change them.
       */
      readonly logits: Float32Array | null;
      /** The `count` most likely tokens of this very row, sorted, of equals the lower id first, where the loop has them: saves the host the search. Not to be changed. */
      readonly top?: (count: number) => WireTop;
      /** Whether any token of a mask (a bit for each) is left to sample: for hosts that say so (`asksWhatIsLeft`). A promise where the logits lie on a device. */
      readonly canSample?: (mask: Uint32Array) => boolean | Promise<boolean>;
      /** Absent if the model was loaded without its layers. */
      readonly sizes?: LayerSizes;
      /** The activations of the layers that the request's mods read; absent if no mod reads any. */
      readonly inside?: StepActivations;
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
      /** The answer, as in the trace: end-of-sequence and stop texts are not in it. */
      readonly text: string;
      readonly usage: Usage;
    };

/** The activations of a step's pass, at the token whose logits predict the next one. The host must not store or change them. */
export interface StepActivations {
  /** `(hidden)` by layer: at least of those in the `needs` of the mods that are asked. */
  readonly hiddenStates: ReadonlyMap<number, Float32Array>;
  /** The most likely tokens after a layer (the logit lens), at most `lensCount`. */
  readonly lens: ReadonlyMap<number, WireTop>;
}

/** The tokens that mods were sent at a recorded step, whose logits are not at hand. */
export interface RecordedStep {
  /** The `count` most likely tokens, as mod number `mod` was sent them; fewer if the record has fewer. */
  top(mod: number, count: number): WireTop;
}

/** How many of the most likely tokens of each layer are sent to mods. */
export const lensCount = maximumLens;

/** The logits of an event, for who reads all of them. @throws Error if the host did not say so in its `needs`. */
export function allLogits({
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

/** Why a mod's answer does not count. */
export interface ModFault {
  readonly kind: "invalid-action" | "threw" | "timeout" | "protocol" | "crashed";
  readonly message: string;
  readonly stack?: string;
  /** 1-based position in the mod's TypeScript source, where known. */
  readonly line?: number;
  readonly column?: number;
}

/** One answer. Exactly one of `action` and `fault` is meaningful. */
export interface ModReply {
  readonly action: Action;
  readonly fault: ModFault | null;
  readonly console: readonly ConsoleLine[];
  /** Source line of the call that built the action, where known; 1-based. */
  readonly line?: number;
}

/** A loaded mod. `ask` never rejects and always settles: what goes wrong in a mod, silence too, is a fault in the reply. */
export interface ModHost {
  readonly name: string;
  /** Events the mod has handlers for; others are never sent. */
  readonly handles: ReadonlySet<EventType>;
  /** The form of the logits that the mod gets with `forwardPass`. */
  readonly needs: ModNeeds;
  /** At `forwardPass` it asks which tokens are left (`canSample`), wherever the logits lie: for hosts of this process alone. No record has the answers. */
  readonly asksWhatIsLeft?: boolean;
  /**
   * How many questions the mod takes before it has answered the first; 1 by default. The mod reads each event when it
   * is asked, and answers in order.
   */
  readonly pipelineDepth?: number;
  /** `score`: for `event.score` of the mod. The promise settles once every call of it has. */
  ask(event: LoopEvent, score?: ScoreTokens): Promise<ModReply>;
  /** Stops it for good, busy or not. */
  dispose(): void;
}

/** False for a mod that is sent no logits: it need not wait for the edits of the mods before it. */
export function readsLogits({ needs, asksWhatIsLeft = false }: ModHost): boolean {
  return needs.topK > 0 || needs.logits || asksWhatIsLeft;
}

/** Whether hidden states, or what layers would say, are sent to the mod. No record has them. */
export function readsActivations({ needs: { inside } }: Pick<ModHost, "needs">): boolean {
  return inside !== undefined && (inside.hiddenStates || inside.lens === "all" || inside.lens.length > 0);
}
