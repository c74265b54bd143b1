/**
 * One WebRTC connection with one data channel, which both ends agree on beforehand. Anything else that the other end opens ends
 * the connection.
 */

import type { Connection, ConnectionEnd } from "./connection.ts";
import { LiveError } from "./limits.ts";
import { checkDescription } from "./session-description.ts";

export interface Peer {
  /** The watcher's description of itself, for the sharer. */
  offer(): Promise<string>;
  /** The sharer's description of itself. @throws LiveError for an offer that cannot be used. */
  answer(offer: string): Promise<string>;
  /** Begins to connect. @throws LiveError for an answer that cannot be used. */
  accept(answer: string): Promise<void>;
  /** Resolves in the task in which the connection opens. Rejects if it fails, or the signal is aborted before. */
  readonly connection: Promise<Connection>;
  close(): void;
}

interface PeerOptions {
  readonly iceServers: RTCIceServer[];
  /** Aborted: the connection is closed, unless it is open. */
  readonly signal: AbortSignal;
}

/** Milliseconds for which this end's addresses are gathered: a STUN server that does not answer would take half a minute. */
const gatherMs = 1_000;
/** A connection over which nothing comes any more is closed after so many milliseconds. */
const missedMs = 8_000;
/** A connection that is being closed is cut after so many milliseconds. */
const closingMs = 5_000;

export function createPeer({ iceServers, signal }: PeerOptions): Peer {
  const rtc = new RTCPeerConnection({ iceServers });
  const channel = rtc.createDataChannel("midtoken", { negotiated: true, id: 0 });
  channel.binaryType = "arraybuffer";
  const describe = async () => {
    await rtc.setLocalDescription();
    await gathered(rtc);
    const sdp = rtc.localDescription?.sdp ?? "";
    return { sdp, fingerprint: checkDescription(sdp) };
  };
  /** The fingerprints of the watcher and of the sharer. */
  let fingerprints: readonly [string, string] = ["", ""];
  const connection = new Promise<Connection>((resolve, reject) => {
    const fail = () => {
      rtc.close();
      reject(signal.aborted ? signal.reason : new LiveError("The connection did not open."));
    };
    signal.addEventListener("abort", fail);
    rtc.addEventListener("connectionstatechange", () => {
      if (rtc.connectionState === "failed") fail();
    });
    rtc.addEventListener("datachannel", fail);
    channel.addEventListener("open", () => {
      signal.removeEventListener("abort", fail);
      resolve(createPeerConnection(rtc, channel, JSON.stringify(fingerprints)));
    });
    if (signal.aborted) fail();
  });
  // Callers that wait for it get the failure.
  connection.catch(() => {});
  return {
    connection,
    async offer() {
      const { sdp, fingerprint } = await describe();
      fingerprints = [fingerprint, ""];
      return sdp;
    },
    async answer(offer) {
      const watcher = checkDescription(offer);
      await rtc.setRemoteDescription({ type: "offer", sdp: offer });
      const { sdp, fingerprint } = await describe();
      fingerprints = [watcher, fingerprint];
      return sdp;
    },
    async accept(answer) {
      fingerprints = [fingerprints[0], checkDescription(answer)];
      await rtc.setRemoteDescription({ type: "answer", sdp: answer });
    },
    close: () => rtc.close(),
  };
}

/** Resolves once all addresses of this end are known, and after `gatherMs` with the addresses that are known by then. */
function gathered(rtc: RTCPeerConnection): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, gatherMs);
    const check = () => {
      if (rtc.iceGatheringState !== "complete") return;
      clearTimeout(timer);
      resolve();
    };
    rtc.addEventListener("icegatheringstatechange", check);
    check();
  });
}

function createPeerConnection(rtc: RTCPeerConnection, channel: RTCDataChannel, binding: string): Connection {
  let end: ConnectionEnd | null = null;
  let isClosed = false;
  let isMissed: ReturnType<typeof setTimeout> | undefined;
  const gone = () => {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(isMissed);
    rtc.close();
    end?.closed();
  };
  channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    // Anything but bytes is no frame, and is refused as an empty frame is.
    if (!isClosed) end?.frame(data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array());
  });
  channel.addEventListener("close", gone);
  channel.addEventListener("error", gone);
  rtc.addEventListener("datachannel", gone);
  rtc.addEventListener("track", gone);
  // The browser itself would wait half a minute.
  rtc.addEventListener("connectionstatechange", () => {
    clearTimeout(isMissed);
    const { connectionState } = rtc;
    if (connectionState === "disconnected") isMissed = setTimeout(gone, missedMs);
    else if (connectionState === "failed" || connectionState === "closed") gone();
  });
  return {
    binding,
    listen(listening) {
      end = listening;
    },
    send(frame) {
      if (!isClosed && channel.readyState === "open") channel.send(frame);
    },
    cut() {
      isClosed = true;
      clearTimeout(isMissed);
      rtc.close();
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(isMissed);
      // The channel first carries what was sent before; closing the connection at once would lose it.
      const letGo = () => rtc.close();
      const atTheLatest = setTimeout(letGo, closingMs);
      channel.addEventListener("close", () => {
        clearTimeout(atTheLatest);
        letGo();
      });
      channel.close();
    },
  };
}
