/** A conversation that ends or fails while a server is asked leaves no place behind, and a request goes to each server once. */
import { expect, test } from "vitest";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import { ServerConnection } from "./connection.ts";
import { ConversationOnReplicas } from "./conversation.ts";
import { fixedText } from "./growing-text.ts";
import { RemoteEngineError } from "./remote-error.ts";
import { Replica, type ReplicaSlot } from "./replica.ts";
import { Replicas } from "./replicas.ts";

const text = [1, 2, 3];
const failed = new RemoteEngineError("server", "The server failed.");

function replicaAt(port: number, check?: () => Promise<void>): Replica {
  const connection = new ServerConnection({ url: `http://127.0.0.1:${port}` }, createHttpExchange());
  return new Replica({ connection, slots: 1, ...(check && { check }) });
}

const conversationOn = (...all: readonly Replica[]) =>
  new ConversationOnReplicas(new Replicas(all), () => {});

function open<Value>() {
  let settle: { resolve: (value: Value) => void; reject: (error: unknown) => void } | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...(settle as NonNullable<typeof settle>) };
}

const ask = (conversation: ConversationOnReplicas, send: (place: ReplicaSlot) => Promise<unknown>) =>
  conversation.ask({ text, send, read: (answer) => answer, signal: undefined });

test("a conversation that ends while its server is checked leaves its place", async () => {
  const check = open<void>();
  const replica = replicaAt(1, () => check.promise);
  replica.fail();
  const conversation = conversationOn(replica);
  const asking = ask(conversation, async () => "too late");
  conversation.dispose(text);
  check.resolve();
  await expect(asking).rejects.toThrow("The model was disposed of.");
  expect([replica.conversations, replica.hasRoom, conversation.place]).toEqual([0, true, null]);
});

test("a conversation that ends before its server fails does not go on at another server", async () => {
  const all = [replicaAt(1), replicaAt(2)];
  const conversation = conversationOn(...all);
  const answer = open<unknown>();
  const asked: ReplicaSlot[] = [];
  const asking = ask(conversation, (place) => {
    asked.push(place);
    return answer.promise;
  });
  await expect.poll(() => asked.length).toBe(1);
  conversation.dispose(text);
  answer.reject(failed);
  await expect(asking).rejects.toThrow("The model was disposed of.");
  expect(asked).toHaveLength(1);
  expect(all.map(({ conversations, hasRoom }) => [conversations, hasRoom])).toEqual([
    [0, true],
    [0, true],
  ]);
});

test("a text that ends every server is sent to each of them once, though each is ready again at once", async () => {
  const all = [replicaAt(1), replicaAt(2), replicaAt(3)];
  const asked: Replica[] = [];
  const asking = ask(conversationOn(...all), async ({ replica }) => {
    asked.push(replica);
    if (asked.length > 10) throw new Error("The text goes round.");
    // The other servers were started again; the server of this request was not.
    for (const other of all) await other.check();
    throw failed;
  });
  await expect(asking).rejects.toThrow("The server failed.");
  expect(new Set(asked)).toEqual(new Set(all));
  expect(asked).toHaveLength(3);
});

test("a conversation that left its slot reads its text once in the other one, and stays there", async () => {
  const connection = new ServerConnection({ url: "http://127.0.0.1:1" }, createHttpExchange());
  const replicas = new Replicas([new Replica({ connection, slots: 4 })]);
  const notices: string[] = [];
  const conversation = new ConversationOnReplicas(replicas, (notice) => notices.push(notice));
  const words = Array.from({ length: 100 }, (_, place) => place);
  const slots: (number | null | undefined)[] = [(await conversation.enter(words, undefined)).slot];
  const step = (computed: number) => {
    words.push(words.length);
    conversation.note(computed, fixedText(words));
    slots.push(conversation.place?.slot);
  };
  conversation.note(100, fixedText(words));
  for (let each = 0; each < 4; each++) step(words.length);
  const moved = slots.at(-1);
  expect(moved).not.toBe(slots[0]);
  step(words.length);
  for (let each = 0; each < 20; each++) step(1);
  expect(new Set(slots.slice(4))).toEqual(new Set([moved]));
  expect(notices).toHaveLength(1);
});

test("tokens that a server has read already are not counted as new, also after a question about an earlier row", () => {
  const replicas = new Replicas([replicaAt(1)]);
  const conversation = new ConversationOnReplicas(replicas, () => {});
  conversation.note(3, fixedText([1, 2, 3]));
  conversation.note(0, fixedText([1]));
  expect(replicas.meter.counts.unread).toBe(3);
});

test("conversations that lose their text on one server at the same time give one notice, with the server's address", async () => {
  const notices: string[] = [];
  const replicas = new Replicas([replicaAt(1)]);
  for (let each = 0; each < 3; each++) {
    const conversation = new ConversationOnReplicas(replicas, (notice) => notices.push(notice));
    await conversation.enter([1], undefined);
    for (let length = 100; length < 105; length++)
      conversation.note(length, fixedText(Array(length).fill(1)));
    for (let length = 105; length < 110; length++)
      conversation.note(length, fixedText(Array(length).fill(1)));
  }
  expect(notices).toEqual([
    expect.stringMatching(/^http:\S+ computed \d+ tokens, although only \d+ were new/),
  ]);
});
