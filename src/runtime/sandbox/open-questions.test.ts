/** Many questions at once: they are answered in order, each within its own deadline, and a guest cannot send more answers than questions. */
import { afterEach, expect, test } from "vitest";
import type { LoopEvent, ModHost } from "../../core/decoder/ports/mod-host.ts";
import { type Deadlines, defaultDeadlines } from "./deadlines.ts";
import { connectModHost } from "./port-mod-host.ts";
import type { EngineToGuest } from "./protocol.ts";
import { lettersTokenizer } from "./testing/letters.ts";
import { startNodeGuest } from "./testing/node-guest.ts";
import { createTestFrame } from "./testing/test-frame.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const patient: Deadlines = { load: 60_000, prefilled: 60_000, event: 60_000 };
const depth = 64;

const added = (step: number): LoopEvent => ({
  type: "added",
  requestId: "r1",
  step,
  tokens: [1],
  text: "a",
  source: "sampled",
  mod: null,
  isEos: false,
  hidden: false,
  emitted: [],
});

const askAll = (host: ModHost, count: number) =>
  Promise.all(Array.from({ length: count }, (_, step) => host.ask(added(step))));

/** A mod in the real guest, and the number of messages in which it got its events. */
async function start(handler: string, deadlines: Partial<Deadlines> = patient) {
  const guest = startNodeGuest(`import { mod } from "midtoken/mod";\nexport default mod({ ${handler} });\n`);
  ends.push(() => guest.kill());
  const state = { kills: 0, messages: 0 };
  const { port } = guest;
  const post = port.postMessage.bind(port);
  port.postMessage = (message: EngineToGuest, transfer?: unknown) => {
    if (message.type === "events") state.messages += 1;
    post(message, transfer as Transferable[]);
  };
  const host = await connectModHost(guest, {
    name: "test",
    about: guest.compiled.about,
    seed: 1,
    tokenizerData: lettersTokenizer,
    deadlines,
    onKill() {
      state.kills += 1;
      guest.kill();
    },
  });
  return { host, state };
}

test.each([
  ["at once", ""],
  ["after a while", "for (let turn = 0; turn < 5; turn += 1) await null;"],
])(
  "as many questions as it takes are answered %s, in their order and one after the other",
  async (_, wait) => {
    const { host, state } = await start(`async added(event, actions) {
    console.log("begins", event.step);
    ${wait}
    console.log("ends", event.step);
    return actions.forceTokens(event.step % 2 ? "a" : "b");
  }`);
    expect(host.pipelineDepth).toBe(depth);
    for (let round = 0; round < 2; round += 1) {
      const replies = await askAll(host, depth);
      expect(replies.map(({ console }) => console.map(({ text }) => text))).toEqual(
        replies.map((_, step) => [`begins ${step}`, `ends ${step}`]),
      );
      expect(replies.map(({ action }) => action)).toEqual(
        replies.map((_, step) => ({ type: "forceTokens", tokens: [step % 2 ? 1 : 2], heal: true })),
      );
    }
    expect(state.messages).toBe(4);
  },
);

test("of a list of questions a mod is stopped at the one at which it hangs; those before it are answered", async () => {
  const { host, state } = await start("added({ step }) { while (step === 5); }", {
    ...patient,
    event: defaultDeadlines.event,
  });
  const replies = await askAll(host, 10);
  expect(replies.map(({ fault }) => fault?.kind ?? null)).toEqual([
    ...Array(5).fill(null),
    ...Array(5).fill("timeout"),
  ]);
  expect(replies[5]?.fault?.message).toMatch(/^The mod "test" did not reply to “added” within 1000 ms/);
  expect(state.kills).toBe(1);
});

test("more questions than it takes are a bug of whoever asks", async () => {
  const { host } = await start("added() {}");
  await expect(askAll(host, depth + 1)).rejects.toThrow('The mod "test" was sent 65 events at once.');
});

type Events = Extract<EngineToGuest, { type: "events" }>;
type Reply = Readonly<Record<string, unknown>>;
type Answer = (message: Events, reply: Reply, post: (reply: Reply) => void) => void;

/** A guest that the test defines by how it answers a list of questions. */
async function startGuest(answer: Answer, deadlines: Deadlines = patient): Promise<ModHost> {
  const { port1, port2 } = new MessageChannel();
  const frame = createTestFrame();
  ends.push(() => port2.close(), frame.close);
  port2.onmessage = ({ data }: MessageEvent<EngineToGuest>) => {
    if (data.type === "init") {
      const needs = { topK: 0, logits: false };
      port2.postMessage({ type: "ready", run: data.run, name: "m", handles: ["added"], needs, console: [] });
    } else if (data.type === "events") {
      const { run, sequence } = data;
      const reply = { type: "reply", run, sequence, action: { type: "noop" }, fault: null, builtAt: null };
      answer(data, { ...reply, console: [] }, (message) => port2.postMessage(message));
    }
  };
  const about = {
    label: "test.ts",
    reads: {
      logits: false,
      topK: false,
      hiddenState: false,
      output: false,
      conversation: false,
      strategies: false,
      bans: false,
    },
    mappings: "",
  };
  return connectModHost(
    { port: port1, pingPort: frame.pingPort },
    { name: "test", about, seed: 1, tokenizerData: lettersTokenizer, deadlines, onKill() {} },
  );
}

test("each question has its own time, however long all of them take", async () => {
  const host = await startGuest(
    ({ sequence, events }, reply, post) => {
      const say = (place: number) => {
        post({ ...reply, sequence: sequence + place });
        if (place + 1 < events.length) setTimeout(say, 150, place + 1);
      };
      setTimeout(say, 150, 0);
    },
    { ...patient, event: 500 },
  );
  const started = performance.now();
  const replies = await askAll(host, 6);
  expect(replies.every(({ fault }) => fault === null)).toBe(true);
  expect(performance.now() - started).toBeGreaterThan(600);
});

test.each<[string, Answer]>([
  [
    "in another order",
    ({ sequence, events }, reply, post) => {
      for (const place of [...events.keys()].reverse()) post({ ...reply, sequence: sequence + place });
    },
  ],
  [
    "twice",
    ({ sequence, events }, reply, post) => {
      for (const place of events.keys()) {
        post({ ...reply, sequence: sequence + place });
        post({ ...reply, sequence: sequence + place });
      }
    },
  ],
  [
    "and one more",
    ({ sequence, events }, reply, post) => {
      for (const place of [...events.keys(), events.length]) post({ ...reply, sequence: sequence + place });
    },
  ],
])("a guest that answers a list of questions %s is stopped", async (_, answer) => {
  let isList = false;
  const host = await startGuest((message, reply, post) => {
    isList ||= message.events.length > 1;
    if (isList) answer(message, reply, post);
    else post(reply);
  });
  const faults = (await askAll(host, 8)).map(({ fault }) => fault?.kind ?? null);
  expect(isList).toBe(true);
  // A guest that sends too many answers is detected when it sends them.
  await new Promise((done) => setTimeout(done, 20));
  expect([...faults, (await host.ask(added(9))).fault?.kind]).toContain("protocol");
});
