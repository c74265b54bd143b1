/** Keys of clients, of model servers and of the relay appear in nothing that Midtoken writes: answers, traces, exports, logs, metrics, store. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@keyv/redis";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { createEngineRelay } from "../../../../scripts/engine-relay.ts";
import { createStaticServer } from "../../../../scripts/static-server.ts";
import { runToEnd } from "../../../core/base/resumable-work.ts";
import { traceFileIn } from "../../../core/trace/file/export-formats/export-format.ts";
import { htmlWithTrace } from "../../../core/trace/file/export-formats/html.ts";
import { pngWithTrace } from "../../../core/trace/file/export-formats/png.ts";
import { markdownOf } from "../../../core/trace/file/markdown.ts";
import { createTraceModel, encodePermalink, openTrace } from "../../../core/trace/index.ts";
import { startFakeStoryServer } from "../testing/fake-story.ts";
import { hasPostgres, postgresMissing, postgresPassword, startPostgres } from "../testing/postgres-server.ts";
import { hasRedis, redisMissing, startRedis } from "../testing/redis-server.ts";
import { serveGateway } from "../testing/serve-gateway.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-keys-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keys = {
  client: "sk-client-0123456789abcdef",
  wrong: "sk-wrong-0123456789abcdef",
  server: "server-key-0123456789abcdef",
  redis: "redis-password-0123456789abcdef",
  postgres: postgresPassword,
} as const;
/** A word of the prompt, as a check of the search: it must be found wherever the prompt may appear. */
const control = "zebra-crossing-elephants";

/** All written texts, by where they were written. */
class Outputs {
  readonly #texts = new Map<string, string>();

  add(place: string, text: string): string {
    this.#texts.set(place, (this.#texts.get(place) ?? "") + text);
    return text;
  }

  /** The places whose text contains the word, also as base64 or percent-encoded. */
  with(word: string): readonly string[] {
    const bytes = Buffer.from(word);
    // The three ways in which base64 encodes a word, depending on its offset, without the ends, which depend on the
    // neighbouring bytes.
    const encoded = [0, 1, 2].map((shift) =>
      Buffer.concat([Buffer.alloc(shift), bytes])
        .toString("base64")
        .replace(/=+$/, "")
        .slice(4, -2),
    );
    const forms = [word, encodeURIComponent(word), bytes.toString("hex"), ...encoded];
    return [...this.#texts].flatMap(([place, text]) =>
      forms.some((form) => text.includes(form)) ? [place] : [],
    );
  }
}

/** The contents of a trace file, whose bytes are compressed. */
async function readTrace(bytes: Uint8Array) {
  const { trace, notes } = await openTrace(bytes);
  const model = createTraceModel(notes);
  model.append(trace.records);
  return { trace, model, text: JSON.stringify(trace) };
}

async function addExports(outputs: Outputs, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const { trace, model, text } = await readTrace(bytes);
  outputs.add("trace", text);
  const { fragment } = await encodePermalink(trace, { alternatives: "all", logs: true });
  outputs.add("link", `${fragment}\n${JSON.stringify(await openTrace(fragment))}`);
  outputs.add("markdown", markdownOf(model, `https://page.example/${fragment}`));
  const viewer = { script: "", style: "", scriptHash: "sha256-a", styleHash: "sha256-b" };
  const page = runToEnd(htmlWithTrace(bytes, viewer, "A run"));
  const inside = await readTrace(traceFileIn(page));
  outputs.add("saved page", `${new TextDecoder().decode(page)}\n${inside.text}`);
  const picture = pngWithTrace(smallestPng, bytes);
  const pictured = await readTrace(traceFileIn(picture));
  outputs.add("picture", `${new TextDecoder("latin1").decode(picture)}\n${pictured.text}`);
}

/** A PNG with one transparent pixel. */
const smallestPng = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/** The bytes of an entry of the store. */
async function addEntry(outputs: Outputs, bytes: Uint8Array): Promise<void> {
  outputs.add("store", new TextDecoder("latin1").decode(bytes));
  const read = await readTrace(bytes).catch(() => null);
  if (read) outputs.add("traces of the store", read.text);
}

