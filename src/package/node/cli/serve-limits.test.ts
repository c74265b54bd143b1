/** The limits of `midtoken serve`: a bounded queue, a time limit, and a shutdown that lets answers finish. */
import { afterEach, expect, test } from "vitest";
import { startFakeStoryServer } from "../testing/fake-story.ts";
import { type ServingGateway, serveGateway } from "../testing/serve-gateway.ts";

const open: { stop(): unknown }[] = [];

/** A gateway on a fake server with two slots, whose answers wait until `release` is called. */
async function serveHeld(...words: readonly string[]) {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asked: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const fake = await startFakeStoryServer({
    slots: 2,
    async before(path) {
      if (path !== "/completion") return;
      asked();
      await released;
    },
  });
  open.push({ stop: () => fake.close() });
  const gateway = await serveGateway([fake.url], words);
  open.push(gateway);
  return { fake, gateway, release, started };
}

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.stop();
});

const ask = ({ address }: ServingGateway, fields: object = {}) =>
  fetch(`${address}/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "stories260k", prompt: "Once", max_tokens: 2, temperature: 0, ...fields }),
  });

const waitingIn = async ({ address }: ServingGateway) => {
  const { requests } = (await (await fetch(new URL("/health", address))).json()) as {
    requests: { running: number; waiting: number };
  };
  return requests.running + requests.waiting;
};

test("beyond --connections a request gets a 503 with Retry-After, and all others their answers", async () => {
  const { gateway, release } = await serveHeld("--connections", "3");
  const taken = [0, 1, 2].map(() => ask(gateway));
  await expect.poll(() => waitingIn(gateway)).toBe(3);
  const refused = await ask(gateway);
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ error: { code: "server_busy" } });
  release();
  for (const answer of await Promise.all(taken)) expect(answer.status).toBe(200);
});

test("with a full queue a request gets a 429 with Retry-After, and all others their answers", async () => {
  const { gateway, release } = await serveHeld("--queue", "1");
  const taken = [0, 1, 2].map(() => ask(gateway));
  await expect.poll(() => waitingIn(gateway)).toBe(3);
  const refused = await ask(gateway);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ error: { code: "server_busy" } });
  // The server still answers requests that need no model.
  expect((await fetch(new URL("/health", gateway.address))).status).toBe(200);
  release();
  for (const answer of await Promise.all(taken)) expect(answer.status).toBe(200);
  expect((await ask(gateway)).status).toBe(200);
});

test.each([false, true])(
  "a request that takes too long ends with an error, and its work on the server too (streamed: %s)",
  async (stream) => {
    // The server answers nobody, so a short limit is safe on a busy machine too.
    const { fake, gateway } = await serveHeld("--timeout", "1");
    const answer = await ask(gateway, { stream });
    const text = await answer.text();
    expect(text).toContain("request_timeout");
    // On a busy machine the stream may not have begun; then the response has the error's status.
    if (!stream || answer.status !== 200) expect(answer.status).toBe(504);
    await expect.poll(() => fake.abandoned).toEqual(["/completion"]);
  },
);

test("a signal lets answers end for a while, and new requests are refused", async () => {
  const { gateway, release, started } = await serveHeld("--drain", "60");
  const running = ask(gateway);
  await started;
  const ended = gateway.stop();
  const health = () => fetch(new URL("/health", gateway.address)).then(({ status }) => status);
  await expect.poll(health).toBe(503);
  const refused = await ask(gateway);
  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
    503,
    "server_stopped",
  ]);
  release();
  expect((await running).status).toBe(200);
  expect((await ended).code).toBe(0);
});
