/** Guests in QuickJS that break the engine's protocol. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { protocolAttempts } from "../../../../e2e/sandbox/hostile.ts";
import { leakSentences, NodeSuite } from "../../../../e2e/sandbox/node-suite.ts";
import { subtleProtocolAttempts } from "../../../../e2e/sandbox/subtle-hostile.ts";

let suite: NodeSuite;
beforeAll(async () => {
  suite = await NodeSuite.open();
});
afterAll(() => suite.close());

const attempts = [...protocolAttempts, ...subtleProtocolAttempts].map((each) => [each.name, each] as const);
test.each(attempts)("what a guest should not say ends it, and the next mod runs: %s", async (_, attempt) => {
  expect(leakSentences(await suite.endure([attempt]))).toEqual([]);
});
