/** `midtoken serve --store`: gateways that share a store know each other's traces, responses and mods. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { storedKinds } from "../../api/store/engine-store.ts";
import { openStore } from "../store/open-store.ts";
import { startFakeStoryServer } from "../testing/fake-story.ts";
import {
  hasPostgres,
  type PostgresServer,
  postgresMissing,
  startPostgres,
} from "../testing/postgres-server.ts";
import { hasRedis, type RedisServer, redisMissing, startRedis } from "../testing/redis-server.ts";
import { type ServingGateway, serveGateway } from "../testing/serve-gateway.ts";
import { type CommandResult, runMidtoken } from "../testing/test-terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-serve-store-"));
const open: { stop(): unknown }[] = [];
let redis: RedisServer | null = null;
let postgres: PostgresServer | null = null;

const refusals: readonly (readonly [words: readonly string[], message: string])[] = [
  [["--store-hours", "2"], "--store-hours needs --store."],
  [["--store", "redis://127.0.0.1:1"], "--store: The store (redis://127.0.0.1:1) does not answer"],
  [
    ["--store", "postgres://127.0.0.1:1/db"],
    "--store: The store (postgres://127.0.0.1:1/db) does not answer",
  ],
  [["--store", "mysql://db"], "--store: The store's address begins with mysql://."],
];
/** Commands that begin with the file: a store gets five seconds to answer, in which other tests run. */
const refused = new Map<readonly string[], Promise<CommandResult>>();

beforeAll(async () => {
  for (const [words] of refusals)
    refused.set(words, runMidtoken(["serve", "--model", "./no-such-model", ...words]));
  if (hasRedis) redis = await startRedis();
  if (hasPostgres) postgres = await startPostgres();
});
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.stop();
});
afterAll(async () => {
  await redis?.end();
  await postgres?.end();
  rmSync(folder, { recursive: true, force: true });
});

async function fakeServer(): Promise<string> {
  const fake = await startFakeStoryServer({ slots: 4 });
  open.push({ stop: () => fake.close() });
  return fake.url;
}

async function serve(
  url: string,
  words: readonly string[],
  environment?: Readonly<Record<string, string>>,
): Promise<ServingGateway> {
  const gateway = await serveGateway([url], words, environment);
  open.push(gateway);
  return gateway;
}

const source = `import { mod } from "midtoken/mod";
export default mod({ forwardPass: (event, actions) => event.step === 0 ? actions.forceTokens("HELLO") : undefined });`;
const ask = { model: "stories260k", prompt: "Once", max_tokens: 6, temperature: 0 };

function register({ address }: ServingGateway, name: string): Promise<Response> {
  return fetch(`${address}/mods`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, source }),
  });
}

const jsonOf = async (asked: Promise<Response>) => {
  const response = await asked;
  return { status: response.status, body: await response.json() };
};
const errorOf = (status: number, code: string) => ({
  status,
  body: { error: expect.objectContaining({ code }) },
});
const bytesAt = async (address: string) => new Uint8Array(await (await fetch(address)).arrayBuffer());

const places: readonly (readonly [string, () => string])[] = [
  ["a folder", () => join(folder, "store")],
  ...(hasRedis ? [["Redis", () => redis?.url ?? ""] as const] : []),
  ...(hasPostgres ? [["PostgreSQL", () => postgres?.url ?? ""] as const] : []),
];
if (!hasRedis) test.skip(redisMissing);
if (!hasPostgres) test.skip(postgresMissing);

