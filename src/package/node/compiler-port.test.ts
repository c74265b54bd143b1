/** The runtime's binary, which all engine threads of a process share. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test, vi } from "vitest";
import { compileWasmModule } from "./compiler-port.ts";
import { createNodeEngine } from "./create-node-engine.ts";
import { bundledModel } from "./testing/test-terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-runtime-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** An empty module. */
const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

test("engines of one process compile the runtime once at most", async () => {
  const compile = vi.spyOn(WebAssembly, "compile");
  for (let i = 0; i < 2; i++) {
    const engine = await createNodeEngine({ model: bundledModel, cacheFolder: null });
    engine.dispose();
  }
  // The runtime has 14 MB, QuickJS 1 MB. An engine of an earlier test file may have compiled the runtime.
  const runtimes = compile.mock.calls.filter(([source]) => (source as Uint8Array).byteLength > 5e6);
  expect(runtimes.length).toBeLessThanOrEqual(1);
});

test.each(["runtime.wasm", "runtime.wasm.gz"])(
  "%s is compiled once, and read again if it failed",
  async (name) => {
    const path = join(folder, name);
    const address = pathToFileURL(path).href;
    await expect(compileWasmModule(address)).rejects.toThrow("ENOENT");
    writeFileSync(path, name.endsWith(".gz") ? gzipSync(empty) : empty);
    const module = await compileWasmModule(address);
    expect(module).toBeInstanceOf(WebAssembly.Module);
    expect(await compileWasmModule(address)).toBe(module);
  },
);
