import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createModelServer, listModels } from "./model-server.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-models-"));
const write = (path: string, content: string) => {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), content);
};
write("alpha/config.json", '{"max_position_embeddings": 512}');
write("alpha/onnx/model.onnx_data", "01234");
write("alpha/tokenizer.json", "{}");
write("alpha/onnx/model.onnx", "0123456789");
write("alpha/onnx/model_q4.onnx", "01234");
write("beta & co/config.json", "broken");
write("beta & co/tokenizer.json", "{}");
write("beta & co/onnx/model_int8.onnx", "0123");
write("no-graph/config.json", "{}");
write("no-graph/tokenizer.json", "{}");
write("only-concat/config.json", "{}");
write("only-concat/tokenizer.json", "{}");
write("only-concat/onnx/model_concat.onnx", "0");
write("README.md", "not a folder");
symlinkSync(join(folder, "alpha"), join(folder, "linked"));

test("model folders are listed with the graphs they have", async () => {
  expect(await listModels(folder)).toEqual([
    {
      id: "alpha",
      url: "local-models/alpha/",
      revision: null,
      dtype: { webgpu: "q4", wasm: "fp32" },
      bytes: 15,
      contextLength: 512,
    },
    {
      id: "beta & co",
      url: "local-models/beta%20%26%20co/",
      revision: null,
      dtype: { webgpu: "int8", wasm: "int8" },
      bytes: 4,
      contextLength: 0,
    },
    {
      id: "linked",
      url: "local-models/linked/",
      revision: null,
      dtype: { webgpu: "q4", wasm: "fp32" },
      bytes: 15,
      contextLength: 512,
    },
  ]);
});

describe("the hub's addresses", () => {
  const server = createModelServer({ folders: { "owner/alpha": join(folder, "alpha") } });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  /** Raw request: `fetch` would follow redirects and tidy the path. */
  function get(path: string, headers: Record<string, string> = {}, method = "GET") {
    return new Promise<{ status: number; body: string; headers: Record<string, unknown> }>(
      (resolve, reject) => {
        const { port } = server.address() as AddressInfo;
        request({ host: "127.0.0.1", port, path, headers, method, agent: false }, (response) => {
          let body = "";
          response.on("data", (chunk) => {
            body += chunk;
          });
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
          );
        })
          .on("error", reject)
          .end();
      },
    );
  }

  test("lead to the content, with the size", async () => {
    const first = await get("/owner/alpha/resolve/main/onnx/model.onnx");
    expect(first.status).toBe(302);
    expect(first.headers).toMatchObject({
      location: "/content/owner/alpha/resolve/main/onnx/model.onnx",
      "x-linked-size": "10",
      "access-control-allow-origin": "*",
    });
    const content = await get(String(first.headers.location));
    expect([content.status, content.body]).toEqual([200, "0123456789"]);
    expect(content.headers).toMatchObject({ "content-length": "10", etag: first.headers["x-linked-etag"] });
  });

  test.each<[string, Record<string, string>, string, number, string]>([
    ["/content/owner/alpha/resolve/main/onnx/model.onnx", { range: "bytes=4-" }, "GET", 206, "456789"],
    ["/content/owner/alpha/resolve/main/onnx/model.onnx", { range: "bytes=10-" }, "GET", 416, ""],
    ["/content/owner/alpha/resolve/main/onnx/model.onnx", {}, "HEAD", 200, ""],
    ["/owner/alpha/resolve/main/onnx/model.onnx", {}, "OPTIONS", 204, ""],
    ["/owner/alpha/resolve/v1/missing.json", {}, "GET", 404, '{"error":"Entry not found"}'],
    ["/owner/other/resolve/main/config.json", {}, "GET", 401, '{"error":"Repository not found"}'],
    ["/owner/alpha/resolve/main/..%2f..%2fREADME.md", {}, "GET", 404, '{"error":"Entry not found"}'],
    ["/owner/alpha/resolve/main/../../README.md", {}, "GET", 401, '{"error":"Repository not found"}'],
    ["/constructor/x/resolve/main/config.json", {}, "GET", 401, '{"error":"Repository not found"}'],
    ["/%zz", {}, "GET", 500, '{"error":"URIError: URI malformed"}'],
  ])("%s %j %s answers %i", async (path, headers, method, status, body) => {
    const answer = await get(path, headers, method);
    expect([answer.status, answer.body]).toEqual([status, body]);
  });
});
