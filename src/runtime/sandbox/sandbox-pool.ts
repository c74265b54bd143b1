/** The interface of everything that runs mods: frames of a browser, QuickJS, or this thread for trusted code. Types only. */
import type { CompiledMod, CompiledModInfo } from "./compiled-mod.ts";
import type { SandboxPorts, SerializedTokenizer } from "./protocol.ts";

/** A mod in its sandbox. `connectModHost` uses its ports, wherever the engine is. */
export interface Guest extends SandboxPorts {
  /** The data that `connectModHost` needs. */
  readonly about: CompiledModInfo;
  /** Ends the sandbox at once. */
  kill(): void;
}

export interface SandboxPool {
  /** Rejects with a readable Error if the sandbox cannot start. `memory`: most bytes of it, where a sandbox has such a limit. */
  spawn(compiled: CompiledMod, memory?: number): Promise<Guest>;
  /** From now on, keeps sandboxes warm for a request with `count` mods: at least one, at most eight. */
  keepReady(count: number): void;
  /** From now on, warm sandboxes build this tokenizer in advance. */
  prepare(tokenizer: SerializedTokenizer): void;
  /** Ends all sandboxes. */
  dispose(): void;
}
