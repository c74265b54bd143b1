import { expect, test } from "vitest";
import { createStore } from "zustand/vanilla";
import type { ModelState } from "../store/model-store.ts";
import { askPersistAfterModel, askToPersist } from "./ask-persist.ts";

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

test("it is asked when a model of another server is ready, and for no other", () => {
  const model = createStore<ModelState>()(() => ({ choice: null, status: { type: "none" } }) as ModelState);
  let asked = 0;
  const ask = () => {
    asked += 1;
  };
  const stop = askPersistAfterModel(model, ask, "https://play.example");
  const load = (url: string) => {
    model.setState({ choice: { reference: { url } }, status: { type: "loading" } } as unknown as ModelState);
    model.setState({ status: { type: "ready" } } as ModelState);
  };
  load("https://play.example/models/stories/");
  load("picked:stories/");
  expect(asked).toBe(0);
  load("https://huggingface.co/owner/name/resolve/main/");
  expect(asked).toBe(1);
  stop();
  load("https://huggingface.co/owner/other/resolve/main/");
  expect(asked).toBe(1);
});
