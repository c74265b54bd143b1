/**
 * A pool of sandboxes of any kind. One warm sandbox for each mod of the next request is always awake, so that the request does not
 * wait. Each sandbox serves one mod and one request.
 */
import type { CompiledMod } from "./compiled-mod.ts";
import { sameProcess, startDeadline } from "./deadlines.ts";
import type { EngineToGuest, SandboxPorts, TokenizerText, VocabularyNeeds } from "./protocol.ts";
import type { SandboxPool } from "./sandbox-pool.ts";

export interface Sandbox extends SandboxPorts {
  /** Settles when the guest is ready for its mod. */
  readonly awake: Promise<void>;
  /** Hands the guest its mod, once it is awake. */
  load(mod: CompiledMod): void;
  /** Ends all of its sandboxes, also busy ones. `awake` rejects, so that nobody waits for it. */
  remove(): void;
}

/** The most warm sandboxes. Each holds a tokenizer: some tens of megabytes for the largest vocabularies. */
const mostWarmSandboxes = 8;

/**
 * Milliseconds in which the process of a spare has to send back a ping. Browsers let several sandboxes share a process, which ends
 * when one mod has used up its memory, and no browser tells: `close` of a port does not come from another origin.
 */
export const longestReplyMs = 1_000;

/** Milliseconds after which a backup sandbox starts beside one that does not wake. */
export const backupAfterMs = 5_000;

/** Makes and removes sandboxes. */
interface SandboxMaker {
  create(): Sandbox;
  remove(sandbox: Sandbox): void;
}

/** Waits until a sandbox is awake. If that takes long, a backup sandbox starts, since the first one's process may have ended. */
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

export function createWarmPool(createSandbox: () => Sandbox): SandboxPool {
  const sandboxes = new Set<Sandbox>();
  const awakeOnes = new WeakSet<Sandbox>();
  let tokenizer: TokenizerText | null = null;
  /** The needs of all mods so far: warm sandboxes prepare for the same needs. */
  let needs: VocabularyNeeds = { strategies: false, bans: false };
  let warmSandboxes: Sandbox[] = [];
  let wantedSandboxes = 1;
  let isRefilling = false;
  let isDisposed = false;

  function create(): Sandbox {
    if (isDisposed) throw new Error("The sandboxes were disposed of: make a new pool.");
    const sandbox = createSandbox();
    sandboxes.add(sandbox);
    const wake = () => awakeOnes.add(sandbox);
    sandbox.awake.then(wake, () => undefined);
    if (tokenizer) send(sandbox, { type: "prepare", tokenizer, needs });
    return sandbox;
  }

  function remove(sandbox: Sandbox): void {
    sandbox.remove();
    sandboxes.delete(sandbox);
  }

  /** Makes warm sandboxes one after the other, since they share the processor with the request that has just begun. The failure of one is reported when a request takes it. */
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

  /** A warm sandbox whose process runs, or else a sandbox that begins to start. */
  async function take(): Promise<Sandbox> {
    const warmSandbox = warmSandboxes.shift();
    if (!warmSandbox) return create();
    if (await isAlive(warmSandbox)) return warmSandbox;
    remove(warmSandbox);
    // The other sandboxes may have run in the same process, so this loop checks them. If a request takes one meanwhile, the request
    // checks it.
    const others = await Promise.all(
      warmSandboxes.map(async (each) => ((await isAlive(each)) ? null : each)),
    );
    for (const dead of warmSandboxes.filter((each) => others.includes(each))) remove(dead);
    warmSandboxes = warmSandboxes.filter((each) => !others.includes(each));
    return take();
  }

  void refill();
  return {
    async spawn(mod) {
      const { about } = mod;
      needs = joined(needs, about.reads);
      const sandbox = await awakened(await take(), { create, remove });
      const { port, pingPort } = sandbox;
      sandbox.load(mod);
      setTimeout(() => void refill());
      return { port, pingPort, about, kill: () => remove(sandbox) };
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
    },
  };
}

/** Whether a sandbox that is awake sends back what it is sent. Several may ask at once. */
function answers({ pingPort }: Sandbox): Promise<boolean> {
  const answer = new Promise((heard) => pingPort.addEventListener("message", heard, { once: true }));
  pingPort.start();
  pingPort.postMessage(0);
  return settlesWithin(longestReplyMs, answer);
}

/** Whether the promise settles within this many milliseconds, not counting time in which this thread is busy. */
function settlesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const stopClock = startDeadline(ms, sameProcess, () => resolve(false));
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
