/** The page's side of the suite: the product's own pool, an engine's worker, and ways to run one attempt. */
import { compileMod } from "../../src/runtime/sandbox/compile.ts";
import type { CompiledMod } from "../../src/runtime/sandbox/compiled-mod.ts";
import { createSandboxPool } from "../../src/runtime/sandbox/frame.ts";
import type { Guest, SandboxPool } from "../../src/runtime/sandbox/sandbox-pool.ts";
import type { EngineNews, EngineTask } from "./suite-engine.ts";

export type Done = Extract<EngineNews, { type: "done" }>;

export interface Harness {
  readonly pool: SandboxPool;
  /** Kills so far. */
  readonly kills: number;
  /** Messages that reached this window from anywhere. Frames have no business to send any. */
  readonly strayMessages: number;
  /** Runs a mod over the real path: pool, port, engine's worker. */
  run(compiled: CompiledMod, task: Partial<EngineTask>, pool?: SandboxPool): Promise<Done>;
}

export function createHarness(): Harness {
  const engine = new Worker(new URL("./suite-engine.ts", import.meta.url), { type: "module" });
  const waiting = new Map<number, { readonly guest: Guest; resolve(done: Done): void }>();
  const pool = createSandboxPool({ document });
  const counts = { kills: 0, strayMessages: 0, tasks: 0 };
  addEventListener("message", () => {
    counts.strayMessages += 1;
  });
  engine.onmessage = ({ data }: MessageEvent<EngineNews>) => {
    const entry = waiting.get(data.id);
    if (data.type === "kill") {
      counts.kills += 1;
      entry?.guest.kill();
    } else {
      entry?.resolve(data);
      waiting.delete(data.id);
    }
  };
  return {
    pool,
    get kills() {
      return counts.kills;
    },
    get strayMessages() {
      return counts.strayMessages;
    },
    async run(compiled, task, from = pool) {
      const guest = await from.spawn(compiled);
      const id = ++counts.tasks;
      return new Promise((resolve) => {
        waiting.set(id, { guest, resolve });
        const { port, pingPort, about } = guest;
        const defaults = { seed: 1, deadlines: {}, events: ["prefilled"] } as const;
        const whole: EngineTask = { id, port, pingPort, about, ...defaults, ...task };
        engine.postMessage(whole, [port, pingPort]);
      });
    },
  };
}

/** @throws Error for a source that does not compile: a fault of the suite. */
export function compile(source: string): CompiledMod {
  const result = compileMod(source, "attack");
  if (!result.ok) throw new Error(`${result.problems[0]?.message} In:\n${source}`);
  return result;
}

/** Rejects when `promise` takes longer. */
export async function within<Value>(ms: number, promise: Promise<Value>, what: string): Promise<Value> {
  let timer = 0;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${what} took longer than ${ms} ms.`)),
      ms,
    ) as unknown as number;
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
