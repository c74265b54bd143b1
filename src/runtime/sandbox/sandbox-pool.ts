/** The interface of everything that runs mods: frames of a browser, QuickJS, or this thread for trusted code. Types only. */
import type { CompiledMod, ModAbout } from "./compiled-mod.ts";
import type { SandboxPorts, TokenizerText } from "./protocol.ts";

/** A mod in its sandbox. Its ports are for `connectModHost`, wherever the engine is. */
export interface Guest extends SandboxPorts {
  /** For `connectModHost`. */
  readonly about: ModAbout;
  /** Ends it at once. */
  kill(): void;
}

export interface SandboxPool {
  /** Rejects with a readable Error when the sandbox cannot start. */
  spawn(compiled: CompiledMod): Promise<Guest>;
  /** Keeps so many spares, from now on, for a request with so many mods; at least one, and at most eight. */
  keepReady(count: number): void;
  /** Lets spares build this tokenizer in advance, from now on. */
  prepare(tokenizer: TokenizerText): void;
  /** Ends all of them. */
  dispose(): void;
}
