/** A Vite plugin of the dev server: the service worker of `midtoken/openai` as the package has it, and one of a site that imports it. */
import { resolve } from "node:path";
import type { Plugin } from "vite";
import { bundleInMemory, sharedBuildOptions } from "../../scripts/package/modules.ts";
import { root } from "../../scripts/package/subpaths.ts";

async function script(): Promise<string> {
  const [part] = await bundleInMemory({
    ...sharedBuildOptions,
    input: { worker: resolve(root, "src/package/http/service-worker.ts") },
    output: { format: "iife", codeSplitting: false, minify: true },
  });
  if (part?.type !== "chunk") throw new Error("The service worker must become one script.");
  return part.code;
}

export function apiServiceWorker(): Plugin {
  const files: Readonly<Record<string, () => Promise<string>>> = {
    "/e2e/http/service-worker.js": script,
    "/e2e/http/own/service-worker.js": script,
    "/e2e/http/own/sites-own-worker.js": async () => 'importScripts("./service-worker.js");',
  };
  return {
    name: "midtoken-api-service-worker",
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const file = files[request.url ?? ""];
        if (!file) return next();
        file().then((code) => {
          response.setHeader("content-type", "text/javascript");
          response.end(code);
        }, next);
      });
    },
  };
}
