/**
 * A guest without a sandbox, for mods that are the page's own code: it runs on the thread that starts it, sees all of the page,
 * and nothing can end it while it is busy. To the engine it is a guest like any other, at the other end of a port.
 */
import type { Mod } from "../../core/sdk/mod.ts";
import { createGuestTurns } from "./guest-turns.ts";
import type { EngineToGuest, GuestToEngine, SourceReads } from "./protocol.ts";
import type { Guest } from "./sandbox-pool.ts";

/** A global of the SDK holds the request's data, so trusted mods of this thread answer one after the other. */
let last: Promise<void> = Promise.resolve();

/** `source`: what the trace shows of the mod, and from which is seen what it reads. */
export function startTrustedGuest(mod: Mod, { name, source }: { name: string; source: string }): Guest {
  const engine = new MessageChannel();
  const pings = new MessageChannel();
  const label = `${name}.ts`;
  const turns = createGuestTurns({
    post: (message: GuestToEngine, transfer) => engine.port2.postMessage(message, transfer),
    // The mod writes to the page's own console.
    takeConsole: () => [],
    onStart() {},
    onEvent() {},
  });
  engine.port2.onmessage = ({ data }: MessageEvent<EngineToGuest>) => {
    // The mod that is being answered waits for its scores.
    if (data.type === "scores") void turns.receive(data);
    else last = last.then(() => turns.receive(data));
  };
  pings.port2.onmessage = ({ data }) => pings.port2.postMessage(data);
  turns.give({ label, load: () => ({ default: mod }), faultPlace: () => null });
  return {
    port: engine.port1,
    pingPort: pings.port1,
    about: { label, reads: readsOf(source), mappings: "" },
    kill() {
      engine.port2.close();
      pings.port2.close();
    },
  };
}

function readsOf(source: string): SourceReads {
  const names = new Set(source.match(/[\w$]+/g));
  return {
    logits: names.has("logits"),
    topK: true,
    hiddenState: true,
    conversation: true,
    output: true,
    // The vocabulary is made ready at once where masks may be needed: nobody can tell from a function's text.
    strategies: false,
    bans: false,
  };
}
