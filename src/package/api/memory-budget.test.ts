/** Several models of an engine share one memory budget, in Node; each is the bundled model in its own worker. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { mod } from "../../core/sdk/mod.ts";
import { type ModelHub, startModelHub } from "../../runtime/engine/testing/model-hub.ts";
import { createEngine } from "./create-engine.ts";
import type { MidtokenEngine } from "./midtoken-engine.ts";
import { storySessionOptions } from "./testing/story-engine.ts";

const ids = ["m/a", "m/b", "m/c"] as const;
let hub: ModelHub;
let engine: MidtokenEngine | null = null;
/** Number of engines that run now; `started` counts all that were started. */
let open = 0;
let started = 0;

beforeAll(async () => {
  hub = await startModelHub(Object.fromEntries(ids.map((id) => [id, "public/models/stories260k"])));
});
afterEach(() => engine?.dispose());
afterAll(() => hub?.close());

const reference = (id: string) => ({
  id,
  url: hub.url(id),
  revision: null,
  dtype: { webgpu: "fp32", wasm: "fp32" },
});

async function engineWith(memoryBudget: number): Promise<MidtokenEngine> {
  open = 0;
  started = 0;
  const session = {
    ...storySessionOptions,
    openTransport() {
      const transport = storySessionOptions.openTransport?.();
      if (!transport) throw new Error("The story session has no transport.");
      open += 1;
      started += 1;
      const close = transport.close.bind(transport);
      transport.close = () => {
        open -= 1;
        close();
      };
      return transport;
    },
  };
  engine = await createEngine({ session, memoryBudget });
  return engine;
}

const load = (made: MidtokenEngine, id: string) => made.models.load(reference(id), { device: "wasm" });

async function ask(made: MidtokenEngine, model: string, max_tokens = 5): Promise<string | null | undefined> {
  const messages = [{ role: "user", content: "Once upon a time" }] as const;
  const answer = await made.chat.completions.create({ model, messages, max_tokens, temperature: 0 });
  return answer.choices[0]?.message.content;
}

test("models that fit stay; above the budget the one that was used longest ago goes, and comes back when it is asked", async () => {
  const roomy = await engineWith(1e9);
  for (const id of ids) await load(roomy, id);
  expect(open).toBe(3);
  const told = await ask(roomy, "m/a");
  roomy.dispose();
  expect(open).toBe(0);

  const tight = await engineWith(1);
  await load(tight, "m/a");
  await load(tight, "m/b");
  expect(open).toBe(1);
  expect(tight.models.list().map(({ id }) => id)).toEqual(["m/a", "m/b"]);
  expect(await ask(tight, "m/b")).toBe(told);
  expect(open).toBe(1);
  expect(await ask(tight, "m/a")).toBe(told);
  expect(await ask(tight, "m/b")).toBe(told);
  expect(open).toBe(1);
});

test("of three, of which two fit, the one in use and the one before it stay", async () => {
  // Each has its own heap of 17 MB.
  const made = await engineWith(45e6);
  for (const id of ["m/a", "m/b"]) await load(made, id);
  await ask(made, "m/a");
  await load(made, "m/c");
  expect(open).toBe(2);
  await ask(made, "m/a");
  await ask(made, "m/c");
  expect(started).toBe(3);
  await ask(made, "m/b");
  expect([open, started]).toEqual([2, 4]);
});

test("a model that is being asked is not let go, but once its answer is whole", async () => {
  const made = await engineWith(1);
  await load(made, "m/a");
  let goOn: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let heard: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const slow = mod({
    added: async ({ step }) => {
      if (step !== 2) return undefined;
      heard();
      await held;
      return undefined;
    },
  });
  made.mods.registerTrusted(slow, { name: "slow" });
  const request = { model: "m/a/slow", messages: [{ role: "user", content: "Once upon a time" }] } as const;
  const midtoken = { deadlines: { event: 60_000 } };
  const answer = made.chat.completions.create({ ...request, max_tokens: 5, temperature: 0, midtoken });
  await begun;
  await load(made, "m/b");
  expect(open).toBe(2);
  goOn();
  expect((await answer).choices[0]?.message.content).not.toBe("");
  await ask(made, "m/b");
  expect(open).toBe(1);
});

test("a budget that is none is refused", async () => {
  for (const memoryBudget of [0, -1, Number.NaN]) {
    await expect(createEngine({ session: storySessionOptions, memoryBudget })).rejects.toMatchObject({
      status: 400,
      param: "memoryBudget",
      message: expect.stringContaining(`is ${memoryBudget}`),
    });
  }
});
