/** The package's types in a user's project. `npm run bench -- package --only types` tries the oldest compilers, which it installs. */
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtDeclarations } from "./built-package.ts";
import { type ConsumerProject, compilerErrors, createConsumerProject } from "./compile-types.ts";
import { root } from "./subpaths.ts";

let project: ConsumerProject;
beforeAll(async () => {
  project = await createConsumerProject(await builtDeclarations());
});
afterAll(() => project?.remove());

const installed = (path: string) => resolve(root, "node_modules", path);

test("midtoken/node needs no `dom` in `lib`, and every declaration is checked", () => {
  expect(compilerErrors(project, installed("typescript"), "node.ts", false)).toBe("");
});

test("every entry, with every declaration checked", () => {
  expect(compilerErrors(project, installed("typescript"), "all.ts", false)).toBe("");
});

test("TypeScript 5.6, which has no Uint8Array<ArrayBuffer>, takes every entry with skipLibCheck", () => {
  const older = installed("@arethetypeswrong/core/node_modules/typescript");
  expect(compilerErrors(project, older, "all.ts", true)).toBe("");
});
