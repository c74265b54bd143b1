/** The engine's side of `event.score` against guests that break the protocol, at the other end of a real port. */
import { expect, test } from "vitest";
import { type HostileGuestBehaviour, startHostileGuest as start } from "./testing/hostile-guest.ts";
import { addedEvent } from "./testing/sample-events.ts";

const scores = async (continuations: readonly unknown[]) => continuations.map(() => -1);
type OnEvent = NonNullable<HostileGuestBehaviour["onEvent"]>;
const ask = (reply: Parameters<OnEvent>[0], continuations: unknown = [[1]]) => ({
  type: "score",
  run: reply.run,
  sequence: reply.sequence,
  continuations,
});

test.each<[string, unknown]>([
  ["no continuations", []],
  ["nothing", null],
  ["a text", "ab"],
  ["a list of texts", ["ab"]],
  ["an empty continuation", [[]]],
  ["a token beyond the vocabulary", [[29]]],
  ["a negative token", [[-1]]],
  ["half a token", [[0.5]]],
  ["a token in a text", [["1"]]],
  ["a hole among the tokens", [new Array(3)]],
  ["65 continuations", Array.from({ length: 65 }, () => [1])],
  ["257 tokens", [new Array(257).fill(1)]],
  ["an object with a length", { length: 1e9 }],
  ["a continuation with a length", [{ length: 1e9 }]],
])("a call of score with %s stops the mod", async (_, continuations) => {
  const { host, state } = await start({ onEvent: (reply, post) => post(ask(reply, continuations)) });
  let wasAsked = false;
  const { fault, action } = await host.ask(addedEvent, async () => {
    wasAsked = true;
    return [-1];
  });
  expect(fault).toMatchObject({ kind: "protocol", message: expect.stringMatching(/\.$/) });
  expect(action).toEqual({ type: "noop" });
  expect(wasAsked).toBe(false);
  expect(state.kills).toBe(1);
});

test.each<[string, OnEvent]>([
  ["for an earlier question", (reply, post) => post({ ...ask(reply), sequence: reply.sequence - 1 })],
  ["for a later question", (reply, post) => post({ ...ask(reply), sequence: reply.sequence + 1 })],
  ["of another run", (reply, post) => post({ ...ask(reply), run: reply.run ^ 1 })],
  [
    "while another call is open",
    (reply, post) => {
      post(ask(reply));
      post(ask(reply));
    },
  ],
  [
    "and an answer while the call is open",
    (reply, post) => {
      post(ask(reply));
      post(reply);
      post(ask(reply));
    },
  ],
])("a call of score %s stops the mod", async (_, onEvent) => {
  const { host, state } = await start({ onEvent });
  const first = await host.ask(addedEvent, scores);
  const second = first.fault ? first : await host.ask(addedEvent, scores);
  expect(second.fault).toMatchObject({ kind: "protocol", message: expect.stringMatching(/\.$/) });
  expect(state.kills).toBe(1);
});

test("what the guest sends beside the continuations does not reach the engine", async () => {
  const asked: unknown[] = [];
  let messages = 0;
  const { host } = await start({
    onEvent(reply, post) {
      messages += 1;
      // The second message has the scores.
      if (messages > 1) post(reply);
      else post({ ...ask(reply, [[1, 2]]), logprobs: [0], extra: "x".repeat(1000) });
    },
  });
  const { fault } = await host.ask(addedEvent, async (...given) => {
    asked.push(given);
    return [-1];
  });
  expect(fault).toBeNull();
  expect(asked).toEqual([[[[1, 2]]]]);
});
