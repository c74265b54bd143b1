/** The built npm package in apps: under a strict content security policy, and from a bundler that moves no files. The other tools are rows of `npm run bench -- package`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { copyBuiltPackage } from "../../scripts/package/built-package.ts";
import { modelsFolder } from "./app-folder.ts";
import { esbuildOneFile, esbuildSplit, strictApp, strictOptions } from "./build-app.ts";
import { runApp, tryApp } from "./run-app.ts";
import { serve } from "./serve.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-package-"));

test.beforeAll(() => copyBuiltPackage(folder));
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a request with a mod runs under script-src 'self' and style-src 'self'", async ({ browser }) => {
  const { fetched } = await tryApp(browser, folder, strictApp, strictOptions);
  expect(fetched).toContain(strictOptions.sandboxUrl);
  expect(fetched).toContain("/midtoken/engine-worker.js");
});

test("a bundler that makes one classic script of all brings the workers and the runtime along", async ({
  browser,
}) => {
  const { fetched } = await tryApp(browser, folder, esbuildOneFile);
  expect(fetched.filter((address) => /engine-worker|\.wasm/.test(address))).toEqual([]);
});

test("an address under which the files do not lie is named, with what the server said and what helps", async ({
  browser,
}) => {
  const app = await esbuildSplit(folder);
  try {
    await expect(runApp(browser, app, { assetsUrl: "/nowhere" })).rejects.toThrow(
      /nowhere\/engine-worker\.js: its server answered 404\. Serve a copy of node_modules\/midtoken\/dist .* as assetsUrl/,
    );
  } finally {
    await app.close();
  }
});

test("files and models of another origin need CORS, and without it the error names the address", async ({
  browser,
}) => {
  const app = await esbuildSplit(folder);
  const folders = { "/midtoken/": join(folder, "dist"), "/models/": modelsFolder };
  const open = await serve({ folders, headers: () => ({ "access-control-allow-origin": "*" }) });
  const closed = await serve({ folders });
  const wasm = { device: "wasm" };
  try {
    const assetsUrl = `${open.origin}/midtoken`;
    const model = `${open.origin}/models/stories260k/`;
    const { text, fetched } = await runApp(browser, app, { ...wasm, assetsUrl, model });
    expect(text).toContain(" Max");
    expect(fetched).toContain(`${assetsUrl}/engine-worker.js`);
    expect(fetched).toContain(`${model}config.json`);
    await expect(runApp(browser, app, { ...wasm, assetsUrl: `${closed.origin}/midtoken` })).rejects.toThrow(
      `${closed.origin}/midtoken/engine-worker.js`,
    );
    await expect(
      runApp(browser, app, { ...wasm, assetsUrl, model: `${closed.origin}/models/stories260k/` }),
    ).rejects.toThrow(
      `config.json could not be fetched: ${new URL(closed.origin).host} cannot be reached, or does not let other pages read it (CORS)`,
    );
  } finally {
    await Promise.all([app.close(), open.close(), closed.close()]);
  }
});

for (const { device, hasJspi, binary } of [
  { device: "wasm", hasJspi: true, binary: "ort-wasm-simd-threaded.wasm.gz" },
  { device: "webgpu", hasJspi: true, binary: "ort-wasm-simd-threaded.jspi.wasm.gz" },
  { device: "webgpu", hasJspi: false, binary: "ort-wasm-simd-threaded.asyncify.wasm.gz" },
]) {
  const kind = hasJspi ? "with JSPI" : "without JSPI";
  test(`a browser ${kind} fetches one binary for ${device}: ${binary}`, async ({ browser }) => {
    const context = await browser.newContext();
    if (!hasJspi)
      await context.route("**/engine-worker.js", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: `delete WebAssembly.Suspending;${await response.text()}` });
      });
    const app = await strictApp(folder);
    try {
      const result = await runApp(context, app, { ...strictOptions, device });
      expect(result.device).toBe(device);
      expect(result.text).toContain(" Max");
      const binaries = result.fetched.filter((address) => address.includes(".wasm"));
      expect(binaries).toEqual([`/midtoken/${binary}`]);
    } finally {
      await context.close();
      await app.close();
    }
  });
}
