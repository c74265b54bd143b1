/** The dev server of the browser tests: the app's own configuration, plus the test models, minus reloading. */
import { mergeConfig } from "vite";
import { modelsFolder } from "../scripts/models-folder.ts";
import { serveModels } from "../scripts/vite-models.ts";
import base from "../vite.config.ts";
import { apiServiceWorker } from "./http/vite-service-worker.ts";

export default mergeConfig(base, {
  root: new URL("..", import.meta.url).pathname,
  cacheDir: "node_modules/.vite-e2e",
  plugins: [serveModels(modelsFolder()), apiServiceWorker()],
  // Found only when their page is opened, which would load it again.
  optimizeDeps: { include: ["openai", "openai/helpers/zod", "zod"] },
  // A file saved during a run must not reload the page under the test.
  // Tests of insecure addresses open the pages under this name (e2e/insecure.ts).
  server: { hmr: false, watch: null, allowedHosts: ["insecure.test"] },
});
