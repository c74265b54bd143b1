import { appendFileSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createStaticServer } from "./static-server.ts";
import { rawRequest } from "./testing/raw-request.ts";
import { pageCspText } from "./vite-csp.ts";

const root = mkdtempSync(join(tmpdir(), "midtoken-static-"));
const page = join(root, "page");
const models = join(root, "models");
mkdirSync(join(page, "folder"), { recursive: true });
mkdirSync(join(models, "tiny/onnx"), { recursive: true });
writeFileSync(join(page, "index.html"), "<p>home</p>");
writeFileSync(join(page, "app.js"), "0;");
writeFileSync(join(models, "tiny/onnx/model.onnx"), "0123456789");
writeFileSync(join(models, "tiny/config.json"), "{}");
writeFileSync(join(models, "tiny/index.html"), "<p>evil</p>");
writeFileSync(join(root, "outside.json"), "{}");
symlinkSync(join(root, "outside.json"), join(models, "tiny/tokenizer.json"));

const options = {
  pages: { "/sub/": page },
  models: { "/sub/models/": models },
  json: {
    "/sub/list.json": async () => ["a"],
    "/sub/broken.json": async () => Promise.reject(new Error(`no ${root}`)),
  },
};
const server = createStaticServer(options);
/** As with `--host 0.0.0.0` and with `--host box.test`. */
const everywhere = createStaticServer({ ...options, host: "0.0.0.0" });
const named = createStaticServer({ ...options, host: "Box.test" });

beforeAll(async () => {
  for (const each of [server, everywhere, named])
    await new Promise<void>((resolve) => each.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  for (const each of [server, everywhere, named]) each.close();
});

const get = (path: string, headers: Record<string, string> = {}, from = server) =>
  rawRequest(from, path, headers);

const graph = "/sub/models/tiny/onnx/model.onnx";

test.each([
  ["/sub/", {}, 200, "<p>home</p>"],
  ["/sub/app.js", {}, 200, "0;"],
  [graph, {}, 200, "0123456789"],
  [graph, { range: "bytes=2-4" }, 206, "234"],
  [graph, { range: "bytes=-3" }, 206, "789"],
  [graph, { range: "bytes=20-" }, 416, "The range lies outside the file."],
  ["/sub/list.json", {}, 200, '["a"]'],
  ["/sub/folder", {}, 301, ""],
  ["/other", {}, 404, "There is nothing at /other."],
  ["/sub/%zz", {}, 400, "The address names nothing that is served here."],
  ["/sub/../outside.json", {}, 400, "The address names nothing that is served here."],
  [
    "/sub/models/tiny/index.html",
    {},
    403,
    '/sub/models/tiny/index.html is no file of a model. Served are config.json, generation_config.json, tokenizer.json, tokenizer_config.json, chat_template.jinja, and in a folder "onnx" files that end in .onnx, .onnx_data, .data, .bin or .weights.',
  ],
  [
    "/sub/models/tiny/tokenizer.json",
    {},
    403,
    "/sub/models/tiny/tokenizer.json is a link out of the folder that was given with --models. Put the file itself there (cp -L copies what a link leads to).",
  ],
  [
    "/sub/list.json",
    { host: "evil.example:80" },
    421,
    'This server does not answer to the name "evil.example": another site may have pointed that name at this machine. Open the address that npm start printed, or start it with --host evil.example.',
  ],
])("GET %s %j answers %i", async (path, headers, status, body) => {
  expect(await get(path, headers)).toMatchObject({ status, body });
});

test("a failure is told to whoever runs the server, and not to whoever asks", async () => {
  const told = vi.spyOn(console, "error").mockReturnValue();
  expect(await get("/sub/broken.json")).toMatchObject({
    status: 500,
    body: "The server failed. Its own console says why.",
  });
  expect(told.mock.lastCall?.join(" ")).toContain(`no ${root}`);
  told.mockRestore();
});

describe("the name that the request is for", () => {
  test.each([
    ["loopback", server, { "localhost:1": 200, "192.168.1.2": 421, "box.test": 421, "[2001:db8::1]:1": 421 }],
    ["all", everywhere, { "localhost:1": 200, "192.168.1.2": 200, "box.test": 421, "[2001:db8::1]:1": 200 }],
    ["one", named, { "localhost:1": 200, "192.168.1.2": 421, "BOX.test": 200, "a.box.test": 421 }],
  ])("on %s", async (_, from, expected) => {
    for (const [host, status] of Object.entries(expected))
      expect([host, (await get("/sub/list.json", { host }, from)).status]).toEqual([host, status]);
  });
});

describe("headers", () => {
  test("of the page: its policy, and nobody may frame it", async () => {
    const { headers } = await get("/sub/");
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `${pageCspText}; frame-ancestors 'none'`,
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
      "referrer-policy": "no-referrer",
    });
  });

  test.each([
    ["/sub/models/tiny/config.json", "application/json; charset=utf-8"],
    [graph, "application/octet-stream"],
  ])("of %s: data, never a document", async (path, type) => {
    const { headers } = await get(path);
    expect(headers).toMatchObject({
      "content-type": type,
      "content-disposition": "attachment",
      "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
  });

  test("of a redirect: a path of this server", async () => {
    expect((await get("/sub/folder?x")).headers.location).toBe("/sub/folder/");
  });
});

describe("a file that changes", () => {
  test("is not continued with another version, and not sent again as long as it is the same", async () => {
    const { etag } = (await get(graph)).headers;
    const first = String(etag);
    expect((await get(graph, { "if-none-match": `"x", ${first}` })).status).toBe(304);
    expect((await get(graph, { range: "bytes=4-", "if-range": first })).body).toBe("456789");
    appendFileSync(join(models, "tiny/onnx/model.onnx"), "ab");
    expect((await get(graph, { "if-none-match": first })).body).toBe("0123456789ab");
    expect(await get(graph, { range: "bytes=4-", "if-range": first })).toMatchObject({
      status: 200,
      body: "0123456789ab",
    });
  });
});
