import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createModelServer } from "./model-server.ts";
import { rawRequest } from "./testing/raw-request.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-models-"));
const write = (path: string, content: string) => {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), content);
};
write("alpha/config.json", '{"max_position_embeddings": 512}');
write("alpha/onnx/model.onnx_data", "01234");
write("alpha/tokenizer.json", "{}");
write("alpha/onnx/model.onnx", "0123456789");
write("README.md", "beside the folders");

describe("the hub's addresses", () => {
  const server = createModelServer({ folders: { "owner/alpha": join(folder, "alpha") } });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    rawRequest(server, path, headers, method);

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
