/** One set of limits, whoever brings what is too much: nothing changes, and a sentence names the count and the limit. */
import "fake-indexeddb/auto";
import { expect, test } from "vitest";
import { requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { importWorkspace } from "../workspace/open-workspace.ts";
import { encodeContentsLine, openWorkspace } from "../workspace/workspace-file.ts";
import { damageSentence } from "./damage-sentence.ts";
import { damagedEntries } from "./damage-store.ts";
import { editorLimits } from "./editor-limits.ts";
import { forkIntoEditor } from "./fork.ts";
import { defaultSettings, type Settings } from "./settings-store.ts";
import type { Stores } from "./stores.ts";
import { createTestMemoryStorage } from "./testing/memory-storage.ts";
import { createTestStores } from "./testing/test-stores.ts";
import type { Turn } from "./turns.ts";

interface TooMuch {
  readonly turns: readonly Turn[];
  readonly settings: Settings;
}

const turn = (id: number, changes: Partial<Turn> = {}): Turn => ({
  id: `t${id}`,
  role: "user",
  text: "x",
  ...changes,
});
const call = (id: number) => ({ id: `c${id}`, name: "f", arguments: "{}" });
const list = <Entry>(length: number, entry: (place: number) => Entry) =>
  Array.from({ length }, (_, place) => entry(place));

const cases: readonly (readonly [string, Partial<TooMuch>, string])[] = [
  ["turns", { turns: list(40_000, turn) }, "40,000 turns, but the limit is 200"],
  [
    "tool calls",
    { turns: [turn(0, { role: "assistant", calls: list(201, call) })] },
    "201 tool calls, but the limit is 200",
  ],
  ["text", { turns: [turn(0, { text: "x".repeat(500_001) })] }, "500,001 characters, but the limit is"],
  [
    "stop sequences",
    { settings: { ...defaultSettings, stop: list(300_000, String) } },
    "300,000 stop sequences, but the limit is 64",
  ],
  [
    "schema",
    {
      settings: {
        ...defaultSettings,
        answer: { ...defaultSettings.answer, schema: "[".repeat(101) },
      },
    },
    "101 levels of nested lists or objects, but the limit is 100",
  ],
];

const here = ({ conversation, settings }: Stores) => ({
  turns: conversation.getState().turns,
  stop: settings.getState().stop,
  schema: settings.getState().answer.schema,
});
const told = ({ notices }: Stores) => notices.getState().notices.map(({ text }) => text);

test.each(cases)("too much of %s by the user's own hand", (_what, { turns, settings }, words) => {
  const stores = createTestStores();
  const before = here(stores);
  if (turns) stores.conversation.getState().replace(turns)();
  if (settings) stores.settings.getState().change(settings)();
  expect(here(stores)).toEqual(before);
  expect(told(stores)).toEqual([expect.stringMatching(`${words}.*Nothing was changed`)]);
});

test.each(cases)("too much of %s in a workspace file stays out", async (_what, some, words) => {
  const stores = createTestStores();
  const before = here(stores);
  const setup = { turns: [turn(0)], settings: defaultSettings, ...some };
  const file = encodeContentsLine({
    mods: [{ name: "a", source: "x", needs: null, entry: null }],
    parts: { vectors: [] },
    setup,
    runCount: 0,
  });
  const opened = await openWorkspace(new Blob([file]));
  expect(opened.contents.leftOut).toEqual([expect.stringContaining(words)]);
  const came = await importWorkspace(
    stores,
    opened,
    { mods: true, vectors: true, setup: true, runs: true },
    { signal: new AbortController().signal, onProgress() {} },
  );
  expect(came.mods).toBe(1);
  expect(here(stores)).toEqual(before);
});

test.each(cases)(
  "too much of %s in the browser's own storage is set aside",
  (_what, { turns, settings }, words) => {
    const storages = { browser: createTestMemoryStorage(), tab: createTestMemoryStorage() };
    const kept = {
      ...(turns && { "midtoken.conversation.v1": JSON.stringify({ turns }) }),
      ...(settings && { "midtoken.settings.v1": JSON.stringify(settings) }),
    };
    for (const [key, text] of Object.entries(kept)) {
      storages.browser.setItem(key, text);
      storages.tab.setItem(key, text);
    }
    const stores = createTestStores({ storages });
    expect(here(stores)).toMatchObject({ stop: [], turns: [{ text: "Once upon a time" }] });
    const entries = damagedEntries(stores.damage.getState());
    expect(damageSentence(entries)).toMatch(
      new RegExp(`${words}.*The entry is set aside, unchanged: save it as a file, or delete it`),
    );
    // Loaded again, as after a reload.
    expect(damagedEntries(createTestStores({ storages }).damage.getState())).toHaveLength(1);
  },
);

test("what is set aside can be read whole, and is gone once the user deletes it", async () => {
  const storages = { browser: createTestMemoryStorage(), tab: createTestMemoryStorage() };
  const text = JSON.stringify({ turns: list(201, turn) });
  storages.browser.setItem("midtoken.conversation.v1", text);
  const { damage } = createTestStores({ storages });
  const [entry] = damagedEntries(damage.getState());
  expect(JSON.parse((await entry?.read()) ?? "")).toMatchObject({
    storageKey: "midtoken.conversation.v1",
    text,
  });
  damage.getState().hide();
  expect(createTestStores({ storages }).damage.getState().isHidden).toBe(true);
  await entry?.remove();
  expect(damagedEntries(damage.getState())).toEqual([]);
  expect(damagedEntries(createTestStores({ storages }).damage.getState())).toEqual([]);
});

test.each<[string, Parameters<typeof requestRecord>[0], string]>([
  ["turns", { messages: list(40_000, () => ({ role: "user" as const, content: "x" })) }, "40,000 turns"],
  ["stop sequences", { stop: list(300_000, String) }, "300,000 stop sequences, but the limit is 64"],
])("too many %s in a fork", async (_what, request, words) => {
  const stores = createTestStores();
  expect(await forkIntoEditor(stores, requestRecord(request))).toBe(false);
  expect(told(stores)).toEqual([expect.stringContaining(words)]);
});

test("mods beyond the limit are refused by hand and in a fork, and set aside at load", async () => {
  const storages = { browser: createTestMemoryStorage(), tab: createTestMemoryStorage() };
  for (const place of list(editorLimits.mods + 3, Number))
    storages.browser.setItem(`midtoken.mod.v2.m${place}`, JSON.stringify({ name: `m${place}`, source: "" }));
  const stores = createTestStores({ storages });
  expect(stores.mods.getState().mods).toHaveLength(editorLimits.mods);
  expect(damageSentence(damagedEntries(stores.damage.getState()))).toContain(
    "3 entries saved in this browser cannot be used: 3 mods",
  );
  expect(() => stores.mods.getState().add("one-more", "")).toThrow("1,001 mods, but the limit is");
  const request = requestRecord({ mods: [{ name: "one-more", source: "x" }] });
  expect(await forkIntoEditor(stores, request)).toBe(false);
  expect(told(stores)).toEqual([expect.stringContaining("1,001 mods")]);
});
