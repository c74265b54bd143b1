/** Vite plugin for the dev server of the tests: offers the folder of test models under `/shared-models/`, as the local server does. */
import type { Plugin } from "vite";
import { createStaticListener } from "./static-server.ts";

/** Serves `folder` under `/shared-models/`; 404 for what is not there, also when `folder` is null (MIDTOKEN_MODELS is not set). */
export function serveModels(folder: string | null): Plugin {
  const files = createStaticListener({ models: folder === null ? {} : { "/": folder } });
  return {
    name: "midtoken-shared-models",
    configureServer: (server) => void server.middlewares.use("/shared-models", files),
  };
}
