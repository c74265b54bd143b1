import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { examples } from "./index.ts";
import { modCompilerOptions, sdkSources } from "./sdk-sources.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "midtoken-sdk-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What the compiler says about these files beside the SDK's sources, one line each. */
function check(files: Readonly<Record<string, string>>): string[] {
  for (const [name, source] of Object.entries({ ...sdkSources, ...files })) {
    writeFileSync(join(folder, name), source);
  }
  return compile(["globals.d.ts", ...Object.keys(files)]);
}

function compile(files: readonly string[]): string[] {
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: modCompilerOptions, files }),
  );
  const tsc = resolve("node_modules/typescript/bin/tsc");
  const { stdout, stderr, error } = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
    encoding: "utf8",
  });
  if (error) throw error;
  return (stdout + stderr).split("\n").filter((line) => line !== "");
}

test("every gallery mod compiles against what the editor is given", () => {
  const files = Object.fromEntries(examples.map(({ name, source }) => [`example-${name}.ts`, source]));
  expect(check(files)).toEqual([]);
});

test("mistakes are found, on their line", () => {
  const errors = check({
    "wrong.ts": `import { mod } from "midtoken/mod";
export default mod({
  added(event, actions) {
    return actions.adjustPrefill("a");
  },
  forwardPass(event, actions, tokenizer) {
    return actions.adjustLogits({ ban: [tokenizer.encode("—")[0]] });
  },
});
document.title = "out";
`,
  });
  expect(errors).toHaveLength(2);
  expect(errors[0]).toMatch(/^.*wrong\.ts\(4,20\): error TS2339: Property 'adjustPrefill' does not exist/);
  expect(errors[1]).toMatch(/^.*wrong\.ts\(10,1\): error TS2\d+: Cannot find name 'document'/);
});

test("the runner needs nothing but the language's own built-ins", () => {
  expect(compile([resolve("src/sdk/runner.ts")])).toEqual([]);
});
