/** Attempts to get out of QuickJS, to break the engine's side or to exhaust it; and a plain thread, out of which they get. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Attack } from "../../../e2e/sandbox/attack.ts";
import { attacks } from "../../../e2e/sandbox/attacks.ts";
import { denialAttempts, protocolAttempts } from "../../../e2e/sandbox/hostile.ts";
import { nodeAttacks } from "../../../e2e/sandbox/node-attacks.ts";
import { absentInNode, NodeSuite } from "../../../e2e/sandbox/node-suite.ts";
import { subtleDenialAttempts, subtleProtocolAttempts } from "../../../e2e/sandbox/subtle-hostile.ts";
import type { Outcome } from "../../../e2e/sandbox/targets.ts";

const all: readonly Attack[] = [...attacks, ...nodeAttacks];

/** What a plain thread of every Node lets out, beside all of `nodeAttacks`. If these stay in, nobody is listening. */
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

const leaking = (outcomes: readonly Outcome[]) => outcomes.filter(({ leak }) => leak !== null);
const words = (outcomes: readonly Outcome[]) =>
  leaking(outcomes).map(({ name, leak, note }) => `${name}: ${leak} (${note})`);

test("nothing gets out of QuickJS, and much gets out of a plain thread", async () => {
  const control = await suite.attack(all, "control");
  const leaked = leaking(control).map(({ name }) => name);
  expect(leaked).toEqual(expect.arrayContaining([...surelyLeaking, ...nodeAttacks.map(({ name }) => name)]));

  const absent = absentInNode(control);
  const applying = all.filter(({ name }) => !absent.has(name));
  expect(applying.length).toBeGreaterThanOrEqual(leaked.length);
  const outcomes = await suite.attack(applying, "sandbox");
  expect(outcomes).toHaveLength(applying.length);
  expect(words(outcomes)).toEqual([]);
});

test("what a guest should not say ends it, and the next mod runs", async () => {
  expect(words(await suite.endure([...protocolAttempts, ...subtleProtocolAttempts]))).toEqual([]);
});

test("a mod that exhausts its time or memory is gone, and the next one runs", async () => {
  expect(words(await suite.endure([...denialAttempts, ...subtleDenialAttempts]))).toEqual([]);
});
