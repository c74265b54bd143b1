/** The model on a server, against recorded shapes: what is sent, and every fault of a server. */
import { afterEach, expect, test } from "vitest";
import { ModelDeadError } from "../../core/decoder/ports/language-model.ts";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import { type RemoteAccess, ServerConnection } from "./connection.ts";
import { createFetchExchange, type HttpExchange } from "./exchange.ts";
import { RemoteEngineError, type RemoteFault } from "./remote-error.ts";
import { Replica } from "./replica.ts";
import { Replicas } from "./replicas.ts";
import { LlamaServerModel } from "./server-model.ts";
import {
  countingLogprobs,
  createResponseFault,
  type FakeLlama,
  type FakeLlamaOptions,
  type FakeServerFault,
  startFakeLlama,
} from "./testing/fake-llama.ts";

const key = "a-key-that-nobody-may-see";

let server: FakeLlama | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function start(options: Partial<FakeLlamaOptions> = {}): Promise<FakeLlama> {
  server = await startFakeLlama({
    vocabularySize: 8,
    contextLength: 64,
    rowAfter: countingLogprobs,
    ...options,
  });
  return server;
}

function modelOn(
  url: string,
  { key: given, exchange = createHttpExchange() }: Partial<RemoteAccess> & { exchange?: HttpExchange } = {},
) {
  const access: RemoteAccess = given === undefined ? { url } : { url, key: given };
  const connection = new ServerConnection(access, exchange);
  return new LlamaServerModel(new Replicas([new Replica({ connection, slots: 1 })]), {
    server: { vocabularySize: 8, contextLength: 64 },
    endOfSequence: [7],
  });
}

const best = (row: Float32Array) => row.indexOf(Math.max(...row));

test.each<[string, () => HttpExchange]>([
  ["node:http", createHttpExchange],
  ["fetch", () => createFetchExchange()],
])("the whole text is sent as ids at each step, by %s", async (_, exchange) => {
  const { url, bodies } = await start();
  const model = modelOn(url, { exchange: exchange() });
  expect(model.capacity).toBe(63);
  expect(best(await model.forward([1, 2, 3]))).toBe(3);
  expect(best(await model.forward([5]))).toBe(4);
  model.truncate(2);
  await model.append([6, 6]);
  expect(best(await model.forward([4]))).toBe(5);
  expect(model.length).toBe(5);
  const sent = bodies("/completion");
  expect(sent.map(({ prompt }) => prompt)).toEqual([
    [1, 2, 3],
    [1, 2, 3, 5],
    [1, 2, 6, 6, 4],
  ]);
  expect(sent[0]).toMatchObject({ n_predict: 1, n_probs: 8, cache_prompt: true, return_tokens: true });
  expect(sent.map(({ id_slot }) => id_slot)).toEqual([0, 0, 0]);
});

test("several rows are a request each, and too many are the last one alone", async () => {
  const { url, bodies } = await start();
  const model = modelOn(url);
  const rows = await model.forward([1, 2, 3, 4], 3);
  expect([0, 1, 2].map((row) => best(rows.subarray(8 * row, 8 * row + 8)))).toEqual([2, 3, 4]);
  expect(bodies("/completion").map(({ prompt }) => (prompt as number[]).length)).toEqual([2, 3, 4]);
  expect(await model.forward(new Array(9).fill(1), 9)).toHaveLength(8);
  expect(bodies("/completion")).toHaveLength(4);
});

test("a connection that the server closed in between is opened again", async () => {
  const { url, faults } = await start();
  const model = modelOn(url);
  await model.forward([1]);
  // The server ends this connection without an answer, once, as it does when its keep-alive ends.
  faults.set("/completion", (request) => {
    faults.clear();
    request.socket.destroy();
  });
  expect(best(await model.forward([2]))).toBe(2);
});

test.each<[string, () => HttpExchange]>([
  ["node:http", createHttpExchange],
  ["fetch", () => createFetchExchange()],
])("a stop closes the connection, and the model goes on with the text before, by %s", async (_, exchange) => {
  const { url, faults, abandoned } = await start();
  const model = modelOn(url, { exchange: exchange() });
  await model.forward([1, 2]);
  const stop = new AbortController();
  faults.set("/completion", () => stop.abort(new Error("stopped")));
  await expect(model.forward([3], 1, stop.signal)).rejects.toThrow("stopped");
  faults.clear();
  expect(model.length).toBe(2);
  expect(best(await model.forward([3]))).toBe(3);
  expect(abandoned).toEqual(["/completion"]);
});

