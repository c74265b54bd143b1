import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { testsImporting } from "./importing-tests.mjs";

const folder = mkdtempSync(join(tmpdir(), "importing-tests-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("finds the tests that import a file directly, through others, and when they run", () => {
  const files = {
    "target.ts": "export const target = 1;",
    "between.ts": 'export { target } from "./target.ts";',
    "direct.test.ts": 'import { target } from "./target.ts";',
    "through.test.tsx": 'import {\n  target,\n} from "./between.ts";',
    "when-run.test.ts": 'const { target } = await import("./between.ts");',
    "for-its-effect.test.ts": 'import "./target.ts";',
    "types.test.ts": 'import type { Target } from "./target.ts";',
    "beside.test.ts": 'import { other } from "./other.ts";',
    "between.spec.ts": 'import { target } from "./target.ts";',
  };
  mkdirSync(join(folder, "src/deep"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, "src/deep", name), text);
  expect(testsImporting(folder, "src/deep/target.ts", ["src"])).toEqual([
    "src/deep/direct.test.ts",
    "src/deep/for-its-effect.test.ts",
    "src/deep/through.test.tsx",
    "src/deep/when-run.test.ts",
  ]);
});

test("the tests that read models are found, and others are not", () => {
  const found = testsImporting(resolve(import.meta.dirname, "../.."), "scripts/models-folder.ts");
  expect(found).toContain("scripts/models-folder.test.ts");
  expect(found).toContain("src/page/examples/examples.tools.test.ts");
  expect(found).toContain("src/core/masks/masks/qwen3.test.ts");
  expect(found).not.toContain("src/core/masks/masks/mask.test.ts");
});
