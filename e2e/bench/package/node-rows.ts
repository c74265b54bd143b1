/** The suite of attempts in Node: a mod in QuickJS, and a plain thread. */
import { createServer } from "vite";
import { attacks } from "../../sandbox/attacks.ts";
import { denialAttempts, protocolAttempts } from "../../sandbox/hostile.ts";
import { nodeAttacks } from "../../sandbox/node-attacks.ts";
import { subtleDenialAttempts, subtleProtocolAttempts } from "../../sandbox/subtle-hostile.ts";
import type { Outcome } from "../../sandbox/targets.ts";
import { atLeast, type BenchRow, exactly } from "../machine.ts";

export async function nodeSuiteRows(): Promise<BenchRow[]> {
  // The texts that threads start with are made by a plugin.
  const vite = await createServer({ server: { middlewareMode: true }, appType: "custom", logLevel: "error" });
  try {
    const module = await vite.ssrLoadModule("/e2e/sandbox/node-suite.ts");
    const { NodeSuite, absentInNode } = module as typeof import("../../sandbox/node-suite.ts");
    const suite = await NodeSuite.open();
    try {
      const all = [...attacks, ...nodeAttacks];
      const control = await suite.attack(all, "control");
      const absent = absentInNode(control);
      const applying = all.filter(({ name }) => !absent.has(name));
      const outcomes = [
        ...(await suite.attack(applying, "sandbox")),
        ...(await suite.endure([...protocolAttempts, ...subtleProtocolAttempts])),
        ...(await suite.endure([...denialAttempts, ...subtleDenialAttempts])),
      ];
      return rowsOf(outcomes, control);
    } finally {
      await suite.close();
    }
  } finally {
    await vite.close();
  }
}

function rowsOf(outcomes: readonly Outcome[], control: readonly Outcome[]): BenchRow[] {
  const leaking = (all: readonly Outcome[]) => all.filter(({ leak }) => leak !== null);
  for (const { name, leak } of leaking(outcomes)) console.error(`  ${name}: ${leak}`);
  const blocked = outcomes.length - leaking(outcomes).length;
  return [
    exactly("Node: attempts blocked in QuickJS", blocked, "", outcomes.length),
    atLeast("Node: attempts that get out of a plain thread", leaking(control).length, "", 30),
  ];
}
