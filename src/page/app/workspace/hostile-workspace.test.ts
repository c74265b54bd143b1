/**
 * Hostile workspace files: each is read or refused with a sentence, changes nothing that was not chosen, and costs work in proportion
 * to its length. Work is counted by what is stored and drawn, never timed.
 */
import "fake-indexeddb/auto";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { sampleVector } from "../../../core/vectors/testing/sample-vector.ts";
import { createRunRepository } from "../../runs/repository.ts";
import { runToSave } from "../../runs/run-to-save.ts";
import { damagedEntries } from "../store/damage-store.ts";
import { editorLimits, settingsProblem, turnsProblem } from "../store/editor-limits.ts";
import { defaultSettings } from "../store/settings-store.ts";
import { createImportedRunFields } from "../store/shown-run.ts";
import type { Stores } from "../store/stores.ts";
import { createTestMemoryStorage } from "../store/testing/memory-storage.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { vectorLibraryOf } from "../vectors/vector-library.ts";
import { importWorkspace } from "./open-workspace.ts";
import { encodeContentsLine, encodeRunLine, openWorkspace, WorkspaceError } from "./workspace-file.ts";

const all = { mods: true, vectors: true, setup: true, runs: true };
const trace = createTraceModel();
trace.append(sampleTrace({ tokens: 5 }).records);
const { bytes } = runToSave(trace, { ...createImportedRunFields(), id: "a", recorded: false, when: 1 });
const marks = { id: "a", when: 1, interrupted: false, star: true, tags: ["good"], title: "Mine" };
const contents = {
  mods: [{ name: "cat", source: "export default 1;", needs: null, entry: "second" }],
  parts: { vectors: [sampleVector("happy")] },
  setup: {
    turns: [
      { id: "t", role: "assistant", text: "Once", calls: [{ id: "c", name: "f", arguments: "{}" }] } as const,
      { id: "u", role: "tool", text: "7", callId: "c" } as const,
    ],
    settings: { ...defaultSettings, stop: ["END"] },
  },
  runCount: 1,
};
const contentsText = encodeContentsLine(contents);
const runText = encodeRunLine(marks, bytes);

let pages = 0;
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function page(): Stores {
  pages += 1;
  const runs = createRunRepository(`test.hostile.${pages}`);
  ends.push(() => runs.close());
  const storages = {
    browser: createTestMemoryStorage(Number.POSITIVE_INFINITY, 5_000_000),
    tab: createTestMemoryStorage(),
  };
  return createTestStores({ runs, storages });
}

/** Opens a file on a fresh page. Returns the sentence that refuses the file, or the stores with everything that came in. */
async function outcomeOf(file: string | Blob): Promise<string | Stores> {
  const stores = page();
  try {
    const opened = await openWorkspace(new Blob([file]));
    const came = await importWorkspace(stores, opened, all, {
      signal: new AbortController().signal,
      onProgress() {},
    });
    for (const sentence of [...opened.contents.leftOut, came.why ?? "Fine.", came.ended ?? "Fine."])
      expectSentence(sentence);
    return stores;
  } catch (cause) {
    expect(cause).toBeInstanceOf(WorkspaceError);
    return (cause as WorkspaceError).message;
  }
}

const expectSentence = (words: string) => expect(words).toMatch(/^[A-Z“\d].*\.$/s);

/** Whatever came in is within the limits, and a new tab reads all of it. */
async function expectSound(stores: Stores): Promise<void> {
  const { turns } = stores.conversation.getState();
  expect(turnsProblem(turns, "")).toBeNull();
  expect(settingsProblem(stores.settings.getState(), "")).toBeNull();
  expect(new Set(turns.map(({ id }) => id)).size).toBe(turns.length);
  const { mods } = stores.mods.getState();
  expect(mods.length).toBeLessThanOrEqual(editorLimits.mods);
  expect(mods.some(({ enabled }) => enabled)).toBe(false);
  const again = createTestStores({
    storages: { browser: stores.storages.browser, tab: createTestMemoryStorage() },
  });
  expect(again.conversation.getState().turns.map(({ text }) => text)).toEqual(turns.map(({ text }) => text));
  expect(again.mods.getState().mods).toHaveLength(mods.length);
  expect(vectorLibraryOf(again).getState().vectors).toHaveLength(
    vectorLibraryOf(stores).getState().vectors.length,
  );
  expect(damagedEntries(again.damage.getState())).toEqual([]);
  for (const metadata of await stores.runs.list()) {
    expect(metadata.recorded).toBe(true);
    expect((await stores.runs.open(metadata.id))?.bytes.length).toBe(metadata.bytes);
  }
  expect(await stores.runs.damaged()).toEqual([]);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}

const first = (changes: object) => `${JSON.stringify({ ...JSON.parse(contentsText), ...changes })}\n`;
const setup = (changes: object) => first({ setup: { ...contents.setup, ...changes } });
const run = (changes: object) => `${JSON.stringify({ ...JSON.parse(runText), ...changes })}\n`;
const many = <Entry>(count: number, entry: Entry) => Array.from({ length: count }, () => entry);
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

/** The expected outcome of a file: words of the refusal, or the numbers of mods, turns and runs afterwards. */
type Came = string | { readonly mods: number; readonly turns: number; readonly runs: number };
const whole = { mods: 1, turns: 2, runs: 1 };
const own = { ...whole, turns: 1 };

