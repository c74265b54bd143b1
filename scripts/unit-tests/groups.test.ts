/** Every test file belongs to one group: `npm test` and `npm run test:all` leave no file out by mistake. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFolders } from "../../e2e/projects.ts";
import { longFiles } from "./long-files.mjs";

const specFiles = readdirSync("e2e", { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".spec.ts"));

const dailyTests = (path: string) =>
  readFileSync(join("e2e", path), "utf8").match(/tag: "@daily"/g)?.length ?? 0;

test("each browser test file belongs to one project, and npm test knows the projects", () => {
  expect(specFiles.length).toBeGreaterThan(50);
  const misplaced = specFiles.filter((path) => {
    const folders = Object.values(projectFolders).flat();
    return folders.filter((folder) => path.startsWith(`${folder}/`)).length !== 1;
  });
  expect(misplaced).toEqual([]);
  const script = readFileSync("scripts/test.mjs", "utf8");
  for (const project of Object.keys(projectFolders)) expect(script).toContain(`"${project}"`);
});

test("npm test runs ten whole journeys on the page", () => {
  const journeys = specFiles.filter((path) => path.startsWith("page/")).flatMap(dailyTests);
  expect(journeys.filter((count) => count > 0)).toEqual(Array(10).fill(1));
});

test("each long unit test file exists and is named once", () => {
  const files = Object.values(longFiles).flat();
  expect(files.filter((file) => !existsSync(file) || !/\.test\.tsx?$/.test(file))).toEqual([]);
  expect(files).toHaveLength(new Set(files).size);
});

test("component tests, and no other unit tests, run in happy-dom: the order of the files relies on it", () => {
  const files = ["src", "scripts"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  const tests = files.filter((file) => /\.test\.tsx?$/.test(file));
  // As vitest looks for the comment: anywhere in a file.
  const environment = /@(?:vitest|jest)-environment\s+([\w-]+)\b/;
  const inHappyDom = tests.filter((file) => environment.exec(readFileSync(file, "utf8")) !== null);
  expect(inHappyDom).toEqual(tests.filter((file) => /\.component\.test\.tsx?$/.test(file)));
  expect(inHappyDom.length).toBeGreaterThan(30);
});
