/** Several servers behind `midtoken serve`: one that stops in the middle of an answer, clients that leave, and a graceful shutdown. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findLlamaServer, llamaServerRequirement } from "../../../../scripts/remote/find-server.ts";
import {
  freePort,
  type RunningLlamaServer,
  startLlamaServer,
} from "../../../../scripts/remote/start-server.ts";
import { storyGguf } from "../../../../scripts/remote/story-gguf.ts";
import type { FakeLlama, FakeLlamaOptions } from "../../../runtime/remote/testing/fake-llama.ts";
import { startFakeStoryServer } from "../testing/fake-story.ts";
import { type ServingGateway, serveGateway } from "../testing/serve-gateway.ts";

const open: { stop(): unknown }[] = [];

async function serve(urls: readonly string[], ...words: readonly string[]): Promise<ServingGateway> {
  const gateway = await serveGateway(urls, words);
  open.push(gateway);
  return gateway;
}

async function fakeServer(options: Partial<FakeLlamaOptions> = {}): Promise<FakeLlama> {
  const fake = await startFakeStoryServer({ slots: 4, ...options });
  open.push({ stop: () => fake.close() });
  return fake;
}

afterEach(async () => {
  for (const each of open.splice(0)) await each.stop();
});

const request = {
  model: "stories260k",
  messages: [{ role: "user" as const, content: "Once upon a time" }],
  max_tokens: 60,
  temperature: 0,
};

async function whole({ client }: ServingGateway): Promise<string> {
  return (await client.chat.completions.create(request)).choices[0]?.message.content ?? "";
}

/** Returns the streamed text. @param onPiece called once, after some tokens */
async function streamed({ client }: ServingGateway, onPiece: () => Promise<void>): Promise<string> {
  let [text, pieces] = ["", 0];
  for await (const chunk of await client.chat.completions.create({ ...request, stream: true })) {
    text += chunk.choices[0]?.delta.content ?? "";
    pieces += 1;
    if (pieces === 10) await onPiece();
  }
  return text;
}

describe("on fake servers", () => {
  test("a server stops in the middle of an answer: another goes on with the same tokens, and takes the next request", async () => {
    // If true, servers wait from the 20th event on, because a fast server would otherwise send its whole answer before it is
    // stopped.
    let waits = false;
    const beforeEvent = async (place: number) => {
      if (waits && place >= 20) await new Promise(() => {});
    };
    const fakes = [await fakeServer({ beforeEvent }), await fakeServer({ beforeEvent })];
    const gateway = await serve(fakes.map(({ url }) => url));
    const alone = await whole(gateway);
    const busy = () => fakes.find((fake) => fake.bodies("/completion").length > 0) as FakeLlama;
    const first = busy();
    waits = true;
    const text = await streamed(gateway, () => {
      waits = false;
      return first.close();
    });
    expect(text).toBe(alone);
    const other = fakes.find((fake) => fake !== first) as FakeLlama;
    expect(other.bodies("/completion").length).toBeGreaterThan(0);
    expect(await whole(gateway)).toBe(alone);
  });

  test("a server that is down at the start keeps nothing back, and gets conversations when it is up", async () => {
    const port = await freePort();
    const up = await fakeServer({});
    const gateway = await serve([`http://127.0.0.1:${port}`, up.url]);
    const alone = await whole(gateway);
    expect(gateway.lines.join("\n")).toContain(
      `No server answers at http://127.0.0.1:${port} (ECONNREFUSED). Start the server, or correct the address, and run again. The other servers answer meanwhile`,
    );
    const late = await fakeServer({ port });
    await up.close();
    // The request that finds the other server gone may still fail.
    const text = () => whole(gateway).catch(() => "");
    await expect.poll(text, { timeout: 20_000 }).toBe(alone);
    expect(late.bodies("/completion").length).toBeGreaterThan(0);
  });

  test("with no server at the start, the gateway ends", async () => {
    const ports = [await freePort(), await freePort()];
    const started = serve(ports.map((port) => `http://127.0.0.1:${port}`));
    await expect(started).rejects.toThrow(`No server answers at http://127.0.0.1:${ports[0]}`);
  });

  test("with every server gone, the answer ends with an error that names what to do", async () => {
    // Without this wait, a fast server would send its whole answer.
    const beforeEvent = (place: number) => (place === 20 ? new Promise<void>(() => {}) : undefined);
    const fakes = [await fakeServer({ beforeEvent }), await fakeServer({ beforeEvent })];
    const gateway = await serve(fakes.map(({ url }) => url));
    const closeAll = async () => {
      for (const fake of fakes) await fake.close();
    };
    await expect(streamed(gateway, closeAll)).rejects.toThrow(/No server answers at|ended in the middle/);
    await expect(whole(gateway)).rejects.toThrow(
      /No server answers at .*Start the server, or correct the address/,
    );
  });

  test.each([true, false])(
    "a client that leaves ends the work on the server (streamed: %s)",
    async (stream) => {
      let asked: () => void = () => undefined;
      const started = new Promise<void>((resolve) => {
        asked = resolve;
      });
      const never = new Promise<void>(() => undefined);
      const fake = await fakeServer({
        async beforeEvent(place) {
          // The first tokens are sent, so that a stream has begun.
          if (place < 12) return;
          asked();
          await never;
        },
      });
      const { client } = await serve([fake.url]);
      const gone = new AbortController();
      const leaving = client.chat.completions
        .create({ ...request, stream }, { signal: gone.signal })
        .then(async (answer) => {
          if (Symbol.asyncIterator in answer) for await (const _ of answer);
        });
      await started;
      gone.abort();
      await leaving.catch(() => undefined);
      await expect.poll(() => fake.abandoned).toEqual(["/completion"]);
    },
  );
});

const isThere = findLlamaServer() !== null;
if (!isThere) test.skip(llamaServerRequirement);

describe.runIf(isThere)("on two real servers", () => {
  let folder: string;
  let servers: RunningLlamaServer[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "midtoken-replicas-"));
    const model = join(folder, "story.gguf");
    writeFileSync(model, storyGguf());
    const flags = ["--metrics"];
    servers = [
      await startLlamaServer({ model, slots: 2, flags }),
      await startLlamaServer({ model, slots: 2, flags }),
    ];
  });
  afterAll(async () => {
    for (const server of servers ?? []) await server.stop();
    rmSync(folder, { recursive: true });
  });

  test("one is killed in the middle of an answer: the other goes on with the same tokens", async () => {
    const gateway = await serve(servers.map(({ url }) => url));
    // The gateway asked both servers for a few tokens when it connected.
    const before = await Promise.all(servers.map(tokensRead));
    const alone = await whole(gateway);
    const after = await Promise.all(servers.map(tokensRead));
    const read = after.map((tokens, place) => tokens - (before[place] ?? 0));
    const used = servers[read[0] === 0 ? 1 : 0] as RunningLlamaServer;
    // One server has read the prompt, the other one nothing.
    expect(read.filter((tokens) => tokens > 0)).toHaveLength(1);
    const text = await streamed(gateway, () => used.stop());
    expect(text).toBe(alone);
    expect(await whole(gateway)).toBe(alone);
  });
});

/** Number of prompt tokens that a server has read, from its own metrics. */
async function tokensRead({ url }: RunningLlamaServer): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^llamacpp:prompt_tokens_total (\d+)/m.exec(text)?.[1]);
}