const half: FakeServerFault = (_, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
  response.write('{"tokens":');
  setTimeout(() => response.destroy(), 20);
};

test.each<[RemoteFault, FakeServerFault, RegExp]>([
  ["busy", createResponseFault(429, "slow down"), /too many requests \(429\)\. Wait/],
  [
    "loading",
    createResponseFault(503, { error: { code: 503, message: "Loading model", type: "unavailable_error" } }),
    /not ready \(503\): Loading model\. Wait/,
  ],
  [
    "server",
    createResponseFault(500, { error: { message: "CUDA error" } }),
    /failed \(500\): CUDA error\. Look at the server's log/,
  ],
  [
    "refused",
    createResponseFault(400, { error: { message: "Prompt contains invalid tokens" } }),
    /refused \/completion \(400\): Prompt contains/,
  ],
  ["refused", createResponseFault(404, "<html>"), /has no \/completion \(404\)\. Check the address/],
  ["key", createResponseFault(401, {}), /refuses the key \(401\)\. Give the key/],
  [
    "redirect",
    (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    /redirects \/completion to another address\. Enter the other address/,
  ],
  ["json", createResponseFault(200, "<html></html>"), /not JSON\. Check that this is the address/],
  ["shape", createResponseFault(200, {}), /tokens is missing/],
  ["broken", half, /ended in the middle of a response.*run again/],
  [
    "large",
    createResponseFault(200, "x".repeat(1_100_000)),
    /is longer than \d+ bytes\. Check that this is the address/,
  ],
])("%s (%#) is an error that says what to do, and the model is dead", async (fault, make, message) => {
  const { url, faults } = await start();
  for (const exchange of [createHttpExchange(), createFetchExchange()]) {
    const model = modelOn(url, { key, exchange });
    faults.set("/completion", make);
    const error: unknown = await model.forward([1]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelDeadError);
    const { message: text, cause } = error as Error;
    expect(text).toMatch(message);
    expect(text).not.toContain(key);
    expect(cause).toBeInstanceOf(RemoteEngineError);
    expect((cause as RemoteEngineError).fault).toBe(fault);
    faults.clear();
    await expect(model.forward([1])).rejects.toBe(error);
    // Loading it again is a new model.
    expect(best(await modelOn(url, { key, exchange }).forward([1]))).toBe(1);
  }
});

test("the error of a server that is gone says what to do, and its cause has the address", async () => {
  const { url, close } = await start();
  await close();
  server = null;
  for (const exchange of [createHttpExchange(), createFetchExchange()]) {
    const messageWith = (address: string) =>
      `No server answers at ${address} (ECONNREFUSED). Start the server, or correct the address, and run again.`;
    await expect(modelOn(url, { exchange }).forward([1])).rejects.toMatchObject({
      message: messageWith("the address of the model server"),
      cause: { message: messageWith(url) },
    });
  }
});

test("the key goes to the server, and a wrong one is refused", async () => {
  const { url, headers } = await start({ key });
  await modelOn(url, { key }).forward([1]);
  expect(headers.at(-1)?.authorization).toBe(`Bearer ${key}`);
  await expect(modelOn(url, { key: "another" }).forward([1])).rejects.toThrow(/refuses the key \(401\)/);
});

test.each<[RemoteAccess, RegExp]>([
  [{ url: "localhost:8080" }, /must begin with http/],
  [{ url: "ftp://127.0.0.1/" }, /must begin with http/],
  [{ url: "" }, /must begin with http/],
  [{ url: "http://user:secret@127.0.0.1/" }, /http:\/\/127\.0\.0\.1 must have no user name/],
  [{ url: "http://user:12#secret@127.0.0.1/" }, /http:\/\/127\.0\.0\.1 must have no user name/],
  [{ url: "http://user:12/secret@127.0.0.1/" }, /http:\/\/127\.0\.0\.1 must have no user name/],
  [{ url: "http://127.0.0.1/?key=secret" }, /must have no user name, no query/],
  [{ url: "http://127.0.0.1/", key: "a b" }, /an HTTP header cannot carry/],
  [{ url: "http://127.0.0.1/", key: "a\r\nx: y" }, /an HTTP header cannot carry/],
])("an address or key that cannot be used is refused: %j", (access, message) => {
  expect(() => new ServerConnection(access, createFetchExchange())).toThrow(message);
  expect(() => new ServerConnection(access, createFetchExchange())).not.toThrow(/secret/);
});