/** A PostgreSQL server, which has a password. */
async function startLockedPostgres(): Promise<SearchedStore> {
  const postgres = await startPostgres();
  return {
    address: postgres.url,
    async addEntries(outputs: Outputs): Promise<void> {
      const client = new pg.Client(postgres.url);
      await client.connect();
      for (const table of ["midtoken_values", "midtoken_entries"]) {
        const { rows } = await client.query<{ key: string; value: string }>(
          `SELECT key, value FROM ${table}`,
        );
        for (const { key, value: text } of rows) {
          outputs.add("names of the store's entries", `${key}\n`);
          outputs.add("store", text);
          const { value } = JSON.parse(text) as { readonly value?: unknown };
          if (typeof value === "string")
            await addEntry(outputs, new Uint8Array(Buffer.from(value, "base64")));
        }
      }
      await client.end();
    },
    stop: () => postgres.end(),
  };
}

/** A Redis server with a password. */
async function startLockedRedis(): Promise<SearchedStore> {
  const redis = await startRedis();
  const client = createClient({ url: redis.url });
  await client.connect();
  await client.configSet("requirepass", keys.redis);
  return {
    address: redis.url.replace("redis://", `redis://:${keys.redis}@`),
    async addEntries(outputs: Outputs): Promise<void> {
      for (const name of await client.keys("*")) {
        outputs.add("names of the store's entries", `${name}\n`);
        const text = (await client.get(name)) ?? "";
        outputs.add("store", text);
        const { value } = JSON.parse(text) as { readonly value?: unknown };
        if (typeof value === "string") await addEntry(outputs, new Uint8Array(Buffer.from(value, "base64")));
      }
    },
    async stop(): Promise<void> {
      client.destroy();
      await redis.stop();
    },
  };
}

async function addFolder(outputs: Outputs, path: string): Promise<void> {
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    outputs.add("names of the store's entries", `${entry.parentPath}/${entry.name}\n`);
    if (!entry.isFile()) continue;
    const bytes = new Uint8Array(readFileSync(join(entry.parentPath, entry.name)));
    // The first line is the entry's id.
    const start = bytes.indexOf(0x0a) + 1;
    outputs.add("names of the store's entries", new TextDecoder("latin1").decode(bytes.slice(0, start)));
    await addEntry(outputs, bytes.slice(start));
  }
}

/** Sends a request to the relay of `npm start -- --engine`, as the page does. */
async function throughRelay(url: string, key: string, path: string): Promise<string> {
  const relay: Server = createStaticServer({
    relay: { path: "/engine/", answer: createEngineRelay({ url, key }) },
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
  const headers = { origin, "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const answer = await new Promise<string>((resolve, reject) => {
    const sent = request(origin + path, { method: "POST", headers, agent: false }, (response) => {
      let text = `${response.statusCode}\n${response.rawHeaders.join("\n")}\n`;
      response.on("data", (piece) => {
        text += String(piece);
      });
      response.on("end", () => resolve(text));
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ prompt: [1], n_predict: 1, n_probs: 4, return_tokens: true }));
  });
  relay.closeAllConnections();
  relay.close();
  return answer;
}

/** A store for a gateway's traces, and a function that reads everything in it. */
interface SearchedStore {
  readonly address: string;
  addEntries(outputs: Outputs): Promise<void>;
  stop(): Promise<void>;
}

async function openFolder(): Promise<SearchedStore> {
  const address = mkdtempSync(join(folder, "store-"));
  return { address, addEntries: (outputs) => addFolder(outputs, address), stop: async () => undefined };
}

const stores: readonly (readonly [string, () => Promise<SearchedStore>])[] = [
  ["a folder", openFolder],
  ...(hasRedis ? [["Redis", startLockedRedis] as const] : []),
  ...(hasPostgres ? [["PostgreSQL", startLockedPostgres] as const] : []),
];
if (!hasRedis) test.skip(`keys in Redis. Missing: ${redisMissing}`);
if (!hasPostgres) test.skip(`keys in PostgreSQL. Missing: ${postgresMissing}`);

