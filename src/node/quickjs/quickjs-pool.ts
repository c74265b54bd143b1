/**
 * Sandboxes in Node: QuickJS in WebAssembly, each guest in a thread of its own. Behind the same protocol as the frames of a
 * browser, and with the same guest's program, runs the same mod. Spares are always awake, as those of frames are.
 *
 * What it gives: a mod's code is data to Node, read by an interpreter that was made without files, network, clock and
 * processes. What it does not: there is one wall, not three. Whoever finds a fault of WebAssembly in V8 that leads out of
 * its memory has what the thread has, which is all that this process may do. Its memory is the process's own.
 */
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { realmProgram, threadProgram } from "virtual:quickjs-programs";
import { guestProgram } from "../../sandbox/guest-program.ts";
import { defineName } from "../../sandbox/module-wrapper.ts";
import type { EngineToGuest, TokenizerText } from "../../sandbox/protocol.ts";
import type { SandboxPool } from "../../sandbox/sandbox-pool.ts";
import type { GuestScript, GuestThreadData, GuestThreadNews } from "./guest-thread.ts";
import type { RealmLimits } from "./guest-realm.ts";

export interface QuickJsPoolOptions {
  readonly limits?: Partial<RealmLimits>;
  /** The guest's program; the suite puts a hostile one in its place. */
  readonly program?: string;
}

/** A mebibyte. */
const MiB = 2 ** 20;

export const defaultRealmLimits: RealmLimits = { memory: 1_024 * MiB, stack: 512 * 1_024 };

/** Megabytes of a thread's own stack: calls in QuickJS are calls of WebAssembly. */
const threadStack = 8;

const longestStart = 20_000;

/** Each holds a tokenizer: some tens of megabytes for the largest vocabularies. */
const mostSpares = 8;

interface Sandbox {
  readonly port: MessagePort;
  readonly pingPort: MessagePort;
  /** Settles when the guest waits for its mod. */
  readonly awake: Promise<void>;
  load(script: GuestScript): void;
  remove(): void;
}

export function createQuickJsPool({ limits, program }: QuickJsPoolOptions = {}): SandboxPool {
  const sandboxes = new Set<Sandbox>();
  let tokenizer: TokenizerText | null = null;
  /** Whether a mod has used strategies: from then on spares prepare for them. */
  let strategies = false;
  let spares: Sandbox[] = [];
  let wantedSpares = 1;
  let isRefilling = false;
  let isDisposed = false;

  function create(): Sandbox {
    const sandbox = createSandbox({ ...defaultRealmLimits, ...limits }, program);
    sandboxes.add(sandbox);
    if (tokenizer) prepare(sandbox, { type: "prepare", tokenizer, strategies });
    return sandbox;
  }
}
