/** Where a request goes on from the middle of another one. Plain data. */
import type { TokenId } from "../sdk/request.ts";
import type { TraceRecord } from "../trace/format.ts";

/** Where a request branches off another one. */
export interface BranchPoint {
  /** All records of the other request, from its first on. */
  readonly records: readonly TraceRecord[];
  /**
   * Place among `records` of the forward pass at whose step the branch begins, or of tokens that a mod forced (`added`), which
   * are left out; their number to replay all of them.
   */
  readonly at: number;
  /** How many of the forced tokens at `at` are kept after all; none unless given. */
  readonly kept?: number;
  /** The token to take at that step; null to let the sampler choose. */
  readonly token: TokenId | null;
}
