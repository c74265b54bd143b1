/**
 * The actions that a mod may return: plain data, and the one table that says which event allows which action.
 *
 * `hidden` in an action: the tokens that the action adds, or the token sampled at its step, are in the output only
 * for a while. Everything after them is hidden too, until a backtrack removes the first hidden token.
 */
import { acceptInstancesOfCopies } from "../base/recognise-copies.ts";
import type { EventType } from "./event.ts";
import type { Message, TokenId, ToolCall } from "./request.ts";

/**
 * A sparse edit of one step's logits. `mask` and `only` allow only their ids, `ban` excludes ids, `add` adds to logits; in
 * that order.
 */
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
  /** The new prompt; empty if `messages` are given, because the engine renders these. */
  readonly tokens: readonly TokenId[];
  readonly messages?: readonly Message[];
  readonly maxSteps?: number;
  /** True if the prompt was given as text: token healing may remove its last tokens and let the model choose their spelling. */
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
  /** True if the tokens were given as text: token healing may remove the last ones and let the model choose their spelling. */
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
/** The most vectors of one action. */
export const maximumSteerings = 256;

/** A vector to add to the residual stream after a layer. */
export interface Steering {
  /** Counted from 0. */
  readonly layer: number;
  /** Finite numbers, as many as the model's hidden size. */
  readonly vector: Float32Array;
  /** The factor of the vector: a finite number. */
  readonly scale: number;
}
/**
 * Adds the vectors in every forward pass from the next one on, until the mod returns another `steer`. Empty `vectors` end the
 * mod's steering. Vectors of several mods, and several vectors for one layer, add up.
 */
export interface SteerAction {
  readonly type: "steer";
  readonly vectors: readonly Steering[];
}
/** Replaces the residual stream after the layer with `vector`, `(hidden)` finite numbers: in the next forward pass only, at its last token. */
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

/** The actions that each event allows. Types, builders and the engine's validator use this table. */
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
 * Thrown for an action that cannot be carried out: the event does not allow it or, with `reason`, an argument is wrong. The
 * message names action and event, and says what to write instead.
 */
export class InvalidActionError extends Error {
  static {
    acceptInstancesOfCopies(InvalidActionError, "InvalidActionError");
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
        ? `"${action}" is not allowed at "${event}": return one of ${allowed.join(", ")}.`
        : `"${action}" at "${event}": ${reason}`,
    );
  }
}
