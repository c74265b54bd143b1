/** The page's sockets to the signalling server. */
import { LiveError } from "./limits.ts";
import {
  closeCodes,
  hashRoomName,
  type Offer,
  parseDescription,
  parseOffer,
  type SharerAnswer,
} from "./signalling-messages.ts";

/** Opens a socket; tests use a socket of Node's. */
export type SocketOpener = (url: string) => WebSocket;

const openSocket: SocketOpener = (url) => new WebSocket(url);

/** Milliseconds after which a server that was lost, or did not answer the first time, is asked again. */
const againAfterMs = 3_000;
const firstAgainMs = 1_000;
/** Attempts of a sharer before it gives up. A server that refuses an address because it asks too often looks like a missing server. */
const firstAttempts = 3;

export interface SharerCallbacks {
  offer(offer: Offer): void;
  reachable(isReachable: boolean): void;
}

export interface SharerSocket {
  answer(answer: SharerAnswer): void;
  close(): void;
}

function addressOf(url: string, role: "share" | "watch", room: string): string {
  const address = new URL(url);
  address.searchParams.set(role, hashRoomName(room));
  return address.href;
}

/**
 * Resolves when the server has accepted this sharer. If the connection is lost later, the client connects again until `close`.
 * @throws LiveError if the server does not answer the first attempts
 */
export function openSharerSocket(
  url: string,
  room: string,
  end: SharerCallbacks,
  open: SocketOpener = openSocket,
): Promise<SharerSocket> {
  const address = addressOf(url, "share", room);
  return new Promise((resolve, reject) => {
    let socket: WebSocket;
    let again: ReturnType<typeof setTimeout> | undefined;
    let wasOpen = false;
    let attempts = 0;
    let isClosed = false;
    const sharer: SharerSocket = {
      answer(answer) {
        if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(answer));
      },
      close() {
        isClosed = true;
        clearTimeout(again);
        socket.close();
      },
    };
    const connect = () => {
      socket = open(address);
      attempts += 1;
      // The server's first message says that the name belongs to this sharer now.
      let isOpen = false;
      socket.onmessage = ({ data }: MessageEvent<unknown>) => {
        if (isClosed) return;
        if (!isOpen) {
          isOpen = true;
          wasOpen = true;
          end.reachable(true);
          return resolve(sharer);
        }
        const offer = parseOffer(data);
        if (offer) end.offer(offer);
        else socket.close();
      };
      socket.onclose = () => {
        if (isClosed) return;
        if (!wasOpen && attempts >= firstAttempts) {
          isClosed = true;
          return reject(serverSilent("Watchers from other machines cannot join"));
        }
        if (isOpen) end.reachable(false);
        again = setTimeout(connect, wasOpen ? againAfterMs : firstAgainMs);
      };
    };
    connect();
  });
}

/** The signalling server did not answer. */
export class ServerSilentError extends LiveError {}

const serverSilent = (what: string) =>
  new ServerSilentError(`${what}: the signalling server did not answer. Try again later.`);

/** The sharer has too many connections to make at present. */
export class SharerBusyError extends LiveError {}

/**
 * Sends a watcher's offer to the sharer. @returns the sharer's answer @throws LiveError if nobody shares the run,
 * ServerSilentError if the server does not answer, SharerBusyError if a later attempt may succeed, and the signal's reason once
 * the signal is aborted
 */
export function requestSharerAnswer(
  url: string,
  room: string,
  { offer, signal, open = openSocket }: { offer: string; signal: AbortSignal; open?: SocketOpener },
): Promise<string> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const socket = open(addressOf(url, "watch", room));
    const abort = () => {
      reject(signal.reason);
      socket.close();
    };
    signal.addEventListener("abort", abort);
    let wasOpen = false;
    socket.onopen = () => {
      wasOpen = true;
      socket.send(JSON.stringify({ offer }));
    };
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      const answer = parseDescription(data, "answer");
      if (answer === null) reject(serverSilent("The run cannot be watched now"));
      else resolve(answer);
      socket.close();
    };
    socket.onclose = ({ code }) => {
      signal.removeEventListener("abort", abort);
      if (code === closeCodes.nobody) reject(new LiveError("Nobody is sharing this run now."));
      else if (wasOpen)
        reject(new SharerBusyError("Too many people want to watch this run at the moment. Try again later."));
      else reject(serverSilent("The run cannot be watched now"));
    };
  });
}
