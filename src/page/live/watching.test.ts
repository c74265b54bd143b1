/** A watcher accepts valid messages, and refuses 1,000 hostile messages with bounded work. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { TRACE_VERSION, type TraceRecord } from "../../core/trace/format/format.ts";
import { TraceError } from "../../core/trace/format/trace-error.ts";
import { createTraceModel } from "../../core/trace/model/trace-model.ts";
import { parseTrace } from "../../core/trace/parse/parse.ts";
import { createDice, spliced, truncated, withFlippedBits } from "../../core/trace/testing/mutate-bytes.ts";
import { sampleTrace, seededRandom } from "../../core/trace/testing/sample-trace.ts";
import { createFrameJoiner, splitIntoFrames } from "./framing.ts";
import { LiveError, liveLimits } from "./limits.ts";
import { helloMessage, serializeMessage } from "./protocol.ts";
import { createSharerMessageReader } from "./watching.ts";

const hello = helloMessage({ key: "the sharer's", signature: "" });

function watching() {
  const heard: string[] = [];
  const records: TraceRecord[] = [];
  const unframe = createFrameJoiner(liveLimits.messageBytes);
  const read = createSharerMessageReader(
    {
      run() {
        records.length = 0;
        heard.push("run");
      },
      records: (more) => void records.push(...more),
      paused: (isPaused) => void heard.push(isPaused ? "paused" : "resumed"),
      ended: (failure) => void heard.push(`ended ${failure}`),
      over: (why) => void heard.push(`over ${why}`),
    },
    ({ key }) => key === "the sharer's",
  );
  const take = (frame: Uint8Array) => {
    const text = unframe(frame);
    if (text !== null) read(text);
  };
  const say = (message: unknown) => {
    for (const frame of splitIntoFrames(typeof message === "string" ? message : JSON.stringify(message)))
      take(frame);
  };
  return { heard, records, take, say };
}

const trace = sampleTrace({ tokens: 30 });
const begin = [serializeMessage(hello), serializeMessage({ type: "run" })];
const recordsOf = (records: readonly unknown[]) => ({ type: "records", records });

test("a recorded run is taken as it was, record by record", () => {
  const path = new URL("../../core/trace/fixtures/v1/forced-and-backtracked.trace.json", import.meta.url);
  const recorded = JSON.parse(readFileSync(path, "utf8")) as { records: unknown[] };
  const { say, records } = watching();
  say(hello);
  say({ type: "run" });
  for (const record of recorded.records) say(recordsOf([record]));
  say({ type: "ended", failure: null });
  expect(records).toEqual(parseTrace(recorded).records);
});

test("pauses, ends and the end of all are heard", () => {
  const { say, heard } = watching();
  for (const message of begin) say(message);
  say(recordsOf(trace.records));
  say({ type: "paused", isPaused: true });
  say({ type: "paused", isPaused: false });
  say({ type: "ended", failure: "It broke down." });
  say({ type: "over", why: "stopped" });
  expect(heard).toEqual(["run", "paused", "resumed", "ended It broke down.", "over stopped"]);
});

const paused = { type: "paused", isPaused: true };
const nested = "[".repeat(1_000_000) + "]".repeat(1_000_000);
const [request, ...others] = trace.records;
test.each<[string, readonly unknown[], string]>([
  ["no hello", [{ type: "run" }], "did not begin the connection correctly"],
  ["a second hello", [hello, hello], "did not begin the connection correctly"],
  ["a newer Midtoken", [{ ...hello, live: 2 }], "newer version of Midtoken"],
  ["newer records", [{ ...hello, trace: 99 }], "newer version of Midtoken"],
  ["a version that is none", [{ ...hello, trace: 0 }], "does not belong to a live run"],
  ["records of no run", [hello, recordsOf([request])], "not begun"],
  ["records after the end", [...begin, { type: "ended", failure: null }, recordsOf([request])], "has ended"],
  ["no proof", [{ type: "hello", live: 1, trace: 1 }], "does not belong to a live run"],
  ["a proof that is a number", [{ ...hello, proof: 7 }], "does not belong to a live run"],
  ["another's proof", [helloMessage({ key: "mine", signature: "" })], "did not create the link"],
  ["no records", [...begin, recordsOf([])], "does not belong to a live run"],
  ["a pause of no run", [hello, { type: "paused", isPaused: true }], "not begun"],
  ["a pause in a pause", [...begin, paused, paused], "two pauses, or two resumes, of a live run in a row"],
  [
    "a run that goes on and was not paused",
    [...begin, { ...paused, isPaused: false }],
    "two pauses, or two resumes, of a live run in a row",
  ],
  ["an end of no run", [hello, { type: "ended", failure: null }], "not begun"],
  ["anything after the end of all", [hello, { type: "over", why: "full" }, { type: "run" }], "after the end"],
  ["a record that is none", [...begin, recordsOf([request, 7])], "records[1]"],
  ["a second request", [...begin, recordsOf([request, request])], "second request"],
  ["no request", [...begin, recordsOf(others)], "should be the request"],
  [
    "records after the last",
    [...begin, recordsOf(trace.records), recordsOf(others)],
    "comes after the end of the run",
  ],
  ["a text", ['"run"'], "does not belong to a live run"],
  ["an unknown message", [{ type: "eval", code: "1" }], "does not belong to a live run"],
  ["a list of lists", [`[${"[".repeat(1_000_000)}`], "does not belong to a live run"],
  ["a record of lists in lists", [...begin, `{"type":"records","records":${nested}}`], "records[0]"],
  [
    "a name of lists in lists",
    [...begin, JSON.stringify(recordsOf([request])).replace('"requestId":"', `"requestId":${nested},"x":"`)],
    "requestId",
  ],
  ["a reason that is none", [hello, { type: "over", why: "because" }], "does not belong to a live run"],
  [
    "an endless reason",
    [...begin, { type: "ended", failure: "x".repeat(70_000) }],
    "does not belong to a live run",
  ],
])("refused: %s", (_, messages, words) => {
  const { say } = watching();
  expect(() => messages.forEach(say)).toThrow(words);
});

test("a message of too many frames is refused before it is put together, and so are short frames without end", () => {
  const { take } = watching();
  const frame = new Uint8Array(liveLimits.frameBytes);
  let taken = 0;
  expect(() => {
    for (; taken < 1_000; taken += 1) take(frame);
  }).toThrow("the limit is 4194304");
  expect(taken).toBe(Math.floor(liveLimits.messageBytes / (liveLimits.frameBytes - 1)));
  for (const short of [1, 2, liveLimits.frameBytes - 1])
    expect(() => watching().take(new Uint8Array(short))).toThrow("too short");
  expect(() => watching().take(new Uint8Array(liveLimits.frameBytes + 1))).toThrow("not part of a live run");
  expect(() => watching().take(new Uint8Array())).toThrow("not part of a live run");
});

test("a run of more characters than are watched is refused", () => {
  const { say } = watching();
  for (const message of begin) say(message);
  const filler = { ...request, padding: "x".repeat(4_000_000) };
  say(recordsOf([filler]));
  const long = recordsOf([{ type: "modCall", padding: "x".repeat(4_000_000) }]);
  expect(() => say(long)).toThrow(TraceError);
  const other = watching();
  for (const message of begin) other.say(message);
  const padding = " ".repeat(4_000_000);
  let taken = 0;
  expect(() => {
    for (; taken < 30; taken += 1)
      other.say(`${padding}${JSON.stringify(recordsOf([trace.records[taken]]))}`);
  }).toThrow("64 million characters");
  expect(taken).toBe(16);
});

describe("1,000 hostile messages", () => {
  const dice = createDice(seededRandom(1_000));
  const { upTo, pick } = dice;
  const sound = [
    ...begin,
    ...trace.records.map((record) => JSON.stringify(recordsOf([record]))),
    JSON.stringify({ type: "paused", isPaused: true }),
    JSON.stringify({ type: "ended", failure: null }),
  ];
  const bytesOf = (text: string) => new TextEncoder().encode(text);
  const inFrames = (bytes: Uint8Array) =>
    bytes.length < liveLimits.frameBytes
      ? [Uint8Array.from([1, ...bytes])]
      : splitIntoFrames("x".repeat(40_000));
  const values = [
    ...[null, -1, 0, 1e308, "", "x", "<img src=x onerror=alert(1)>", [], {}, true, { __proto__: null }],
    "\u202e".repeat(1_000),
    Array.from({ length: 5_000 }, () => ({})),
    JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`),
  ];
  /** One value in the message is another. */
  const withValue = (text: string): string => {
    const message: unknown = JSON.parse(text);
    let at = message as Record<string, unknown>;
    for (;;) {
      const name = pick([...Object.keys(at), "type"]);
      const inner = at[name];
      if (typeof inner !== "object" || inner === null || Object.keys(inner).length === 0 || upTo(3) === 0) {
        at[name] = pick(values);
        return JSON.stringify(message);
      }
      at = inner as Record<string, unknown>;
    }
  };
  const make: readonly (() => readonly Uint8Array[])[] = [
    () => inFrames(withFlippedBits(bytesOf(pick(sound)), 1 + upTo(6), dice)),
    () => inFrames(truncated(bytesOf(pick(sound)), dice)),
    () => inFrames(spliced(bytesOf(pick(sound)), bytesOf(pick(sound)), dice)),
    () => inFrames(bytesOf(withValue(pick(sound)))),
    () => [dice.bytes(upTo(300))],
    () => [withFlippedBits(pick(inFrames(bytesOf(pick(sound)))), 1, dice)],
    () => inFrames(bytesOf(pick(sound))),
  ];

  test("each is taken or refused with words; what was taken is a sound run, and can be drawn", () => {
    const seen = { taken: 0, refused: 0 };
    for (let number = 0; number < 1_000; number += 1) {
      const { take, say, records } = watching();
      for (const message of begin) say(message);
      const known = upTo(trace.records.length);
      if (known > 0) say(recordsOf(trace.records.slice(0, known)));
      try {
        for (const frame of make[number % make.length]?.() ?? []) take(frame);
        seen.taken += 1;
      } catch (cause) {
        if (!(cause instanceof LiveError || cause instanceof TraceError)) throw cause;
        seen.refused += 1;
      }
      const model = createTraceModel();
      model.append(records);
      if (records.length > 0) parseTrace({ version: TRACE_VERSION, records });
    }
    expect(seen.refused).toBeGreaterThan(500);
    expect(seen.taken).toBeGreaterThan(20);
  });
});
