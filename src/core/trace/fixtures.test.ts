/**
 * Recorded traces, files and links open with the contents that they were written with. Until the first release a change of the
 * format may record the fixtures anew (`scripts/make-trace-fixtures.ts`); after it, a failure is a bug of the reader.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { crc32 } from "./codec/bytes.ts";
import { decodeTraceFile } from "./codec/codec.ts";
import { presetDictionary } from "./codec/dictionary.ts";
import { decodePermalink } from "./file/permalink.ts";
import { TRACE_VERSION } from "./format/format.ts";
import { eventList } from "./model/event-list.ts";
import { createTraceModel } from "./model/trace-model.ts";
import { transcript } from "./model/transcript.ts";
import { parseTrace } from "./parse/parse.ts";
import { tokenRows } from "./testing/token-rows.ts";

interface LinkFixture {
  readonly fragment: string;
  readonly notes: readonly string[];
  readonly transcript: string;
  readonly digest: string;
}

const root = "src/core/trace/fixtures";
const fixtures = readdirSync(root)
  .sort()
  .flatMap((version) =>
    readdirSync(`${root}/${version}`)
      .filter((file) => file.endsWith(".trace.json"))
      .map((file) => ({ version, name: file.replace(".trace.json", "") })),
  );
const read = (version: string, file: string) => readFileSync(`${root}/${version}/${file}`);
const json = (version: string, file: string): unknown => JSON.parse(read(version, file).toString("utf8"));

test("there are fixtures of every version", () => {
  expect(new Set(fixtures.map(({ version }) => version)).size).toBe(TRACE_VERSION);
  expect(fixtures.length).toBeGreaterThanOrEqual(10);
});

describe.each(fixtures)("$version $name", ({ version, name }) => {
  test("opens as JSON, and is what it was", () => {
    const trace = json(version, `${name}.trace.json`);
    const opened = parseTrace(trace);
    expect(opened).toStrictEqual(trace);
  });

  test("opens as a file, with the same contents", () => {
    const bytes = new Uint8Array(read(version, `${name}.trace`));
    expect(decodeTraceFile(bytes)).toStrictEqual({
      trace: parseTrace(json(version, `${name}.trace.json`)),
      notes: [],
    });
  });

  const links = json(version, `${name}.links.json`) as Readonly<Record<string, LinkFixture>>;
  test.each(Object.entries(links))("opens as a link (%s), with the same contents", (_, link) => {
    const { trace, notes } = decodePermalink(link.fragment);
    expect(notes).toEqual(link.notes);
    const model = createTraceModel(notes);
    model.append(trace.records);
    expect(transcript(model)).toBe(link.transcript);
    const digest = createHash("sha256").update(JSON.stringify(trace)).digest("hex");
    expect(digest).toBe(link.digest);
    expect(tokenRows(model)).toHaveLength(model.tokens.text.length);
    expect(eventList(model).every(({ summary }) => summary.length > 0)).toBe(true);
  });
});

test("the dictionary is frozen: links were packed with exactly this", () => {
  expect([presetDictionary.length, crc32(presetDictionary)]).toEqual([3811, 2_953_627_546]);
});
