/**
 * The actions that a mod may return: plain data, and the one table that says which event allows which action.
 *
 * `hidden` in an action: the tokens that the action adds, or the token sampled at its step, are in the output only
 * for a while. Everything after them is hidden too, until a backtrack removes the first hidden token.
 */
import { recogniseCopies } from "../base/recognise-copies.ts";
import type { EventType } from "./event.ts";
import type { Message, TokenId, ToolCall } from "./request.ts";

/** A sparse edit of one step's logits. `mask` and `only` keep these ids, `ban` removes ids, `add` adds to them; applied in that order. */
export interface SparseLogitsEdit {
  /**
   * `ceil(vocabulary / 32)` words: bit `t & 31` of word `t >> 5` is 1 for an allowed token. A strategy's state
   * returns such a mask.
   */
  readonly mask?: Uint32Array;
  readonly ban?: readonly TokenId[];
  readonly only?: readonly TokenId[];
  readonly add?: Readonly<Record<TokenId, number>>;
}

export interface NoopAction {
  readonly type: "noop";
}
export interface AdjustPrefillAction {
  readonly type: "adjustPrefill";
  /** Empty if `messages` are given: the engine renders them. */
  readonly tokens: readonly TokenId[];
  readonly messages?: readonly Message[];
  readonly maxSteps?: number;
  /** The prompt was given as a text: its last tokens may be taken back, so that the model spells its first word. */
  readonly heal?: true;
}
export interface AdjustLogitsAction {
  readonly type: "adjustLogits";
  /** Vocabulary-sized array, or a sparse edit. */
  readonly logits: Float32Array | SparseLogitsEdit;
  readonly temperature?: number;
  readonly hidden?: boolean;
}
export interface ForceTokensAction {
  readonly type: "forceTokens";
  readonly tokens: readonly TokenId[];
  readonly hidden?: boolean;
  /** The tokens were given as a text: the last ones may be taken back, so that the model spells the word in which the text ends. */
  readonly heal?: true;
}
export interface BacktrackAction {
  readonly type: "backtrack";
  readonly count: number;
  readonly tokens?: readonly TokenId[];
  readonly hidden?: boolean;
  /** See `ForceTokensAction`. */
  readonly heal?: true;
}
export interface ForceOutputAction {
  readonly type: "forceOutput";
  readonly tokens: readonly TokenId[];
}
export interface ToolCallsAction {
  readonly type: "toolCalls";
  readonly calls: readonly ToolCall[];
}
/** The most vectors that one action may give. */
export const maximumSteerings = 256;

/** One vector to add to the residual stream behind one layer. */
export interface Steering {
  /** Counted from 0. */
  readonly layer: number;
  /** `(hidden)` finite numbers. */
  readonly vector: Float32Array;
  /** The factor of the vector: a finite number. */
  readonly scale: number;
}
/**
 * Steers every token that is computed from the next pass on, until the mod answers with another one; nothing is steered where
 * `vectors` is empty. Vectors of several mods, and several for one layer, add up.
 */
export interface SteerAction {
  readonly type: "steer";
  readonly vectors: readonly Steering[];
}
/** In the next pass alone, at its last token: puts `vector`, `(hidden)` finite numbers, in the place of the residual stream behind the layer. */
export interface PatchAction {
  readonly type: "patch";
  readonly layer: number;
  readonly vector: Float32Array;
}
export interface ErrorAction {
  readonly type: "error";
  readonly message: string;
}

export type Action =
  | NoopAction
  | AdjustPrefillAction
  | AdjustLogitsAction
  | ForceTokensAction
  | BacktrackAction
  | ForceOutputAction
  | ToolCallsAction
  | SteerAction
  | PatchAction
  | ErrorAction;

export type ActionType = Action["type"];

/** Which actions each event allows: read by the types, by the builders and by the engine's validator. */
export const allowedActions = {
  prefilled: ["noop", "adjustPrefill", "forceOutput", "toolCalls", "steer", "patch", "error"],
  forwardPass: [
    "noop",
    "adjustLogits",
    "forceTokens",
    "backtrack",
    "forceOutput",
    "toolCalls",
    "steer",
    "patch",
    "error",
  ],
  sampled: ["noop", "forceTokens", "backtrack", "forceOutput", "toolCalls", "steer", "patch", "error"],
  added: ["noop", "forceTokens", "backtrack", "forceOutput", "toolCalls", "steer", "patch", "error"],
  backtracked: ["noop"],
  finished: ["noop"],
} as const;

/** The actions that the event `Type` allows. */
export type ActionFor<Type extends EventType> = Extract<
  Action,
  { type: (typeof allowedActions)[Type][number] }
>;

/**
 * Thrown when an answer cannot be carried out: an action that the event does not allow, or, with `reason`,
 * one whose arguments are wrong. Names action and event, and says what to write instead.
 */
export class InvalidActionError extends Error {
  static {
    recogniseCopies(InvalidActionError, "InvalidActionError");
  }
  override readonly name = "InvalidActionError";
  constructor(
    readonly action: string,
    readonly event: string,
    readonly reason?: string,
  ) {
    const ofEachEvent: Record<EventType, readonly ActionType[]> = allowedActions;
    const allowed = (ofEachEvent as Record<string, readonly string[]>)[event] ?? [];
    super(
      reason === undefined
        ? `"${action}" is not allowed at "${event}": answer with ${allowed.join(", ")}.`
        : `"${action}" at "${event}": ${reason}`,
    );
  }
}
