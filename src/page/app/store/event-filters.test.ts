import { expect, test } from "vitest";
import { createSavedFiltersStore, mostSavedFilters } from "./event-filters.ts";
import { listSetAsideTexts } from "./set-aside.ts";
import { createTestMemoryStorage } from "./testing/memory-storage.ts";
import { createRecordingTroubleReporter } from "./testing/recorded-trouble.ts";

/** A storage that can be full. */
function storageOf(room = Number.POSITIVE_INFINITY): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem(key: string, text: string) {
      if (text.length > room) throw new DOMException("full", "QuotaExceededError");
      kept.set(key, text);
    },
  } as Storage;
}
const open = (storage: Storage, said: string[] = [], events = new EventTarget()) =>
  createSavedFiltersStore(storage, createRecordingTroubleReporter(said), events);

test("two tabs keep their filters side by side, by name", () => {
  const storage = storageOf();
  const [one, other] = [open(storage), open(storage)];
  one.getState().save({ name: "b", filter: "kind:forced" });
  other.getState().save({ name: "a", filter: "p<0.1" });
  expect(other.getState().list.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(open(storage).getState().list).toEqual(other.getState().list);
});

test("what is saved or deleted can be taken back, unless it changed since", () => {
  const store = open(storageOf());
  const names = () => store.getState().list.map(({ name, filter }) => `${name} ${filter}`);
  const first = store.getState().save({ name: "a", filter: "1" });
  const second = store.getState().save({ name: "a", filter: "2" });
  expect(names()).toEqual(["a 2"]);
  first();
  expect(names(), "changed since").toEqual(["a 2"]);
  second();
  expect(names()).toEqual(["a 1"]);
  const back = store.getState().remove("a");
  expect(names()).toEqual([]);
  back();
  expect(names()).toEqual(["a 1"]);
});

test("a full storage, and too many, are said; nothing is shown that was not kept", () => {
  const said: string[] = [];
  const full = open(storageOf(10), said);
  full.getState().save({ name: "a", filter: "kind:forced" });
  expect(full.getState().list).toEqual([]);
  expect(said.join()).toContain("did not save");
  const many = open(storageOf(), said);
  for (let place = 0; place <= mostSavedFilters; place += 1)
    many.getState().save({ name: `n${place}`, filter: "a" });
  expect(many.getState().list).toHaveLength(mostSavedFilters);
  expect(said.at(-1)).toContain("Delete a filter first");
});

test("another tab’s change is shown", () => {
  const storage = storageOf();
  const events = new EventTarget();
  const store = open(storage, [], events);
  open(storage).getState().save({ name: "a", filter: "x" });
  expect(store.getState().list).toEqual([]);
  events.dispatchEvent(
    Object.assign(new Event("storage"), { key: "midtoken.event-filters.v1", storageArea: storage }),
  );
  expect(store.getState().list).toHaveLength(1);
});

test.each<[string | null, number, number]>([
  [null, 0, 0],
  ["no JSON", 0, 1],
  ['{"name":"a"}', 0, 1],
  ['[{"name":"a","filter":"b"},{"name":1},null,{"name":"a","filter":""}]', 1, 1],
  [JSON.stringify([{ name: "a", filter: "b".repeat(2000) }]), 0, 1],
  ['[{"name":"a","filter":"b"}]', 1, 0],
])("%s holds %i, and %i text is set aside", (text, count, aside) => {
  const storage = createTestMemoryStorage();
  if (text !== null) storage.setItem("midtoken.event-filters.v1", text);
  const store = open(storage);
  expect(store.getState().list).toHaveLength(count);
  store.getState().save({ name: "new", filter: "x" });
  expect(listSetAsideTexts(storage).map((each) => each.text)).toEqual(aside === 1 ? [text] : []);
});