test.each(stores)(
  "no key stands in answers, traces, exports, logs, metrics or the store, which is %s",
  async (_, openStore) => {
    const outputs = new Outputs();
    const keyFile = join(folder, "keys");
    const mod = join(folder, "hello.ts");
    const store = await openStore();
    writeFileSync(keyFile, `${keys.client} alice rpm=600 tpm=100000\n`, { mode: 0o600 });
    writeFileSync(
      mod,
      `import { mod } from "midtoken/mod";
export default mod({ forwardPass(event, actions) {
  console.log(event.step, event.output.text);
  return event.step === 1 ? actions.forceTokens(" hello") : undefined;
} });`,
    );
    const fake = await startFakeStoryServer({ slots: 2, key: keys.server });
    const words = [
      "--key-file",
      keyFile,
      "--store",
      store.address,
      "--metrics",
      "--log",
      "json",
      "--mod",
      mod,
    ];
    const gateway = await serveGateway([fake.url], words, { MIDTOKEN_ENGINE_KEY: keys.server });

    async function call(path: string, key: string | null, body?: object): Promise<string> {
      const headers = {
        "content-type": "application/json",
        ...(key !== null && { authorization: `Bearer ${key}` }),
      };
      const init = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
      const response = await fetch(new URL(path, gateway.address), init);
      outputs.add("headers of answers", JSON.stringify([...response.headers]));
      return outputs.add("answers", await response.text());
    }
    const asked = { model: "stories260k/hello", max_tokens: 6, temperature: 0 };
    const messages = [{ role: "user", content: `A ${control} went` }];

    const answer = JSON.parse(await call("/v1/chat/completions", keys.client, { ...asked, messages })) as {
      midtoken: { request_ids: readonly string[] };
    };
    await call("/v1/chat/completions", keys.client, { ...asked, messages, stream: true });
    await call("/v1/responses", keys.client, {
      model: asked.model,
      input: `A ${control}`,
      max_output_tokens: 4,
    });
    for (const path of ["/v1/models", "/v1/mods", "/health", "/v1/requests/none/trace"])
      await call(path, keys.client);
    await call("/v1/chat/completions", keys.wrong, { ...asked, messages });
    await call("/v1/chat/completions", keys.client, { ...asked, messages, temperature: "hot" });
    expect(answer).toHaveProperty("midtoken");
    const [id = ""] = answer.midtoken.request_ids;
    const authorization = `Bearer ${keys.client}`;
    const trace = await fetch(`${gateway.address}/requests/${id}/trace`, { headers: { authorization } });
    await addExports(outputs, new Uint8Array(await trace.arrayBuffer()));

    // A server that repeats the request's headers in its error.
    fake.faults.set("/completion", (incoming, response) => {
      const message = `Invalid key: ${incoming.headers.authorization}`;
      response
        .writeHead(500, { "content-type": "application/json" })
        .end(JSON.stringify({ error: { message } }));
    });
    await call("/v1/chat/completions", keys.client, { ...asked, messages });
    fake.faults.clear();
    outputs.add("metrics", await call("/metrics", null));
    outputs.add("relay", await throughRelay(fake.url, keys.server, "/engine/completion"));
    outputs.add("relay's faults", await throughRelay(fake.url, keys.wrong, "/engine/completion"));
    const { out, errors } = await gateway.stop();
    outputs.add("log", gateway.lines.join("\n"));
    outputs.add("terminal", out + errors);
    await store.addEntries(outputs);
    await store.stop();
    await fake.close();

    // The search works: it finds the prompt in traces, links and saved pages, and not in logs and metrics.
    expect(outputs.with(control).toSorted()).toEqual(
      ["link", "picture", "saved page", "store", "trace", "traces of the store"].toSorted(),
    );
    for (const key of Object.values(keys)) expect(outputs.with(key), key).toEqual([]);
  },
);
