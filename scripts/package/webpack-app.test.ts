/** An app that imports every entry for browsers, built by webpack: no warning of the package's own. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import webpack from "webpack";
import { copyBuiltPackage } from "./built-package.ts";
import { root, subpaths } from "./subpaths.ts";

const place = mkdtempSync(join(tmpdir(), "midtoken-webpack-app-"));
const app = join(place, "app");

beforeAll(async () => {
  await copyBuiltPackage(join(place, "package"));
  mkdirSync(join(app, "node_modules/@ai-sdk"), { recursive: true });
  symlinkSync(join(place, "package"), join(app, "node_modules/midtoken"), "dir");
  for (const peer of ["react", "@ai-sdk/provider"])
    symlinkSync(resolve(root, "node_modules", peer), join(app, "node_modules", peer), "dir");
  const names = subpaths.filter(({ isNode }) => !isNode).map(({ path }) => `midtoken${path.slice(1)}`);
  const lines = names.map((name, index) => `import * as m${index} from "${name}"; console.log(m${index});`);
  writeFileSync(join(app, "main.js"), lines.join("\n"));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

test("webpack says nothing of the package: no critical dependency, no file that is missing", async () => {
  const output = { path: join(app, "dist") };
  const stats = await new Promise<webpack.Stats | undefined>((done, fail) => {
    webpack(
      { mode: "development", context: app, entry: "./main.js", output, resolve: { symlinks: false } },
      (error, result) => (error ? fail(error) : done(result)),
    );
  });
  const said = [...(stats?.compilation.warnings ?? []), ...(stats?.compilation.errors ?? [])];
  expect(said.map(({ message }) => message)).toEqual([]);
});
