/** How much of the browser's storage this site uses, and how much is left for it. */
import { formatBytes } from "../../core/base/number-text.ts";

export interface StorageSpace {
  /** Bytes that the site uses: runs, models and all else. */
  readonly used: number;
  /** Bytes that the site may still use, as far as the browser tells. */
  readonly left: number;
  /** Whether the browser promises not to clear the storage by itself; null if unknown. */
  readonly isPersistent: boolean | null;
}

/** Below so many bytes the room counts as short: a hundred long runs still fit. */
export const lowStorageBytes = 50_000_000;

/** Null if the browser does not tell. */
export async function readStorageSpace(
  storage: Partial<StorageManager> | undefined = globalThis.navigator?.storage,
): Promise<StorageSpace | null> {
  try {
    const { usage, quota } = (await storage?.estimate?.()) ?? {};
    if (usage === undefined || quota === undefined) return null;
    const isPersistent = (await storage?.persisted?.()) ?? null;
    return { used: usage, left: Math.max(0, quota - usage), isPersistent };
  } catch {
    // Pages without a secure context, and browsers whose user forbade storage.
    return null;
  }
}

/** Whether a write failed for lack of room. */
export function isQuotaExceeded(cause: unknown): boolean {
  return cause instanceof DOMException && cause.name === "QuotaExceededError";
}

/** A sentence that says why a file of so many bytes does not fit; null if it fits, or if the browser does not tell. */
export async function storageSpaceProblem(bytes: number): Promise<string | null> {
  const room = await readStorageSpace();
  if (!room || room.left >= bytes) return null;
  return `The file needs ${formatBytes(bytes)}, but the browser has only ${formatBytes(room.left)} left for this page: delete runs or models that you do not need.`;
}
