import { expect, test } from "vitest";
import { createTestCatalogEntry, createTestStores } from "../store/testing/test-stores.ts";
import { modelCommands } from "./listed-commands.ts";

test("a model says how much it downloads, or that its size is not known", () => {
  const entries = [
    createTestCatalogEntry("here"),
    createTestCatalogEntry("large", { origin: "hub", downloadBytes: 2_000_000 }),
    createTestCatalogEntry("unmeasured", { origin: "hub", downloadBytes: 0 }),
  ];
  const commands = modelCommands(createTestStores(), entries);
  expect(commands.map(({ about }) => about)).toEqual([
    "here",
    "download: 2.0 MB",
    "download: size not known",
  ]);
});
