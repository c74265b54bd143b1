/** The signalling server beside the page: for its own pages alone; and what a build says of one elsewhere. */
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { attachSignalling } from "./signalling.ts";
import { createStaticServer } from "./static-server.ts";
import { liveJson, signallingElsewhere } from "./vite-live.ts";

const server = createStaticServer({ pages: {} });
attachSignalling(server, { path: "/live" });
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

interface Asking {
  readonly origin?: string;
  readonly host?: string;
  readonly path?: string;
}

let peers = 0;

/** The type of the first message, or why there is none. */
function ask({
  origin = `http://127.0.0.1:${port}`,
  host = `127.0.0.1:${port}`,
  path = "/live/peerjs",
}: Asking) {
  peers += 1;
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}?key=peerjs&id=peer-${peers}&token=t`, {
    headers: { host, ...(origin !== "" && { origin }) },
  });
  const answer = new Promise<string>((resolve) => {
    socket.on("message", (data) => resolve((JSON.parse(String(data)) as { type: string }).type));
    socket.on("error", () => resolve("refused"));
    socket.on("close", () => resolve("closed"));
  });
  return { socket, answer };
}

describe("a socket", () => {
  test.each<[string, () => Asking, string]>([
    ["of its own page", () => ({}), "OPEN"],
    [
      "of its own page under another of its names",
      () => ({ origin: `http://localhost:${port}`, host: `localhost:${port}` }),
      "OPEN",
    ],
    ["of a page elsewhere", () => ({ origin: "https://example.org" }), "refused"],
    ["of another server of this machine", () => ({ origin: `http://127.0.0.1:${port + 1}` }), "refused"],
    ["of no page", () => ({ origin: "" }), "refused"],
    ["under a stranger's name", () => ({ host: "evil.example", origin: "http://evil.example" }), "refused"],
    ["of another path", () => ({ path: "/other" }), "refused"],
  ])("%s", async (_, asking, expected) => {
    const { socket, answer } = ask(asking());
    expect(await answer).toBe(expected);
    socket.terminate();
  });

  test("that says too much is closed, and the next one answered", async () => {
    const { socket, answer } = ask({});
    expect(await answer).toBe("OPEN");
    const closed = new Promise<number>((resolve) => socket.on("close", resolve));
    socket.send("x".repeat(70_000));
    expect(await closed).toBe(1009);
    const next = ask({});
    expect(await next.answer).toBe("OPEN");
    next.socket.send("no JSON");
    next.socket.send("null");
    const another = ask({});
    expect(await another.answer).toBe("OPEN");
    next.socket.terminate();
    another.socket.terminate();
  });
});

describe("a build that is told of a server elsewhere", () => {
  test.each([
    [{}, null, []],
    [
      { MIDTOKEN_SIGNALLING: "wss://signal.example:9000/live" },
      { signalling: "wss://signal.example:9000/live" },
      ["wss://signal.example:9000"],
    ],
    [
      { MIDTOKEN_SIGNALLING: "live", MIDTOKEN_ICE: '[{"urls":["stun:a.example"]}]' },
      { signalling: "live", iceServers: [{ urls: ["stun:a.example"] }] },
      [],
    ],
  ])("%j", (environment, json, sources) => {
    expect(liveJson(environment)).toEqual(json);
    expect(signallingElsewhere(environment)).toEqual(sources);
  });

  test.each(["https://signal.example", "wss://*", "wss://*.example", "javascript:x"])(
    "%s is refused",
    (MIDTOKEN_SIGNALLING) => {
      expect(() => signallingElsewhere({ MIDTOKEN_SIGNALLING })).toThrow("live.json cannot be used");
    },
  );
});
