/** Opens the store that the value of `--store` names. */
import { checkOptionKeys, type OptionKeys, refuseUnknownKeys } from "../../../core/base/known-keys.ts";
import { isRecord } from "../../../core/base/record.ts";
import { describeValue } from "../../../core/base/show.ts";
import { type EngineStore, storedKinds, storeLimits } from "../../api/store/engine-store.ts";
import { FolderStore, type StoreOptions } from "./folder-store.ts";
import { type KeyvConnection, KeyvStore } from "./keyv-store.ts";
import { connectPostgres } from "./postgres-parts.ts";
import { connectRedis } from "./redis-parts.ts";

export interface OpenStoreOptions extends Partial<StoreOptions> {
  /** Called when the connection to a database breaks. */
  readonly onNotice?: (notice: string) => void;
}

const optionKeys: OptionKeys<OpenStoreOptions> = { limits: true, lifetime: true, onNotice: true };

/** By default a store keeps traces and responses for a day; in milliseconds. */
export const defaultStoreLifetimeMs = 86_400_000;

/**
 * @param place a folder, or the address of a Redis server, `redis://…` or `rediss://…`, or of a PostgreSQL database,
 * `postgres://…` or `postgresql://…`
 * @throws Error that says what to install if the database's packages are missing, or what to do if the database does not
 * answer; ApiError, 503, if a folder cannot be written or the store cannot be read
 */
export async function openStore(place: string, options: OpenStoreOptions = {}): Promise<EngineStore> {
  checkOptionKeys("openStore", options, optionKeys);
  const { limits = storeLimits, lifetime = defaultStoreLifetimeMs, onNotice = () => undefined } = options;
  const refuse = (message: string) => new TypeError(`openStore: ${message}`);
  if (!isRecord(limits)) throw refuse(`limits is ${describeValue(limits)}: give an object.`);
  refuseUnknownKeys(limits, storedKinds, "limits", refuse);
  for (const kind of storedKinds) checkLimit(limits[kind], `limits.${kind}`, refuse);
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(place) ?? [];
  if (scheme === undefined) return FolderStore.open(place, { limits, lifetime });
  const connect = databases[scheme.toLowerCase()];
  if (!connect)
    throw new Error(
      `The store's address begins with ${scheme}://. Give a folder, redis://HOST:PORT, or postgres://USER:PASSWORD@HOST/DATABASE.`,
    );
  const store = new KeyvStore(await connect(place, onNotice), { limits, lifetime });
  // Tests the store now, so that it does not fail in the middle of a request.
  await store.list("mod").catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  return store;
}

function checkLimit(limit: unknown, path: string, refuse: (message: string) => Error): void {
  if (!isRecord(limit)) throw refuse(`${path} is ${describeValue(limit)}: give { count, bytes }.`);
  refuseUnknownKeys(limit, ["count", "bytes"], path, refuse);
  for (const field of ["count", "bytes"]) {
    const given = limit[field];
    if (typeof given === "number" && given >= 0) continue;
    throw refuse(`${path}.${field} is ${describeValue(given)}: give a number from 0 on, or Infinity.`);
  }
}

const databases: Readonly<
  Partial<Record<string, (address: string, onNotice: (notice: string) => void) => Promise<KeyvConnection>>>
> = { redis: connectRedis, rediss: connectRedis, postgres: connectPostgres, postgresql: connectPostgres };
