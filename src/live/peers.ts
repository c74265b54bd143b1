/**
 * Lines between browsers and machines, over WebRTC by PeerJS. A signalling server leads the two ends to each other and hears
 * nothing of the run; what goes between them is encrypted, and never passes PeerJS's own ways to pack it.
 */
import { type DataConnection, Peer, type PeerError, type PeerOptions } from "peerjs";
import { sha256 } from "../base/sha256.ts";
import { LiveError } from "./limits.ts";
import { type Line, type LineEnd, mostOnTheWay, type Transport } from "./line.ts";
import type { Signalling } from "./signalling.ts";

/** The signalling server is asked again so many milliseconds after it was lost. */
const againAfterMs = 3_000;
/** A watcher waits so long for the other end, in milliseconds: the two find a way through networks meanwhile. */
const joinMs = 20_000;

/** A line over which nothing comes any more is given up after so many milliseconds, and so is one that is being closed. */
const missedMs = 8_000;
const closingMs = 10_000;

/** The name by which the server knows the room, from which nobody learns the room itself. */
const peerOf = (room: string) => `midtoken-${sha256(room).slice(0, 32)}`;

export function createPeers({ url, iceServers }: Signalling): Transport {
  const { hostname, port, protocol, pathname } = new URL(url);
  const isSecure = protocol === "wss:";
  const options: PeerOptions = {
    host: hostname,
    port: port === "" ? (isSecure ? 443 : 80) : Number(port),
    path: pathname,
    secure: isSecure,
    // Nothing of PeerJS's own servers: only what the page's host has configured.
    config: { iceServers },
    debug: 0,
  };
  return {
    async open(room, end) {
      const peer = new Peer(peerOf(room), options);
      await opened(peer, "Watchers from other machines cannot come");
      end.reachable(true);
      let again: ReturnType<typeof setTimeout> | undefined;
      peer.on("connection", (connection) => {
        connection.once("open", () => end.line(lineOf(connection)));
      });
      peer.on("disconnected", () => {
        if (peer.destroyed) return;
        end.reachable(false);
        clearTimeout(again);
        again = setTimeout(() => {
          if (!peer.destroyed && peer.disconnected) peer.reconnect();
        }, againAfterMs);
      });
      peer.on("open", () => end.reachable(true));
      // The server is asked again; an error of one watcher's ends that one's line.
      peer.on("error", () => {});
      return {
        close() {
          clearTimeout(again);
          peer.destroy();
        },
      };
    },
    async join(room, signal) {
      signal.throwIfAborted();
      const peer = new Peer(`watcher-${crypto.getRandomValues(new Uint32Array(4)).join("")}`, options);
      const abort = () => peer.destroy();
      signal.addEventListener("abort", abort);
      try {
        await opened(peer, "The run cannot be watched from here");
        const connection = peer.connect(peerOf(room), { serialization: "raw", reliable: true });
        await connected(peer, connection);
        // The server has done its part.
        peer.disconnect();
        return lineOf(connection, () => peer.destroy());
      } catch (cause) {
        peer.destroy();
        signal.throwIfAborted();
        throw cause;
      } finally {
        signal.removeEventListener("abort", abort);
      }
    },
  };
}

/** Once the signalling server knows the peer. What happens later is none of its business. */
function opened(peer: Peer, otherwise: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      peer.off("open", onOpen).off("close", onClose).off("error", onError);
      act();
    };
    const onOpen = () => settle(resolve);
    const onClose = () => settle(() => reject(new LiveError(`${otherwise}: it was stopped.`)));
    const onError = (cause: PeerError<string>) =>
      settle(() => {
        peer.destroy();
        reject(
          new LiveError(`${otherwise}: the signalling server did not answer. Try again later.`, { cause }),
        );
      });
    peer.on("open", onOpen).on("close", onClose).on("error", onError);
  });
}

function connected(peer: Peer, connection: DataConnection): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new LiveError("Who shares the run was found, and no network leads there.")),
      joinMs,
    );
    const settle = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    connection.once("open", () => settle(resolve));
    peer.once("close", () => settle(() => reject(new LiveError("It was stopped."))));
    peer.once("error", (cause: PeerError<string>) =>
      settle(() =>
        reject(
          cause.type === "peer-unavailable"
            ? new LiveError("Nobody shares this run any more.")
            : new LiveError(`Who shares the run could not be reached: ${cause.type}.`, { cause }),
        ),
      ),
    );
  });
}

/** Frames go over the channel itself: PeerJS would queue them, and unpack what comes. */
function lineOf(connection: DataConnection, onClose: () => void = () => {}): Line {
  const channel = connection.dataChannel;
  let end: LineEnd | null = null;
  let isClosed = false;
  let isMissed: ReturnType<typeof setTimeout> | undefined;
  channel.bufferedAmountLowThreshold = mostOnTheWay / 2;
  const letGo = () => {
    connection.close();
    onClose();
  };
  const close = () => {
    isClosed = true;
    clearTimeout(isMissed);
    channel.dispatchEvent(new Event("bufferedamountlow"));
  };
  const gone = () => {
    if (isClosed) return;
    close();
    letGo();
    end?.closed();
  };
  connection.on("data", (data) => {
    if (isClosed) return;
    // Whatever is no bytes is no frame, and is refused as one.
    end?.frame(data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array());
  });
  connection.on("close", gone);
  connection.on("error", gone);
  // PeerJS waits until the browser gives up, which takes half a minute.
  connection.on("iceStateChanged", (state) => {
    clearTimeout(isMissed);
    if (state === "disconnected") isMissed = setTimeout(gone, missedMs);
  });
  return {
    listen(listening) {
      end = listening;
    },
    send(frame) {
      if (isClosed || channel.readyState !== "open") return;
      channel.send(frame);
    },
    ready: () =>
      isClosed || channel.bufferedAmount < mostOnTheWay
        ? Promise.resolve()
        : new Promise((resolve) =>
            channel.addEventListener("bufferedamountlow", () => resolve(), { once: true }),
          ),
    close() {
      if (isClosed) return;
      close();
      // The channel first carries what was sent before; PeerJS would close what carries it.
      const atTheLatest = setTimeout(letGo, closingMs);
      channel.addEventListener("close", () => {
        clearTimeout(atTheLatest);
        letGo();
      });
      channel.close();
    },
  };
}
