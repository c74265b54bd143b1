/** Model files in a real browser: cross-origin, through redirects, kept in the Cache API, in a worker. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { type Fault, type HubServer, startHubServer } from "../../scripts/testing/hub-server.ts";
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
  await page.evaluate(async () => {
    for (const name of await caches.keys()) await caches.delete(name);
  });
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
  const { result } = (await call(page, { type: "kept" })) as { result: Record<string, number> };
  expect(Object.keys(result).sort()).toEqual(allFiles.map((file) => `${url}${file}`));
  expect(result[`${url}onnx/model.onnx`]).toBe(graph.length);
  await page.evaluate(async () => Promise.all((await caches.keys()).map((name) => caches.delete(name))));
  await call(page, { type: "read", url });
  expect(requests).toHaveLength(10);
});

test("a connection that breaks is taken up where it broke, without asking the server for leave first", async ({
  page,
}) => {
  faults.set("onnx/model.onnx", { kind: "drop", bytes: 400_000, times: 1 });
  expect(await call(page, { type: "read", url })).toEqual({ result: { sha256, cached: [], notices: [] } });
  const ofGraph = requests.filter((request) => request.startsWith("onnx/"));
  expect(ofGraph).toHaveLength(2);
  expect(ofGraph[1]).toMatch(/^onnx\/model\.onnx bytes=[1-9]\d*-$/);
  expect(preflights).toEqual([]);
});

test("cancelled in the middle of a body, nothing of the file is kept", async ({ page }) => {
  faults.set("onnx/model.onnx", { kind: "stall", bytes: 600_000 });
  expect(await call(page, { type: "read", url, cancelAtBytes: 300_000 })).toEqual({
    error: expect.stringMatching(/^AbortError/),
  });
  const { result } = (await call(page, { type: "kept" })) as { result: Record<string, number> };
  expect(Object.keys(result)).toHaveLength(4);
});

test("when the storage is full the files are used all the same, and it is said", async ({
  page,
  baseURL,
}) => {
  const client = await page.context().newCDPSession(page);
  const { origin } = new URL(baseURL ?? "");
  await client.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 20_000 });
  const { result } = (await call(page, { type: "read", url })) as {
    result: { sha256: string; notices: string[] };
  };
  await client.send("Storage.overrideQuotaForOrigin", { origin });
  expect(result.sha256).toBe(sha256);
  expect(result.notices).toContainEqual(
    expect.stringMatching(
      /^onnx\/model\.onnx .* could not be kept in the browser's storage \(QuotaExceededError\)/,
    ),
  );
});

test("the model is loaded from them and answers", async ({ page }) => {
  const told = await call(page, { type: "tell", url, text: "Once upon a time", tokens: 11 });
  expect(told).toMatchObject({
    result: { text: ", there was a little girl named Lily.", info: { device: "wasm", vocabularySize: 512 } },
  });
});
