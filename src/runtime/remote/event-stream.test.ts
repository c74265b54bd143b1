/** Pieces of text become the data of events, however the server cuts them. */
import { expect, test } from "vitest";
import { dataText, EventStream } from "./event-stream.ts";

function eventsOf(pieces: Iterable<string>): string[] {
  const events: string[] = [];
  const stream = new EventStream((data) => events.push(dataText(data)));
  for (const piece of pieces) stream.push(piece);
  return events;
}

const text =
  ': ping\r\n\r\ndata: {"a":1}\r\n\r\nevent: x\ndata:first\ndata: second\n\n\nerror: no\n\ndata: open';

test.each([1, 2, 3, 7, 1_000])("pieces of %i characters give the same events", (length) => {
  const pieces = text.match(new RegExp(`[^]{1,${length}}`, "g")) ?? [];
  expect(eventsOf(pieces)).toEqual(['{"a":1}', "first\nsecond", "no"]);
});

// A server that sends a long line in single characters must not hold up the process: minutes, if each one copies the line so far.
test("a line of a million pieces is put together once", () => {
  function* pieces() {
    yield "data: ";
    for (let sent = 0; sent < 1_000_000; sent++) yield "x";
    yield "\n\n";
  }
  const [event, ...others] = eventsOf(pieces());
  expect([event?.length, others]).toEqual([1_000_000, []]);
});
