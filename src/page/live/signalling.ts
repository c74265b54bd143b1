/**
 * Reads `live.json`, a file beside the page with the signalling server through which other machines find a shared run. The host
 * of the page writes this file.
 */
import { isRecord } from "../../core/base/record.ts";
import { describeValue } from "../../core/base/show.ts";
import { LiveError } from "./limits.ts";

/** A signalling server, with STUN and TURN servers by which two machines find a way through networks. */
export interface SignallingConfig {
  /** A WebSocket address (ws: or wss:). */
  readonly url: string;
  /** STUN and TURN servers for WebRTC. Without them, only machines of one network find each other. */
  readonly iceServers: RTCIceServer[];
}

/** One host without a wildcard, as a content security policy accepts it. */
const isHost = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/i;

/**
 * @param page address of the page; relative addresses in the file start there
 * @throws LiveError that names the invalid field
 */
export function parseSignallingConfig(json: unknown, page: string): SignallingConfig | null {
  if (!isRecord(json)) throw wrong("the file should be a JSON object", json);
  const { signalling, iceServers = [] } = json;
  if (signalling === null) return null;
  if (typeof signalling !== "string") throw wrong("signalling should be an address or null", signalling);
  const base = new URL(page);
  base.protocol = base.protocol.replace("http", "ws");
  const url = URL.canParse(signalling, base) ? new URL(signalling, base) : null;
  if (!url || (url.protocol !== "ws:" && url.protocol !== "wss:") || !isHost.test(url.hostname))
    throw wrong("signalling should be an address that begins with wss:, or null", signalling);
  if (!Array.isArray(iceServers)) throw wrong("iceServers should be a list", iceServers);
  return { url: url.href, iceServers: iceServers.map(iceServer) };
}

function iceServer(value: unknown): RTCIceServer {
  const { urls, username, credential } = isRecord(value) ? value : {};
  const given = [urls].flat();
  const isAddress = (each: unknown): each is string =>
    typeof each === "string" && /^(stuns?|turns?):/.test(each);
  if (!given.every(isAddress))
    throw wrong("an entry of iceServers should have urls that begin with stun: or turn:", value);
  return {
    urls: given,
    ...(typeof username === "string" && { username }),
    ...(typeof credential === "string" && { credential }),
  };
}

const wrong = (what: string, value: unknown) =>
  new LiveError(`live.json cannot be used: ${what}, but is ${describeValue(value)}.`);

/** @throws LiveError if the file is missing or invalid */
export async function fetchSignallingConfig(
  page: string = document.baseURI,
): Promise<SignallingConfig | null> {
  const response = await fetch(new URL("live.json", page)).catch((cause: unknown) => {
    throw new LiveError(
      "Other machines cannot watch: live.json could not be fetched. Check that you are online.",
      {
        cause,
      },
    );
  });
  if (!response.ok)
    throw new LiveError(
      `Other machines cannot watch: live.json could not be fetched (HTTP ${response.status}).`,
    );
  return parseSignallingConfig(await response.json(), page);
}
