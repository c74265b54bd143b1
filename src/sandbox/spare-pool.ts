/**
 * A pool of sandboxes, whatever they are made of. Spares are always awake, one for each mod of the next request, so that it
 * does not wait for them. A sandbox is for one mod and one request.
 */
import type { CompiledMod } from "./compiled-mod.ts";
import type { EngineToGuest, SandboxPorts, TokenizerText } from "./protocol.ts";
import type { SandboxPool } from "./sandbox-pool.ts";

export interface Sandbox extends SandboxPorts {
  /** Settles when the guest waits for its mod. */
  readonly awake: Promise<void>;
  /** Hands the guest its mod, once it is awake. */
  load(mod: CompiledMod): void;
  /** Ends everything in it, busy or not. `awake` rejects, so that whoever waits for it goes on. */
  remove(): void;
}

/** Each holds a tokenizer: some tens of megabytes for the largest vocabularies. */
const mostSpares = 8;

export function createSparePool(createSandbox: () => Sandbox): SandboxPool {
  const sandboxes = new Set<Sandbox>();
  let tokenizer: TokenizerText | null = null;
  /** Whether a mod has used strategies: from then on spares prepare for them. */
  let strategies = false;
  let spares: Sandbox[] = [];
  let wantedSpares = 1;
  let isRefilling = false;
  let isDisposed = false;

  function create(): Sandbox {
    const sandbox = createSandbox();
    sandboxes.add(sandbox);
    if (tokenizer) send(sandbox, { type: "prepare", tokenizer, strategies });
    return sandbox;
  }

  function remove(sandbox: Sandbox): void {
    sandbox.remove();
    sandboxes.delete(sandbox);
  }

  /** Makes spares one after the other, since they share the processor with the request that has just begun. A spare that failed says so when it is asked for. */
  async function refill(): Promise<void> {
    if (isRefilling) return;
    isRefilling = true;
    while (!isDisposed && spares.length < wantedSpares) {
      const spare = create();
      spares.push(spare);
      await spare.awake.catch(() => undefined);
    }
    isRefilling = false;
  }

  void refill();
  return {
    async spawn(mod) {
      if (isDisposed) throw new Error("The sandboxes were disposed of: make a new pool.");
      const sandbox = spares.shift() ?? create();
      const { about } = mod;
      strategies ||= about.reads.strategies;
      const { port, pingPort } = sandbox;
      try {
        await sandbox.awake;
      } catch (error) {
        remove(sandbox);
        throw error;
      }
      sandbox.load(mod);
      setTimeout(() => void refill());
      return { port, pingPort, about, kill: () => remove(sandbox) };
    },
    keepReady(count) {
      wantedSpares = Math.min(Math.max(count, 1), mostSpares);
      for (const spare of spares.splice(wantedSpares)) remove(spare);
      void refill();
    },
    prepare(text) {
      tokenizer = text;
      for (const spare of spares) send(spare, { type: "prepare", tokenizer, strategies });
    },
    dispose() {
      isDisposed = true;
      spares = [];
      for (const sandbox of [...sandboxes]) remove(sandbox);
    },
  };
}

function send({ port }: Sandbox, message: EngineToGuest): void {
  port.postMessage(message);
}
