/** The next change of a request: its output changes, or it ends. */

import type { FinishReason, TokenId, ToolCall } from "../../sdk/request.ts";
import type { EndError, FinishedRecord } from "../../trace/format/format.ts";

/** A change of the output. `mod`: index of the mod that asks for the change. */
export type Change =
  | {
      readonly type: "sampled";
      readonly token: TokenId;
      /** Index of the mod that hides the token; null for a visible token. */
      readonly hiddenBy: number | null;
    }
  | {
      readonly type: "forceTokens";
      readonly mod: number;
      readonly tokens: readonly TokenId[];
      /** These tokens and all later tokens are hidden. */
      readonly hidden: boolean;
      /** The tokens were given as a text whose end may be healed (`loop/healing.ts`). */
      readonly heal: boolean;
    }
  | {
      readonly type: "backtrack";
      readonly mod: number;
      readonly count: number;
      readonly tokens: readonly TokenId[];
      readonly hidden: boolean;
      readonly heal: boolean;
    }
  | { readonly type: "forceOutput"; readonly mod: number; readonly tokens: readonly TokenId[] }
  | { readonly type: "end"; readonly ending: RequestEnding };

/** Why and how the request ends. */
export interface RequestEnding {
  readonly reason: FinishReason;
  /** The limit that ended the request, for the reason `length`. */
  readonly lengthLimit?: NonNullable<FinishedRecord["lengthLimit"]>;
  readonly toolCalls?: readonly ToolCall[];
  readonly error?: EndError;
  /** UTF-16 length at which a stop sequence cuts the output. */
  readonly textLength?: number;
}
