import { expect, test } from "vitest";
import { asChoice, asNumber, asString, keep } from "./persist.ts";
import { memoryStorage } from "./testing/memory-storage.ts";

test("what is saved is loaded, through the parser", () => {
  const storage = memoryStorage();
  const kept = keep({ browser: storage, tab: memoryStorage() }, "key", asString, () => {});
  expect(kept.load()).toBeNull();
  kept.save("text");
  expect(kept.load()).toBe("text");
  storage.setItem("key", "12");
  const inNewTab = keep({ browser: storage, tab: memoryStorage() }, "key", asString, () => {});
  expect(inNewTab.load()).toBeNull();
});

test("a full storage is told once, until it works again", () => {
  const told: string[] = [];
  const kept = keep({ browser: memoryStorage(10), tab: memoryStorage() }, "key", asString, (message) =>
    told.push(message),
  );
  kept.save("much too long for it");
  kept.save("much too long for it again");
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("QuotaExceededError");
  kept.save("short");
  kept.save("much too long for it");
  expect(told).toHaveLength(2);
});

test("what is not JSON is told and starts anew", () => {
  const storage = memoryStorage();
  storage.setItem("key", "{");
  const told: string[] = [];
  expect(
    keep({ browser: storage, tab: memoryStorage() }, "key", asString, (message) => told.push(message)).load(),
  ).toBeNull();
  expect(told).toHaveLength(1);
});

test("parsers refuse what is out of range", () => {
  expect(asNumber(3, 0, 2)).toBeNull();
  expect(asNumber(Number.NaN, 0, 2)).toBeNull();
  expect(asNumber(2, 0, 2)).toBe(2);
  expect(asChoice("c", ["a", "b"])).toBeNull();
});

test("a tab keeps its own; a new one begins with what was saved last", () => {
  const browser = memoryStorage();
  const tabOf = (tab: Storage) => keep({ browser, tab }, "key", asString, () => {});
  const [first, second] = [memoryStorage(), memoryStorage()];
  tabOf(first).save("one");
  tabOf(second).save("two");
  expect([tabOf(first).load(), tabOf(second).load(), tabOf(memoryStorage()).load()]).toEqual([
    "one",
    "two",
    "two",
  ]);
});
