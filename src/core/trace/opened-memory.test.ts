/** Measures the memory of opened traces, for the traces that take the most memory for their size. */
import { expect, test } from "vitest";
import { measureRetainedMemory } from "../base/testing/retained-memory.ts";
import { decodePermalink } from "./file/permalink.ts";
import { traceLimits } from "./format/limits.ts";
import { attacks, hostileLink } from "./testing/hostile-traces.ts";

test.each([
  ["200,000 tokens", attacks.manyTokens()],
  ["60,000 calls", attacks.manyCalls()],
  ["20 mods of 65,536 lines", attacks.manyLines(20)],
  ["5,000 actions that steer", attacks.manySteers(5_000)],
])("%s, opened, take less memory than a trace may", async (_, trace) => {
  const link = hostileLink(trace);
  const open = () => decodePermalink(link, { left: traceLimits.unpackedFile });
  const { value, bytes } = await measureRetainedMemory(open, traceLimits.memory);
  expect(value.trace.records.length).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(traceLimits.memory);
});
