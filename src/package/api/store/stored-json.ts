/** JSON in a store: written as UTF-8, and checked when it is read, because the store is not trusted. */
import { ApiError, type ApiErrorBody, type ApiErrorFields } from "../api-error.ts";
import type { EngineStore, StoredKind } from "./engine-store.ts";

/**
 * An error of the store. Clients over HTTP read a message of their own, because the place of a store and the reasons of databases
 * and of Node contain addresses and paths.
 */
export class StoreError extends ApiError {
  readonly #forClients: string;

  constructor(message: string, fields: ApiErrorFields, forClients: string) {
    super(message, fields);
    this.#forClients = forClients;
  }

  override toJSON(): ApiErrorBody {
    const { error } = super.toJSON();
    return { error: { ...error, message: this.#forClients } };
  }
}

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
    throw storedDataInvalidError(store, [kind, id], { reason, cause });
  }
}

/** @param about `reason`: a sentence */
export function storedDataInvalidError(
  store: Pick<EngineStore, "name">,
  [kind, id]: readonly [StoredKind, string],
  { reason, cause }: { readonly reason: string; readonly cause?: unknown },
): StoreError {
  return new StoreError(
    `The ${kind} "${id}" in the store (${store.name}) is damaged, or Midtoken did not write it: ${reason} Delete the entry, and find out which other program writes to the store.`,
    { status: 500, type: "engine_error", code: "stored_data_invalid", cause },
    `The ${kind} "${id}" in the server's store is damaged, or Midtoken did not write it. The server's log has the reason.`,
  );
}

/** @param what the words after "could not" in the message: "read an entry" */
export function storeFailedError(store: Pick<EngineStore, "name">, what: string, cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StoreError(
    `The store (${store.name}) could not ${what}: ${reason.replace(/\.?$/, ".")} Check that it is running and has room, then send the request again.`,
    { status: 503, type: "engine_error", code: "store_failed", cause },
    `The server's store could not ${what}. The server's log has the reason. Send the request again later.`,
  );
}