const hostile: readonly (readonly [string, string | Blob, Came])[] = [
  ["the file as it was saved", contentsText + runText, whole],
  ["98 MB of brackets", new Blob(many(98, "[".repeat(1_000_000))), "more than 32,000,000 characters"],
  [
    "lists in lists in the setup",
    `{"midtoken":"workspace","version":1,"setup":${nested(5_000)}}`,
    "5,001 levels",
  ],
  [
    "a million empty lists",
    `{"midtoken":"workspace","version":1,"mods":[${"[],".repeat(600_000)}[]]}`,
    "entries",
  ],
  [
    "objects in objects in a run",
    `${first({})}{"trace":${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}}\n`,
    { ...whole, runs: 0 },
  ],
  [
    "a prototype in every object",
    setup({ settings: { limits: { budget: null } } }).replaceAll(
      /\{(?!\})/g,
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},',
    ) + runText,
    whole,
  ],
  ["a prototype that is the file", `{"__proto__":${contentsText.trim()}}`, "not a Midtoken workspace"],
  [
    "mods named like members of objects",
    first({ mods: ["__proto__", "constructor", "toString"].map((name) => ({ name, source: "x" })) }),
    { ...whole, mods: 3, runs: 0 },
  ],
  [
    "turns that share an id",
    setup({ turns: many(150, { id: "t", role: "user", text: "x" }) }) + runText,
    { ...whole, turns: 150 },
  ],
  ["a mod five hundred times", first({ mods: many(500, contents.mods[0]) }) + runText, whole],
  ["a run five times", first({}) + runText.repeat(5), whole],
  [
    "lone surrogates",
    first({
      mods: [{ name: "a\ud800b", source: "\udfff" }],
      setup: { ...contents.setup, turns: [{ id: "\ud800", role: "user", text: "\udc00\ud800" }] },
    }) + run({ title: "\ud83d", tags: ["\ude00"] }),
    { ...whole, turns: 1 },
  ],
  [
    "numbers beyond all numbers",
    setup({
      settings: { maxTokens: "§", seed: "§", stop: [], sampling: { temperature: "§" }, memoryBudget: "§" },
    }).replaceAll('"§"', "1e999") + runText,
    whole,
  ],
  ["a time beyond all times", first({}) + run({ when: 8.65e15 }), { ...whole, runs: 0 }],
  ["an id that is a path", first({}) + run({ id: "../a" }), { ...whole, runs: 0 }],
  ["a number of runs that is not there", first({ runCount: 99_999 }) + runText, whole],
  ["more runs than are read", first({ runCount: 2 ** 53 - 1 }), "runs; the limit is 100,000"],
  [
    "a stop sequence that is a list",
    setup({ settings: { stop: [["x"], { x: 1 }, null, 7] } }),
    { ...whole, runs: 0 },
  ],
  [
    "1,000 tool calls",
    setup({
      turns: [
        { id: "t", role: "assistant", text: "", calls: many(1_000, { id: "c", name: "f", arguments: "" }) },
      ],
    }) + runText,
    own,
  ],
  ["a schema of brackets", setup({ settings: { answer: { schema: "[".repeat(400_000) } } }) + runText, own],
  [
    "a source of 2 MB",
    first({ mods: [{ name: "a", source: "x".repeat(2_000_000) }] }) + runText,
    { ...whole, mods: 0 },
  ],
  [
    "mods for which there is no room",
    first({
      mods: many(9, 0).map((_, place) => ({ name: `m${place}`, source: `${place}`.padEnd(700_000, "x") })),
    }),
    "no room for",
  ],
  ["a version that is no number", first({ version: "1" }), "not a Midtoken workspace"],
  [
    "an export whose name is long",
    first({ mods: [{ name: "a", source: "x", entry: "y".repeat(100_000) }] }),
    { ...whole, mods: 0, runs: 0 },
  ],
  ["a million blank lines", first({}) + "\n".repeat(99_000) + runText, whole],
  ["more lines than runs are read", first({}) + "\n".repeat(100_001) + runText, { ...whole, runs: 0 }],
];

test.each(hostile)("%s", async (_what, file, expected) => {
  const outcome = await outcomeOf(file);
  if (typeof outcome === "string") {
    expectSentence(outcome);
    expect(outcome).toContain(expected);
    return;
  }
  await expectSound(outcome);
  expect({
    mods: outcome.mods.getState().mods.length,
    turns: outcome.conversation.getState().turns.length,
    runs: (await outcome.runs.list()).length,
  }).toEqual(expected);
});

/** Values that stand where another kind of value is expected. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e300,
    "",
    "\ud800",
    [],
    {},
    [null],
    { length: 1e9 },
    many(300, 1),
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Paths to every value of a JSON value. */
function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, each]) => pathsOf(each, [...path, name]))];
}

function changed(value: unknown, [name, ...rest]: readonly string[], to: unknown): unknown {
  if (name === undefined) return to;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[name] = changed(copy[name], rest, to);
  return copy;
}

test("a value of the wrong kind in any place of a file is read around, or refused with a sentence", async () => {
  const list = JSON.parse(contentsText);
  const line = JSON.parse(runText);
  const places = [
    ...pathsOf(list).map((path) => ({ path, isRun: false })),
    ...pathsOf(line).map((path) => ({ path, isRun: true })),
  ];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...places), odd, async ({ path, isRun }, value) => {
      const lines = [isRun ? list : changed(list, path, value), isRun ? changed(line, path, value) : line];
      const outcome = await outcomeOf(lines.map((each) => `${JSON.stringify(each)}\n`).join(""));
      if (typeof outcome === "string") expectSentence(outcome);
      else await expectSound(outcome);
      for (const end of ends.splice(0)) end();
    }),
    { numRuns: 150 },
  );
});
