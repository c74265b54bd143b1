/**
 * A guest without a sandbox, for the page's own mods or an operator's own files. It runs on the thread that starts it, sees
 * everything in the page or the process, and cannot be ended while it is busy. For the engine it is a guest like any other,
 * at the other end of a port.
 */
import type { TrustedMod } from "../../core/sdk/mod.ts";
import { forgetRequest, takeTurn, trackStates } from "../../core/sdk/request-scope.ts";
import { createGuestMessageHandler, type ModFileExports } from "./guest-turns.ts";
import type { EngineToGuest, GuestToEngine, SourceReads } from "./protocol.ts";
import type { Guest } from "./sandbox-pool.ts";

/** `source`: the text that the trace shows for the mod. The engine derives from it which parts of events the mod reads. */
export function startTrustedGuest(
  mod: TrustedMod,
  { name, source }: { name: string; source: string },
): Guest {
  const engine = new MessageChannel();
  const pings = new MessageChannel();
  const label = `${name}.ts`;
  const turns = createGuestMessageHandler({
    post: (message: GuestToEngine, transfer) => engine.port2.postMessage(message, transfer),
    // The mod writes to the page's own console.
    takeConsole: () => [],
    onStart() {},
    onEvent() {},
  });
  let requestId: string | null = null;
  let dropStates = (): void => undefined;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const load = (): ModFileExports => {
    if (typeof mod !== "function") return { default: mod };
    const { result, drop } = trackStates(mod);
    dropStates = drop;
    return result;
  };
  engine.port2.onmessage = ({ data }: MessageEvent<EngineToGuest>) => {
    if (data.type === "events") requestId = data.events[0]?.requestId ?? requestId;
    // The mod that is replying waits for its scores.
    if (data.type === "scores") void turns.receive(data);
    // A mod that never replies blocks the others, but only until its request ends.
    else takeTurn(() => Promise.race([ended, turns.receive(data)]));
  };
  pings.port2.onmessage = ({ data }) => pings.port2.postMessage(data);
  turns.give({ label, load, faultPlace: () => null });
  return {
    port: engine.port1,
    pingPort: pings.port1,
    about: { label, reads: readsOf(source), mappings: "" },
    kill() {
      end();
      dropStates();
      if (requestId !== null) forgetRequest(requestId);
      engine.port2.close();
      pings.port2.close();
    },
  };
}

/** Where a source may read the property: after a dot, in quotes, or first or after a comma in braces. Comments may stand before it. */
const logitsProperty = /(?:[.{,"'`/]\s*|^\s*)logits\b/m;

function readsOf(source: string): SourceReads {
  return {
    logits: logitsProperty.test(source),
    topK: true,
    hiddenState: true,
    conversation: true,
    output: true,
    // The text of a function does not show whether it needs masks, so the tables of the vocabulary are built when the mod
    // first uses them.
    strategies: false,
    bans: false,
  };
}
