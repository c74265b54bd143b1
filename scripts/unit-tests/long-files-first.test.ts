import { expect, test } from "vitest";
import { longFiles, longWithModels } from "./long-files.mjs";
import { longFilesFirst, sortLongFirst } from "./long-files-first.ts";

test("files that take long come first, and the order stays otherwise", () => {
  const [long = ""] = Object.values(longFiles).flat();
  const [withModels = ""] = longWithModels;
  const files = ["src/a.test.ts", long, "src/b.test.ts", withModels];
  expect(sortLongFirst(files, (file) => file)).toEqual([long, withModels, "src/a.test.ts", "src/b.test.ts"]);
});

test("the order of vitest is a class of its own kind", async () => {
  const { BaseSequencer } = await import("vitest/node");
  expect((await longFilesFirst()).prototype).toBeInstanceOf(BaseSequencer);
});
