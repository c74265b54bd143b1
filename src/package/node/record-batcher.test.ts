/** Messages of an engine's thread: which of them wait, for how long, and their order. */
import { expect, test } from "vitest";
import type { EngineMessage } from "../../runtime/session/shared/protocol.ts";
import { createRecordBatcher } from "./record-batcher.ts";

const recordsOf = (requestId: string): EngineMessage => ({ type: "records", requestId, records: [] });
const ended = (of: string): EngineMessage => ({ type: "ended", of });

interface Timer {
  readonly at: number;
  readonly work: () => void;
}

function gathering() {
  const posted: unknown[] = [];
  let time = 0;
  let waiting: Timer[] = [];
  const send = createRecordBatcher((message) => posted.push(message), {
    now: () => time,
    afterTurn: (work) => waiting.push({ at: time, work }),
    afterMs: (work, ms) => waiting.push({ at: time + ms, work }),
  });
  /** Ends the turn of the event loop, after so many milliseconds. */
  const endTurn = (ms = 0): void => {
    time += ms;
    const due = waiting.filter(({ at }) => at <= time);
    waiting = waiting.filter(({ at }) => at > time);
    for (const { work } of due) work();
  };
  return { posted, endTurn, send: (message: EngineMessage) => send(message, []) };
}

test("the records of a turn are one message, in their order", () => {
  const { posted, endTurn, send } = gathering();
  for (const id of ["a", "b", "a"]) send(recordsOf(id));
  expect(posted).toEqual([]);
  endTurn();
  expect(posted).toEqual([[recordsOf("a"), recordsOf("b"), recordsOf("a")]]);
});

test("records wait until 12 ms after the message before them, whatever their number", () => {
  const { posted, endTurn, send } = gathering();
  send(recordsOf("a"));
  endTurn();
  for (let ms = 4; ms <= 8; ms += 4) {
    send(recordsOf("a"));
    endTurn(4);
  }
  send(recordsOf("a"));
  endTurn(3);
  expect(posted).toHaveLength(1);
  endTurn(1);
  expect(posted).toEqual([[recordsOf("a")], [recordsOf("a"), recordsOf("a"), recordsOf("a")]]);
});

test("records of a model that takes longer for a token are sent at the end of their turn", () => {
  const { posted, endTurn, send } = gathering();
  for (let token = 1; token <= 3; token++) {
    send(recordsOf("a"));
    endTurn();
    expect(posted).toHaveLength(token);
    endTurn(12);
  }
});

test("the first token of a request does not wait for the time since the last message, and later ones do", () => {
  const { posted, endTurn, send } = gathering();
  const tokenOf = (requestId: string): EngineMessage =>
    ({ type: "records", requestId, records: [{ type: "added" }] }) as unknown as EngineMessage;
  send(recordsOf("a"));
  endTurn();
  for (const id of ["a", "b"]) send(tokenOf(id));
  endTurn(1);
  expect(posted).toEqual([[recordsOf("a")], [tokenOf("a"), tokenOf("b")]]);
  send(tokenOf("a"));
  endTurn(1);
  expect(posted).toHaveLength(2);
  endTurn(11);
  expect(posted.slice(2)).toEqual([[tokenOf("a")]]);
  send(ended("a"));
  send(tokenOf("a"));
  endTurn();
  expect(posted.slice(3)).toEqual([[ended("a")], [tokenOf("a")]]);
});

test("another message is sent at once, together with the records before it", () => {
  const { posted, endTurn, send } = gathering();
  send(recordsOf("a"));
  send(ended("a"));
  expect(posted).toEqual([[recordsOf("a"), ended("a")]]);
  endTurn(12);
  expect(posted).toHaveLength(1);
  send(recordsOf("b"));
  endTurn();
  expect(posted.slice(1)).toEqual([[recordsOf("b")]]);
});

test("a message alone does not hold up the records after it", () => {
  const { posted, endTurn, send } = gathering();
  send(ended("a"));
  send(recordsOf("b"));
  endTurn();
  expect(posted).toEqual([[ended("a")], [recordsOf("b")]]);
});
