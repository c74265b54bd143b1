import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodePermalink, encodePermalink } from "../file/permalink.ts";
import { type LinkParts, reduceToLinkParts } from "../file/project.ts";
import { createTraceModel } from "../model/trace-model.ts";
import { arbitraryTrace } from "../testing/arbitrary-trace.ts";
import { sampleTrace } from "../testing/sample-trace.ts";
import { tokenRows } from "../testing/token-rows.ts";
import { createTraceBuilder, requestRecord } from "../testing/trace-builder.ts";
import { decodeTraceFile, encodeTraceFile } from "./codec.ts";

const arbitraryParts: fc.Arbitrary<LinkParts> = fc.record({
  probabilities: fc.boolean(),
  alternatives: fc.constantFrom("none" as const, "gated" as const, "all" as const),
  draws: fc.boolean(),
  tokenIds: fc.boolean(),
  timings: fc.boolean(),
  logs: fc.boolean(),
  prompt: fc.boolean(),
});

describe("a file", () => {
  test("holds a prompt, a mod, a tool call and forced text of 500,000 characters each", () => {
    const long = "word ".repeat(100_000);
    const run = createTraceBuilder(
      requestRecord({
        messages: [
          { role: "user", content: long },
          { role: "user", content: [{ type: "text", text: long }] },
        ],
        mods: [{ name: "long", source: long }],
      }),
    );
    run.prefill([{ token: 1, text: "word" }]);
    run.call(0, "prefilled", { type: "forceOutput", tokens: [1], text: long, cut: 0 });
    const call = { id: "call_1", type: "function", function: { name: "write", arguments: long } } as const;
    const trace = run.finish("tool_calls", { text: "", toolCalls: [call] });
    expect(decodeTraceFile(encodeTraceFile(trace))).toStrictEqual({ trace, notes: [] });
  });

  test("holds any trace exactly", () => {
    fc.assert(
      fc.property(arbitraryTrace, (trace) => {
        expect(decodeTraceFile(encodeTraceFile(trace))).toStrictEqual({ trace, notes: [] });
      }),
      { numRuns: 40 },
    );
  });

  test("the random traces have healed texts, texts that could be healed, and scores", () => {
    const all = fc.sample(arbitraryTrace, { numRuns: 200, seed: 1 }).flatMap(({ records }) => records);
    expect(all.some((record) => record.type === "sampled" && record.healed)).toBe(true);
    expect(all.some((record) => record.type === "added" && record.isOpen)).toBe(true);
    expect(all.some((record) => record.type === "prefilled" && record.isOpen)).toBe(true);
    expect(all.some((record) => record.type === "modCall" && record.scores)).toBe(true);
  });

  test("holds the sample trace in less than a tenth of its JSON", () => {
    const trace = sampleTrace();
    const bytes = encodeTraceFile(trace);
    expect(decodeTraceFile(bytes).trace).toStrictEqual(trace);
    expect(bytes.length).toBeLessThan(JSON.stringify(trace).length / 10);
  });

  test("remembers what a link had left out", () => {
    const { trace, notes } = decodePermalink(encodePermalink(sampleTrace()).fragment);
    expect(decodeTraceFile(encodeTraceFile(trace, notes))).toStrictEqual({ trace, notes });
  });
});

