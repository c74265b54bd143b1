/** A Vite app that embeds the built package: which files it is made of. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { copyBuiltPackage } from "./built-package.ts";
import { maxFileBytes, measureFolder } from "./largest-file.ts";

const place = mkdtempSync(join(tmpdir(), "midtoken-vite-app-"));
const app = join(place, "app");

beforeAll(async () => {
  await copyBuiltPackage(join(place, "package"));
  mkdirSync(join(app, "node_modules"), { recursive: true });
  symlinkSync(join(place, "package"), join(app, "node_modules/midtoken"), "dir");
  writeFileSync(join(app, "index.html"), '<script type="module" src="./main.js"></script>');
  writeFileSync(
    join(app, "main.js"),
    'import { createEngine } from "midtoken";\nwindow.start = createEngine;\n',
  );
  // Vitest says "test", and Vite would build the app for development.
  vi.stubEnv("NODE_ENV", "production");
  await build({ root: app, configFile: false, logLevel: "error" });
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(place, { recursive: true, force: true });
});

test("no file of the app or of the package is over 25 MB", () => {
  expect(measureFolder(join(app, "dist")).largest.bytes).toBeLessThan(maxFileBytes);
  expect(measureFolder(join(place, "package")).largest.bytes).toBeLessThan(maxFileBytes);
});

test("the app has one packed binary of each runtime and no copies within scripts: 17 MB, where it had 59", () => {
  const names = readdirSync(join(app, "dist/assets"));
  expect(names.filter((name) => /\.wasm/.test(name)).length).toBe(3);
  expect(names.filter((name) => /portable/.test(name))).toEqual([]);
  expect(measureFolder(join(app, "dist")).bytes).toBeLessThan(17_000_000);
});
