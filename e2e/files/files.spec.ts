/** Model files in a real browser: cross-origin, through redirects, kept in its own file system, in a worker. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { type Fault, type HubServer, startHubServer } from "../../scripts/testing/hub-server.ts";
import type { CachedModel } from "../../src/runtime/engine/storage/model-store.ts";
import { testsOnOnePage } from "../shared-page.ts";
import type { Command } from "./files-worker.ts";

const test = testsOnOnePage("/e2e/files/files.html", "call");

const folder = "public/models/stories260k";
const graph = readFileSync(`${folder}/onnx/model.onnx`);
const sha256 = createHash("sha256").update(graph).digest("hex");
const faults = new Map<string, Fault>();
const requests: string[] = [];
const preflights: string[] = [];
let hub: HubServer;
let url = "";

test.beforeAll(async () => {
  hub = await startHubServer({
    repositories: { "midtoken/stories": folder },
    faults,
    onRequest: (file, range) => requests.push(range === null ? file : `${file} ${range}`),
    onPreflight: (path) => preflights.push(path),
  });
  url = hub.url("midtoken/stories");
});
test.afterAll(() => hub.close());
test.beforeEach(async ({ page }) => {
  faults.clear();
  requests.length = 0;
  await forget(page);
});

/** Deletes all that is kept. */
const forget = (page: Page) =>
  page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    for await (const name of root.keys()) await root.removeEntry(name, { recursive: true });
    for (const name of await caches.keys()) await caches.delete(name);
  });

const call = (page: Page, command: Command) => page.evaluate((sent) => globalThis.call(sent), command);
const allFiles = [
  "config.json",
  "generation_config.json",
  "onnx/model.onnx",
  "tokenizer.json",
  "tokenizer_config.json",
];

test("files are fetched once and kept whole, until the browser drops them", async ({ page }) => {
  expect(await call(page, { type: "read", url })).toEqual({ result: { sha256, cached: [], notices: [] } });
  expect([...requests].sort()).toEqual(allFiles);
  await page.reload();
  await page.waitForFunction(() => "call" in globalThis);
  expect(await call(page, { type: "read", url })).toEqual({
    result: { sha256, cached: allFiles, notices: [] },
  });
  expect(requests).toHaveLength(5);
  const { result } = (await call(page, { type: "kept" })) as { result: CachedModel[] };
  expect(result).toEqual([
    expect.objectContaining({
      url,
      files: 5,
      partialFiles: [],
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    }),
  ]);
  await forget(page);
  await call(page, { type: "read", url });
  expect(requests).toHaveLength(10);
});

test("a connection that breaks is taken up where it broke, without asking the server for leave first", async ({
  page,
}) => {
  // A reset connection loses the bytes that were not read yet: their number is chance.
  faults.set("onnx/model.onnx", { kind: "short", bytes: 400_000, times: 1 });
  expect(await call(page, { type: "read", url })).toEqual({ result: { sha256, cached: [], notices: [] } });
  const ofGraph = requests.filter((request) => request.startsWith("onnx/"));
  expect(ofGraph).toHaveLength(2);
  expect(ofGraph[1]).toBe("onnx/model.onnx bytes=400000-");
  expect(preflights).toEqual([]);
});

test("cancelled in the middle of a body, the download continues from there; two that ask at once share one download", async ({
  page,
}) => {
  faults.set("onnx/model.onnx", { kind: "stall", bytes: 600_000, times: 1 });
  expect(await call(page, { type: "read", url, cancelAtBytes: 300_000 })).toEqual({
    error: expect.stringMatching(/^AbortError/),
  });
  const { result } = (await call(page, { type: "kept" })) as { result: CachedModel[] };
  const partial = result[0]?.partialFiles[0];
  expect(partial).toMatchObject({ path: "onnx/model.onnx", size: graph.length });
  requests.length = 0;
  const outcomes = await page.evaluate(
    (sent) => Promise.all([globalThis.call(sent), globalThis.call(sent)]),
    { type: "read", url } as const,
  );
  for (const outcome of outcomes) expect(outcome).toMatchObject({ result: { sha256, notices: [] } });
  expect(requests).toEqual([`onnx/model.onnx bytes=${partial?.bytes}-`]);
});

test("files lie in the browser's own file system, or in its cache; what does not fit is refused and leaves nothing", async ({
  page,
  baseURL,
}) => {
  expect(await call(page, { type: "trees" })).toEqual({ result: [[], []] });
  const client = await page.context().newCDPSession(page);
  const { origin } = new URL(baseURL ?? "");
  await client.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 5_000_000 });
  // Chromium gives the reason by chance where it is handed more than its pipe holds: many times, to see that.
  const full = await call(page, { type: "overfill", bytes: 20_000_000, times: 40 });
  await client.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 20_000 });
  const short = await call(page, { type: "read", url });
  await client.send("Storage.overrideQuotaForOrigin", { origin });
  expect(full).toEqual({ result: [["QuotaExceededError"], true] });
  expect(short).toMatchObject({ result: { sha256 } });
  const { notices } = (short as { result: { notices: string[] } }).result;
  expect(notices).toContainEqual(
    expect.stringMatching(
      /^onnx\/model\.onnx .* could not be saved in the browser's storage \(QuotaExceededError\)/,
    ),
  );
});

test("kept files are read by handles as they are, until they are written", async ({ page }) => {
  expect(await call(page, { type: "handles" })).toEqual({ result: [] });
});

test("the model is loaded from them and answers", async ({ page }) => {
  const told = await call(page, { type: "tell", url, text: "Once upon a time", tokens: 11 });
  expect(told).toMatchObject({
    result: { text: ", there was a little girl named Lily.", info: { device: "wasm", vocabularySize: 512 } },
  });
});
