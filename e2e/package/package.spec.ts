/** The built npm package in apps: under a strict content security policy, and from a bundler that moves no files. The other tools are rows of `npm run bench -- package`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { buildPackage } from "../../scripts/package/build.ts";
import { esbuildOneFile, esbuildSplit, strictApp, strictOptions } from "./build-app.ts";
import { runApp, tryApp } from "./run-app.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-package-"));

test.beforeAll(() => buildPackage(folder));
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
