/** The signalling server beside the page: for its own pages alone, and bounded; and what a build says of a server elsewhere. */
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { LiveError } from "../src/page/live/limits.ts";
import { createSharerKey } from "../src/page/live/proof.ts";
import {
  openSharerSocket,
  requestSharerAnswer,
  ServerSilentError,
  SharerBusyError,
  type SocketOpener,
} from "../src/page/live/signalling-client.ts";
import { closeCodes, type Offer } from "../src/page/live/signalling-messages.ts";
import { attachSignalling } from "./signalling.ts";
import {
  addressGroup,
  createAddressLimits,
  defaultSignallingLimits,
  type SignallingLimits,
} from "./signalling-limits.ts";
import { createStaticServer } from "./static-server.ts";
import { liveJson, signallingOriginSources } from "./vite-live.ts";

interface Running {
  readonly port: number;
  close(): void;
}

async function listen(limits: Partial<SignallingLimits>): Promise<Running> {
  const server = createStaticServer({ pages: {} });
  attachSignalling(server, { path: "/live", limits, origins: ["https://named.example"] });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Of a server whose limits are out of the way. */
let port = 0;
let running: Running;
const wide = { atOnce: 10_000, perSecond: 10_000 };
beforeAll(async () => {
  running = await listen({ opened: wide, socketsOfAddress: 200 });
  port = running.port;
});
afterAll(() => running.close());

const newRoom = () => createSharerKey().room;
const urlOf = (on: number) => `ws://127.0.0.1:${on}/live`;
const open: SocketOpener = (url) => {
  const origin = `http://127.0.0.1:${new URL(url).port}`;
  const socket = new WebSocket(url, { headers: { origin } });
  // A browser's socket says nothing of it to a page but that it is closed.
  socket.on("error", () => {});
  return socket as unknown as globalThis.WebSocket;
};

interface Asking {
  readonly origin?: string;
  readonly host?: string;
  readonly path?: string;
  readonly query?: string;
  readonly on?: number;
}

let names = 0;
function newName(): string {
  names += 1;
  return names.toString(16).padStart(32, "0");
}

/** A socket as a stranger opens one: its first message, or why there is none. */
function ask({
  on = port,
  origin = `http://127.0.0.1:${on}`,
  host = `127.0.0.1:${on}`,
  path = "/live",
  query = `share=${newName()}`,
}: Asking) {
  const socket = new WebSocket(`ws://127.0.0.1:${on}${path}?${query}`, {
    headers: { host, ...(origin !== "" && { origin }) },
  });
  const answer = new Promise<string>((resolve) => {
    socket.on("message", (data) => resolve(String(data)));
    socket.on("error", () => resolve("refused"));
    socket.on("close", (code) => resolve(`closed ${code}`));
  });
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  return { socket, answer, closed };
}

const opened = '{"open":true}';

describe("a socket", () => {
  test.each<[string, () => Asking, string]>([
    ["of its own page", () => ({}), opened],
    [
      "of its own page under another of its names",
      () => ({ origin: `http://localhost:${port}`, host: `localhost:${port}` }),
      opened,
    ],
    ["of a page that is named", () => ({ origin: "https://named.example" }), opened],
    ["of a page elsewhere", () => ({ origin: "https://example.org" }), "refused"],
    ["of another server of this machine", () => ({ origin: `http://127.0.0.1:${port + 1}` }), "refused"],
    ["of no page", () => ({ origin: "" }), "refused"],
    ["under a stranger's name", () => ({ host: "evil.example", origin: "http://evil.example" }), "refused"],
    ["of another path", () => ({ path: "/other" }), "refused"],
    ["with no name", () => ({ query: "" }), "refused"],
    ["with a name that is too long", () => ({ query: `share=${"a".repeat(4_000)}` }), "refused"],
    ["with a name of other letters", () => ({ query: `share=${"Z".repeat(32)}` }), "refused"],
    ["that watches where nobody shares", () => ({ query: `watch=${newName()}` }), "closed 4404"],
  ])("%s", async (_, asking, expected) => {
    const { socket, answer } = ask(asking());
    expect(await answer).toBe(expected);
    socket.terminate();
  });
});

/** A sharer who answers each offer with the same text. */
async function share(room: string, on = port) {
  const offers: Offer[] = [];
  const reach: boolean[] = [];
  const sharer = await openSharerSocket(
    urlOf(on),
    room,
    {
      offer(offer) {
        offers.push(offer);
        sharer.answer({
          watcher: offer.watcher,
          answer: offer.offer === "busy?" ? null : `re: ${offer.offer}`,
        });
      },
      reachable: (isReachable) => void reach.push(isReachable),
    },
    open,
  );
  return { sharer, offers, reach };
}

const watch = (room: string, offer: string, on = port) =>
  requestSharerAnswer(urlOf(on), room, { offer, signal: new AbortController().signal, open });

describe("a sharer and its watchers", () => {
  test("find each other by one message each", async () => {
    const room = newRoom();
    const { sharer, offers, reach } = await share(room);
    expect(await Promise.all([watch(room, "one"), watch(room, "two")])).toEqual(["re: one", "re: two"]);
    expect(new Set(offers.map(({ watcher }) => watcher)).size).toBe(2);
    expect(reach).toEqual([true]);
    await expect(watch(room, "busy?")).rejects.toBeInstanceOf(SharerBusyError);
    sharer.close();
    await expect.poll(() => watch(room, "three").catch(String)).toContain("Nobody is sharing this run now");
  });

  test("whoever stops looking gets its reason", async () => {
    const room = newRoom();
    const { sharer } = await share(room);
    const stop = new AbortController();
    const asked = requestSharerAnswer(urlOf(port), room, { offer: "x", signal: stop.signal, open });
    stop.abort(new Error("Enough."));
    await expect(asked).rejects.toThrow("Enough.");
    sharer.close();
  });

  // Both wait for the seconds between the sharer's attempts, so they wait together.
  test.concurrent("nobody takes a room while its sharer is there", async () => {
    const room = newRoom();
    const { sharer } = await share(room);
    await expect(share(room)).rejects.toBeInstanceOf(LiveError);
    expect(await watch(room, "x")).toBe("re: x");
    sharer.close();
  });

  test.concurrent("a server that is not there is said to be silent", async () => {
    const other = await listen({});
    other.close();
    await expect(share(newRoom(), other.port)).rejects.toThrow("the signalling server did not answer");
    await expect(watch(newRoom(), "x", other.port)).rejects.toBeInstanceOf(ServerSilentError);
  });
});

describe("whoever says what it may not say is closed, and the server goes on", () => {
  const offer = JSON.stringify({ offer: "x" });
  test.each<[string, "share" | "watch", string | Buffer, number]>([
    ["a watcher with too long an offer", "watch", JSON.stringify({ offer: "x".repeat(20_000) }), 1009],
    ["a watcher with no JSON", "watch", "offer", closeCodes.refused],
    ["a watcher with null", "watch", "null", closeCodes.refused],
    ["a watcher with a list", "watch", "[1]", closeCodes.refused],
    ["a watcher with bytes", "watch", Buffer.from(offer), closeCodes.refused],
    ["a watcher with an offer that is a number", "watch", '{"offer":7}', closeCodes.refused],
    ["a watcher that nests", "watch", "[".repeat(9_000), closeCodes.refused],
    ["a sharer with too long an answer", "share", "x".repeat(20_000), 1009],
    ["a sharer with no JSON", "share", "answer", closeCodes.refused],
    ["a sharer that answers nobody", "share", '{"watcher":-1,"answer":"x"}', closeCodes.refused],
    ["a sharer whose answer is a list", "share", '{"watcher":1,"answer":[]}', closeCodes.refused],
  ])("%s", async (_, role, message, code) => {
    const name = newName();
    const sharer = ask({ query: `share=${name}` });
    expect(await sharer.answer).toBe(opened);
    const watcher = ask({ query: `watch=${name}` });
    await new Promise((resolve) => watcher.socket.once("open", resolve));
    const { socket, closed } = role === "share" ? sharer : watcher;
    socket.send(message);
    expect(await closed).toBe(code);
    sharer.socket.terminate();
    watcher.socket.terminate();
    expect(await ask({}).answer).toBe(opened);
  });

  test("a watcher who offers twice, and a sharer's answer to nobody, harm nobody else", async () => {
    const room = newRoom();
    const { sharer } = await share(room);
    sharer.answer({ watcher: 123_456, answer: "x" });
    expect(await watch(room, "x")).toBe("re: x");
    sharer.close();
    const name = newName();
    const silent = ask({ query: `share=${name}` });
    await silent.answer;
    const twice = ask({ query: `watch=${name}` });
    twice.socket.once("open", () => {
      twice.socket.send(offer);
      twice.socket.send(offer);
    });
    expect(await twice.closed).toBe(closeCodes.refused);
    silent.socket.terminate();
  });
});

describe("floods", () => {
  /** How many of so many sockets were let in. */
  async function letIn(count: number, asking: () => Asking) {
    const all = Array.from({ length: count }, () => ask(asking()));
    const answers = await Promise.all(all.map(({ answer }) => answer));
    for (const { socket } of all) socket.terminate();
    return answers.filter((answer) => answer !== "refused").length;
  }

  test("512 sockets of one address: a few are let in, and the others refused at once", async () => {
    const { port: on, close } = await listen({ opened: { atOnce: 40, perSecond: 0.001 } });
    expect(await letIn(512, () => ({ on }))).toBe(defaultSignallingLimits.socketsOfAddress);
    close();
  });

  test("512 sockets of one name: the sharer stays, and watchers find it", async () => {
    const room = newRoom();
    const { port: on, close } = await listen({ opened: wide, socketsOfAddress: 1_000, sockets: 1_000 });
    const { sharer } = await share(room, on);
    const name = newName();
    const all = Array.from({ length: 512 }, () => ask({ on, query: `share=${name}` }));
    const answers = await Promise.all(all.map(({ answer }) => answer));
    expect(answers.filter((answer) => answer === opened)).toHaveLength(1);
    expect(await watch(room, "x", on)).toBe("re: x");
    sharer.close();
    close();
  });

  test("600 offers to one sharer: a bounded number is passed on and kept, and a watcher who asks again gets in", async () => {
    const room = newRoom();
    const { port: on, close } = await listen({
      opened: wide,
      socketsOfAddress: 1_000,
      sockets: 1_000,
      offers: { atOnce: 32, perSecond: 20 },
    });
    let passedOn = 0;
    const sharer = await openSharerSocket(
      urlOf(on),
      room,
      {
        offer({ watcher, offer }) {
          passedOn += 1;
          // Hostile offers are never answered.
          if (offer === "honest") sharer.answer({ watcher, answer: "welcome" });
        },
        reachable() {},
      },
      open,
    );
    const flood = Array.from({ length: 600 }, () =>
      watch(room, "hostile", on).catch((cause: unknown) => cause),
    );
    const ends = { busy: 0 };
    for (const each of flood)
      void each.then((end) => {
        if (end instanceof SharerBusyError) ends.busy += 1;
      });
    await expect
      .poll(() => ends.busy, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(600 - defaultSignallingLimits.waiting);
    await expect.poll(() => watch(room, "honest", on).catch(String), { timeout: 60_000 }).toBe("welcome");
    // At most what the pace allows: far from 600.
    expect(passedOn).toBeLessThan(600);
    sharer.close();
    close();
  });

  test("a sharer who answers without end is closed", async () => {
    const { socket, answer, closed } = ask({});
    expect(await answer).toBe(opened);
    for (let count = 0; count < 20_000; count += 1) socket.send('{"watcher":1,"answer":"x"}');
    expect(await closed).toBe(closeCodes.refused);
  });

  test("a watcher who sends no offer, and one whom nobody answers, are closed", async () => {
    const { port: on, close } = await listen({ offerMs: 50, answerMs: 50 });
    const name = newName();
    const sharer = ask({ on, query: `share=${name}` });
    await sharer.answer;
    const idle = ask({ on, query: `watch=${name}` });
    expect(await idle.closed).toBe(closeCodes.busy);
    const waits = ask({ on, query: `watch=${name}` });
    waits.socket.once("open", () => waits.socket.send('{"offer":"x"}'));
    expect(await waits.closed).toBe(closeCodes.busy);
    sharer.socket.terminate();
    close();
  });

  test("a sharer whose machine is gone without a word loses its room", async () => {
    const { port: on, close } = await listen({ pingMs: 50 });
    const room = newName();
    const gone = new WebSocket(`ws://127.0.0.1:${on}/live?share=${room}`, {
      headers: { origin: `http://127.0.0.1:${on}` },
      autoPong: false,
    });
    const closed = new Promise<void>((resolve) => gone.once("close", () => resolve()));
    await closed;
    const next = ask({ on, query: `share=${room}` });
    expect(await next.answer).toBe(opened);
    next.socket.terminate();
    close();
  });
});

describe("addresses", () => {
  test.each([
    ["127.0.0.1", "127.0.0.1"],
    ["::ffff:10.0.0.7", "10.0.0.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::9", "2001:db8:1:2"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["::1", "0:0:0:0"],
  ])("%s counts as %s", (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });

  test("each has its own limits, all together have one, and an idle address is forgotten", () => {
    let ms = 0;
    const limits = {
      ...defaultSignallingLimits,
      sockets: 5,
      socketsOfAddress: 2,
      opened: { atOnce: 3, perSecond: 1 },
    };
    const addresses = createAddressLimits(limits, () => ms);
    const enter = (...given: string[]) => given.map((address) => addresses.enter(address));
    expect(enter("10.0.0.1", "10.0.0.1", "10.0.0.1")).toEqual([true, true, false]);
    addresses.leave("10.0.0.1");
    // It used up its allowance of three.
    expect(enter("10.0.0.1")).toEqual([false]);
    ms = 1_000;
    expect(enter("10.0.0.1")).toEqual([true]);
    expect(enter("10.0.0.2", "10.0.0.2", "10.0.0.3", "10.0.0.4")).toEqual([true, true, true, false]);
    // 5,000 addresses that come once: the table stays small, and forgets them once they are idle.
    for (const address of ["10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.3"])
      addresses.leave(address);
    for (let count = 0; count < 5_000; count += 1) {
      const address = `10.1.${count >> 8}.${count & 255}`;
      if (addresses.enter(address)) addresses.leave(address);
    }
    expect(enter("10.9.9.9")).toEqual([false]);
    ms += 10_000;
    expect(enter("10.9.9.9")).toEqual([true]);
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
    expect(signallingOriginSources(environment)).toEqual(sources);
  });

  test.each(["https://signal.example", "wss://*", "wss://*.example", "javascript:x"])(
    "%s is refused",
    (MIDTOKEN_SIGNALLING) => {
      expect(() => signallingOriginSources({ MIDTOKEN_SIGNALLING })).toThrow("live.json cannot be used");
    },
  );
});
