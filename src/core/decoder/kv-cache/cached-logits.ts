/** The logits that a KV cache has without another pass. */
import type { TokenId } from "../../sdk/request.ts";
import type { ModelLogits } from "../ports/logits.ts";

/** A token that was drafted, and the logits after it. */
export interface DraftedToken {
  readonly token: TokenId;
  readonly row: ModelLogits;
}

/**
 * Logits that need no pass: the logits after cached tokens, by the number of tokens before them, and the logits after draft
 * tokens.
 */
export interface CachedLogits {
  readonly rows: Iterable<readonly [number, ModelLogits]>;
  readonly drafted: readonly DraftedToken[];
}

/** All rows; those after draft tokens last. */
export function logitsIn({ rows, drafted }: CachedLogits): ModelLogits[] {
  return [...[...rows].map(([, row]) => row), ...drafted.map(({ row }) => row)];
}

/** The rows after the requested tokens, and the number of draft tokens that the pass also read. */
export interface PassLogits {
  readonly rows: readonly ModelLogits[];
  readonly drafted: number;
}
