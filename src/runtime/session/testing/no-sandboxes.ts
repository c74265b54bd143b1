/** Replaces the pool of sandboxes for requests without mods. */
import type { SandboxPool } from "../../sandbox/sandbox-pool.ts";

export function createEmptySandboxPool(): SandboxPool {
  return {
    spawn: () => Promise.reject(new Error("There is no sandbox in Node.")),
    keepReady() {},
    prepare() {},
    dispose() {},
  };
}
