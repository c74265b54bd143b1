import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TRACE_VERSION } from "../format/format.ts";
import { TraceError, TraceVersionError } from "../format/trace-error.ts";
import { arbitraryTrace } from "../testing/arbitrary-trace.ts";
import { sampleTrace } from "../testing/sample-trace.ts";
import { parseTrace } from "./parse.ts";

type Json = Record<string, unknown>;
/** A valid trace as plain JSON, with one change. */
function changed(change: (trace: { version: unknown; records: Json[] }) => void): unknown {
  const trace = JSON.parse(JSON.stringify(sampleTrace({ tokens: 70 })));
  change(trace);
  return trace;
}
const find = (records: Json[], type: string): Json => {
  const record = records.find((each) => each.type === type);
  if (!record) throw new Error(`no ${type}`);
  return record;
};
const branchWith = (fields: object, difference?: object) => ({
  requestId: "r",
  index: 1,
  isChosen: false,
  caughtUp: 6,
  parentMods: 0,
  difference: difference ? { record: 2, mod: 0, now: "", recorded: "", ...difference } : null,
  ...fields,
});
const inRecord = (type: string, change: (record: Json) => void) =>
  changed(({ records }) => change(find(records, type)));

const namedTool = (name: unknown) => ({ type: "function", function: { name } });

test("a sound trace is rebuilt as it was", () => {
  fc.assert(
    fc.property(arbitraryTrace, (trace) => {
      const parsed = parseTrace(trace);
      expect(parsed).toStrictEqual(trace);
      expect(parsed.records[0]).not.toBe(trace.records[0]);
    }),
  );
});

test("what nobody knows is left behind, and prototypes stay as they are", () => {
  const hostile = JSON.parse(
    JSON.stringify(sampleTrace({ tokens: 2 })).replace(
      '"type":"request"',
      '"type":"request","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"extra":1',
    ),
  );
  const [request] = parseTrace(hostile).records;
  expect(Object.keys(request ?? {})).not.toContain("extra");
  expect(Object.getPrototypeOf(request)).toBe(Object.prototype);
  expect(({} as Json).polluted).toBeUndefined();
});

test("inherited properties are not read", () => {
  const inherited = Object.assign(Object.create({ version: TRACE_VERSION, records: [] }), {});
  expect(() => parseTrace(inherited)).toThrow("it has no version");
});

describe("damage is named with its path", () => {
  test.each<[string, unknown]>([
    ["it has no version", null],
    ["it has no version", "trace"],
    ["its version is not a positive whole number", { version: "1", records: [] }],
    ["records should be a list, but is missing", { version: TRACE_VERSION }],
    ["records[0] should be the request", { version: TRACE_VERSION, records: [] }],
    ["records[0] should be an object with a type", { version: TRACE_VERSION, records: [null] }],
    ["records[0].type should be one of", { version: TRACE_VERSION, records: [{ type: "toString" }] }],
    ["records[0].seed should be a whole number", inRecord("request", (each) => (each.seed = "1"))],
    ["records[0].seed should be a whole number", inRecord("request", (each) => (each.seed = 1.5))],
    ["model.device should be one of", inRecord("request", (each) => ((each.model as Json).device = "cloud"))],
    [
      "mods[0].source should be a string",
      inRecord("request", (each) => (each.mods = [{ name: "a", source: 1 }])),
    ],
    ["mods has 65 entries", inRecord("request", (each) => (each.mods = new Array(65).fill({})))],
    ["requestId has 70000 characters", inRecord("request", (each) => (each.requestId = "x".repeat(70_000)))],
    [
      "messages[0].content should be a list",
      inRecord("request", (each) => (each.messages = [{ role: "user", content: 1 }])),
    ],
    [
      "logitBias.-1 needs a token id as its key",
      inRecord("request", (each) => ((each.sampling as Json).logitBias = { "-1": 0 })),
    ],
    [
      "sampling.temperature should be a finite number",
      inRecord("request", (each) => ((each.sampling as Json).temperature = null)),
    ],
    ["toolChoice should be one of", inRecord("request", (each) => (each.toolChoice = "any"))],
    [
      "toolChoice.function.name should be a string",
      inRecord("request", (each) => (each.toolChoice = namedTool(1))),
    ],
    ["tools[0] should be a string", inRecord("request", (each) => (each.tools = [{}]))],
    [
      "before.top has 11 entries",
      inRecord("forwardPass", (each) => (each.before = { entropy: 0, top: new Array(11) })),
    ],
    [
      "logprobBefore should be a finite number",
      inRecord("sampled", (each) => (each.logprobBefore = Infinity)),
    ],
    ["action.type should be one of", inRecord("modCall", (each) => (each.action = { type: "__proto__" }))],
    ["has 9 parent mods", inRecord("request", (each) => (each.branch = branchWith({ parentMods: 9 })))],
    [
      "records[0].branch names mod 7",
      inRecord("request", (each) => (each.branch = branchWith({}, { mod: 7 }))),
    ],
    [
      "differs at record 6, but only the first 6 records were replayed to the mods",
      inRecord("request", (each) => (each.branch = branchWith({}, { record: 6 }))),
    ],
    ["names mod 7", inRecord("modCall", (each) => (each.mod = 7))],
    ["were emitted before it", inRecord("added", (each) => (each.index = 3))],
    ["not at the end of the output", inRecord("backtracked", (each) => (each.removed = [0]))],
    [
      "not at the end of the output",
      inRecord("backtracked", (each) => (each.removed = new Array(1000).fill(0))),
    ],
    ["scores tokens that were not emitted", inRecord("scored", (each) => (each.index = 100_000))],
    ["scores but", inRecord("scored", (each) => (each.distributions = []))],
    ["is a second request", changed(({ records }) => records.splice(3, 0, find(records, "request")))],
    ["beyond the prompt", inRecord("prefilled", (each) => (each.special = [0, 10_000]))],
    ["out of order or beyond the prompt", inRecord("prefilled", (each) => (each.special = [1, 0]))],
    ["an empty list of special tokens", inRecord("prefilled", (each) => (each.special = []))],
    ["is a second prompt", changed(({ records }) => records.splice(3, 0, find(records, "prefilled")))],
    [
      "ends the run, but more records follow",
      changed(({ records }) => records.push(find(records, "sampled"))),
    ],
  ])("%s", (message, value) => {
    expect(() => parseTrace(value)).toThrow(message);
    expect(() => parseTrace(value)).toThrow(TraceError);
  });
});

test("any JSON is a trace or a TraceError", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(() => parseTrace(value)).toThrow(TraceError);
      expect(() => parseTrace({ version: TRACE_VERSION, records: value })).toThrow(TraceError);
    }),
  );
});

describe("versions", () => {
  test("a newer one says what to do", () => {
    const future = { ...sampleTrace({ tokens: 1 }), version: TRACE_VERSION + 1 };
    expect(() => parseTrace(future)).toThrow(TraceVersionError);
    expect(() => parseTrace(future)).toThrow(
      /recorded by a newer version of Midtoken: its trace has version 2, .* version 1\. Reload the page/,
    );
  });
});
