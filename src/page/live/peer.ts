/**
 * One WebRTC connection with one data channel, which both ends agree on beforehand. Anything else that the other end opens ends
 * the connection.
 */
import { LiveError } from "./limits.ts";
import type { Line, LineEnd } from "./line.ts";
import { checkDescription } from "./session-description.ts";

export interface Peer {
  /** The watcher's description of itself, for the sharer. */
  offer(): Promise<string>;
  /** The sharer's description of itself. @throws LiveError for an offer that cannot be used. */
  answer(offer: string): Promise<string>;
  /** Begins to connect. @throws LiveError for an answer that cannot be used. */
  accept(answer: string): Promise<void>;
  /** Resolves in the task in which the connection opens. Rejects if it fails, or the signal is aborted before. */
  readonly line: Promise<Line>;
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
  const connection = new RTCPeerConnection({ iceServers });
  const channel = connection.createDataChannel("midtoken", { negotiated: true, id: 0 });
  channel.binaryType = "arraybuffer";
  const describe = async () => {
    await connection.setLocalDescription();
    await gathered(connection);
    const sdp = connection.localDescription?.sdp ?? "";
    return { sdp, fingerprint: checkDescription(sdp) };
  };
  /** Of the watcher, and of the sharer. */
  let fingerprints: readonly [string, string] = ["", ""];
  const line = new Promise<Line>((resolve, reject) => {
    const fail = () => {
      connection.close();
      reject(signal.aborted ? signal.reason : new LiveError("The connection did not open."));
    };
    signal.addEventListener("abort", fail);
    connection.addEventListener("connectionstatechange", () => {
      if (connection.connectionState === "failed") fail();
    });
    connection.addEventListener("datachannel", fail);
    channel.addEventListener("open", () => {
      signal.removeEventListener("abort", fail);
      resolve(createPeerLine(connection, channel, JSON.stringify(fingerprints)));
    });
    if (signal.aborted) fail();
  });
  // Whoever waits for it hears of the failure.
  line.catch(() => {});
  return {
    line,
    async offer() {
      const { sdp, fingerprint } = await describe();
      fingerprints = [fingerprint, ""];
      return sdp;
    },
    async answer(offer) {
      const watcher = checkDescription(offer);
      await connection.setRemoteDescription({ type: "offer", sdp: offer });
      const { sdp, fingerprint } = await describe();
      fingerprints = [watcher, fingerprint];
      return sdp;
    },
    async accept(answer) {
      fingerprints = [fingerprints[0], checkDescription(answer)];
      await connection.setRemoteDescription({ type: "answer", sdp: answer });
    },
    close: () => connection.close(),
  };
}

/** Resolves once all addresses of this end are known, and after `gatherMs` with the addresses that are known by then. */
function gathered(connection: RTCPeerConnection): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, gatherMs);
    const check = () => {
      if (connection.iceGatheringState !== "complete") return;
      clearTimeout(timer);
      resolve();
    };
    connection.addEventListener("icegatheringstatechange", check);
    check();
  });
}

function createPeerLine(connection: RTCPeerConnection, channel: RTCDataChannel, binding: string): Line {
  let end: LineEnd | null = null;
  let isClosed = false;
  let isMissed: ReturnType<typeof setTimeout> | undefined;
  const gone = () => {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(isMissed);
    connection.close();
    end?.closed();
  };
  channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    // Anything but bytes is no frame, and is refused as an empty frame is.
    if (!isClosed) end?.frame(data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array());
  });
  channel.addEventListener("close", gone);
  channel.addEventListener("error", gone);
  connection.addEventListener("datachannel", gone);
  connection.addEventListener("track", gone);
  // The browser itself would wait half a minute.
  connection.addEventListener("connectionstatechange", () => {
    clearTimeout(isMissed);
    const { connectionState } = connection;
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
      connection.close();
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(isMissed);
      // The channel first carries what was sent before; closing the connection at once would lose it.
      const letGo = () => connection.close();
      const atTheLatest = setTimeout(letGo, closingMs);
      channel.addEventListener("close", () => {
        clearTimeout(atTheLatest);
        letGo();
      });
      channel.close();
    },
  };
}
