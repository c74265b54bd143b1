import { expect, test, vi } from "vitest";
import { asChoice, asNumber, asString, openStoredValue } from "./persist.ts";
import { listSetAsideTexts } from "./set-aside.ts";
import { unusableTextHandling as guard } from "./storage-guard.ts";
import { createTestMemoryStorage } from "./testing/memory-storage.ts";
import { createRecordingTroubleReporter } from "./testing/recorded-trouble.ts";

test("what is saved is loaded, through the parser", () => {
  const storage = createTestMemoryStorage();
  const kept = openStoredValue(
    { browser: storage, tab: createTestMemoryStorage() },
    "key",
    asString,
    createRecordingTroubleReporter(),
  );
  expect(kept.load()).toBeNull();
  kept.save("text");
  expect(kept.load()).toBe("text");
  storage.setItem("key", "12");
  const inNewTab = openStoredValue(
    { browser: storage, tab: createTestMemoryStorage() },
    "key",
    asString,
    createRecordingTroubleReporter(),
  );
  expect(inNewTab.load()).toBeNull();
});

test("a full storage is reported once, until it works again", () => {
  const said: string[] = [];
  const kept = openStoredValue(
    { browser: createTestMemoryStorage(10), tab: createTestMemoryStorage() },
    "key",
    asString,
    createRecordingTroubleReporter(said),
  );
  kept.save("much too long for it");
  kept.save("much too long for it again");
  expect(said).toHaveLength(1);
  expect(said[0]).toContain("QuotaExceededError");
  kept.save("short");
  kept.save("much too long for it");
  expect(said).toHaveLength(2);
});

test.each<[string, string]>([
  ["is no JSON", '"cut'],
  ["is of another kind", "12"],
  ["is deeper than is read", "[".repeat(100_000)],
])("a text that %s is set aside once, whole, and overwritten by nothing", (_what, text) => {
  const [browser, tab] = [createTestMemoryStorage(), createTestMemoryStorage()];
  const said: string[] = [];
  for (const storage of [browser, tab]) storage.setItem("key", text);
  const open = () =>
    openStoredValue({ browser, tab, guard }, "key", asString, createRecordingTroubleReporter(said));
  const kept = open();
  expect(kept.load()).toBeNull();
  kept.save("new");
  expect(open().load()).toBe("new");
  expect(listSetAsideTexts(browser).map((each) => [each.storageKey, each.text])).toEqual([["key", text]]);
  expect(said).toEqual([]);
});

test("of a value that can be read in part, the part is used and the whole is set aside", () => {
  const [browser, tab] = [createTestMemoryStorage(), createTestMemoryStorage()];
  const asStrings = (value: unknown) =>
    Array.isArray(value) ? value.filter((each) => typeof each === "string") : null;
  browser.setItem("key", '["a", null, "b"]');
  const open = () =>
    openStoredValue({ browser, tab, guard }, "key", asStrings, createRecordingTroubleReporter());
  expect([open().load(), open().load()]).toEqual([
    ["a", "b"],
    ["a", "b"],
  ]);
  open().save(["a"]);
  expect(listSetAsideTexts(browser).map(({ text }) => text)).toEqual(['["a", null, "b"]']);
});

test("a storage without room for what is set aside keeps it where it is, and nothing is written over it", () => {
  const browser = createTestMemoryStorage(Number.POSITIVE_INFINITY, 60);
  const said: string[] = [];
  browser.setItem("key", `"${"x".repeat(50)}`);
  const kept = openStoredValue(
    { browser, tab: createTestMemoryStorage(), guard },
    "key",
    asString,
    createRecordingTroubleReporter(said),
  );
  expect(kept.load()).toBeNull();
  kept.save("new");
  expect(browser.getItem("key")).toHaveLength(51);
  expect(said).toEqual([expect.stringContaining("no room to set the entry aside")]);
});

test.each(['"cut', "12"])("without a guard the text %s stays, and nothing is written over it", (text) => {
  const [browser, tab] = [createTestMemoryStorage(), createTestMemoryStorage()];
  browser.setItem("key", text);
  const kept = openStoredValue({ browser, tab }, "key", asString, createRecordingTroubleReporter());
  expect(kept.load()).toBeNull();
  kept.save("new");
  expect([browser.getItem("key"), tab.getItem("key")]).toEqual([text, null]);
});

test("parsers refuse what is out of range", () => {
  expect(asNumber(3, 0, 2)).toBeNull();
  expect(asNumber(Number.NaN, 0, 2)).toBeNull();
  expect(asNumber(2, 0, 2)).toBe(2);
  expect(asChoice("c", ["a", "b"])).toBeNull();
});

test("a tab keeps its own; a new one begins with what was saved last", () => {
  const browser = createTestMemoryStorage();
  const tabOf = (tab: Storage) =>
    openStoredValue({ browser, tab }, "key", asString, createRecordingTroubleReporter());
  const [first, second] = [createTestMemoryStorage(), createTestMemoryStorage()];
  tabOf(first).save("one");
  tabOf(second).save("two");
  expect([tabOf(first).load(), tabOf(second).load(), tabOf(createTestMemoryStorage()).load()]).toEqual([
    "one",
    "two",
    "two",
  ]);
});

test("a long value is written once its changes rest, or when the page is left", () => {
  vi.useFakeTimers();
  const browser = createTestMemoryStorage();
  const events = new EventTarget();
  vi.stubGlobal("addEventListener", events.addEventListener.bind(events));
  try {
    const kept = openStoredValue(
      { browser, tab: createTestMemoryStorage() },
      "long",
      (value) => value as string,
      createRecordingTroubleReporter(),
    );
    const long = "a".repeat(60_000);
    kept.save(long);
    kept.save(`${long}b`);
    kept.save(`${long}bc`);
    expect(browser.getItem("long")).toBe(JSON.stringify(long));
    vi.runAllTimers();
    expect(browser.getItem("long")).toBe(JSON.stringify(`${long}bc`));
    kept.save(`${long}bcd`);
    events.dispatchEvent(new Event("pagehide"));
    expect(browser.getItem("long")).toBe(JSON.stringify(`${long}bcd`));
  } finally {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  }
});
