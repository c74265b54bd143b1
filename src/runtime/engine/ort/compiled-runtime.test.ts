import { expect, test } from "vitest";
import { type CreateInstance, compileRuntime } from "./compiled-runtime.ts";
import type { OrtWasmModule } from "./ort-wasm-module.ts";

/** An empty module. */
const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
/** A module that imports the function `a.f`. */
const importing = new Uint8Array([...[...empty, 1, 4, 1, 0x60, 0, 0], ...[2, 7, 1, 1, 0x61, 1, 0x66, 0, 0]]);

/** Like Emscripten: settles when an instance is passed to it. */
const emscripten =
  (seen: WebAssembly.Module[], imports: WebAssembly.Imports = {}): CreateInstance =>
  ({ instantiateWasm }) =>
    new Promise((resolve) => {
      instantiateWasm?.(imports, (instance, module) => {
        expect(instance).toBeInstanceOf(WebAssembly.Instance);
        seen.push(module);
        resolve({} as OrtWasmModule);
      });
    });

test("every instance is of the one module that was compiled", async () => {
  const seen: WebAssembly.Module[] = [];
  const { create } = await compileRuntime(emscripten(seen), empty);
  await Promise.all([create(1), create(2)]);
  expect(seen).toHaveLength(2);
  expect(seen[0]).toBe(seen[1]);
});

test("options of the instance are passed on", async () => {
  const given: unknown[] = [];
  const locateFile = () => "there";
  const { create } = await compileRuntime(
    async ({ numThreads, ...options }) => {
      given.push(numThreads, options.locateFile);
      return {} as OrtWasmModule;
    },
    empty,
    { locateFile },
  );
  await create(3);
  expect(given).toEqual([3, locateFile]);
});

test("an instance that cannot be made is an error, and nothing waits for it", async () => {
  const { create } = await compileRuntime(emscripten([]), importing);
  await expect(create(1)).rejects.toThrow(/"a"/);
});

test("bytes that are no module are an error", async () => {
  await expect(compileRuntime(emscripten([]), new Uint8Array(8))).rejects.toThrow(WebAssembly.CompileError);
});
