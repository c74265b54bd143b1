/** Hostile ends of live runs, played by pages of the same origin in which nothing else goes on. */
import type { BrowserContext, Page } from "@playwright/test";
import { splitIntoFrames } from "../../src/page/live/framing.ts";
import { createWatcherProof, type SharerKey } from "../../src/page/live/proof.ts";
import {
  helloMessage,
  LIVE_VERSION,
  type SharerMessage,
  serializeMessage,
} from "../../src/page/live/protocol.ts";
import { hashRoomName } from "../../src/page/live/signalling-messages.ts";

const bytesOf = (text: string): number[][] => splitIntoFrames(text).map((frame) => [...frame]);

interface HostileSharer {
  say(...messages: readonly SharerMessage[]): Promise<void>;
  /** The same message again and again, without a pause. */
  flood(message: string, count: number): Promise<void>;
  close(): Promise<void>;
}

/** Globals of a hostile sharer's page. */
interface SharerGlobals {
  send(frames: number[][], count: number): void;
  hello(binding: string, nonce: string): Promise<number[][]>;
}

/** Answers every watcher of the room over a channel between tabs, with this key. */
export async function hostileSharer(
  context: BrowserContext,
  room: string,
  key: SharerKey,
): Promise<HostileSharer> {
  const page = await context.newPage();
  await page.exposeFunction("hello", (binding: string, nonce: string) =>
    bytesOf(serializeMessage(helloMessage(key.prove({ binding, nonce })))),
  );
  await page.goto("./#t1.");
  await page.evaluate((room) => {
    const globals = globalThis as unknown as SharerGlobals;
    const doors = new BroadcastChannel(`midtoken.live ${room}`);
    let greeted: () => void = () => {};
    const isGreeted = new Promise<void>((resolve) => {
      greeted = resolve;
    });
    doors.onmessage = ({ data: { join } }) => {
      const name = `midtoken.live ${room} ${join}`;
      const line = new BroadcastChannel(name);
      const send = (frames: number[][], count: number) => {
        const made = frames.map((frame) => Uint8Array.from(frame));
        for (let sent = 0; sent < count; sent += 1) for (const frame of made) line.postMessage({ frame });
      };
      line.onmessage = async ({ data: { frame } }) => {
        if (!frame) return;
        const { nonce } = JSON.parse(new TextDecoder().decode(frame.slice(1)));
        if (!nonce) return;
        send(await globals.hello(name, nonce), 1);
        greeted();
      };
      Object.assign(globalThis, { send, line });
      void navigator.locks.request(`${name} sender`, () => {
        line.postMessage({ joined: true });
        const forEver = new Promise(() => {});
        Object.assign(globalThis, { forEver });
        return forEver;
      });
    };
    Object.assign(globalThis, { doors, isGreeted });
  }, room);
  const send = (text: string, count: number) =>
    page.evaluate(
      async ({ frames, count }) => {
        await (globalThis as unknown as { isGreeted: Promise<void> }).isGreeted;
        (globalThis as unknown as SharerGlobals).send(frames, count);
      },
      { frames: bytesOf(text), count },
    );
  return {
    async say(...messages) {
      for (const message of messages) await send(serializeMessage(message), 1);
    },
    flood: send,
    close: () => page.close(),
  };
}

/** Counts that `countConnections` stores on the page. */
export interface CountedConnections {
  readonly connections: RTCPeerConnection[];
  /** The most that were open at one time. */
  readonly mostOpen: number;
}

/** Has the page keep a list of its WebRTC connections. Call it before the page is opened. */
export async function countConnections(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const connections: RTCPeerConnection[] = [];
    Object.assign(globalThis, {
      connections,
      mostOpen: 0,
      RTCPeerConnection: class extends RTCPeerConnection {
        constructor(...given: ConstructorParameters<typeof RTCPeerConnection>) {
          super(...given);
          connections.push(this);
          const open = connections.filter(({ signalingState }) => signalingState !== "closed").length;
          const counted = globalThis as unknown as { mostOpen: number };
          counted.mostOpen = Math.max(counted.mostOpen, open);
        }
      },
    });
  });
}

