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

/** Each part has the time limit of a test, which all attacks together exceed on a very busy machine. */
const partSize = 20;
const parts = Array.from({ length: Math.ceil(all.length / partSize) }, (_, part) => ({
  name: `${part * partSize + 1} to ${Math.min(all.length, (part + 1) * partSize)} of ${all.length}`,
  attacks: all.slice(part * partSize, (part + 1) * partSize),
}));
const leaked = new Set<string>();
let applyingCount = 0;

test.each(parts)("nothing gets out of QuickJS: attacks $name", async ({ attacks }) => {
  const control = await suite.attack(attacks, "control");
  for (const { name } of leaking(control)) leaked.add(name);
  const absent = absentInNode(control);
  const applying = attacks.filter(({ name }) => !absent.has(name));
  const outcomes = await suite.attack(applying, "sandbox");
  expect(outcomes).toHaveLength(applying.length);
  expect(leakSentences(outcomes)).toEqual([]);
  applyingCount += applying.length;
});

test("much of that gets out of a plain thread", () => {
  expect(applyingCount).toBeGreaterThanOrEqual(leaked.size);
  expect([...leaked]).toEqual(
    expect.arrayContaining([...surelyLeaking, ...nodeAttacks.map(({ name }) => name)]),
  );
});
