import { expect, test } from "vitest";
import { sampleVector } from "../../../core/vectors/testing/sample-vector.ts";
import { createTestMemoryStorage } from "../store/testing/memory-storage.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { vectorLibraryOf } from "./vector-library.ts";

const browser = createTestMemoryStorage();
const page = () => {
  const events = new EventTarget();
  const stores = createTestStores({ events, storages: { browser, tab: createTestMemoryStorage() } });
  return { events, stores, library: vectorLibraryOf(stores) };
};
const names = ({ library }: ReturnType<typeof page>) =>
  library.getState().vectors.map(({ vector: { text } }) => text.split(":")[0]);

test("what is kept is there in the next page, newest first; what is removed comes back by undo", () => {
  const here = page();
  expect(vectorLibraryOf(here.stores)).toBe(here.library);
  here.library.getState().add(sampleVector("one"));
  const two = here.library.getState().add(sampleVector("two"));
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
  const { id } = here.library.getState().add(sampleVector("three"));
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
  const full = createTestMemoryStorage();
  full.setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  const stores = createTestStores({ storages: { browser: full, tab: createTestMemoryStorage() } });
  const library = vectorLibraryOf(stores);
  library.getState().add(sampleVector("one"));
  library.getState().add(sampleVector("two"));
  expect(library.getState().vectors).toHaveLength(2);
  expect(stores.notices.getState().notices.map(({ text }) => text)).toEqual([
    expect.stringContaining("did not save your latest changes"),
  ]);
});