/** Sends so many offers that nobody stands behind, at once. */
export async function floodOffers(page: Page, room: string, count: number): Promise<{ opened: number }> {
  await page.goto("./#t1.");
  return page.evaluate(
    async ({ name, count }) => {
      const connection = new RTCPeerConnection();
      connection.createDataChannel("midtoken", { negotiated: true, id: 0 });
      await connection.setLocalDescription();
      const offer = connection.localDescription?.sdp;
      connection.close();
      let opened = 0;
      const address = new URL(`live?watch=${name}`, location.href.replace("http", "ws"));
      const ends = Array.from({ length: count }, () => {
        const socket = new WebSocket(address);
        socket.onopen = () => {
          opened += 1;
          socket.send(JSON.stringify({ offer }));
        };
        return new Promise<void>((resolve) => {
          socket.onclose = () => resolve();
          socket.onmessage = () => resolve();
        });
      });
      await Promise.all(ends);
      return { opened };
    },
    { name: hashRoomName(room), count },
  );
}

export type HostileKind =
  | "frames before the greeting"
  | "frames after it"
  | "texts"
  | "channels"
  | "parts that never end";

/** Connects to the sharer as a watcher does, and then floods it. Returns how its channel ended. */
export async function hostileWatcher(page: Page, room: string, kind: HostileKind): Promise<string> {
  await page.exposeFunction("greeting", (fingerprints: [string, string]) => {
    const nonce = "0".repeat(32);
    const binding = JSON.stringify(fingerprints);
    const proof = createWatcherProof({ room, binding, nonce });
    return bytesOf(serializeMessage({ type: "watch", live: LIVE_VERSION, nonce, proof }));
  });
  await page.goto("./#t1.");
  return page.evaluate(
    async ({ name, kind }) => {
      const connection = new RTCPeerConnection();
      const channel = connection.createDataChannel("midtoken", { negotiated: true, id: 0 });
      const opened = new Promise((resolve) => {
        channel.onopen = resolve;
      });
      const closed = new Promise<string>((resolve) => {
        channel.onclose = () => resolve("closed");
        connection.onconnectionstatechange = () => {
          if (["failed", "disconnected"].includes(connection.connectionState)) resolve("closed");
        };
      });
      await connection.setLocalDescription();
      if (connection.iceGatheringState !== "complete")
        await new Promise<void>((resolve) => {
          connection.onicegatheringstatechange = () => {
            if (connection.iceGatheringState === "complete") resolve();
          };
        });
      const offer = connection.localDescription?.sdp ?? "";
      const address = new URL(`live?watch=${name}`, location.href.replace("http", "ws"));
      const ask = () =>
        new Promise<string | null>((resolve) => {
          const socket = new WebSocket(address);
          socket.onopen = () => socket.send(JSON.stringify({ offer }));
          socket.onmessage = ({ data }) => resolve(JSON.parse(data).answer);
          socket.onclose = () => resolve(null);
        });
      let sdp = await ask();
      while (sdp === null) {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        sdp = await ask();
      }
      await connection.setRemoteDescription({ type: "answer", sdp });
      await opened;
      const printOf = (text: string) => /a=fingerprint:sha-256 (\S+)/.exec(text)?.[1]?.toUpperCase() ?? "";
      const globals = globalThis as unknown as { greeting(prints: string[]): Promise<number[][]> };
      const greeting = await globals.greeting([printOf(offer), printOf(sdp)]);
      const isGreeted = kind !== "frames before the greeting";
      if (isGreeted) for (const frame of greeting) channel.send(Uint8Array.from(frame));
      const whole = new Uint8Array(16_384).fill(1);
      const part = new Uint8Array(16_384);
      const floods: Record<string, (count: number) => void> = {
        "frames before the greeting": () => channel.send(whole),
        "frames after it": () => channel.send(Uint8Array.from([1, 123, 125])),
        texts: () => channel.send("x".repeat(1_000)),
        channels: (count) => connection.createDataChannel(`more ${count}`),
        "parts that never end": () => channel.send(part),
      };
      for (let count = 0; count < 20_000 && channel.readyState === "open"; count += 1) {
        try {
          floods[kind]?.(count);
        } catch {
          // The channel's own queue is full, or it is closed.
        }
        if (count % 50 === 0) await new Promise((resolve) => setTimeout(resolve));
      }
      return closed;
    },
    { name: hashRoomName(room), kind },
  );
}
