import { expect, test } from "vitest";
import { askToPersist } from "./ask-persist.ts";

function browser(persisted: boolean) {
  const asked: string[] = [];
  const kept = new Map<string, string>();
  const storage = {
    persisted: async () => persisted,
    persist: async () => {
      asked.push("persist");
      return false;
    },
  };
  const memory = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  return { asked, storage, memory };
}

test("the browser is asked once, also after it refused", async () => {
  const { asked, storage, memory } = browser(false);
  await askToPersist(storage, memory);
  await askToPersist(storage, memory);
  expect(asked).toEqual(["persist"]);
});

test("a browser that has promised already is not asked", async () => {
  const { asked, storage, memory } = browser(true);
  await askToPersist(storage, memory);
  expect(asked).toEqual([]);
});

test("one that keeps nothing, or fails, is no failure", async () => {
  const { memory } = browser(false);
  await expect(askToPersist(undefined, memory)).resolves.toBeUndefined();
  await expect(askToPersist({}, memory)).resolves.toBeUndefined();
  const failing = { persist: () => Promise.reject(new TypeError("insecure")) };
  await expect(askToPersist(failing, memory)).resolves.toBeUndefined();
});
