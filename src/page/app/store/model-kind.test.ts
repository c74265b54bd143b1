import { expect, test } from "vitest";
import { examples } from "../../examples/index.ts";
import { fastestLoadingInstructModel, isStoryModel, unsuitedModNames } from "./model-kind.ts";
import { loadExampleIntoEditor } from "./take-example.ts";
import { createTestMemoryStorage } from "./testing/memory-storage.ts";
import { createTestCatalogEntry, createTestStores } from "./testing/test-stores.ts";

test.each([
  ["stories260k", true],
  ["models/stories260K", true],
  ["onnx-community/SmolLM2-135M-Instruct-ONNX", false],
])("%s tells stories only: %s", (id, isStory) => {
  expect(isStoryModel(id)).toBe(isStory);
});

test("the instruct model that is had soonest is offered", () => {
  const story = createTestCatalogEntry("stories260k", { downloadBytes: 1 });
  const large = createTestCatalogEntry("large", { origin: "hub", downloadBytes: 900 });
  const small = createTestCatalogEntry("small", { origin: "hub", downloadBytes: 100 });
  const own = createTestCatalogEntry("own", { origin: "folder", downloadBytes: 5000 });
  expect(fastestLoadingInstructModel([story])).toBeNull();
  expect(fastestLoadingInstructModel([story, large, small])).toBe(small);
  expect(fastestLoadingInstructModel([story, large, small, own])).toBe(own);
});

test("a gallery mod keeps what it needs, over edits, a new name and a reload", () => {
  const storages = { browser: createTestMemoryStorage(), tab: createTestMemoryStorage() };
  const stores = createTestStores({ storages });
  const needy = examples.find(({ model }) => model === "instruct");
  const modest = examples.find(({ model }) => model === "bundled");
  if (!needy || !modest) throw new Error("The gallery has mods of both kinds.");
  loadExampleIntoEditor(stores, modest);
  loadExampleIntoEditor(stores, needy);
  const id = stores.mods.getState().active ?? "";
  stores.mods.getState().edit(id, "// edited");
  stores.mods.getState().rename(id, "mine");
  const { mods } = createTestStores({ storages }).mods.getState();
  expect(unsuitedModNames("stories260k", mods)).toEqual(["mine"]);
  expect(unsuitedModNames("SmolLM2", mods)).toEqual([]);
});
