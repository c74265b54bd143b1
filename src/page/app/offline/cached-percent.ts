/** The share of a model that this browser has saved. Pure. */
import type { CachedModel } from "../../../runtime/session/page-side/cached-models.ts";

/** Whole percent of all files whose download has begun; null if the size of a file is unknown. */
export function cachedPercent({
  bytes,
  partialFiles,
}: Pick<CachedModel, "bytes" | "partialFiles">): number | null {
  let left = 0;
  for (const file of partialFiles) {
    if (file.size === null) return null;
    left += file.size - file.bytes;
  }
  return Math.floor((100 * bytes) / Math.max(1, bytes + left));
}
