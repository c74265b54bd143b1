import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { packedRuntimes } from "./scripts/packed-runtimes.ts";
import { longFilesFirst } from "./scripts/unit-tests/long-files-first.ts";
import { lateWasmOptimization } from "./scripts/v8-switches.ts";
import { contentSecurityPolicy } from "./scripts/vite-csp.ts";
import { sandboxGuest } from "./scripts/vite-guest.ts";
import { guide } from "./scripts/vite-guide.ts";
import { liveRunsPlugin } from "./scripts/vite-live.ts";
import { nodePrograms } from "./scripts/vite-node-programs.ts";
import { preloadHelperPlugin, stylesOnly } from "./scripts/vite-preload.ts";
import { sdkTypes } from "./scripts/vite-sdk-types.ts";
import { serviceWorker } from "./scripts/vite-service-worker.ts";
import { viewer } from "./scripts/vite-viewer.ts";
import { withoutOnnxRuntime } from "./scripts/without-runtime.ts";
import { crossOriginIsolationHeaders } from "./src/core/base/isolation.ts";

export default defineConfig({
  base: "./",
  plugins: [
    react(),
    packedRuntimes(),
    sandboxGuest(),
    nodePrograms(),
    sdkTypes(),
    guide(),
    viewer(),
    preloadHelperPlugin(),
    contentSecurityPolicy(),
    liveRunsPlugin(),
    serviceWorker(),
  ],
  resolve: {
    alias: {
      "midtoken/mod": fileURLToPath(new URL("./src/core/sdk/index.ts", import.meta.url)),
      "midtoken/strategies": fileURLToPath(new URL("./src/core/sdk/strategies.ts", import.meta.url)),
      "midtoken/flow": fileURLToPath(new URL("./src/core/sdk/flow.ts", import.meta.url)),
      "midtoken/masks": fileURLToPath(new URL("./src/core/masks/index.ts", import.meta.url)),
      "midtoken/trace": fileURLToPath(new URL("./src/core/trace/index.ts", import.meta.url)),
      "midtoken/ai-sdk": fileURLToPath(new URL("./src/package/ai-sdk/index.ts", import.meta.url)),
      "midtoken/openai": fileURLToPath(new URL("./src/package/http/index.ts", import.meta.url)),
      "midtoken/testing": fileURLToPath(new URL("./src/package/testing/index.ts", import.meta.url)),
      "midtoken/timeline": fileURLToPath(new URL("./src/package/element/index.ts", import.meta.url)),
      "midtoken/react": fileURLToPath(new URL("./src/package/react/index.ts", import.meta.url)),
      // Last, since it is the beginning of the others.
      midtoken: fileURLToPath(new URL("./src/package/api/index.ts", import.meta.url)),
    },
  },
  worker: { format: "es", plugins: () => [packedRuntimes(), withoutOnnxRuntime() as unknown as Plugin] },
  // As the local server has it (scripts/response-headers.ts): with them the page has threads.
  server: { headers: crossOriginIsolationHeaders },
  preview: { headers: crossOriginIsolationHeaders },
  // Nothing as a data: address: the page's policy allows fonts from its own server alone.
  build: {
    target: "esnext",
    rolldownOptions: {
      output: {
        // The playground's first scripts as one file, where there were sixty. What a link needs too lies apart from it.
        codeSplitting: {
          groups: [
            { name: "index", tags: ["$initial"], priority: 2 },
            { name: "offline-use", test: /\/src\/page\/app\/offline\/offline-use\.ts$/, priority: 1 },
            { name: "playground-entry", test: /\/src\/page\/app\/playground-entry\.tsx$/ },
          ],
        },
      },
    },
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // Only what the page begins with.
      resolveDependencies: (file, needed, { hostType }) =>
        hostType === "html" || file.includes("playground-entry") ? needed : stylesOnly(file, needed),
    },
  },
  optimizeDeps: { exclude: ["onnxruntime-web", "@huggingface/transformers"] },
  test: {
    include: ["src/**/*.test.ts", "src/**/*.test.tsx", "scripts/**/*.test.ts"],
    setupFiles: ["scripts/vitest-setup.ts"],
    // A worker for each file would read every module anew: a third of the time of all tests.
    isolate: false,
    // All cores, not all but one: nothing else runs meanwhile.
    maxWorkers: "100%",
    // Vitest's own process alone has its classes; a build of the page reads this file too.
    ...(process.env.VITEST && { sequence: { sequencer: await longFilesFirst() } }),
    // Room for what is garbage at once, of which property tests make much: a seventh less time for them.
    execArgv: ["--max-semi-space-size=64", lateWasmOptimization],
    reporters: ["default", "./scripts/unit-tests/progress-reporter.ts"],
    // The slowest test takes some 10 s alone, and 20 times as long beside 40 busy processes: such a machine is no failure. A
    // test that hangs is named after this time; a file that hangs outside of a test after `fileLimitMs` (scripts/unit-tests).
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What a test waits for comes late on a busy machine; the time is spent only when a test fails.
    expect: { poll: { timeout: 60_000 } },
    // Sucrase's parser is an ES module under a CommonJS name: Node alone cannot load it.
    server: { deps: { inline: ["sucrase"] } },
  },
});
