import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fingerprint } from "./built-package.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-sources-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a build is used again until a source is written, added, removed or only touched", () => {
  mkdirSync(join(folder, "src/below"), { recursive: true });
  writeFileSync(join(folder, "src/below/one.ts"), "1");
  writeFileSync(join(folder, "LICENSE"), "free");
  writeFileSync(join(folder, "notes.md"), "not a source");
  const now = () => fingerprint(folder, ["src", "LICENSE", "missing"]);
  const seen = [now()];
  expect(now()).toBe(seen[0]);
  writeFileSync(join(folder, "notes.md"), "still not a source");
  expect(now()).toBe(seen[0]);

  writeFileSync(join(folder, "src/below/one.ts"), "one");
  seen.push(now());
  utimesSync(join(folder, "src/below/one.ts"), 1, 1);
  seen.push(now());
  writeFileSync(join(folder, "src/two.ts"), "");
  seen.push(now());
  writeFileSync(join(folder, "LICENSE"), "free!");
  seen.push(now());
  rmSync(join(folder, "src/below/one.ts"));
  seen.push(now());
  mkdirSync(join(folder, "missing"));
  writeFileSync(join(folder, "missing/three.ts"), "3");
  seen.push(now());
  expect(new Set(seen).size).toBe(seen.length);
});
