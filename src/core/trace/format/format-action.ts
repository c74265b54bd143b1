/** A mod's action as the trace stores it. Part of `format.ts`, which says how to change it. */
import type { TraceToolCall } from "./format-request.ts";
import type { TraceSteering, TraceVector } from "./format-values.ts";

/**
 * A recorded action. Edits of logits are recorded as counts and a digest, which tells two edits apart. `tokens` are the tokens
 * that may be emitted; `cut` counts the tokens that were dropped, beyond the request's limit or after an end of sequence.
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
      /** 32-bit digest of the edit; null for a dense edit, and if it was not recorded. */
      readonly digest: number | null;
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
  | { readonly type: "error"; readonly message: string }
  /** If `vectors` is empty, the mod's steering ends. */
  | { readonly type: "steer"; readonly vectors: readonly TraceSteering[] }
  | { readonly type: "patch"; readonly layer: number; readonly vector: TraceVector };

/** The traits of an action type that views need. An absent trait is false. */
export interface ActionTraits {
  /** The action's tokens are added next. The compiler asks for this trait if the action has `tokens`. */
  readonly addsTokens?: true;
  /** The action takes effect whatever another mod replied at the event. */
  readonly alwaysCounts?: true;
}

type TokensTrait<Recorded> = Recorded extends { tokens: unknown } ? { readonly addsTokens: true } : object;

/**
 * Every type of action, once. Filter words, breakpoints, interventions and the codec are made from this table. A link holds an
 * action by its place in the table: add a type at the end.
 */
export const actionTraits: {
  readonly [Type in TraceAction["type"]]: ActionTraits & TokensTrait<Extract<TraceAction, { type: Type }>>;
} = {
  noop: {},
  adjustPrefill: {},
  adjustLogits: {},
  forceTokens: { addsTokens: true },
  backtrack: { addsTokens: true },
  forceOutput: { addsTokens: true },
  toolCalls: {},
  error: {},
  steer: { alwaysCounts: true },
  patch: { alwaysCounts: true },
};
