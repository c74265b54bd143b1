/** Attacks that try to leave QuickJS. As a check, the same attacks succeed in leaving a plain thread. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Attack } from "../../../../e2e/sandbox/attack.ts";
import { attacks } from "../../../../e2e/sandbox/attacks.ts";
import { nodeAttacks } from "../../../../e2e/sandbox/node-attacks.ts";
import { absentInNode, leaking, leakSentences, NodeSuite } from "../../../../e2e/sandbox/node-suite.ts";

const all: readonly Attack[] = [...attacks, ...nodeAttacks];

/** Attacks that leave a plain thread in every version of Node, like all `nodeAttacks`. If they do not, the test itself is wrong. */
const surelyLeaking = [
  ...["fetch-cross", "fetch-same", "broadcastchannel", "sab-timer", "eval", "function-ctor", "realm-global"],
  ...["wall-clock", "perf-clock", "entropy", "import-of-data", "ticks-between-events", "garbage-seen"],
  ...["waits-for-a-while", "webassembly", "code-from-text-by-side-doors", "names-that-nobody-listed"],
];

let suite: NodeSuite;
beforeAll(async () => {
  suite = await NodeSuite.open();
});
afterAll(() => suite.close());

test("nothing gets out of QuickJS, and much gets out of a plain thread", async () => {
  const control = await suite.attack(all, "control");
  const leaked = leaking(control).map(({ name }) => name);
  expect(leaked).toEqual(expect.arrayContaining([...surelyLeaking, ...nodeAttacks.map(({ name }) => name)]));

  const absent = absentInNode(control);
  const applying = all.filter(({ name }) => !absent.has(name));
  expect(applying.length).toBeGreaterThanOrEqual(leaked.length);
  const outcomes = await suite.attack(applying, "sandbox");
  expect(outcomes).toHaveLength(applying.length);
  expect(leakSentences(outcomes)).toEqual([]);
});