describe.each(places)("two gateways with one store in %s", (name, place) => {
  test("mods, traces and responses of one are there at the other, and at the next start", async () => {
    const engine = await fakeServer();
    const words = ["--store", place()];
    const [one, other] = [await serve(engine, words), await serve(engine, words)];

    expect((await register(one, "hello")).status).toBe(200);
    const modded = await other.client.completions.create({ ...ask, model: "stories260k/hello" });
    expect(modded.choices[0]?.text).toContain("HELLO");
    const listed = await other.client.models.list();
    expect(listed.data.map(({ id }) => id)).toContain("stories260k/hello");

    const [id = ""] = (modded as unknown as { midtoken: { request_ids: string[] } }).midtoken.request_ids;
    const trace = await bytesAt(`${other.address}/requests/${id}/trace`);
    expect(await bytesAt(`${one.address}/requests/${id}/trace`)).toEqual(trace);

    const first = await one.client.responses.create({
      model: "stories260k",
      input: "Hi",
      max_output_tokens: 16,
    });
    const second = await other.client.responses.create({
      model: "stories260k",
      input: "More",
      max_output_tokens: 16,
      previous_response_id: first.id,
    });
    expect(await one.client.responses.retrieve(second.id)).toMatchObject({
      id: second.id,
      previous_response_id: first.id,
    });
    const reference = { type: "item_reference", id: first.output[0]?.id ?? "" } as const;
    const referring = await other.client.responses.create({
      model: "stories260k",
      input: [reference, { role: "user", content: "Again" }],
      max_output_tokens: 16,
    });
    expect(referring.status).toBe("incomplete");

    for (const gateway of open.splice(1).reverse()) await gateway.stop();
    const later = await serve(engine, words);
    expect(await bytesAt(`${later.address}/requests/${id}/trace`)).toEqual(trace);
    expect((await later.client.responses.retrieve(second.id)).output).toEqual(second.output);
    const again = await later.client.completions.create({ ...ask, model: "stories260k/hello" });
    expect(again.choices[0]?.text).toBe(modded.choices[0]?.text);
    expect((await fetch(`${later.address}/mods/hello`, { method: "DELETE" })).status).toBe(200);
    const gone = later.client.completions.create({ ...ask, model: "stories260k/hello" });
    await expect(gone).rejects.toMatchObject({ status: 404, code: "mod_not_found" });
  });

  test("mods of files stay with their gateway, and their names cannot be registered", async () => {
    const file = join(folder, "own.ts");
    writeFileSync(file, source);
    const gateway = await serve(await fakeServer(), ["--store", place(), "--mod", file]);
    expect(await jsonOf(register(gateway, "own"))).toMatchObject(errorOf(409, "mod_name_taken"));
    const store = await openStore(place());
    expect(await store.list("mod")).not.toContain("own");
    await store.close();
  });

  test("data that no engine wrote is refused, and harms no other request", async () => {
    const gateway = await serve(await fakeServer(), ["--store", place()]);
    const store = await openStore(place());
    const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
    const { client, address } = gateway;
    const real = await client.responses.create({ model: "stories260k", input: "Hi", max_output_tokens: 16 });
    const answer = await client.completions.create(ask);
    const [id = ""] = (answer as unknown as { midtoken: { request_ids: string[] } }).midtoken.request_ids;
    await store.set("trace", "request-bytes", Uint8Array.of(1, 2, 3));
    await store.set("trace", "request-other", (await store.get("trace", id)) ?? new Uint8Array());
    await store.set("mod", "wrong", text({ name: "wrong", source, language: "typescript", hash: "0" }));
    await store.set("mod", "no-json", Uint8Array.of(255));
    await store.set("response", "resp_other", text({ response: real, input: [] }));
    const role = { type: "message", role: "nobody", content: "?" };
    await store.set("response", "resp_role", text({ response: { ...real, id: "resp_role" }, input: [role] }));
    for (const path of [
      "requests/request-bytes/trace",
      "requests/request-other/trace",
      "responses/resp_other",
      "responses/resp_role",
    ])
      expect(await jsonOf(fetch(`${address}/${path}`))).toMatchObject(errorOf(500, "stored_data_invalid"));
    const named = client.completions.create({ ...ask, model: "stories260k/wrong" });
    await expect(named).rejects.toMatchObject({ status: 500, code: "stored_data_invalid" });
    const models = (await client.models.list()).data.map((model) => model.id);
    expect(models).not.toContain("stories260k/wrong");
    expect(gateway.lines.join("\n")).toContain('The mod "wrong" in the store was skipped.');
    expect((await client.completions.create(ask)).choices[0]?.text).toBe(answer.choices[0]?.text);
    for (const kind of storedKinds) for (const each of await store.list(kind)) await store.delete(kind, each);
    await store.close();
  });

  test("the store contains no key", async () => {
    const keys = join(folder, `keys-${name.length}.txt`);
    const [clientKey, engineKey] = ["client-key-0123456789abcdef", "engine-key-0123456789abcdef"];
    writeFileSync(keys, `${clientKey} alice mods\n`, { mode: 0o600 });
    const environment = { MIDTOKEN_ENGINE_KEY: engineKey };
    const words = ["--store", place(), "--key-file", keys];
    const { address } = await serve(await fakeServer(), words, environment);
    const headers = { "content-type": "application/json", authorization: `Bearer ${clientKey}` };
    const post = (path: string, body: object) =>
      fetch(`${address}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    expect((await post("mods", { name: "hello", source })).status).toBe(200);
    expect((await post("completions", { ...ask, model: "stories260k/hello" })).status).toBe(200);
    const response = { model: "stories260k", input: "Hi", max_output_tokens: 16 };
    expect((await post("responses", response)).status).toBe(200);
    const store = await openStore(place());
    const texts: string[] = [];
    for (const kind of storedKinds)
      for (const id of await store.list(kind)) {
        const bytes = await store.get(kind, id);
        texts.push(Buffer.from(bytes ?? []).toString("latin1"));
      }
    await store.close();
    expect(texts.length).toBeGreaterThanOrEqual(3);
    for (const text of texts) for (const key of [clientKey, engineKey]) expect(text).not.toContain(key);
  });
});

const databases = [
  ...(hasRedis ? [["Redis", startRedis] as const] : []),
  ...(hasPostgres ? [["PostgreSQL", startPostgres] as const] : []),
];
describe.each(databases)("when %s goes away", (_, startDatabase) => {
  test("answers go on, what could not be saved is told, and what needs the store is a 503", async () => {
    const own = await startDatabase();
    open.push({ stop: () => own.end() });
    const gateway = await serve(await fakeServer(), ["--store", own.url]);
    await register(gateway, "hello");
    await own.stop();
    const { client, lines } = gateway;
    const answer = await client.completions.create(ask);
    expect(answer.choices[0]?.finish_reason).toBe("length");
    expect(lines.join("\n")).toMatch(
      /The trace of request-\S+ was not saved\. The store \((redis|postgres):/,
    );
    const modded = client.completions.create({ ...ask, model: "stories260k/hello" });
    // The client does not read where the store is; the log says it.
    const refused: unknown = await modded.catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 503, code: "store_failed" });
    expect(String(refused)).toContain(`The server's store could not read the mod "hello". The server's log`);
    expect(lines.join("\n")).toMatch(/The store \((redis|postgres):\S+\) could not read the mod "hello": /);
    await own.start();
    const again = () => register(gateway, "hello").then(({ status }) => status);
    await expect.poll(again).toBe(200);
  });
});

test.each(refusals)("%j is refused before anything is loaded", async (words, message) => {
  const ran = await refused.get(words);
  expect(ran?.code).toBe(2);
  expect(ran?.errors).toContain(message);
});

test("the errors for missing packages name the versions that package.json has", () => {
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const packages = { redis: ["keyv", "@keyv/redis"], postgres: ["keyv", "@keyv/postgres", "pg"] };
  for (const [database, names] of Object.entries(packages)) {
    const text = readFileSync(`src/package/node/store/${database}-parts.ts`, "utf8");
    expect(text).toContain(`"${names.map((name) => `${name}@${devDependencies[name]}`).join(" ")}"`);
  }
});
