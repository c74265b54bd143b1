/** The relay of `npm start -- --engine URL`: only the page may ask, only what it needs, and the key stays here. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type ClientRequest, createServer, type IncomingHttpHeaders, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createEngineRelay, type RelayLimits } from "./engine-relay.ts";
import { readRelayOptions } from "./relay-options.ts";
import { createStaticServer } from "./static-server.ts";

const key = "sk-relay-secret";

interface Upstream {
  readonly url: string;
  readonly seen: { path: string; headers: IncomingHttpHeaders; body: string }[];
  /** Requests whose connection was closed before their answer. */
  readonly abandoned: string[];
}

type Listener = Parameters<typeof createServer>[1];

const open: Server[] = [];

afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server): Promise<string> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A model server that answers `listener`'s way, and "{}" unless given. */
async function upstream(listener: Listener = (_, response) => response.end("{}")): Promise<Upstream> {
  const seen: Upstream["seen"] = [];
  const abandoned: string[] = [];
  const server = createServer(async (incoming, response) => {
    let body = "";
    for await (const piece of incoming) body += String(piece);
    const path = incoming.url ?? "";
    seen.push({ path, headers: incoming.headers, body });
    response.on("close", () => response.writableFinished || abandoned.push(path));
    listener?.(incoming, response);
  });
  return { url: await listen(server), seen, abandoned };
}

function relayTo(url: string, limits: Partial<RelayLimits> = {}): Promise<string> {
  const answer = createEngineRelay({ url, key, limits });
  return listen(createStaticServer({ relay: { path: "/engine/", answer } }));
}

interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly onOpen?: (request: ClientRequest) => void;
}

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request as the page sends it, with other headers if given; an undefined one is left out. */
function send(relay: string, { path, method = "POST", headers = {}, body, onOpen }: Sent): Promise<Received> {
  const { host, origin } = new URL(relay);
  const own = method === "POST" ? { origin, "content-type": "application/json" } : {};
  const all = Object.entries({ host, "sec-fetch-site": "same-origin", ...own, ...headers });
  const given = Object.fromEntries(all.filter((each): each is [string, string] => each[1] !== undefined));
  return new Promise((resolve, reject) => {
    const sent = request(relay + path, { method, headers: given, agent: false }, (response) => {
      let text = "";
      response.on("data", (piece) => {
        text += String(piece);
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
      response.on("error", reject);
    });
    sent.on("error", reject);
    onOpen?.(sent);
    sent.end(body ?? (method === "POST" ? "{}" : undefined));
  });
}

test("a request of the page reaches the model server with the key, and without what the page's browser adds", async () => {
  const engine = await upstream((_, response) =>
    response.writeHead(200, { "set-cookie": "a=b", "access-control-allow-origin": "*" }).end('{"ok":true}'),
  );
  const relay = await relayTo(engine.url);
  const headers = { cookie: "session=1", authorization: "Bearer typed", "x-forwarded-for": "1.2.3.4" };
  const answer = await send(relay, { path: "/engine/completion", headers, body: '{"prompt":[1]}' });
  expect(answer).toMatchObject({ status: 200, body: '{"ok":true}' });
  const [{ path, headers: reached, body } = { path: "", headers: {}, body: "" }] = engine.seen;
  expect({ path, body }).toEqual({ path: "/completion", body: '{"prompt":[1]}' });
  expect(reached.authorization).toBe(`Bearer ${key}`);
  expect(Object.keys(reached).sort()).toEqual([
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "host",
  ]);
  expect(JSON.stringify(answer)).not.toContain(key);
  expect(answer.headers).not.toHaveProperty("set-cookie");
  expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
  expect(answer.headers["cross-origin-resource-policy"]).toBe("same-origin");
});

test("pieces of a stream arrive before the stream ends", async () => {
  let more: () => void = () => {};
  const engine = await upstream((_, response) => {
    response.write('data: {"a":1}\n\n');
    more = () => response.end('data: {"b":2}\n\n');
  });
  const relay = await relayTo(engine.url);
  const answer = send(relay, {
    path: "/engine/completion",
    // The stream ends only after its first piece has reached the page.
    onOpen: (sent) => sent.on("response", (response) => response.once("data", () => more())),
  });
  await expect(answer).resolves.toMatchObject({ status: 200, body: 'data: {"a":1}\n\ndata: {"b":2}\n\n' });
  expect((await answer).headers["content-type"]).toBe("text/event-stream");
});

const stranger = { origin: "https://evil.example" };
const refused: readonly (Sent & { readonly status: number })[] = [
  { path: "/engine/completion", headers: stranger, status: 403 },
  { path: "/engine/completion", headers: { origin: "null" }, status: 403 },
  { path: "/engine/completion", headers: { origin: undefined }, status: 403 },
  { path: "/engine/completion", headers: { "sec-fetch-site": "cross-site" }, status: 403 },
  { path: "/engine/completion", headers: { "sec-fetch-site": "same-site" }, status: 403 },
  { path: "/engine/health", method: "GET", headers: { "sec-fetch-site": "cross-site" }, status: 403 },
  { path: "/engine/health", method: "GET", headers: stranger, status: 403 },
  {
    path: "/engine/completion",
    headers: { host: "evil.example", origin: "http://evil.example" },
    status: 421,
  },
  { path: "/engine/completion", headers: { "content-type": "text/plain" }, status: 415 },
  { path: "/engine/completion", headers: { "content-type": undefined }, status: 415 },
  { path: "/engine/completion", headers: { expect: "100-continue" }, status: 417 },
  { path: "/engine/completion", method: "GET", status: 405 },
  { path: "/engine/completion", method: "OPTIONS", status: 405 },
  { path: "/engine/completion", method: "PUT", status: 405 },
  { path: "/engine/health", method: "GET", headers: { "content-length": "1" }, body: "x", status: 413 },
  { path: "/engine/slots/0?action=erase", status: 404 },
  { path: "/engine/slots", method: "GET", status: 404 },
  { path: "/engine/metrics", method: "GET", status: 404 },
  { path: "/engine/pause", status: 404 },
  { path: "/engine/", method: "GET", status: 404 },
  { path: "/engine/props?x", method: "GET", status: 404 },
  { path: "/engine/constructor", method: "GET", status: 404 },
  { path: "/engine/../health", method: "GET", status: 404 },
  { path: "/engine//health", method: "GET", status: 404 },
  { path: "/engine/%68ealth", method: "GET", status: 404 },
  { path: "/engine/health/", method: "GET", status: 404 },
  { path: "/engine", method: "GET", status: 404 },
  { path: "/%65ngine/health", method: "GET", status: 404 },
];

test.each(refused)("refuses $method $path with $headers: $status", async ({ status, ...sent }) => {
  const engine = await upstream();
  const answer = await send(await relayTo(engine.url), sent);
  expect(answer.status).toBe(status);
  expect(engine.seen).toEqual([]);
  expect(answer.body).not.toContain(engine.url);
});

test("a request that is too long is refused, whether or not it says its length", async () => {
  const engine = await upstream();
  const relay = await relayTo(engine.url, { requestBytes: 100 });
  const body = JSON.stringify({ prompt: "x".repeat(200) });
  const path = "/engine/completion";
  expect((await send(relay, { path, body })).status).toBe(413);
  const chunked = { "transfer-encoding": "chunked" };
  expect((await send(relay, { path, body, headers: chunked })).status).toBe(413);
  expect(engine.seen).toEqual([]);
});

test("an answer that is too long is cut, and not taken for whole", async () => {
  const engine = await upstream((_, response) => response.end("x".repeat(1_000)));
  const relay = await relayTo(engine.url, { answerBytes: 100 });
  await expect(send(relay, { path: "/engine/completion" })).resolves.toMatchObject({ status: 502 });
});

test("a client that leaves ends the request to the model server", async () => {
  const engine = await upstream((_, response) => response.write('data: {"a":1}\n\n'));
  const relay = await relayTo(engine.url);
  const answer = send(relay, {
    path: "/engine/completion",
    onOpen: (sent) => sent.on("response", (response) => response.once("data", () => sent.destroy())),
  });
  await expect(answer).rejects.toThrow();
  await expect.poll(() => engine.abandoned).toEqual(["/completion"]);
});

test("more requests than allowed at once are refused, and taken again when one ends", async () => {
  let end: () => void = () => {};
  const engine = await upstream((_, response) => {
    end = () => response.end("{}");
  });
  const relay = await relayTo(engine.url, { requests: 1 });
  const first = send(relay, { path: "/engine/completion" });
  await expect.poll(() => engine.seen.length).toBe(1);
  expect((await send(relay, { path: "/engine/completion" })).status).toBe(429);
  end();
  expect((await first).status).toBe(200);
  const next = send(relay, { path: "/engine/completion" });
  await expect.poll(() => engine.seen.length).toBe(2);
  end();
  expect((await next).status).toBe(200);
});

test("a model server that never answers is given up after the stated time", async () => {
  const engine = await upstream(() => undefined);
  const relay = await relayTo(engine.url, { silence: 50 });
  const { status, body } = await send(relay, { path: "/engine/completion" });
  expect({ status, body }).toMatchObject({
    status: 504,
    body: expect.stringContaining("sent nothing for 0.05 s"),
  });
  await expect.poll(() => engine.abandoned).toEqual(["/completion"]);
});

test("errors of the model server reach the page without its address or key", async () => {
  const said = JSON.stringify({ error: { message: `the key ${key} is old` } });
  const faults: readonly [number, Record<string, string>, number, string][] = [
    [401, {}, 502, "The model server refuses the key."],
    [302, { location: "https://evil.example/" }, 502, "redirects to another address"],
    [500, {}, 500, "the key … is old"],
  ];
  for (const [given, headers, status, words] of faults) {
    const engine = await upstream((_, response) => response.writeHead(given, headers).end(said));
    const answer = await send(await relayTo(engine.url), { path: "/engine/completion" });
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(words);
    expect(JSON.stringify(answer)).not.toMatch(/sk-relay-secret|evil/);
  }
  const gone = await send(await relayTo("http://127.0.0.1:1"), { path: "/engine/health", method: "GET" });
  expect(gone).toMatchObject({ status: 502, body: expect.stringContaining("No model server answers") });
});

test("SGLang's settings, which have its key, stay here", async () => {
  const engine = await upstream((_, response) =>
    response.end(JSON.stringify({ version: "0.5.17", api_key: key })),
  );
  const answer = await send(await relayTo(engine.url), { path: "/engine/server_info", method: "GET" });
  expect(JSON.parse(answer.body)).toEqual({ version: "0.5.17" });
});

test("options: the key is read from a file or the environment, and no error shows it", () => {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-relay-"));
  const read = (keyFile?: string, keyOfEnvironment?: string) =>
    readRelayOptions({ engine: "http://127.0.0.1:9931/", keyFile, keyOfEnvironment });
  const url = "http://127.0.0.1:9931";
  const file = join(folder, "key");
  expect(read()).toEqual({ url });
  expect(read(undefined, "of-environment")).toEqual({ url, key: "of-environment" });
  expect(() => read(file)).toThrow(/cannot be read/);
  writeFileSync(file, " \n");
  expect(() => read(file)).toThrow(/is empty/);
  writeFileSync(file, "of-file\n");
  expect(read(file, "of-environment")).toEqual({ url, key: "of-file" });
  expect(() => read(undefined, "two words")).toThrow(/space/);
  expect(() => read(undefined, "two words")).not.toThrow(/two words/);
  const none = { engine: undefined, keyOfEnvironment: undefined };
  expect(readRelayOptions({ ...none, keyFile: undefined })).toBeNull();
  expect(() => readRelayOptions({ ...none, keyFile: file })).toThrow(/--engine/);
  const wrong = { engine: "ftp://x", keyFile: undefined, keyOfEnvironment: undefined };
  expect(() => readRelayOptions(wrong)).toThrow(/http/);
  rmSync(folder, { recursive: true, force: true });
});
