import { expect, test } from "vitest";
import { steeringVectorText } from "../../sdk/steering-vector.ts";
import type { KnownVector } from "../../vectors/known-vector.ts";
import { memoryStorage } from "../store/testing/memory-storage.ts";
import { testStores } from "../store/testing/test-stores.ts";
import { vectorsOf } from "./vector-library.ts";

const vector = (name: string): KnownVector => ({
  text: steeringVectorText({ layer: 0, vector: Float32Array.of(1, 2), name }),
  model: { id: "a/model", layerCount: 2, hiddenSize: 2 },
  texts: { toward: ["a", "b"], away: ["c", "d"], tokens: "last", as: "text" },
  share: 1,
  stream: 3,
});

const browser = memoryStorage();
const page = () => {
  const events = new EventTarget();
  const stores = testStores({ storages: { browser, tab: memoryStorage() } });
  return { events, stores, library: vectorsOf(stores, events) };
};
const names = ({ library }: ReturnType<typeof page>) =>
  library.getState().kept.map(({ vector: { text } }) => text.split(":")[0]);

test("what is kept is there in the next page, newest first; what is removed comes back by undo", () => {
  const here = page();
  expect(vectorsOf(here.stores)).toBe(here.library);
  here.library.getState().add(vector("one"));
  const two = here.library.getState().add(vector("two"));
  expect(names(here)).toEqual(["two", "one"]);
  expect(names(page())).toEqual(["two", "one"]);
  const undo = here.library.getState().remove(two.id);
  expect(names(here)).toEqual(["one"]);
  expect(names(page())).toEqual(["one"]);
  undo();
  expect(names(here)).toEqual(["two", "one"]);
  expect(names(page())).toEqual(["two", "one"]);
  expect(here.library.getState().remove("unknown")).toBeInstanceOf(Function);
});

test("another tab hears of it", () => {
  const [here, other] = [page(), page()];
  const { id } = here.library.getState().add(vector("three"));
  const told = Object.assign(new Event("storage"), { key: `midtoken.vector.v1.${id}`, storageArea: browser });
  other.events.dispatchEvent(told);
  expect(names(other)).toEqual(names(here));
});

test("an entry that cannot be read is left out, and stays", () => {
  browser.setItem("midtoken.vector.v1.broken", '{"vector":{}}');
  expect(names(page())).toEqual(["three", "two", "one"]);
  expect(browser.getItem("midtoken.vector.v1.broken")).not.toBeNull();
});

test("a browser that keeps nothing is said once, and the vector is there until the page is closed", () => {
  const full = memoryStorage();
  full.setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  const stores = testStores({ storages: { browser: full, tab: memoryStorage() } });
  const library = vectorsOf(stores, new EventTarget());
  library.getState().add(vector("one"));
  library.getState().add(vector("two"));
  expect(library.getState().kept).toHaveLength(2);
  expect(stores.notices.getState().notices.map(({ text }) => text)).toEqual([
    expect.stringContaining("did not keep your latest changes"),
  ]);
});
