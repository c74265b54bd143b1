/** Rows of logits at hand in a KV cache. */
import type { TokenId } from "../../sdk/request.ts";
import type { ModelLogits } from "../ports/logits.ts";

/** A token that was drafted, and the logits after it. */
export interface DraftedToken {
  readonly token: TokenId;
  readonly row: ModelLogits;
}

/** Logits that need no pass: those after cached tokens, by the number of tokens before, and those of draft tokens. */
export interface CachedLogits {
  readonly rows: Iterable<readonly [number, ModelLogits]>;
  readonly drafted: readonly DraftedToken[];
}

export function logitsIn({ rows, drafted }: CachedLogits): ModelLogits[] {
  return [...[...rows].map(([, row]) => row), ...drafted.map(({ row }) => row)];
}

/** Rows after the tokens that were asked for, and how many were drafted besides. */
export interface Pass {
  readonly rows: readonly ModelLogits[];
  readonly drafted: number;
}
