/** Vite plugin for the dev server of the tests: offers the folder of test models under `/shared-models/`. */
import { createReadStream, statSync } from "node:fs";
import { join, normalize } from "node:path";
import type { Plugin } from "vite";

/** A file of `folder` for an address, or null where there is none; nothing outside the folder. */
function fileOf(folder: string, url: string): string | null {
  const path = normalize(join(folder, decodeURIComponent(url.split("?")[0] ?? "")));
  if (!path.startsWith(`${folder}/`)) return null;
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : null;
}

/** Serves `folder` under `/shared-models/`; 404 for what is not there, also when `folder` is null. */
export function serveModels(folder: string | null): Plugin {
  return {
    name: "midtoken-shared-models",
    configureServer(server) {
      server.middlewares.use("/shared-models", (request, response) => {
        const path = folder ? fileOf(folder, request.url ?? "") : null;
        if (!path) {
          response.statusCode = 404;
          response.end(`No such file in ${folder ?? "MIDTOKEN_MODELS, which is not set"}.`);
          return;
        }
        response.setHeader("Content-Length", statSync(path).size);
        createReadStream(path).pipe(response);
      });
    },
  };
}
