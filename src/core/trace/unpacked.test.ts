/** The writer of a trace knows how much work unpacking takes. A bound on this work limits how much a short link may contain. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeTrace, encodeTrace } from "./codec/codec.ts";
import { decodePermalink, encodePermalink } from "./file/permalink.ts";
import { linkUnpackLimit, traceLimits } from "./format/limits.ts";
import { arbitraryTrace } from "./testing/arbitrary-trace.ts";
import { attacks, hostileLink } from "./testing/hostile-traces.ts";
import { sampleTrace } from "./testing/sample-trace.ts";
import { createTraceBuilder, requestRecord } from "./testing/trace-builder.ts";

test("what a trace unpacks to is what reading it spends, to the unit", () => {
  fc.assert(
    fc.property(arbitraryTrace, (trace) => {
      const { bytes, unpacked } = encodeTrace({ trace, notes: [] });
      const budget = { left: traceLimits.unpackedFile };
      decodeTrace(bytes, budget);
      expect(traceLimits.unpackedFile - budget.left).toBe(unpacked);
    }),
    { numRuns: 25 },
  );
});

test.each([300, 3_000])("a run of %i tokens takes less than half of what its link may", (tokens) => {
  const trace = sampleTrace({ tokens });
  for (const alternatives of ["none", "gated", "all"] as const) {
    const { fragment } = encodePermalink(trace, { alternatives, draws: true, timings: true });
    const budget = { left: traceLimits.unpackedLink };
    decodePermalink(fragment, budget);
    expect(traceLimits.unpackedLink - budget.left).toBeLessThan(linkUnpackLimit(fragment.length) / 2);
  }
});

describe("a short link that unpacks to millions", () => {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "many", source: "" }] }));
  for (let call = 0; call < 250_000; call += 1) builder.call(0, "forwardPass");
  const trace = builder.finish("length");

  test("is refused, with what to do", () => {
    const link = hostileLink(trace);
    expect(link.length).toBeLessThan(10_000);
    expect(() => decodePermalink(link)).toThrow(
      /unpacks to more data than Midtoken accepts.*original \.trace file/,
    );
  });

  test("is not made: what is shared can be opened", () => {
    expect(() => encodePermalink(trace)).toThrow(
      /would have \d+ bytes and values; the limit is \d+\. .*as a file/,
    );
  });
});

test.each([
  ["200,000 tokens", attacks.manyTokens(), 200_000],
  ["60,000 calls", attacks.manyCalls(), 1],
  ["20 mods of 65,536 lines", attacks.manyLines(20), 1],
])("%s are within it: the link opens", (_, trace, tokens) => {
  const { records } = decodePermalink(hostileLink(trace)).trace;
  expect(records.flatMap((record) => (record.type === "added" ? record.tokens : []))).toHaveLength(tokens);
});

test("64 mods of 65,536 lines are refused", () => {
  expect(() => decodePermalink(hostileLink(attacks.manyLines()))).toThrow("damaged or malicious");
});

test("what every token has of its own where mods steer at each is counted: 5,000 open, 20,000 are refused", () => {
  const link = hostileLink(attacks.manySteers(5_000));
  expect(decodePermalink(link, { left: traceLimits.unpackedFile }).trace.records.length).toBeGreaterThan(
    25_000,
  );
  expect(() =>
    decodePermalink(hostileLink(attacks.manySteers()), { left: traceLimits.unpackedFile }),
  ).toThrow("needs more memory than");
});
