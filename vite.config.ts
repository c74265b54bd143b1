import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { contentSecurityPolicy } from "./scripts/vite-csp.ts";
import { sandboxGuest } from "./scripts/vite-guest.ts";
import { guide } from "./scripts/vite-guide.ts";
import { sdkTypes } from "./scripts/vite-sdk-types.ts";
import { serviceWorker } from "./scripts/vite-service-worker.ts";
import { viewer } from "./scripts/vite-viewer.ts";

export default defineConfig({
  base: "./",
  plugins: [react(), sandboxGuest(), sdkTypes(), guide(), viewer(), contentSecurityPolicy(), serviceWorker()],
  resolve: {
    alias: {
      "midtoken/mod": fileURLToPath(new URL("./src/sdk/index.ts", import.meta.url)),
      "midtoken/strategies": fileURLToPath(new URL("./src/sdk/strategies.ts", import.meta.url)),
      "midtoken/flow": fileURLToPath(new URL("./src/sdk/flow.ts", import.meta.url)),
    },
  },
  worker: { format: "es" },
  // Nothing as a data: address: the page's policy allows fonts from its own server alone.
  build: {
    target: "esnext",
    assetsInlineLimit: 0,
    modulePreload: {
      // A script whose preload failed, the browser never asks for again, and then a piece that imports it cannot come either
      // (`base/import-part.ts`). Only what the page begins with is worth that.
      resolveDependencies: (file, needed, { hostType }) =>
        hostType === "html" || file.includes("playground-entry")
          ? needed
          : needed.filter((path) => path.endsWith(".css")),
    },
  },
  optimizeDeps: { exclude: ["onnxruntime-web", "@huggingface/transformers"] },
  test: {
    include: ["src/**/*.test.ts", "src/**/*.test.tsx", "scripts/**/*.test.ts"],
    setupFiles: ["scripts/vitest-setup.ts"],
    // A worker for each file would read every module anew: a third of the time of all tests.
    isolate: false,
    // Nothing else runs meanwhile: all cores, not all but one.
    maxWorkers: "100%",
    // A test that hangs has to end; one that is slow on a busy machine is no failure.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Sucrase's parser is an ES module under a CommonJS name: Node alone cannot load it.
    server: { deps: { inline: ["sucrase"] } },
  },
});
