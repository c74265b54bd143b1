/**
 * One WebRTC connection with one data channel, whose number both ends know beforehand. If the other end opens another channel or
 * a media track, the connection is closed.
 */

import type { Connection, ConnectionCallbacks } from "./connection.ts";
import { LiveError } from "./limits.ts";
import { readCertificateFingerprint } from "./session-description.ts";

export interface WebRtcConnector {
  /** The watcher's session description, for the sharer. */
  offer(): Promise<string>;
  /** The sharer's session description. @throws LiveError if the offer is invalid */
  answer(offer: string): Promise<string>;
  /** Starts to connect. @throws LiveError if the answer is invalid */
  accept(answer: string): Promise<void>;
  /** Resolves in the task in which the connection opens. Rejects if connecting fails, or if the signal is aborted before. */
  readonly connection: Promise<Connection>;
  close(): void;
}

interface PeerOptions {
  readonly iceServers: RTCIceServer[];
  /** When aborted, the connection is closed unless it is open already. */
  readonly signal: AbortSignal;
}

/** Milliseconds for gathering the addresses of this end: a STUN server that does not answer would take half a minute. */
const gatherMs = 1_000;
/** A connection is closed if nothing arrives for so many milliseconds. */
const missedMs = 8_000;
/** Milliseconds after which a closing connection is cut. */
const closingMs = 5_000;

export function createWebRtcConnector({ iceServers, signal }: PeerOptions): WebRtcConnector {
  const rtc = new RTCPeerConnection({ iceServers });
  const channel = rtc.createDataChannel("midtoken", { negotiated: true, id: 0 });
  channel.binaryType = "arraybuffer";
  const describe = async () => {
    await rtc.setLocalDescription();
    await gathered(rtc);
    const sdp = rtc.localDescription?.sdp ?? "";
    return { sdp, fingerprint: readCertificateFingerprint(sdp) };
  };
  /** Certificate fingerprints of the watcher and of the sharer. */
  let fingerprints: readonly [string, string] = ["", ""];
  const connection = new Promise<Connection>((resolve, reject) => {
    const fail = () => {
      rtc.close();
      reject(
        signal.aborted
          ? signal.reason
          : new LiveError("The connection could not be opened. Try again later."),
      );
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
  // Avoids an unhandled rejection; callers that await the connection still get the error.
  connection.catch(() => {});
  return {
    connection,
    async offer() {
      const { sdp, fingerprint } = await describe();
      fingerprints = [fingerprint, ""];
      return sdp;
    },
    async answer(offer) {
      const watcher = readCertificateFingerprint(offer);
      await rtc.setRemoteDescription({ type: "offer", sdp: offer });
      const { sdp, fingerprint } = await describe();
      fingerprints = [watcher, fingerprint];
      return sdp;
    },
    async accept(answer) {
      fingerprints = [fingerprints[0], readCertificateFingerprint(answer)];
      await rtc.setRemoteDescription({ type: "answer", sdp: answer });
    },
    close: () => rtc.close(),
  };
}

/** Resolves when all addresses of this end are known, or after `gatherMs` with the addresses known until then. */
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
  let end: ConnectionCallbacks | null = null;
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
    // Data that is not binary is passed on as an empty frame, which the receiver refuses.
    if (!isClosed) end?.frame(data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array());
  });
  channel.addEventListener("close", gone);
  channel.addEventListener("error", gone);
  rtc.addEventListener("datachannel", gone);
  rtc.addEventListener("track", gone);
  // The browser itself reports a lost connection only after half a minute.
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
      // The channel delivers the frames that are still buffered; closing the connection at once would lose them.
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
