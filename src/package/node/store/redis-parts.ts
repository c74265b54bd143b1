/** The connection to a Redis server for `KeyvStore`. */
import type * as keyv from "keyv";
import {
  ConnectionNotices,
  connectTimeoutMs,
  databaseAddressWithoutSecrets,
  importOptionalPackages,
  reasonOf,
} from "./database-connection.ts";
import type { KeyvConnection } from "./keyv-store.ts";

/** One step for Redis: no command of another client comes between. keyv stores `{"value": …, "expires": …}` as a text. */
const dropScript = `
local text = redis.call("GET", KEYS[1])
if text and cjson.decode(text).value.usedAt == tonumber(ARGV[1]) then redis.call("DEL", KEYS[1], KEYS[2]) end`;

const valuesSpace = "midtoken-values";
const entriesSpace = "midtoken-entries";

/** @throws Error that says what to install if a package is missing, or that the server does not answer */
export async function connectRedis(
  address: string,
  onNotice: (notice: string) => void,
): Promise<KeyvConnection> {
  const { Keyv, KeyvRedis, createClient } = await redisPackages();
  const name = databaseAddressWithoutSecrets(address);
  const client = createClient({
    url: address,
    // While the server is away, a request fails at once instead of waiting.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: connectTimeoutMs,
      reconnectStrategy: (tries) => Math.min(2_000, 100 * 2 ** tries),
    },
  });
  const connection = new ConnectionNotices(name, onNotice);
  client.on("error", (error: unknown) => connection.broke(error));
  client.on("ready", () => connection.works());
  const adapterOf = () => {
    const adapter = new KeyvRedis(client as never, {
      throwOnErrors: true,
      connectionTimeout: connectTimeoutMs,
    });
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
  const dropIfUsedAt = async (key: string, usedAt: number): Promise<void> => {
    const keys = [entriesSpace, valuesSpace].map((space) => listing.createKeyPrefix(key, space));
    await client.eval(dropScript, { keys, arguments: [String(usedAt)] });
  };
  const close = async (): Promise<void> => {
    if (client.isOpen) client.destroy();
  };
  await connected(client, name);
  const [values, entries] = [space(valuesSpace), space(entriesSpace)];
  return { name, values, entries, expires: true, keys, dropIfUsedAt, close };
}

/** @throws Error if the server does not answer at the start of the program */
async function connected(
  client: { connect(): Promise<unknown>; destroy(): void },
  name: string,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer within ${connectTimeoutMs / 1_000} s`)),
      connectTimeoutMs,
    );
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

const redisPackages = () =>
  importOptionalPackages("Redis", "keyv@5.6.0 @keyv/redis@5.1.6", async () => {
    const [{ Keyv }, { default: KeyvRedis, createClient }] = await Promise.all([
      import("keyv"),
      import("@keyv/redis"),
    ]);
    return { Keyv, KeyvRedis, createClient };
  });
