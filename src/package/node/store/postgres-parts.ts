/** The connection to a PostgreSQL server for `KeyvStore`: two tables in the schema `public`. */
import {
  ConnectionNotices,
  connectTimeoutMs,
  databaseAddressWithoutSecrets,
  importOptionalPackages,
  reasonOf,
} from "./database-connection.ts";
import type { KeyvConnection } from "./keyv-store.ts";

const valuesTable = "midtoken_values";
const entriesTable = "midtoken_entries";
/** Characters of a key: a mod's name of 200 characters, each escaped. */
const keySize = 1_000;
/** The most milliseconds to wait for the answer to a query. */
const queryMs = 10_000;

/** @throws Error that says what to install if a package is missing, or why the database cannot be used */
export async function connectPostgres(
  address: string,
  onNotice: (notice: string) => void,
): Promise<KeyvConnection> {
  const { Keyv, KeyvPostgres, Pool } = await postgresPackages();
  const name = databaseAddressWithoutSecrets(address);
  const connection = new ConnectionNotices(name, onNotice);
  const pool = new Pool({
    connectionString: address,
    application_name: "midtoken",
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryMs,
    keepAlive: true,
  });
  // An unused connection broke. Without this listener, Node would end the process.
  pool.on("error", (error) => connection.broke(error));

  const query = async (sql: string, values?: unknown[]): Promise<Record<string, unknown>[]> => {
    try {
      const { rows } = await pool.query<Record<string, unknown>>(sql, values);
      connection.works();
      return rows;
    } catch (error) {
      // The server's own errors about a query have this severity; all others are errors of the connection.
      if ((error as { readonly severity?: unknown }).severity !== "ERROR") connection.broke(error);
      throw error;
    }
  };

  /** The adapter's own pool belongs to the whole process: closing one store would close all, and it listens to no errors. */
  class Adapter extends KeyvPostgres {
    override async connect(): Promise<typeof query> {
      return query;
    }
  }

  const openTable = async (table: string): Promise<InstanceType<typeof Keyv>> => {
    const adapter = new Adapter({ table, keySize });
    let notMade: unknown = null;
    adapter.on("error", (error: unknown) => {
      notMade ??= error;
    });
    // The adapter first makes the table. It reports an error of that by its event alone.
    await adapter.query(`SELECT key FROM public.${table} LIMIT 0`).catch((cause: unknown) => {
      throw new Error(
        `The store (${name}) has no table ${table}, and none could be made: ${reasonOf(notMade ?? cause)}. Give the user in the store's address the right to create tables in the schema "public".`,
        { cause },
      );
    });
    const made = new Keyv({ store: adapter, useKeyPrefix: false, throwOnErrors: true });
    // Errors are also thrown, so the event can be ignored.
    made.on("error", () => undefined);
    return made;
  };
  async function* keys(): AsyncGenerator<string> {
    // Not by the adapter's iterator, which ends without an error if the server goes away.
    for (const { key } of await query(`SELECT key FROM public.${entriesTable}`)) yield String(key);
  }

  const dropIfUsedAt = async (key: string, usedAt: number): Promise<void> => {
    // keyv stores `{"value": …, "expires": …}` as a text.
    const usedAtOfEntry = "value::jsonb -> 'value' -> 'usedAt'";
    const dropEntry = `DELETE FROM public.${entriesTable} WHERE key = $1 AND ${usedAtOfEntry} = $2::jsonb RETURNING key`;
    const dropValue = `DELETE FROM public.${valuesTable} WHERE key IN (SELECT key FROM dropped)`;
    await query(`WITH dropped AS (${dropEntry}) ${dropValue}`, [key, JSON.stringify(usedAt)]);
  };

  const close = async (): Promise<void> => {
    if (!pool.ending) await pool.end();
  };
  try {
    await query("SELECT 1").catch((cause: unknown) => {
      throw new Error(
        `The store (${name}) does not answer: ${reasonOf(cause)}. Start PostgreSQL, or correct the address.`,
        { cause },
      );
    });
    const values = await openTable(valuesTable);
    const entries = await openTable(entriesTable);
    return { name, values, entries, expires: false, keys, dropIfUsedAt, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const postgresPackages = () =>
  importOptionalPackages("PostgreSQL", "keyv@5.6.0 @keyv/postgres@2.2.3 pg@8.23.1", async () => {
    const [{ Keyv }, { KeyvPostgres }, { Pool }] = await Promise.all([
      import("keyv"),
      import("@keyv/postgres"),
      import("pg"),
    ]);
    return { Keyv, KeyvPostgres, Pool };
  });
