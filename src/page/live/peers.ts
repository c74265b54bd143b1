/**
 * Connections between browsers and machines, over WebRTC. A signalling server leads the two ends to each other and
 * hears nothing of the run. `door.ts` bounds the memory and time that a watcher can cost before it has proved that it
 * has the link.
 */

import type { Connection, Transport } from "./connection.ts";
import { createDoor } from "./door.ts";
import { LiveError } from "./limits.ts";
import { createPeer, type Peer } from "./peer.ts";
import type { Signalling } from "./signalling.ts";
import { askSharer, BusyError, type SharerSocket, SilentError, shareByServer } from "./signalling-client.ts";
import type { Offer } from "./signalling-messages.ts";

/** How long a watcher tries, in milliseconds: during a flood the sharer does not answer the first attempt. */
const joinMs = 30_000;
/** How long the two ends may look for a way through networks, in milliseconds. */
const connectMs = 8_000;
/** A watcher waits between these before it asks again, so that many who wait do not ask at once. */
const againMs = { least: 700, most: 2_000 };
/** How often a server that does not answer is asked: it refuses an address that asks too often, which looks the same. */
const mostSilent = 6;

export function createPeers({ url, iceServers }: Signalling): Transport {
  return {
    async open(room, end) {
      checkBrowser();
      let server: SharerSocket | null = null;
      const door = createDoor<Offer>({
        async connect({ watcher, offer }, signal) {
          const peer = createPeer({ iceServers, signal });
          try {
            server?.answer({ watcher, answer: await peer.answer(offer) });
            end.connection(await peer.connection);
          } catch {
            // The offer could not be used, or the watcher did not come: nobody needs to know.
            peer.close();
          }
        },
        refuse: ({ watcher }) => server?.answer({ watcher, answer: null }),
      });
      server = await shareByServer(url, room, { offer: door.ask, reachable: end.reachable });
      return {
        close() {
          door.close();
          server?.close();
        },
      };
    },
    async join(room, signal) {
      checkBrowser();
      const attempt = AbortSignal.any([signal, AbortSignal.timeout(joinMs)]);
      try {
        attempt.throwIfAborted();
        return await join({ url, iceServers, room, signal: attempt });
      } catch (cause) {
        signal.throwIfAborted();
        throw attempt.aborted ? noNetwork() : cause;
      }
    },
  };
}

/** @throws LiveError in a browser without WebRTC, which some extensions and settings switch off. */
function checkBrowser(): void {
  if (typeof RTCPeerConnection === "undefined")
    throw new LiveError(
      "Other machines cannot be reached: this browser has no WebRTC, or it is switched off. Watch from another tab of the browser that shares, or use another browser.",
    );
}

interface Joining extends Signalling {
  readonly room: string;
  readonly signal: AbortSignal;
}

/** @throws LiveError if there is no connection, and the signal's reason once it is aborted. */
async function join(joining: Joining): Promise<Connection> {
  for (;;) {
    const peer = createPeer(joining);
    try {
      await peer.accept(await askAgain(await peer.offer(), joining));
      return await inTime(peer);
    } catch (cause) {
      peer.close();
      joining.signal.throwIfAborted();
      if (!(cause instanceof BusyError)) throw cause;
      await pause(joining.signal);
    }
  }
}

/** Asks until the sharer answers. */
async function askAgain(offer: string, { url, room, signal }: Joining): Promise<string> {
  let silent = 0;
  for (;;) {
    try {
      return await askSharer(url, room, { offer, signal });
    } catch (cause) {
      if (cause instanceof SilentError) silent += 1;
      else if (!(cause instanceof BusyError)) throw cause;
      if (silent >= mostSilent) throw cause;
      await pause(signal);
    }
  }
}

/** @throws BusyError if the connection does not open within `connectMs`: the sharer may have had too many to connect. */
async function inTime(peer: Peer): Promise<Connection> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BusyError("The connection did not open.")), connectMs);
  });
  try {
    return await Promise.race([peer.connection, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws the signal's reason once it is aborted. */
function pause(signal: AbortSignal): Promise<void> {
  const { least, most } = againMs;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener("abort", abort);
        resolve();
      },
      least + Math.random() * (most - least),
    );
    signal.addEventListener("abort", abort, { once: true });
  });
}

const noNetwork = () =>
  new LiveError(
    "The page that shares this run did not answer within 30 seconds: too many people are asking, or the network blocks the connection. Try again later.",
  );
