/** A recorded run from a stranger comes into the editor without harm to what is there. */
import { expect, test } from "vitest";
import type { FieldsOf } from "../../../core/base/request-fields.ts";
import { defaultSampling } from "../../../core/base/sampling.ts";
import { banningModSource } from "../../../core/sdk/banned-strings.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import { requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { answerFieldsOfSettings } from "./answer-settings.ts";
import { forkIntoEditor } from "./fork.ts";
import { cleanModName } from "./mod-name.ts";
import { requestOfRecord } from "./start-branch.ts";
import { runRequestOf } from "./start-run.ts";
import type { Stores } from "./stores.ts";
import { createTestMemoryStorage } from "./testing/memory-storage.ts";
import { createTestStores } from "./testing/test-stores.ts";

const mine = { name: "mine", source: "// mine", enabled: true };
const names = ({ mods }: Stores) => mods.getState().mods.map(({ name }) => name);
const prompt = ({ conversation }: Stores) => conversation.getState().turns.map(({ text }) => text);
const told = ({ notices }: Stores) => notices.getState().notices.map(({ text }) => text);
const many = (count: number) =>
  Array.from({ length: count }, (_, place) => ({
    name: `mod-${place}`,
    source: `${place}`.padEnd(65_535, "x"),
  }));

/** The page in a browser that keeps at most so many characters. */
function pageWith(quota: number) {
  const browser = createTestMemoryStorage(Number.POSITIVE_INFINITY, quota);
  const open = () =>
    createTestStores({ storages: { browser, tab: createTestMemoryStorage() }, first: { mods: [mine] } });
  return { stores: open(), open };
}

/** Edits the user's mod and returns the source that a new tab finds. */
function editKept({ stores, open }: ReturnType<typeof pageWith>): string | undefined {
  const [own] = stores.mods.getState().mods;
  stores.mods.getState().edit(own?.id ?? "", `// mine, edited ${"at length ".repeat(2000)}`);
  const found = open().mods.getState().mods;
  return found.find(({ id }) => id === own?.id)?.source.slice(0, 15);
}

test.each([
  [64, 3_000_000],
  [64, 4_250_000],
  [1, 150_000],
])(
  "%i mods that do not fit into %i characters are refused, and the user's edits are kept",
  async (count, quota) => {
    const page = pageWith(quota);
    const messages = [{ role: "user" as const, content: "from the link" }];
    expect(await forkIntoEditor(page.stores, requestRecord({ mods: many(count), messages }))).toBe(false);
    expect(told(page.stores)).toEqual([expect.stringMatching(/no room for the run’s .*delete mods/)]);
    expect(names(page.stores)).toEqual(["mine"]);
    expect(prompt(page.stores)).toEqual(["Once upon a time"]);
    expect(editKept(page)).toBe("// mine, edited");
  },
);

test("mods that fit are taken over, the user's edits are kept, and a second fork adds nothing", async () => {
  const page = pageWith(5_000_000);
  const request = requestRecord({ mods: many(64) });
  expect(await forkIntoEditor(page.stores, request)).toBe(true);
  expect(names(page.stores)).toHaveLength(65);
  expect(editKept(page)).toBe("// mine, edited");
  expect(await forkIntoEditor(page.stores, request)).toBe(true);
  expect(names(page.stores)).toHaveLength(65);
});

test("a browser that keeps nothing at all takes a fork as well", async () => {
  const refuse = () => {
    throw new DOMException("The user forbade it.", "SecurityError");
  };
  const forbidden = { ...createTestMemoryStorage(), setItem: refuse };
  const stores = createTestStores({ storages: { browser: forbidden, tab: forbidden } });
  expect(await forkIntoEditor(stores, requestRecord({ mods: many(1) }))).toBe(true);
  expect(names(stores)).toEqual(["mod-0"]);
});

