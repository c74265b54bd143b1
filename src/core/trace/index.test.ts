import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  createTraceModel,
  encodePermalink,
  encodeTraceFile,
  openTrace,
  outputTextOf,
  parseTrace,
} from "./index.ts";

const fixtures = join(import.meta.dirname, "./fixtures/v1");
const bytes = readFileSync(join(fixtures, "plain.trace"));

describe("openTrace", () => {
  test("opens a file as bytes, buffer and blob alike", async () => {
    const opened = await openTrace(new Uint8Array(bytes));
    const buffer = Uint8Array.from(bytes).buffer;
    expect(opened.trace.records[0]?.type).toBe("request");
    expect(await openTrace(buffer)).toEqual(opened);
    expect(await openTrace(new Blob([buffer]))).toEqual(opened);
  });

  test("opens a permalink: whole, its fragment, and the fragment without its #", async () => {
    const { fragment } = await encodePermalink((await openTrace(new Uint8Array(bytes))).trace);
    const opened = await openTrace(fragment);
    expect(await openTrace(`https://example.org/app?x=1${fragment}`)).toEqual(opened);
    expect(await openTrace(fragment.slice(1))).toEqual(opened);
    expect(opened.notes).toContain("timings");
  });

  test("says what a text is that is no permalink", async () => {
    await expect(openTrace("https://example.org/run.trace")).rejects.toThrow(
      '"https://example.org/run.trace" is not a permalink: the part after the # should begin with t1. To open a .trace file, fetch the file and pass its bytes to openTrace.',
    );
  });
});

test.each<[object, string]>([
  [{ promt: false }, 'encodePermalink: promt is not known. Did you mean "prompt"?'],
  [{ prompt: "no" }, 'encodePermalink: prompt is "no": give true or false.'],
  [{ alternatives: true }, 'encodePermalink: alternatives is true: give "none" or "gated" or "all".'],
])(
  "a link with the parts %j is refused, so that it does not hold more than was meant",
  async (parts, message) => {
    const { trace } = await openTrace(new Uint8Array(bytes));
    await expect(encodePermalink(trace, parts)).rejects.toThrow(new TypeError(message));
  },
);

test("a file is written as it was read, and a trace from JSON is checked", async () => {
  const { trace } = await openTrace(new Uint8Array(bytes));
  expect((await openTrace(await encodeTraceFile(trace))).trace).toEqual(trace);
  expect(await parseTrace(JSON.parse(JSON.stringify(trace)))).toEqual(trace);
  await expect(parseTrace({ version: 1, records: [{ type: "forced" }] })).rejects.toThrow("records[0]");
  const model = createTraceModel();
  model.append(trace.records);
  expect(outputTextOf(model)).not.toBe("");
});
