/**
 * Connects browsers on different machines over WebRTC. A signalling server introduces the two ends to each other and sees nothing
 * of the run. `door.ts` limits the memory and time that watchers can cost before they have proved that they have the link.
 */

import type { Connection, Transport } from "./connection.ts";
import { createConnectionQueue } from "./door.ts";
import { LiveError } from "./limits.ts";
import { createWebRtcConnector, type WebRtcConnector } from "./peer.ts";
import type { SignallingConfig } from "./signalling.ts";
import {
  openSharerSocket,
  requestSharerAnswer,
  ServerSilentError,
  SharerBusyError,
  type SharerSocket,
} from "./signalling-client.ts";
import type { Offer } from "./signalling-messages.ts";

/** Milliseconds for which a watcher tries to connect: during a flood of requests, the sharer may not answer the first attempt. */
const joinMs = 30_000;
/** Milliseconds for which the two ends may look for a way through networks. */
const connectMs = 8_000;
/** A watcher waits for a random time in this range before it asks again, so that waiting watchers do not all ask at once. */
const againMs = { least: 700, most: 2_000 };
/** Attempts with a server that does not answer. A server that refuses an address because it asks too often looks the same. */
const mostSilent = 6;

export function createPeerTransport({ url, iceServers }: SignallingConfig): Transport {
  return {
    async open(room, end) {
      checkBrowser();
      let server: SharerSocket | null = null;
      const door = createConnectionQueue<Offer>({
        async connect({ watcher, offer }, signal) {
          const peer = createWebRtcConnector({ iceServers, signal });
          try {
            server?.answer({ watcher, answer: await peer.answer(offer) });
            end.connection(await peer.connection);
          } catch {
            // The offer was invalid, or the watcher did not connect: no message is shown to the sharer.
            peer.close();
          }
        },
        refuse: ({ watcher }) => server?.answer({ watcher, answer: null }),
      });
      server = await openSharerSocket(url, room, { offer: door.ask, reachable: end.reachable });
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

/** @throws LiveError if the browser has no WebRTC; some extensions and settings switch it off */
function checkBrowser(): void {
  if (typeof RTCPeerConnection === "undefined")
    throw new LiveError(
      "Other machines cannot be reached, because this browser has no WebRTC, or WebRTC is switched off. Watch in another tab of the browser that shares the run, or use another browser.",
    );
}

interface Joining extends SignallingConfig {
  readonly room: string;
  readonly signal: AbortSignal;
}

/** @throws LiveError if there is no connection; the signal's reason once the signal is aborted */
async function join(joining: Joining): Promise<Connection> {
  for (;;) {
    const peer = createWebRtcConnector(joining);
    try {
      await peer.accept(await askAgain(await peer.offer(), joining));
      return await inTime(peer);
    } catch (cause) {
      peer.close();
      joining.signal.throwIfAborted();
      if (!(cause instanceof SharerBusyError)) throw cause;
      await pause(joining.signal);
    }
  }
}

/** Sends the offer again until the sharer answers. */
async function askAgain(offer: string, { url, room, signal }: Joining): Promise<string> {
  let silent = 0;
  for (;;) {
    try {
      return await requestSharerAnswer(url, room, { offer, signal });
    } catch (cause) {
      if (cause instanceof ServerSilentError) silent += 1;
      else if (!(cause instanceof SharerBusyError)) throw cause;
      if (silent >= mostSilent) throw cause;
      await pause(signal);
    }
  }
}

/** @throws SharerBusyError if the connection does not open within `connectMs`: the sharer may have had too many to make */
async function inTime(peer: WebRtcConnector): Promise<Connection> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new SharerBusyError("The connection could not be opened. Try again later.")),
      connectMs,
    );
  });
  try {
    return await Promise.race([peer.connection, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws the signal's reason once the signal is aborted */
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
    "The page that shares this run did not answer within 30 seconds: too many people are connecting, or the network blocks the connection. Try again later.",
  );
