import { expect, test } from "vitest";
import { createTestStores } from "../store/testing/test-stores.ts";
import { isModFile, openModFile } from "./open-mod-file.ts";

test.each([
  ["swap.ts", true],
  ["SWAP.MJS", true],
  ["run.trace", false],
  ["ts", false],
  ["picture.ts.png", false],
])("%s is a mod's file: %s", (name, isOne) => {
  expect(isModFile(new File([""], name))).toBe(isOne);
});

test("it is among the mods, switched off, until Undo", async () => {
  const stores = createTestStores({});
  const before = stores.mods.getState().mods;
  await openModFile(stores, new File(["export default 1;"], "my swap.ts"));
  const added = stores.mods.getState().mods.at(-1);
  expect(added).toMatchObject({ name: "my-swap", source: "export default 1;", enabled: false });
  stores.notices.getState().notices.at(-1)?.action?.run();
  expect(stores.mods.getState().mods).toEqual(before);
});

test.each([
  ["too long", "x".repeat(1_000_001), "A mod may have at most 1,000,000 characters"],
  ["far too long", "x".repeat(3_000_001), "A mod may have at most 1,000,000 characters"],
  ["no text", "a\u0000b", "The file is not a text file"],
])("refused: %s", async (_what, text, words) => {
  const stores = createTestStores({});
  const before = stores.mods.getState().mods;
  await expect(openModFile(stores, new File([text], "a.ts"))).rejects.toThrow(words);
  expect(stores.mods.getState().mods).toEqual(before);
});
