/** Keeps as many sandboxes awake as the next run has mods. */
import type { Stores } from "./stores.ts";

/** Watches until the returned function is called. */
export function keepSandboxesReady({ engine, mods }: Stores): () => void {
  let known = -1;
  const count = () => {
    const enabled = mods.getState().mods.filter((mod) => mod.enabled).length;
    if (enabled === known) return;
    known = enabled;
    engine.session.keepReady(enabled);
  };
  count();
  return mods.subscribe(count);
}
