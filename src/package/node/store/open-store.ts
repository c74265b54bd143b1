/** Opens the store that the value of `--store` names. */
import type * as keyv from "keyv";
import { type EngineStore, storeLimits } from "../../api/store/engine-store.ts";
import { FolderStore, type StoreOptions } from "./folder-store.ts";
import { type KeyvParts, KeyvStore } from "./keyv-store.ts";

export interface OpenStoreOptions extends Partial<StoreOptions> {
  /** Called when the connection to a database breaks. */
  readonly onNotice?: (notice: string) => void;
}

/** By default a store keeps traces and responses for a day; in milliseconds. */
export const defaultLifetime = 86_400_000;

/**
 * @param place a folder, or the address of a Redis server, `redis://…` or `rediss://…`
 * @throws Error that says what to install if Redis's packages are missing; ApiError, 503, if the store does not answer
 */
export async function openStore(place: string, options: OpenStoreOptions = {}): Promise<EngineStore> {
  const { limits = storeLimits, lifetime = defaultLifetime, onNotice = () => undefined } = options;
  if (/^rediss?:\/\//.test(place)) {
    const store = new KeyvStore(await redisParts(place, onNotice), { limits, lifetime });
    // Tests the store now, so that it does not fail in the middle of a request.
    await store.list("mod").catch(async (error: unknown) => {
      await store.close();
      throw error;
    });
    return store;
  }
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(place) ?? [];
  if (scheme !== undefined)
    throw new Error(`The store's address begins with ${scheme}://. Give a folder, or redis://HOST:PORT.`);
  return FolderStore.open(place, { limits, lifetime });
}

const connectMs = 5_000;
const valuesSpace = "midtoken-values";
const entriesSpace = "midtoken-entries";

async function redisParts(address: string, onNotice: (notice: string) => void): Promise<KeyvParts> {
  const { Keyv, KeyvRedis, createClient } = await redisPackages();
  const name = withoutSecrets(address);
  const client = createClient({
    url: address,
    // While the server is away, a request fails at once instead of waiting.
    disableOfflineQueue: true,
    socket: { connectTimeout: connectMs, reconnectStrategy: (tries) => Math.min(2_000, 100 * 2 ** tries) },
  });
  let isAway = false;
  client.on("error", (error: unknown) => {
    if (!isAway) onNotice(`The store (${name}) cannot be reached: ${reasonOf(error)}`);
    isAway = true;
  });
  client.on("ready", () => {
    if (isAway) onNotice(`The store (${name}) answers again.`);
    isAway = false;
  });
  const adapterOf = () => {
    const adapter = new KeyvRedis(client as never, { throwOnErrors: true, connectionTimeout: connectMs });
    // These errors are also thrown, so the event can be ignored.
    adapter.on("error", () => undefined);
    return adapter;
  };
  const space = (namespace: string): keyv.Keyv => {
    const made = new Keyv({ store: adapterOf(), namespace, useKeyPrefix: false, throwOnErrors: true });
    made.on("error", () => undefined);
    return made;
  };
  const listing = adapterOf();
  async function* keys(): AsyncGenerator<string> {
    for await (const [key] of listing.iterator(entriesSpace)) yield key;
  }
  const close = async (): Promise<void> => {
    if (client.isOpen) client.destroy();
  };
  await connected(client, name);
  return { name, values: space(valuesSpace), entries: space(entriesSpace), keys, close };
}

/** @throws Error if the server does not answer at the start of the program */
async function connected(
  client: { connect(): Promise<unknown>; destroy(): void },
  name: string,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${connectMs / 1_000} s`)), connectMs);
  });
  try {
    await Promise.race([client.connect(), late]);
  } catch (cause) {
    client.destroy();
    throw new Error(
      `The store (${name}) does not answer: ${reasonOf(cause)}. Start Redis, or correct the address.`,
      { cause },
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Node's error for several addresses has an empty message. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { readonly message?: string; readonly code?: string };
  return (message || code || String(error)).replace(/\.$/, "");
}

function withoutSecrets(address: string): string {
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}

/** Imports optional peer dependencies, because most programs use no database. */
async function redisPackages() {
  try {
    const [{ Keyv }, { default: KeyvRedis, createClient }] = await Promise.all([
      import("keyv"),
      import("@keyv/redis"),
    ]);
    return { Keyv, KeyvRedis, createClient };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new Error(
      "A store in Redis needs two packages that are not installed: run `npm install keyv@5.6.0 @keyv/redis@5.1.6` beside midtoken, then start again.",
      { cause },
    );
  }
}
