/** No file only forwards the names of other files: who needs a name imports the file that defines it. */
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { root, standaloneScripts, subpaths } from "./package/subpaths.ts";
import { programPaths } from "./testing/programs.ts";

/** Files that may forward, beside the entries of the package, each with its reason. */
const exceptions: Readonly<Record<string, string>> = {
  "src/runtime/engine/ort/runtime-asyncify.ts":
    "one chunk of a build of ONNX Runtime and the address of its binary",
  "src/runtime/engine/ort/runtime-jspi.ts":
    "one chunk of a build of ONNX Runtime and the address of its binary",
  "src/runtime/engine/ort/runtime-wasm.ts":
    "one chunk of a build of ONNX Runtime and the address of its binary",
};

/** Whether the statements of a file are only exports of other files' names, with or without imports. */
function isForwarding(text: string): boolean {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const exported = /^export\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})(?:\s+from\s+"[^"]+")?;/gm;
  const rest = code.replace(exported, "").replace(/^import\s[^;]*;/gm, "");
  return rest.trim() === "" && /^export\b/m.test(code);
}

test("no file only forwards names, but for the entries of the package", () => {
  const entries = [...subpaths, ...standaloneScripts].map(({ source }) =>
    relative(root, resolve(root, source)),
  );
  const forwarding = ["src", "scripts", "e2e"]
    .flatMap((folder) => programPaths(root, folder))
    .filter((path) => /\.tsx?$/.test(path) && isForwarding(readFileSync(join(root, path), "utf8")))
    .filter((path) => !entries.includes(path));
  expect(forwarding.toSorted()).toEqual(Object.keys(exceptions).toSorted());
});

test.each([
  ['export { a } from "./a.ts";\nexport type * from "./b.ts";\n', true],
  ['/** Says why. */\nimport { a } from "./a.ts";\n// More.\nexport { a };\n', true],
  ['export { a } from "./a.ts";\nexport const b = 1;\n', false],
  ['import "./a.ts";\n', false],
])("%s", (text, expected) => {
  expect(isForwarding(text)).toBe(expected);
});
