import { mkdtempSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStaticServer } from "./static-server.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-static-"));
writeFileSync(join(folder, "index.html"), "<p>home</p>");
writeFileSync(join(folder, "model.onnx"), "0123456789");
const server = createStaticServer({
  mounts: { "/sub/": folder },
  json: { "/sub/list.json": async () => ["a"] },
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Raw request: `fetch` would tidy the path before it is sent. */
function get(path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    request({ host: "127.0.0.1", port, path, headers }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .on("error", reject)
      .end();
  });
}

test.each([
  ["/sub/", {}, 200, "<p>home</p>"],
  ["/sub/model.onnx", {}, 200, "0123456789"],
  ["/sub/model.onnx", { range: "bytes=2-4" }, 206, "234"],
  ["/sub/model.onnx", { range: "bytes=-3" }, 206, "789"],
  ["/sub/model.onnx", { range: "bytes=20-" }, 416, "The range lies outside the file."],
  ["/sub/list.json", {}, 200, '["a"]'],
  ["/sub/../../etc/passwd", {}, 404, "There is nothing at /etc/passwd."],
  ["/sub/%2e%2e/%2e%2e/etc/passwd", {}, 404, "There is nothing at /etc/passwd."],
  ["/sub/..%2f..%2f..%2f..%2fetc/passwd", {}, 404, "There is nothing at /sub/../../../../etc/passwd."],
  ["/other", {}, 404, "There is nothing at /other."],
  ["/sub/%zz", {}, 400, "The address is malformed."],
])("GET %s %j answers %i", async (path, headers, status, body) => {
  expect(await get(path, headers)).toEqual({ status, body });
});
