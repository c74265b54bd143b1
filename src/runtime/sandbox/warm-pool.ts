/**
 * A pool of sandboxes of any kind. For each mod of the next request, one warm sandbox is always awake, so that the request
 * does not wait. Each sandbox serves one mod and one request.
 */
import type { CompiledMod } from "./compiled-mod.ts";
import { sameProcessPings, startDeadline } from "./deadlines.ts";
import type { EngineToGuest, SandboxPorts, SerializedTokenizer, VocabularyNeeds } from "./protocol.ts";
import type { SandboxPool } from "./sandbox-pool.ts";

export interface Sandbox extends SandboxPorts {
  /** Settles when the guest is ready for its mod. */
  readonly awake: Promise<void>;
  /** Passes the mod to the guest, after `awake`. @param memory bytes of its memory, where a sandbox has such a limit */
  load(mod: CompiledMod, memory?: number): void;
  /** Ends the sandbox, even if it is busy. `awake` rejects, so that nobody waits for it. */
  remove(): void;
}

/** The most warm sandboxes. Each holds a tokenizer, which has some tens of megabytes for the largest vocabularies. */
const mostWarmSandboxes = 8;

/**
 * Milliseconds in which the process of a warm sandbox must return a ping. Browsers let several sandboxes share a process,
 * which ends when one mod has used up its memory. No browser reports this: a port's `close` event does not cross origins.
 */
export const longestPingReplyMs = 1_000;

/** Milliseconds after which a backup sandbox starts if the first does not wake. */
export const backupAfterMs = 5_000;

/** Makes and removes sandboxes. */
interface SandboxMaker {
  create(): Sandbox;
  remove(sandbox: Sandbox): void;
}

/** Waits until a sandbox is awake. If that takes long, a backup sandbox starts, because the first one's process may have ended. */
async function awakened(first: Sandbox, { create, remove }: SandboxMaker): Promise<Sandbox> {
  const candidates = [first];
  try {
    if (!(await settlesWithin(backupAfterMs, first.awake))) candidates.push(create());
    const chosen = await Promise.any(candidates.map((each) => each.awake.then(() => each)));
    for (const each of candidates) if (each !== chosen) remove(each);
    return chosen;
  } catch (error) {
    for (const each of candidates) remove(each);
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}

/**
 * @param mostStarting the most sandboxes that start at the same time because requests wait for them; further requests wait for
 *   their turn
 */
export function createWarmPool(
  createSandbox: () => Sandbox,
  mostStarting = Number.POSITIVE_INFINITY,
): SandboxPool {
  const sandboxes = new Set<Sandbox>();
  const awakeOnes = new WeakSet<Sandbox>();
  let tokenizer: SerializedTokenizer | null = null;
  /** The needs of all mods so far, which warm sandboxes prepare for. */
  let needs: VocabularyNeeds = { strategies: false, bans: false };
  let warmSandboxes: Sandbox[] = [];
  let wantedSandboxes = 1;
  let isRefilling = false;
  let isDisposed = false;
  const turns = createTurns(mostStarting);

  function create(): Sandbox {
    if (isDisposed) throw new Error("The sandboxes were disposed of: make a new pool.");
    const sandbox = createSandbox();
    sandboxes.add(sandbox);
    sandbox.awake.then(() => awakeOnes.add(sandbox)).catch(() => undefined);
    if (tokenizer) send(sandbox, { type: "prepare", tokenizer, needs });
    return sandbox;
  }

  function remove(sandbox: Sandbox): void {
    sandbox.remove();
    sandboxes.delete(sandbox);
  }

  /** Makes warm sandboxes one after the other, because they share the processor with the request that has just begun. If one fails, the request that takes it reports the failure. */
  async function refill(): Promise<void> {
    if (isRefilling) return;
    isRefilling = true;
    while (!isDisposed && warmSandboxes.length < wantedSandboxes) {
      const warmSandbox = create();
      warmSandboxes.push(warmSandbox);
      await warmSandbox.awake.catch(() => undefined);
    }
    isRefilling = false;
  }

  const isAlive = async (sandbox: Sandbox) => !awakeOnes.has(sandbox) || (await answers(sandbox));

  /** A warm sandbox whose process runs; otherwise a sandbox that starts now. */
  async function take(): Promise<Sandbox> {
    const warmSandbox = warmSandboxes.shift();
    if (!warmSandbox) return turns.start(create);
    if (await isAlive(warmSandbox)) return warmSandbox;
    remove(warmSandbox);
    // The other sandboxes may have run in the same process, so they are checked too. If a request takes one meanwhile, the
    // request checks it.
    const others = await Promise.all(
      warmSandboxes.map(async (each) => ((await isAlive(each)) ? null : each)),
    );
    for (const dead of warmSandboxes.filter((each) => others.includes(each))) remove(dead);
    warmSandboxes = warmSandboxes.filter((each) => !others.includes(each));
    return take();
  }

  void refill();
  return {
    async spawn(mod, memory) {
      needs = joined(needs, mod.about.reads);
      const sandbox = await awakened(await take(), { create, remove });
      sandbox.load(mod, memory);
      setTimeout(() => void refill());
      const kill = () => remove(sandbox);
      return { port: sandbox.port, pingPort: sandbox.pingPort, about: mod.about, kill };
    },
    keepReady(count) {
      wantedSandboxes = Math.min(Math.max(count, 1), mostWarmSandboxes);
      for (const warmSandbox of warmSandboxes.splice(wantedSandboxes)) remove(warmSandbox);
      void refill();
    },
    prepare(text) {
      tokenizer = text;
      for (const warmSandbox of warmSandboxes) send(warmSandbox, { type: "prepare", tokenizer, needs });
    },
    dispose() {
      isDisposed = true;
      warmSandboxes = [];
      for (const sandbox of [...sandboxes]) remove(sandbox);
      turns.endWaiting();
    },
  };
}

/** Lets so many sandboxes start at the same time. Others wait in their order, each until an earlier one has started or failed. */
function createTurns(most: number) {
  let count = 0;
  const waiting: (() => void)[] = [];
  const end = () => {
    count--;
    waiting.shift()?.();
  };
  return {
    async start(create: () => Sandbox): Promise<Sandbox> {
      if (count >= most) await new Promise<void>((resolve) => waiting.push(resolve));
      count++;
      try {
        const sandbox = create();
        sandbox.awake.then(end, end);
        return sandbox;
      } catch (error) {
        end();
        throw error;
      }
    },
    endWaiting(): void {
      for (const next of waiting.splice(0)) next();
    },
  };
}

/** Whether an awake sandbox returns a ping. Several callers may ask at once. */
function answers({ pingPort }: Sandbox): Promise<boolean> {
  const answer = new Promise((heard) => pingPort.addEventListener("message", heard, { once: true }));
  pingPort.start();
  pingPort.postMessage(0);
  return settlesWithin(longestPingReplyMs, answer);
}

/** Whether the promise settles within `ms` milliseconds, not counting time in which this thread is busy. */
function settlesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const stopClock = startDeadline(ms, sameProcessPings, () => resolve(false));
    const settle = () => {
      stopClock();
      resolve(true);
    };
    promise.then(settle, settle);
  });
}

function send({ port }: Sandbox, message: EngineToGuest): void {
  port.postMessage(message);
}

function joined(one: VocabularyNeeds, other: VocabularyNeeds): VocabularyNeeds {
  return { strategies: one.strategies || other.strategies, bans: one.bans || other.bans };
}
