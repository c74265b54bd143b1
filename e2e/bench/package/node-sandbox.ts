/** The attempts of the sandbox's suite that apply in Node, counted. Loaded through Vite, which makes the programs of the threads. */
import { attacks } from "../../sandbox/attacks.ts";
import { denialAttempts, protocolAttempts } from "../../sandbox/hostile.ts";
import { nodeAttacks } from "../../sandbox/node-attacks.ts";
import { absentInNode, NodeSuite } from "../../sandbox/node-suite.ts";
import { subtleDenialAttempts, subtleProtocolAttempts } from "../../sandbox/subtle-hostile.ts";

export interface NodeSandboxCount {
  /** Attempts that apply. */
  readonly attempts: number;
  /** Names of attacks that got out of QuickJS. */
  readonly leaks: readonly string[];
  /** Number of attacks that got out of a plain thread. */
  readonly controlLeaks: number;
}

export async function countNodeSandbox(): Promise<NodeSandboxCount> {
  const suite = await NodeSuite.open();
  try {
    const all = [...attacks, ...nodeAttacks];
    const control = await suite.attack(all, "control");
    const absent = absentInNode(control);
    const applying = all.filter(({ name }) => !absent.has(name));
    const hostile = [
      ...[...protocolAttempts, ...subtleProtocolAttempts],
      ...[...denialAttempts, ...subtleDenialAttempts],
    ];
    const outcomes = [...(await suite.attack(applying, "sandbox")), ...(await suite.endure(hostile))];
    const leaking = (each: { readonly leak: string | null }): boolean => each.leak !== null;
    return {
      attempts: outcomes.length,
      leaks: outcomes.filter(leaking).map(({ name }) => name),
      controlLeaks: control.filter(leaking).length,
    };
  } finally {
    await suite.close();
  }
}
