/** JSON in a store: written as UTF-8, and checked when it is read, because the store is not trusted. */
import { ApiError } from "../api-error.ts";
import type { EngineStore, StoredKind } from "./engine-store.ts";

export const encodeJson = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** The text of an entry. @throws TypeError for bytes that are not UTF-8 */
export const decodeText = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);

/**
 * Reads an entry with `read`; null if there is none.
 * @throws ApiError, 500, if `read` throws: something else wrote the entry
 */
export async function readEntry<Value>(
  store: EngineStore,
  [kind, id]: readonly [StoredKind, string],
  read: (bytes: Uint8Array) => Value | Promise<Value>,
): Promise<Value | null> {
  const bytes = await store.get(kind, id);
  if (!bytes) return null;
  try {
    return await read(bytes);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ApiError(
      `The ${kind} "${id}" in the store (${store.name}) is damaged, or Midtoken did not write it: ${reason} Delete the entry, and find out which other program writes to the store.`,
      { status: 500, type: "engine_error", code: "stored_data_invalid", cause },
    );
  }
}

/** @param what the words after "could not" in the message: "read an entry" */
export function storeFailedError(store: Pick<EngineStore, "name">, what: string, cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ApiError(
    `The store (${store.name}) could not ${what}: ${reason.replace(/\.?$/, ".")} Check that it is running and has room, then send the request again.`,
    { status: 503, type: "engine_error", code: "store_failed", cause },
  );
}