describe("a link", () => {
  test("holds the projection of any trace, whatever parts are chosen", () => {
    fc.assert(
      fc.property(arbitraryTrace, arbitraryParts, (trace, parts) => {
        const { fragment, notes } = encodePermalink(trace, parts);
        expect(decodePermalink(fragment)).toStrictEqual({ trace: reduceToLinkParts(trace, parts), notes });
      }),
      { numRuns: 40 },
    );
  });

  test("of what a link held is the same link", () => {
    fc.assert(
      fc.property(arbitraryTrace, arbitraryParts, (trace, parts) => {
        const { fragment } = encodePermalink(trace, parts);
        const opened = decodePermalink(fragment);
        expect(encodePermalink(opened.trace, parts, opened.notes).fragment).toBe(fragment);
      }),
    );
  });

  test("ends in a letter, and has only characters that every tool links", () => {
    fc.assert(
      fc.property(arbitraryTrace, (trace) => {
        expect(encodePermalink(trace).fragment).toMatch(/^#t1\.[A-Za-z0-9_-]*[A-Za-z0-9]$/);
      }),
    );
  });

  test("opens without its # as well", () => {
    const { fragment } = encodePermalink(sampleTrace());
    expect(decodePermalink(fragment.slice(1))).toEqual(decodePermalink(fragment));
  });

  test("keeps what each token is, who forced it, and what replaced what", () => {
    const trace = sampleTrace();
    const { trace: opened, notes } = decodePermalink(encodePermalink(trace).fragment);
    const [before, after] = [createTraceModel(), createTraceModel(notes)];
    before.append(trace.records);
    after.append(opened.records);
    const kept = tokenRows(after).map(
      ({ text, token, kind, mods, event, line, removedBy, replaces, counterfactual }) => {
        return { text, token, kind, mods, event, line, removedBy, replaces, counterfactual };
      },
    );
    expect(tokenRows(before)).toMatchObject(kept);
    expect(after.spans.map(({ replacedBy }) => replacedBy)).toEqual(
      before.spans.map((each) => each.replacedBy),
    );
    expect(after.interventions).toEqual(before.interventions);
    expect(opened.records[0]).toMatchObject({ mods: requestOf(trace).mods, seed: 1 });
    tokenRows(after).forEach((row, index) => {
      const exact = tokenRows(before)[index];
      expect(Math.exp(row.logprobBefore ?? 0)).toBeCloseTo(Math.exp(exact?.logprobBefore ?? 0), 1);
      expect(Math.abs((row.entropyBefore ?? 0) - (exact?.entropyBefore ?? 0))).toBeLessThan(0.5);
    });
  });

  test("of 300 tokens with a mod of 1 KB and probabilities is at most 3,000 characters", () => {
    const trace = sampleTrace({ tokens: 300, severalMods: false });
    const { fragment, sections } = encodePermalink(trace);
    expect(requestOf(trace).mods[0]?.source.length).toBeGreaterThan(1000);
    expect(decodePermalink(fragment).notes).not.toContain("probabilities");
    expect(fragment.length).toBeLessThanOrEqual(3000);
    const reported = sections.reduce((sum, { characters }) => sum + characters, 0);
    expect(Math.abs(reported - fragment.length)).toBeLessThan(16);
  });

  test("of a request without tokens is short", () => {
    const trace = createTraceBuilder(requestRecord()).finish("cancelled");
    expect(encodePermalink(trace).fragment.length).toBeLessThan(200);
  });

  test("without the prompt holds none of the tools that stand in it", () => {
    const tools = ['{"type":"function","function":{"name":"secret_tool"}}'];
    const toolChoice = { type: "function", function: { name: "secret_tool" } } as const;
    const trace = createTraceBuilder(requestRecord({ tools, toolChoice })).finish("stop");
    expect(requestOf(decodePermalink(encodePermalink(trace).fragment).trace)).toMatchObject({
      tools,
      toolChoice,
    });
    const { fragment } = encodePermalink(trace, { prompt: false });
    expect(JSON.stringify(decodePermalink(fragment).trace)).not.toContain("secret_tool");
  });

  test("turns halves of surrogate pairs into U+FFFD", () => {
    const trace = createTraceBuilder(requestRecord({ requestId: "\ud83d", stop: ["a\udc00b", "🙂"] })).finish(
      "stop",
    );
    expect(requestOf(decodePermalink(encodePermalink(trace).fragment).trace)).toMatchObject({
      requestId: "\ufffd",
      stop: ["a\ufffdb", "🙂"],
    });
  });
});

function requestOf(trace: ReturnType<typeof sampleTrace>) {
  const [request] = trace.records;
  if (request?.type !== "request") throw new Error("no request");
  return request;
}

test.each([
  ["a picture", [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0], /^This is not a recorded run\./],
  ["a text", Array.from(new TextEncoder().encode("hello")), /^This is not a recorded run\./],
  ["nothing", [], /^This is not a recorded run\./],
  ["a newer layout", [2, 1, 0, 0, 0, 0, 0, 0], /newer version of Midtoken/],
  ["the beginning of a trace", [1, 1, 0], /ends too early/],
  ["a trace with wrong bytes", [1, 1, 0, 0, 0, 0, 0, 0], /checksum is wrong/],
])("%s is called what it is", (_what, bytes, message) => {
  expect(() => decodeTraceFile(Uint8Array.from(bytes))).toThrow(message);
});
