/** A real PostgreSQL follows the rules of stores, and what is particular about it. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { EngineStore } from "../../api/store/engine-store.ts";
import {
  hasPostgres,
  type PostgresServer,
  postgresMissing,
  postgresPassword,
  startPostgres,
} from "../testing/postgres-server.ts";
import { type OpenStoreOptions, openStore } from "./open-store.ts";
import { connectPostgres } from "./postgres-parts.ts";
import { describeRenewalTests, describeStoreTests } from "./store.conformance.ts";

test("a server that is not there is refused when the gateway starts", async () => {
  const asked = openStore("postgresql://user:secret@127.0.0.1:1/data?password=secret");
  await expect(asked).rejects.toThrow("The store (postgresql://127.0.0.1:1/data) does not answer");
  await expect(asked).rejects.not.toThrow("secret");
});

if (!hasPostgres) test.skip(postgresMissing);
describe.runIf(hasPostgres)("on a real server", () => {
  let postgres: PostgresServer;
  const open: EngineStore[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    for (const store of open) await store.close();
    await postgres.end();
  });

  async function query(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(postgres.url);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }
  async function openHere(options?: OpenStoreOptions): Promise<EngineStore> {
    const store = await openStore(postgres.url, options);
    open.push(store);
    return store;
  }
  const dropTables = () => query("DROP TABLE IF EXISTS midtoken_values, midtoken_entries");

  describeStoreTests("PostgreSQL", () => ({
    hasLifetime: true,
    open: (options) => openStore(postgres.url, options),
    clear: async () => void (await dropTables()),
  }));

  describeRenewalTests("PostgreSQL", () => connectPostgres(postgres.url, () => undefined));

  test("many gateways that start at once make the tables together", async () => {
    await dropTables();
    const stores = await Promise.all(Array.from({ length: 8 }, () => openHere()));
    await Promise.all(stores.map((store, place) => store.set("mod", `m${place}`, Uint8Array.of(place))));
    expect(await stores[0]?.list("mod")).toHaveLength(8);
  });

  test("a store that is closed leaves the others of its process open", async () => {
    const [one, other] = [await openHere(), await openHere()];
    await one.close();
    await other.set("mod", "a", Uint8Array.of(1));
    expect(await other.get("mod", "a")).toEqual(Uint8Array.of(1));
    await one.close();
  });

  test("what has expired is deleted from the tables, values too", async () => {
    await dropTables();
    const hour = 3_600_000;
    const store = await openHere({ lifetime: hour });
    vi.setSystemTime(Date.now() - 2 * hour);
    await store.set("trace", "old", Uint8Array.of(1));
    await store.set("response", "old", Uint8Array.of(1));
    await store.set("mod", "old", Uint8Array.of(1));
    vi.useRealTimers();
    expect(await store.list("trace")).toEqual([]);
    await store.set("trace", "new", Uint8Array.of(2));
    for (const table of ["midtoken_values", "midtoken_entries"]) {
      const keys = (await query(`SELECT key FROM ${table} ORDER BY key`)).map(({ key }) => key);
      expect(keys, table).toEqual(["mod/old", "response/old", "trace/new"]);
    }
  });

  test("entries of strangers are not listed, and values of strangers are damaged", async () => {
    const store = await openHere();
    await store.set("mod", "a", Uint8Array.of(1));
    await query("UPDATE midtoken_values SET value = $1 WHERE key = 'mod/a'", ['{"value":{"a":1}}']);
    const insert = "INSERT INTO midtoken_entries VALUES ($1, $2)";
    await query(insert, ["mod/x", '{"value":"no size"}']);
    await query(insert, ["mod/y", '{"value":{"usedAt":"now","bytes":-1}}']);
    await query(insert, ["mod/z", null]);
    await query(insert, ["somebody-elses", "data"]);
    const listed = await store.list("mod");
    expect(listed).toContain("a");
    for (const stranger of ["x", "y", "z"]) expect(listed).not.toContain(stranger);
    await expect(store.get("mod", "a")).rejects.toMatchObject({ status: 500, code: "stored_data_invalid" });
  });

  test("an entry of some megabytes comes back", async () => {
    const store = await openHere();
    const large = new Uint8Array(4_000_000).map((_, place) => place * 7);
    await store.set("trace", "large", large);
    expect(Buffer.from((await store.get("trace", "large")) ?? []).equals(Buffer.from(large))).toBe(true);
  });

  test("a wrong password, a missing database and missing rights are errors that say so", async () => {
    const wrong = openStore(postgres.url.replace(postgresPassword, "wrong-secret"));
    await expect(wrong).rejects.toThrow(
      /does not answer: .*password authentication failed.*Start PostgreSQL/,
    );
    await expect(wrong).rejects.not.toThrow("wrong-secret");
    await expect(openStore(postgres.url.replace(/postgres$/, "nowhere"))).rejects.toThrow(
      'database "nowhere" does not exist',
    );
    await dropTables();
    await query("CREATE ROLE guest LOGIN PASSWORD 'guest'");
    const guest = openStore(postgres.url.replace(`postgres:${postgresPassword}`, "guest:guest"));
    await expect(guest).rejects.toThrow(
      /has no table midtoken_values, and none could be made: permission denied for schema public/,
    );
    await expect(guest).rejects.not.toThrow("guest:");
  });

  test("a server that goes away is a clear error, and works again when it is back", async () => {
    const own = await startPostgres();
    const notices: string[] = [];
    const store = await openStore(own.url, { onNotice: (notice) => notices.push(notice) });
    await store.set("mod", "a", Uint8Array.of(1));
    await own.stop();
    const name = own.url.replace(/\/\/.*@/, "//");
    await expect(store.get("mod", "a")).rejects.toMatchObject({
      status: 503,
      code: "store_failed",
      message: expect.stringContaining(`The store (${name}) could not read the mod "a"`) as string,
    });
    await expect(store.list("mod")).rejects.toMatchObject({ code: "store_failed" });
    await own.start();
    expect(await store.get("mod", "a")).toEqual(Uint8Array.of(1));
    expect(notices[0]).toContain("cannot be reached");
    expect(notices.at(-1)).toContain("answers again");
    expect(notices.join()).not.toContain(postgresPassword);
    await store.close();
    await own.end();
  });
});
