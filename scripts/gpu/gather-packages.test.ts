import { expect, test } from "vitest";
import { isPackedForGpu } from "./gather-packages.ts";

test.each([
  "vite/dist/node/index.js",
  ".bin/playwright",
  // vite.config.ts imports it, and Vite's scan of the sources finds the others.
  "vitest/dist/config.js",
  "ai/package.json",
  "@ai-sdk/provider/package.json",
  ".package-lock.json",
  "onnxruntime-web/package.json",
  "onnxruntime-web/dist",
  "onnxruntime-web/dist/ort-wasm-simd-threaded.jspi.wasm",
  "onnxruntime-web/dist/ort.webgpu.bundle.min.mjs",
  "@huggingface/transformers/dist/transformers.web.js",
  "@esbuild/linux-x64/bin/esbuild",
  "monaco-editor/esm/vs/nls.js",
  "@rolldown/binding-linux-x64-gnu/rolldown-binding.linux-x64-gnu.node",
])("%s travels", (path) => {
  expect(isPackedForGpu(path)).toBe(true);
});

test.each([
  ".vite-bench",
  ".cache/midtoken-gpu/app.tar.xz",
  "@biomejs/cli-linux-x64/biome",
  "@wllama/wllama/package.json",
  "esbuild/bin/esbuild",
  "monaco-editor/esm/vs/nls/lang/ru.js",
  "monaco-editor/min/vs/loader.js",
  "onnxruntime-web/dist/ort.all.min.js.map",
  "onnxruntime-web/docs/x.js",
  "onnxruntime-web/dist/ort.webgl.min.js",
  "vite/README.md",
  "vite/dist/node/index.d.ts",
])("%s stays", (path) => {
  expect(isPackedForGpu(path)).toBe(false);
});
