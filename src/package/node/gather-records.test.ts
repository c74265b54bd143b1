/** Messages of an engine's thread: which of them wait for the end of the turn, and their order. */
import { expect, test } from "vitest";
import type { EngineMessage } from "../../runtime/session/shared/protocol.ts";
import { gatherRecords } from "./gather-records.ts";

const recordsOf = (requestId: string): EngineMessage => ({ type: "records", requestId, records: [] });
const ended = (of: string): EngineMessage => ({ type: "ended", of });

function gathering() {
  const posted: unknown[] = [];
  const turns: (() => void)[] = [];
  const send = gatherRecords(
    (message) => posted.push(message),
    (work) => turns.push(work),
  );
  const endTurn = (): void => {
    for (const work of turns.splice(0)) work();
  };
  return { posted, endTurn, send: (message: EngineMessage) => send(message, []) };
}

test("the records of a turn are one message, in their order", () => {
  const { posted, endTurn, send } = gathering();
  for (const id of ["a", "b", "a"]) send(recordsOf(id));
  expect(posted).toEqual([]);
  endTurn();
  expect(posted).toEqual([[recordsOf("a"), recordsOf("b"), recordsOf("a")]]);
  send(recordsOf("b"));
  endTurn();
  expect(posted.slice(1)).toEqual([[recordsOf("b")]]);
});

test("another message is sent at once, after the records before it", () => {
  const { posted, endTurn, send } = gathering();
  send(recordsOf("a"));
  send(ended("a"));
  expect(posted).toEqual([[recordsOf("a")], ended("a")]);
  endTurn();
  expect(posted).toHaveLength(2);
});
