/** Rows of logits at hand in a KV cache. */
import type { TokenId } from "../../sdk/request.ts";
import type { LogitsRow } from "../ports/logits.ts";

/** A token that was drafted, and the logits after it. */
export interface DraftedToken {
  readonly token: TokenId;
  readonly row: LogitsRow;
}

/** Rows at hand: by the number of tokens they follow, and of what was drafted. */
export interface KvCacheRows {
  readonly rows: Iterable<readonly [number, LogitsRow]>;
  readonly drafted: readonly DraftedToken[];
}

export function rowsOf({ rows, drafted }: KvCacheRows): LogitsRow[] {
  return [...[...rows].map(([, row]) => row), ...drafted.map(({ row }) => row)];
}

/** Rows after the tokens that were asked for, and how many were drafted besides. */
export interface Pass {
  readonly rows: readonly LogitsRow[];
  readonly drafted: number;
}
