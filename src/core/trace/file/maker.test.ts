import fc from "fast-check";
import { expect, test } from "vitest";
import { crc32 } from "../codec/bytes.ts";
import { decodeTraceFile, encodeTraceFile } from "../codec/codec.ts";
import type { RequestRecord } from "../format/format-request.ts";
import { TraceError } from "../format/trace-error.ts";
import { parseTrace } from "../parse/parse.ts";
import { sampleTrace } from "../testing/sample-trace.ts";
import { showInvisibleCharacters } from "../text/visible-text.ts";
import { cleanAuthorName, longestAuthorName, shownAuthorName, traceWithAuthorName } from "./maker.ts";
import { decodePermalink, encodePermalink } from "./permalink.ts";

const trace = sampleTrace({ tokens: 20 });

test.each<[string, string | undefined, string | null]>([
  ["a name", "Ada Lovelace", "Ada Lovelace"],
  ["no name", undefined, null],
  ["nothing to be seen", " \n\t ", null],
  ["space around and lines between", "  Ada\n\nLovelace ", "Ada Lovelace"],
  ["what would turn the text around", "Ada\u202egnorts", "Ada\ufffdgnorts"],
  ["a long one", "x".repeat(65_536), `${"x".repeat(longestAuthorName - 1)}…`],
  ["markup", "<b>Ada</b>", "<b>Ada</b>"],
])("shown: %s", (_what, maker, expected) =>
  expect(shownAuthorName(maker === undefined ? {} : { maker })).toBe(expected),
);

test("whatever is typed, the record shows it whole, and it is its own name again", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (typed) => {
      const maker = cleanAuthorName(typed);
      expect(maker.length).toBeLessThanOrEqual(longestAuthorName);
      expect(shownAuthorName({ maker })).toBe(
        maker === "" ? null : showInvisibleCharacters(maker, longestAuthorName),
      );
      expect(cleanAuthorName(maker)).toBe(maker);
    }),
  );
});

test("a link and a file carry the name; without one they are what they were", () => {
  const named = traceWithAuthorName(trace, "Ada 🙂");
  expect(named.records[0]).toMatchObject({ maker: "Ada 🙂" });
  expect(decodeTraceFile(encodeTraceFile(named)).trace).toStrictEqual(named);
  expect(decodePermalink(encodePermalink(named).fragment).trace.records[0]).toMatchObject({
    maker: "Ada 🙂",
  });
  expect(traceWithAuthorName(trace, "")).toBe(trace);
  const added = encodePermalink(named).fragment.length - encodePermalink(trace).fragment.length;
  expect(added).toBeLessThan(40);
});

test("a record that somebody signed keeps the name", () => {
  expect(traceWithAuthorName(traceWithAuthorName(trace, "Ada"), "Eve").records[0]).toMatchObject({
    maker: "Ada",
  });
});

test("copies that do not know names read all the rest", () => {
  const bytes = encodeTraceFile(traceWithAuthorName(trace, "Ada"));
  // The section of the name, with a number that this copy does not know either: see `sections.ts`.
  const at = bytes.findLastIndex(
    (byte, place) =>
      byte === 14 && new TextDecoder().decode(bytes.subarray(place, place + 20)).includes("Ada"),
  );
  expect(at).toBeGreaterThan(0);
  bytes[at] = 99;
  const end = bytes.length - 4;
  new DataView(bytes.buffer).setUint32(end, crc32(bytes.subarray(0, end)), true);
  expect(decodeTraceFile(bytes).trace).toStrictEqual(trace);
});

test("a name that is none is refused with its place", () => {
  const [first, ...others] = trace.records;
  const broken = { ...trace, records: [{ ...first, maker: 7 }, ...others] };
  expect(() => parseTrace(broken)).toThrow(TraceError);
  expect(() => parseTrace(broken)).toThrow(/maker/);
});

test("that a prompt was given as it is goes with a link and a file; without it they are what they were", () => {
  const [first, ...others] = trace.records;
  const raw = { ...trace, records: [{ ...(first as RequestRecord), rawPrompt: true as const }, ...others] };
  expect(decodeTraceFile(encodeTraceFile(raw)).trace).toStrictEqual(raw);
  expect(decodePermalink(encodePermalink(raw).fragment).trace.records[0]).toMatchObject({ rawPrompt: true });
  expect(decodePermalink(encodePermalink(trace).fragment).trace.records[0]).not.toHaveProperty("rawPrompt");
});

test("that names in messages were special tokens goes with a link and a file", () => {
  const [first, ...others] = trace.records;
  const parsed = { ...(first as RequestRecord), parseSpecial: true as const };
  const traced = { ...trace, records: [parsed, ...others] };
  expect(decodeTraceFile(encodeTraceFile(traced)).trace).toStrictEqual(traced);
  const shared = decodePermalink(encodePermalink(traced).fragment).trace;
  expect(shared.records[0]).toMatchObject({ parseSpecial: true });
  expect(decodePermalink(encodePermalink(trace).fragment).trace.records[0]).not.toHaveProperty(
    "parseSpecial",
  );
});

test("how a model thought goes with a link and a file", () => {
  const [first, ...others] = trace.records;
  const reasoning = { open: "<think>", close: "</think>", isBegun: true };
  const marked = { ...reasoning, answer: { open: "<answer>", close: "" } };
  for (const fields of [
    { thinking: false },
    { thinking: true, reasoning },
    { reasoning },
    { reasoning: marked },
  ]) {
    const thought = { ...trace, records: [{ ...(first as RequestRecord), ...fields }, ...others] };
    expect(decodeTraceFile(encodeTraceFile(thought)).trace).toStrictEqual(thought);
    expect(decodePermalink(encodePermalink(thought).fragment).trace.records[0]).toMatchObject(fields);
  }
  const broken = { ...trace, records: [{ ...first, reasoning: { ...reasoning, open: "" } }, ...others] };
  expect(() => parseTrace(broken)).toThrow(/open/);
});
