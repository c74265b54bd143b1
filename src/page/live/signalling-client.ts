/** The page's end of the sockets to the signalling server. */
import { LiveError } from "./limits.ts";
import {
  type Answer,
  closeCodes,
  nameOf,
  type Offer,
  parseDescription,
  parseOffer,
} from "./signalling-messages.ts";

/** Makes a socket; a test has one of Node's. */
export type OpenSocket = (url: string) => WebSocket;

const openSocket: OpenSocket = (url) => new WebSocket(url);

/** The server is asked again so many milliseconds after it was lost, or did not answer at first. */
const againAfterMs = 3_000;
const firstAgainMs = 1_000;
/** How often a sharer asks at first. The server refuses an address that asks too often, which looks like no server here. */
const firstAttempts = 3;

export interface SharerEnd {
  offer(offer: Offer): void;
  reachable(isReachable: boolean): void;
}

export interface SharerSocket {
  answer(answer: Answer): void;
  close(): void;
}

function addressOf(url: string, role: "share" | "watch", room: string): string {
  const address = new URL(url);
  address.searchParams.set(role, nameOf(room));
  return address.href;
}

/**
 * Resolves once the server leads watchers here. If it is lost later, it is asked again until `close`.
 * @throws LiveError if the server does not answer at first.
 */
export function shareByServer(
  url: string,
  room: string,
  end: SharerEnd,
  open: OpenSocket = openSocket,
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
      // The first message says that the name is this sharer's.
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
export class SilentError extends LiveError {}

const serverSilent = (what: string) =>
  new SilentError(`${what}: the signalling server did not answer. Try again later.`);

/** The sharer has too many watchers to connect now. */
export class BusyError extends LiveError {}

/**
 * Sends a watcher's offer to the sharer. @returns the sharer's answer. @throws LiveError if nobody shares the run or the server
 * does not answer (SilentError), BusyError if a later attempt may succeed, and the signal's reason once it is aborted.
 */
export function askSharer(
  url: string,
  room: string,
  { offer, signal, open = openSocket }: { offer: string; signal: AbortSignal; open?: OpenSocket },
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
      if (answer === null) reject(serverSilent("The run cannot be watched from here"));
      else resolve(answer);
      socket.close();
    };
    socket.onclose = ({ code }) => {
      signal.removeEventListener("abort", abort);
      if (code === closeCodes.nobody) reject(new LiveError("Nobody is sharing this run now."));
      else if (wasOpen) reject(new BusyError("Too many people want to watch this run at the moment."));
      else reject(serverSilent("The run cannot be watched from here"));
    };
  });
}
