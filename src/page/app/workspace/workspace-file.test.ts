import fc from "fast-check";
import { expect, test } from "vitest";
import { measureRetainedMemory, megabyte } from "../../../core/base/testing/retained-memory.ts";
import { sampleVector } from "../../../core/vectors/testing/sample-vector.ts";
import { defaultSettings } from "../store/settings-store.ts";
import {
  type DecodedRunLine,
  encodeContentsLine,
  encodeRunLine,
  openWorkspace,
  type WorkspaceContents,
  WorkspaceError,
  type WorkspaceRun,
  workspaceLimits,
} from "./workspace-file.ts";

const run: WorkspaceRun = {
  id: "a-1",
  when: 1_790_000_000_000,
  interrupted: false,
  star: true,
  tags: ["good"],
  title: "Die erste — 第一",
};
const contents: WorkspaceContents = {
  mods: [{ name: "cat", source: "export default '🐈';\n", needs: null, entry: "second" }],
  parts: { vectors: [sampleVector("happy")] },
  setup: {
    turns: [{ id: "t", role: "user", text: "Once\nupon" }],
    settings: { ...defaultSettings, maxTokens: 7, theme: "dark" },
  },
  runCount: 1,
};

async function read(file: Blob) {
  const opened = await openWorkspace(file);
  const runs: DecodedRunLine[] = [];
  for await (const each of opened.runs()) runs.push(each);
  return { contents: opened.contents, runs };
}

/** In pieces that begin and end anywhere, as a disk gives them. */
const inPieces = (text: string, length: number): Blob => {
  const bytes = new TextEncoder().encode(text);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; at += length) parts.push(bytes.slice(at, at + length));
  return new Blob(parts);
};

test.each([3, 1_000, 1_000_000])("what is saved is what is opened, in pieces of %i bytes", async (length) => {
  const trace = Uint8Array.from({ length: 5_000 }, (_, at) => at % 251);
  const file = inPieces(
    encodeContentsLine(contents) + encodeRunLine(run, trace) + encodeRunLine(run, trace),
    length,
  );
  expect(await read(file)).toEqual({
    contents: { ...contents, leftOut: [] },
    runs: [run, run].map((each) => ({ run: each, trace, leftOut: null })),
  });
});

const listed = (list: object) => JSON.stringify({ midtoken: "workspace", version: 1, ...list });

test.each<[string, BlobPart, string]>([
  ["nothing", "", "not a Midtoken workspace"],
  ["bytes", new Uint8Array(100), "not a Midtoken workspace"],
  ["no JSON", "{", "not a Midtoken workspace"],
  ["an experiment", listed({ midtoken: "experiment" }), "not a Midtoken workspace"],
  ["a newer one", listed({ version: 2 }), "newer version of Midtoken"],
  ["too many vectors", listed({ vectors: new Array(1_001).fill(0) }), "1,001 vectors; the limit is 1,000"],
  ["too many mods", listed({ mods: new Array(1_001).fill(0) }), "1,001 mods; the limit is 1,000"],
  [
    "a line without end",
    new Blob(new Array(33).fill("x".repeat(1_000_000))),
    "more than 32,000,000 characters",
  ],
  [
    "98 MB of brackets",
    new Blob(new Array(98).fill("[".repeat(1_000_000))),
    "more than 32,000,000 characters",
  ],
  ["a deep line", "[".repeat(1_000_000), "1,000,000 levels of nested lists or objects; the limit is 100"],
  ["a line of many lists", `[${"[],".repeat(600_000)}[]]`, "entries; the limit is 500,000"],
  ["too many runs", listed({ runCount: 1_000_000 }), "1,000,000 runs; the limit is 100,000"],
])("refused: %s", async (_what, part, words) => {
  const opening = openWorkspace(new Blob([part]));
  await expect(opening).rejects.toThrow(WorkspaceError);
  await expect(opening).rejects.toThrow(words);
});

test("what is no mod and no run is left out, and of a run what is no mark", async () => {
  const line = (changes: object) => JSON.stringify({ ...run, trace: "AAAA", ...changes });
  const { contents: opened, runs } = await read(
    new Blob([
      [
        listed({
          mods: [{ name: "a\u202eb", source: "x", needs: 7 }, { name: "", source: "x" }, null, { name: "b" }],
          vectors: [null, { ...sampleVector("x"), share: 2 }, sampleVector("y")],
          setup: { turns: "none" },
          runCount: "many",
        }),
        line({ id: "a/x" }),
        line({ when: 1e30 }),
        line({ trace: "§" }),
        "7",
        "",
        line({ tags: ["good", "good", 7, "", "x".repeat(101)], title: 7, star: "yes", interrupted: 1 }),
      ].join("\n"),
    ]),
  );
  expect(opened.mods.map(({ source, needs }) => [source, needs])).toEqual([["x", null]]);
  expect(opened.mods[0]?.name).not.toContain("\u202e");
  expect(opened.parts.vectors).toEqual([sampleVector("y")]);
  expect([opened.setup, opened.runCount]).toEqual([null, 0]);
  expect(opened.leftOut).toEqual([
    "3 mods in the file could not be read and were skipped.",
    "2 vectors in the file could not be read and were skipped.",
    "The prompt and the settings of the file could not be read and were skipped.",
  ]);
  expect(runs).toEqual([
    null,
    null,
    null,
    null,
    { run: { ...run, star: false, title: null }, trace: new Uint8Array(3), leftOut: null },
  ]);
});

test("a file that is damaged anywhere is refused with words, or read", async () => {
  const whole = new TextEncoder().encode(
    encodeContentsLine(contents) + encodeRunLine(run, new Uint8Array(300)),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 })), {
        minLength: 1,
        maxLength: 8,
      }),
      fc.nat({ max: whole.length }),
      async (changes, length) => {
        const bytes = whole.slice(0, length % 3 === 0 ? length : undefined);
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        await read(new Blob([bytes])).catch((cause: unknown) => expect(cause).toBeInstanceOf(WorkspaceError));
      },
    ),
  );
});

test("as much as a workspace's first line may hold takes a bounded part of memory, measured", async () => {
  const { characters, values } = workspaceLimits.contents;
  const entries = `{},`.repeat(values / 2 - 100);
  const text = `{"midtoken":"workspace","version":1,"stranger":[${entries}{}],"text":"${"x".repeat(characters - entries.length - 100)}"}\n`;
  const file = new Blob([text]);
  const { bytes } = await measureRetainedMemory(() => openWorkspace(file), 128 * megabyte);
  expect(bytes).toBeLessThan(128 * megabyte);
});
