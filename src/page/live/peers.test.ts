/** Browsers without WebRTC, as Node is; connections themselves are tested in browsers (`e2e/page/live.spec.ts`). */
import { expect, test } from "vitest";
import { LiveError } from "./limits.ts";
import { createPeerTransport } from "./peers.ts";
import { createSharerKey } from "./proof.ts";

test("without WebRTC sharing and watching say so, and ask no server", async () => {
  const peers = createPeerTransport({ url: "ws://127.0.0.1:1/live", iceServers: [] });
  const { room } = createSharerKey();
  const ends = [
    peers.open(room, { connection() {}, reachable() {} }),
    peers.join(room, new AbortController().signal),
  ];
  for (const end of ends) {
    await expect(end).rejects.toBeInstanceOf(LiveError);
    await expect(end).rejects.toThrow("has no WebRTC");
  }
});
