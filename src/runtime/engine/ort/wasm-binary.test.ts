import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchWasmBinary } from "./wasm-binary.ts";

const module = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
const answers: Readonly<Record<string, { headers: Record<string, string>; body: Uint8Array }>> = {
  "/plain.wasm": { headers: {}, body: module },
  "/packed.wasm.gz": { headers: { "content-type": "application/gzip" }, body: gzipSync(module) },
  "/unpacked-by-browser.wasm.gz": { headers: { "content-encoding": "gzip" }, body: gzipSync(module) },
  "/twice.wasm.gz": { headers: { "content-encoding": "gzip" }, body: gzipSync(gzipSync(module)) },
  "/cut.wasm.gz": { headers: {}, body: gzipSync(module).subarray(0, 15) },
  "/empty.wasm": { headers: {}, body: new Uint8Array() },
};
const server = createServer((request, response) => {
  const found = answers[request.url ?? ""];
  if (!found) return response.writeHead(404).end();
  return response.writeHead(200, found.headers).end(found.body);
});
let origin = "";

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

test.each(["/plain.wasm", "/packed.wasm.gz", "/unpacked-by-browser.wasm.gz", "/twice.wasm.gz"])(
  "%s is the binary",
  async (path) => {
    expect(new Uint8Array(await fetchWasmBinary(origin + path))).toEqual(module);
  },
);

test.each(["/cut.wasm.gz", "/nothing.wasm.gz"])("%s is refused with its address", async (path) => {
  await expect(fetchWasmBinary(origin + path)).rejects.toThrow(`${origin}${path} could not be fetched`);
});

test("an empty file is given back as it is: the compiler says what is wrong with it", async () => {
  expect((await fetchWasmBinary(`${origin}/empty.wasm`)).byteLength).toBe(0);
});