test.each([
  ["turns", { messages: Array.from({ length: 10_000 }, () => ({ role: "user" as const, content: "" })) }],
  ["characters", { messages: [{ role: "user" as const, content: "x".repeat(600_000) }] }],
  ["levels of nested lists or objects", { tools: ["[".repeat(50_000)] }],
  ["levels of nested lists or objects", { responseFormat: '{"a":'.repeat(50_000) }],
  ["stop sequences", { stop: Array.from({ length: 65 }, () => "1") }],
  ["characters", { stop: Array.from({ length: 60 }, () => "1234567890".repeat(1_000)) }],
])("a prompt of too many %s is refused", async (what, request) => {
  const { stores } = pageWith(5_000_000);
  expect(await forkIntoEditor(stores, requestRecord(request))).toBe(false);
  expect(told(stores)).toEqual([expect.stringContaining(what)]);
  expect(prompt(stores)).toEqual(["Once upon a time"]);
});

test.each([
  ["\u202eevil\u200b.ts", "evil.ts"],
  ["a b/c\\d\ne", "a-b-c-d-e"],
  ["x".repeat(65_536), "x".repeat(40)],
  ["🙂".repeat(100), "🙂".repeat(40)],
  ["\u2028 \u{e0041}", ""],
])("the name %j becomes %j", (name, expected) => {
  expect(cleanModName(name)).toBe(expected);
});

test("a fork's mods have clean names, of their own, also once they are read from storage", async () => {
  const page = pageWith(5_000_000);
  const mods = ["\u202eevil", "evil", "\u200b", "y".repeat(65_536)].map((name, place) => ({
    name,
    source: `// ${place}`,
  }));
  await forkIntoEditor(page.stores, requestRecord({ mods }));
  const expected = ["mine", "evil", "evil-2", "mod", "y".repeat(40)];
  expect(names(page.stores)).toEqual(expected);
  await forkIntoEditor(page.stores, requestRecord({ mods }));
  expect(names(page.stores)).toEqual(expected);
  expect(names(page.open()).sort()).toEqual([...expected].sort());
});

const tool = { type: "function", function: { name: "feed" } } as const;

/** For each field with a setting on the page, a value that is not the page's default. */
const pageFields: Readonly<Record<Exclude<FieldsOf<"page">, "bannedStrings">, Partial<RequestRecord>>> = {
  thinking: { thinking: false },
  tools: { tools: [JSON.stringify(tool)] },
  toolChoice: { tools: [JSON.stringify(tool)], toolChoice: "required" },
  parallelToolCalls: { tools: [JSON.stringify(tool)], parallelToolCalls: false },
  responseFormat: { responseFormat: '{"type":"json_object"}' },
  sampling: { sampling: { ...defaultSampling, topK: 5 } },
  maxTokens: { maxTokens: 7 },
  stop: { stop: ["x"] },
  seed: { seed: 5 },
  onModError: { onModError: "continue" },
  budget: { budget: 9_999 },
  deadlines: { deadlines: { load: 1, prefilled: 2, event: 3 } },
};

test.each(Object.entries(pageFields))(
  "a fork's next run has the %s of the record",
  async (field, changes) => {
    const { stores } = pageWith(5_000_000);
    const record = requestRecord(changes);
    expect(await forkIntoEditor(stores, record)).toBe(true);
    const answer = answerFieldsOfSettings(stores.settings.getState().answer);
    const next = { ...runRequestOf(stores, []), ...(answer.ok && answer.fields) };
    const name = field as keyof typeof pageFields;
    expect(next[name]).toEqual(requestOfRecord(record)[name]);
  },
);

test("the mod that kept banned texts out becomes the setting again, and no mod in the editor", async () => {
  const { stores } = pageWith(5_000_000);
  const own = { name: "mod-0", source: "// 0" };
  const banning = { name: "banned_strings", source: banningModSource(["Big Dog", '"cat"']) };
  expect(await forkIntoEditor(stores, requestRecord({ mods: [own, banning] }))).toBe(true);
  expect(names(stores)).toEqual(["mine", "mod-0"]);
  expect(stores.settings.getState().bannedStrings).toEqual(["Big Dog", '"cat"']);
  // A mod that somebody made of it is a mod.
  const changed = { ...banning, source: `${banning.source}// changed` };
  expect(await forkIntoEditor(stores, requestRecord({ mods: [own, changed] }))).toBe(true);
  expect(names(stores)).toContain("banned_strings");
  expect(stores.settings.getState().bannedStrings).toEqual([]);
});
