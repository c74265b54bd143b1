/** How much of a model is in this browser. Pure. */
import type { CachedModel } from "../../../runtime/session/page-side/cached-models.ts";

/** Whole percent of the files that began to come; null if the size of one is not known. */
export function cachedPercent({ bytes, begun }: Pick<CachedModel, "bytes" | "begun">): number | null {
  let left = 0;
  for (const file of begun) {
    if (file.size === null) return null;
    left += file.size - file.bytes;
  }
  return Math.floor((100 * bytes) / Math.max(1, bytes + left));
}
