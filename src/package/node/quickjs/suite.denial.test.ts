/** Mods in QuickJS that exhaust their time or memory. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { denialAttempts } from "../../../../e2e/sandbox/hostile.ts";
import { leakSentences, NodeSuite } from "../../../../e2e/sandbox/node-suite.ts";
import { subtleDenialAttempts } from "../../../../e2e/sandbox/subtle-hostile.ts";

let suite: NodeSuite;
beforeAll(async () => {
  // A small memory, because it is full sooner than a gigabyte, with the same result.
  suite = await NodeSuite.open({ memory: 2 ** 27 });
});
afterAll(() => suite.close());

const attempts = [...denialAttempts, ...subtleDenialAttempts].map((each) => [each.name, each] as const);
test.each(attempts)(
  "a mod that exhausts its time or memory is gone, and the next one runs: %s",
  async (_, attempt) => {
    expect(leakSentences(await suite.endure([attempt]))).toEqual([]);
  },
);
