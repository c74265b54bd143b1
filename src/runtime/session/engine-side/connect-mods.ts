/** The engine's side of a request's mods: connects them, and ends them when the request is stopped. */
import { untilAborted } from "../../../core/base/abort.ts";
import type { ModHost } from "../../../core/decoder/ports/mod-host.ts";
import type { TokenizerData } from "../../../core/tokenizer/create-tokenizer.ts";
import { connectModHost } from "../../sandbox/port-mod-host.ts";
import type { EngineMessage, SandboxedMod } from "../shared/protocol.ts";
import type { RunRequest } from "../shared/requests.ts";

export interface ConnectModsOptions {
  readonly request: Pick<RunRequest, "requestId" | "mods" | "deadlines" | "seed">;
  readonly guests: readonly SandboxedMod[];
  readonly tokenizerData: TokenizerData;
  /** Aborted when the request is stopped. */
  readonly signal: AbortSignal;
  send(message: EngineMessage): void;
}

/**
 * Milliseconds that a mod may still take for its reply after its request was stopped. Its own deadline may be 20 s, but if a
 * request has not ended after `longestStopMs`, the whole worker is ended.
 */
const stoppedModMs = 500;

/**
 * Connects the ports of each mod's sandbox. A mod that could not be loaded replies to its first event with this fault.
 * @throws the signal's reason if the request is stopped meanwhile
 */
export async function connectMods(options: ConnectModsOptions): Promise<ModHost[]> {
  const { request, guests, tokenizerData, signal, send } = options;
  const { requestId, deadlines = {}, seed } = request;
  const connecting = guests.map((guest, mod) => {
    const { name = `mod ${mod + 1}`, entry, limits } = request.mods[mod] ?? {};
    return connectModHost(guest, {
      name,
      about: guest.about,
      ...(entry && { entry }),
      deadlines: { ...deadlines, ...limits?.deadlines },
      seed,
      tokenizerData,
      onKill: () => send({ type: "killMod", requestId, mod }),
    });
  });
  const all = Promise.all(connecting);
  try {
    const hosts = await untilAborted(all, signal);
    endWhenStopped(hosts, signal);
    return hosts;
  } catch (error) {
    void all.then((hosts) => disposeAll(hosts));
    throw error;
  }
}

export function disposeAll(hosts: readonly ModHost[]): void {
  for (const host of hosts) host.dispose();
}

function endWhenStopped(hosts: readonly ModHost[], signal: AbortSignal): void {
  signal.addEventListener("abort", () => setTimeout(() => disposeAll(hosts), stoppedModMs), { once: true });
}
