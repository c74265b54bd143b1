import { expect, test, vi } from "vitest";
import { serializeMod } from "../../../core/sdk/serialize.ts";
import { MemoryStore } from "./memory-store.ts";
import { encodeJson } from "./stored-json.ts";
import { CrossEngineModStore } from "./stored-mods.ts";

const payload = serializeMod("export default {};", { name: "newer" });

test("a mod that a newer version wrote with more fields is read, without these fields", async () => {
  const [store, onNotice] = [new MemoryStore(), vi.fn()];
  await store.set("mod", "newer", encodeJson({ ...payload, license: "MIT" }));
  const mods = new CrossEngineModStore(store, onNotice);
  expect(await mods.find("newer")).toEqual(payload);
  expect(await mods.all()).toEqual([payload]);
  expect(onNotice).not.toHaveBeenCalled();
});

test("a mod whose hash does not fit is left out, with a notice", async () => {
  const [store, onNotice] = [new MemoryStore(), vi.fn()];
  await store.set("mod", "newer", encodeJson({ ...payload, source: "export default [];" }));
  expect(await new CrossEngineModStore(store, onNotice).all()).toEqual([]);
  expect(onNotice.mock.lastCall?.[0]).toContain('The mod "newer" in the store was skipped.');
});
