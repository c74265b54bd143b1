import { expect, test } from "vitest";
import { vectorFileText } from "../../../core/vectors/known-vector.ts";
import { sampleVector } from "../../../core/vectors/testing/sample-vector.ts";
import { createTestMemoryStorage } from "../store/testing/memory-storage.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { importVector, insertVectorIntoMod, steerWithNewMod } from "./vector-actions.ts";
import { vectorLibraryOf } from "./vector-library.ts";

const source = 'import { mod } from "midtoken/mod";\n\nexport default mod({});\n';

function page() {
  const stores = createTestStores({
    storages: { browser: createTestMemoryStorage(), tab: createTestMemoryStorage() },
  });
  const opened: (number | null)[] = [];
  const actions = { openLine: (_mod: string, line: number | null) => opened.push(line) };
  const notice = () => stores.notices.getState().notices[0];
  const undo = () => stores.notices.getState().act(notice()?.id ?? 0);
  const sources = () => stores.mods.getState().mods.map((mod) => mod.source);
  return { stores, opened, actions, notice, undo, sources };
}

test("into the open mod, with how it is used; undone where the mod was not edited since", () => {
  const { stores, opened, actions, notice, undo, sources } = page();
  const { id } = stores.mods.getState().add("wave", source);
  insertVectorIntoMod(stores, sampleVector("happy"), actions);
  expect(sources()[0]).toContain('const happy = steeringVector("happy:');
  expect(sources()[0]).toContain("return actions.steer({ ...happy, scale: 2 });");
  expect(opened).toEqual([3]);
  expect(notice()?.text).toBe(
    "wave now contains this vector, as happy. The vector steers the next run, with a scale of 2.",
  );
  undo();
  expect(sources()).toEqual([source]);

  insertVectorIntoMod(stores, sampleVector("happy"), actions);
  insertVectorIntoMod(stores, sampleVector("happy"), actions);
  expect(notice()?.text).toContain("wave already contains this vector, as happy.");
  stores.mods.getState().edit(id, "// Mine.");
  undo();
  expect(sources()).toEqual(["// Mine."]);
  expect(notice()?.text).toBe("Not undone: you have edited wave since.");
});

test("where no mod is open, and by choice, into a mod of its own, which goes again by undo", () => {
  const { stores, actions, undo, sources } = page();
  insertVectorIntoMod(stores, sampleVector("très gai"), actions);
  expect(sources()[0]).toContain("layers: [trèsGai.layer]");
  expect(stores.mods.getState().mods[0]?.name).toBe("steer-très-gai");
  undo();
  expect(sources()).toEqual([]);
  stores.mods.getState().add("wave", source);
  steerWithNewMod(stores, sampleVector("happy"), actions);
  expect(sources()).toHaveLength(2);
});

test("a vector of another model is said", () => {
  const { stores, actions, notice } = page();
  stores.model
    .getState()
    .choose({ id: "another", url: "http://localhost/", revision: null, dtype: { webgpu: "q4", wasm: "q4" } });
  steerWithNewMod(stores, sampleVector("happy"), actions);
  const why = "This vector was made with a/model, but another is selected.";
  expect(notice()?.text).toMatch(new RegExp(`^steer-happy is now in the editor\\. ${why}`));
  stores.mods.getState().add("wave", source);
  insertVectorIntoMod(stores, sampleVector("happy"), actions);
  expect(notice()?.text).toMatch(new RegExp(`^wave now contains this vector, as happy\\. ${why}`));
});

test("a file comes in, or is refused by its name", async () => {
  const { stores } = page();
  const library = vectorLibraryOf(stores);
  await importVector(new File([vectorFileText(sampleVector("happy"))], "mine.json"), library.getState());
  const [kept] = library.getState().vectors;
  expect(kept?.vector).toEqual(sampleVector("happy"));
  await expect(importVector(new File(["milk"], "list.json"), library.getState())).rejects.toThrow(
    "list.json was not opened. The file is not a Midtoken vector",
  );
});
