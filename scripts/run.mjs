/** `node scripts/run.mjs FILE …`: runs a TypeScript file of this repository with what the page's build gives its modules (`virtual:…`). */
import { resolve } from "node:path";
import { createServer, createServerModuleRunner } from "vite";

const [file, ...rest] = process.argv.slice(2);
if (!file) {
  console.error("Which file? For example: node scripts/run.mjs scripts/make-trace-fixtures.ts");
  process.exit(2);
}
process.argv = [process.argv[0], resolve(file), ...rest];
const server = await createServer({
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  appType: "custom",
  logLevel: "warn",
  ssr: { noExternal: ["sucrase"] },
});
try {
  await createServerModuleRunner(server.environments.ssr, { hmr: false }).import(resolve(file));
} finally {
  await server.close();
}
