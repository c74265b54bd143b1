/** Runs a client in Chromium: the service worker passes its requests to another tab, which has the engine. */
import { cpSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Browser } from "playwright-core";
import { build } from "vite";
import { serve } from "../serve.ts";
import type { Client } from "./list.ts";
import type { CaseResult, ClientFolder, ClientModel } from "./set-up.ts";

/** Two pages by Vite, as it comes: one with the engine, one with the client. */
async function buildPages({ path }: ClientFolder, { program }: Client): Promise<void> {
  const asking = `import { runCases } from "./cases.mjs";
import { cases } from "./${program}.mjs";
const context = { baseURL: new URL("/v1", location.href).href, fetch: (input, init) => fetch(input, init) };
globalThis.runClient = (models) => runCases(cases, { ...context, models });
`;
  writeFileSync(join(path, "asking.js"), asking);
  for (const name of ["serving", "asking"]) {
    const page = `<!doctype html><title>${name}</title><script type="module" src="/${name}.js"></script>\n`;
    writeFileSync(join(path, `${name}.html`), page);
  }
  await build({
    root: path,
    configFile: false,
    logLevel: "error",
    build: {
      target: "esnext",
      rollupOptions: { input: ["serving", "asking"].map((name) => join(path, `${name}.html`)) },
    },
  });
  cpSync(join(path, "node_modules/midtoken/dist/service-worker.js"), join(path, "dist/service-worker.js"));
}

export async function runInBrowser(
  browser: Browser,
  folder: ClientFolder,
  client: Client,
  models: readonly ClientModel[],
): Promise<readonly CaseResult[]> {
  await buildPages(folder, client);
  const named = models.map(({ model, dtype }) => ({ model: `/models/${basename(model)}/`, dtype }));
  const modelFolders = models.map(({ model }) => [`/models/${basename(model)}/`, model]);
  const served = await serve({
    folders: { "/": join(folder.path, "dist"), ...Object.fromEntries(modelFolders) },
  });
  const context = await browser.newContext();
  context.setDefaultTimeout(600_000);
  try {
    const serving = await context.newPage();
    serving.on("pageerror", (error) => console.error(`The serving page failed: ${error.message}`));
    await serving.goto(`${served.origin}/serving.html?models=${encodeURIComponent(JSON.stringify(named))}`);
    await serving.waitForFunction(() => "isServing" in globalThis);
    const asking = await context.newPage();
    await asking.goto(`${served.origin}/asking.html`);
    await asking.waitForFunction(() => "runClient" in globalThis);
    return await asking.evaluate(
      (ids) =>
        (
          globalThis as unknown as { runClient(ids: readonly string[]): Promise<readonly CaseResult[]> }
        ).runClient(ids),
      models.map(({ model }) => basename(model)),
    );
  } finally {
    await context.close();
    await served.close();
  }
}
