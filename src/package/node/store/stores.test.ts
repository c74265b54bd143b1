/**
 * Memory, a folder and a real Redis follow the rules of stores, and treat entries that Midtoken did not write as damaged.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@keyv/redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EngineStore, type StoreLimits, storeLimits } from "../../api/store/engine-store.ts";
import { MemoryStore } from "../../api/store/memory-store.ts";
import { hasRedis, type RedisServer, redisMissing, startRedis } from "../testing/redis-server.ts";
import { openStore } from "./open-store.ts";
import { connectRedis } from "./redis-parts.ts";
import { describeRenewalTests, describeStoreTests } from "./store.conformance.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let memory: MemoryStore | null = null;
describeStoreTests("memory", () => ({
  hasLifetime: false,
  async open({ limits }: { readonly limits: StoreLimits }) {
    memory ??= new MemoryStore(limits);
    return memory;
  },
  async clear() {
    memory = null;
  },
}));

const place = join(folder, "conformance");
describeStoreTests("a folder", () => ({
  hasLifetime: true,
  open: (options) => openStore(place, options),
  clear: async () => rmSync(place, { recursive: true, force: true }),
}));

describe("a folder", () => {
  test("is for its user alone, and links, folders and foreign files in it are not entries", async () => {
    const path = join(folder, "hostile");
    const store = await openStore(path);
    expect(statSync(join(path, "trace")).mode & 0o077).toBe(0);
    await store.set("trace", "a", Uint8Array.of(1));
    const [name = ""] = readdirSync(join(path, "trace"));
    expect(statSync(join(path, "trace", name)).mode & 0o077).toBe(0);
    const other = (digit: string) => join(path, "trace", digit.repeat(64));
    writeFileSync(other("1"), "no id in here");
    writeFileSync(other("2"), '"a"\nunder another name');
    writeFileSync(other("3"), "");
    writeFileSync(other("4"), `"${"x".repeat(10_000)}"\n`);
    mkdirSync(other("5"));
    symlinkSync("/etc/passwd", other("6"));
    writeFileSync(join(path, "trace", "notes.txt"), "mine");
    expect(await store.list("trace")).toEqual(["a"]);
    writeFileSync(join(path, "trace", name), '"b"\nof another id');
    expect(await store.get("trace", "a")).toBeNull();
  });

  test("that deletes old entries keeps those that another engine writes or uses meanwhile", async () => {
    const path = join(folder, "shared");
    const [one, other] = [await openStore(path), await openStore(path)];
    for (const id of ["used", "written"]) await one.set("trace", id, Uint8Array.of(1));
    const age = (name: string, seconds: number) => utimesSync(join(path, "trace", name), seconds, seconds);
    for (const name of readdirSync(join(path, "trace"))) age(name, 2_000);
    const old = Array.from({ length: 500 }, (_, number) => `${number}`.padStart(64, "0"));
    for (const [number, name] of old.entries()) {
      writeFileSync(join(path, "trace", name), '"old"\n');
      age(name, 1_000 + number);
    }
    const making = one.set("trace", "new", Uint8Array.of(1));
    // The two entries are the last that will be deleted.
    while (existsSync(join(path, "trace", old[0] ?? ""))) await new Promise(setImmediate);
    await other.touch("trace", "used");
    await other.set("trace", "written", Uint8Array.of(2));
    await making;
    expect(await one.get("trace", "used")).toEqual(Uint8Array.of(1));
    expect(await one.get("trace", "written")).toEqual(Uint8Array.of(2));
    expect(readdirSync(join(path, "trace"))).toHaveLength(3);
  });

  test("has one clock for writing and using: an entry is never older than an entry that was used before", async () => {
    const path = join(folder, "one-clock");
    const store = await openStore(path);
    await store.set("trace", "used", Uint8Array.of(1));
    const [used = ""] = readdirSync(join(path, "trace"));
    for (let number = 0; number < 50; number += 1) {
      await store.touch("trace", "used");
      await store.set("trace", "written", Uint8Array.of(number));
      const written = readdirSync(join(path, "trace")).find((name) => name !== used) ?? "";
      const time = (name: string) => statSync(join(path, "trace", name)).mtimeMs;
      expect(time(written)).toBeGreaterThanOrEqual(time(used));
    }
  });

  test("that cannot be made is an error that names it", async () => {
    writeFileSync(join(folder, "file"), "");
    const asked = openStore(join(folder, "file", "store"));
    await expect(asked).rejects.toMatchObject({ status: 503, code: "store_failed" });
    await expect(asked).rejects.toThrow(join(folder, "file", "store"));
  });
});

test("an address of another database is refused with what can be given", async () => {
  await expect(openStore("mysql://user:secret@db/x")).rejects.toThrow(
    "The store's address begins with mysql://. Give a folder, redis://HOST:PORT, or postgres://USER:PASSWORD@HOST/DATABASE.",
  );
});

test.each<[unknown, string]>([
  [
    { trace: storeLimits.trace, mod: storeLimits.mod },
    "limits.response is undefined: give { count, bytes }.",
  ],
  [{ ...storeLimits, mod: 3 }, "limits.mod is 3: give { count, bytes }."],
  [{ ...storeLimits, trace: { count: 1 } }, "limits.trace.bytes is undefined: give a number from 0 on"],
  [{ ...storeLimits, trace: { count: -1, bytes: 1 } }, "limits.trace.count is -1: give a number from 0 on"],
  [5, "limits is 5: give an object."],
])("limits that are incomplete are refused with their path: %j", async (limits, message) => {
  const asked = openStore("./never-made", { limits: limits as StoreLimits });
  await expect(asked).rejects.toThrow(`openStore: ${message}`);
});

if (!hasRedis) test.skip(redisMissing);
describe.runIf(hasRedis)("on a real server", () => {
  let redis: RedisServer;
  const open: EngineStore[] = [];
  /** Stores that cannot be opened. Each attempt takes the seconds that a server gets to answer, in which other tests run. */
  const refused = new Map<"password" | "no server", Promise<EngineStore>>();
  beforeAll(async () => {
    redis = await startRedis();
    // A server without a password refuses a password.
    refused.set("password", openStore(redis.url.replace("redis://", "redis://:secret@")));
    refused.set("no server", openStore("redis://127.0.0.1:1"));
    for (const attempt of refused.values()) attempt.catch(() => undefined);
  });
  afterAll(async () => {
    for (const store of open) await store.close();
    await redis.stop();
  });

  const connect = async () => {
    const client = createClient({ url: redis.url });
    await client.connect();
    return client;
  };
  async function withClient<Value>(
    work: (client: Awaited<ReturnType<typeof connect>>) => Promise<Value>,
  ): Promise<Value> {
    const client = await connect();
    try {
      return await work(client);
    } finally {
      client.destroy();
    }
  }

  describeStoreTests("Redis", () => ({
    hasLifetime: true,
    open: (options) => openStore(redis.url, options),
    clear: () => withClient(async (client) => void (await client.flushAll())),
  }));

  describeRenewalTests("Redis", () => connectRedis(redis.url, () => undefined));

  test("entries of strangers are not listed, and values of strangers are damaged", async () => {
    const store = await openStore(redis.url);
    open.push(store);
    await store.set("mod", "a", Uint8Array.of(1));
    await withClient(async (client) => {
      const [value = ""] = await client.keys("midtoken-values*");
      await client.set(value, JSON.stringify({ value: { a: 1 } }));
      await client.set("midtoken-entries::mod/x", JSON.stringify({ value: "no size" }));
      await client.set("midtoken-entries::mod/y", JSON.stringify({ value: { usedAt: "now", bytes: -1 } }));
      await client.set("somebody-elses", "data");
    });
    expect(await store.list("mod")).toEqual(["a"]);
    await expect(store.get("mod", "a")).rejects.toMatchObject({ status: 500, code: "stored_data_invalid" });
  });

  test("a server that goes away is a clear error, and works again when it is back", async () => {
    const own = await startRedis();
    const notices: string[] = [];
    const store = await openStore(own.url, { onNotice: (notice) => notices.push(notice) });
    open.push(store);
    await store.set("mod", "a", Uint8Array.of(1));
    await own.stop();
    await expect(store.get("mod", "a")).rejects.toMatchObject({
      status: 503,
      code: "store_failed",
      message: expect.stringContaining(`The store (${own.url}) could not read the mod "a"`) as string,
    });
    await own.start();
    await expect
      .poll(() =>
        store.set("mod", "b", Uint8Array.of(2)).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(await store.get("mod", "b")).toEqual(Uint8Array.of(2));
    expect(notices[0]).toContain("cannot be reached");
    expect(notices.at(-1)).toContain("answers again");
    await own.stop();
  });

  test("a server that refuses the password is refused when the gateway starts, and no message contains the password", async () => {
    const attempt = refused.get("password");
    await expect(attempt).rejects.toThrow(/does not answer: .*Start Redis, or correct the address/);
    await expect(attempt).rejects.not.toThrow("secret");
  });

  test("a server that is not there is refused when the gateway starts", async () => {
    await expect(refused.get("no server")).rejects.toThrow("The store (redis://127.0.0.1:1) does not answer");
  });

  test("limits of all kinds hold by default", () => {
    expect(storeLimits.trace.count).toBe(50);
    expect(storeLimits.response.count).toBe(200);
  });
});
