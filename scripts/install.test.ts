import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isInstalled } from "./install.mjs";

const folder = mkdtempSync(join(tmpdir(), "midtoken-install-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const one = { version: "1.0.0", integrity: "sha512-a" };
const lock = {
  "": { name: "midtoken" },
  "node_modules/one": one,
  "node_modules/mac": { version: "1.0.0", integrity: "sha512-b", optional: true },
};

/** @param installed packages that npm says it installed; null if there is no `node_modules`. */
function checkout(installed: object | null): string {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: lock }));
  if (installed !== null) {
    const text = JSON.stringify({ packages: installed });
    writeFileSync(join(folder, "node_modules/.package-lock.json"), text);
  }
  return folder;
}

test("what `npm ci` installed is not installed again", () => {
  expect(isInstalled(checkout({ "node_modules/one": one }))).toBe(true);
  expect(isInstalled(checkout(lock))).toBe(true);
});

test.each([
  ["nothing is there", null],
  ["a package is missing", {}],
  ["a package has another version", { "node_modules/one": { ...one, version: "1.0.1" } }],
  ["a package has another content", { "node_modules/one": { ...one, integrity: "sha512-c" } }],
])("%s: it is installed", (_, installed) => {
  expect(isInstalled(checkout(installed))).toBe(false);
});
