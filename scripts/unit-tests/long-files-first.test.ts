import { expect, test } from "vitest";
import { longFiles, longWithModels } from "./long-files.mjs";
import { longFilesFirst, sortFiles } from "./long-files-first.ts";

test("files that take long come first, component tests second, and the order stays otherwise", () => {
  const [long = ""] = Object.values(longFiles).flat();
  const [withModels = ""] = longWithModels;
  const components = ["src/c.component.test.tsx", "src/d.component.test.ts"];
  const [first = "", second = ""] = components;
  const files = [first, "src/a.test.ts", long, second, "src/b.test.ts", withModels];
  const sorted = [long, withModels, ...components, "src/a.test.ts", "src/b.test.ts"];
  expect(sortFiles(files, (file) => file)).toEqual(sorted);
});

test("the order of vitest is a class of its own kind", async () => {
  const { BaseSequencer } = await import("vitest/node");
  expect((await longFilesFirst()).prototype).toBeInstanceOf(BaseSequencer);
});
