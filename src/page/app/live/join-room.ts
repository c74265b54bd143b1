/** Finds who shares a run: in this browser first, then by the signalling server, where one is configured. */

import type { Connection } from "../../live/connection.ts";
import { LiveError } from "../../live/limits.ts";
import { fetchSignallingConfig } from "../../live/signalling.ts";
import { createTabTransport } from "../../live/tabs.ts";
import { pageLocks } from "../store/browser-storage.ts";
import { loadPeerTransport } from "./load-peers.ts";

/** @throws LiveError if nobody shares it. */
export async function joinRoom(room: string, signal: AbortSignal): Promise<Connection> {
  try {
    return await createTabTransport({ locks: pageLocks() }).join(room, signal);
  } catch (cause) {
    if (!(cause instanceof LiveError)) throw cause;
  }
  const signalling = await fetchSignallingConfig();
  if (!signalling)
    throw new LiveError(
      "No tab in this browser is sharing this run. This page cannot look for the run on other machines, because it has no signalling server. Open the link in the browser that shares the run, or ask whether the run is still shared.",
    );
  const createPeers = await loadPeerTransport();
  return createPeers(signalling).join(room, signal);
}
