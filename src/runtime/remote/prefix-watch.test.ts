import { expect, test } from "vitest";
import { PrefixWatch } from "./prefix-watch.ts";

function noticesOf(computed: readonly number[], unread = 1): string[] {
  const notices: string[] = [];
  const watch = new PrefixWatch((notice) => notices.push(notice));
  for (const each of computed) watch.note(each, unread);
  return notices;
}

test("a server that keeps the text is not mentioned", () => {
  expect(noticesOf([1, 2, 1, 2, 2, 1, 1])).toEqual([]);
  // The prompt is new to the server.
  expect(noticesOf([400, 400, 400, 400, 400], 400)).toEqual([]);
});

test("a server that reads the text at each step is mentioned within five steps, once", () => {
  const notices = noticesOf([100, 101, 102, 103, 104, 105, 106]);
  expect(notices).toHaveLength(1);
  expect(notices[0]).toMatch(/computed 510 tokens, although only 5 were new.*more slots/);
});

test("each time that the text is lost is told to the caller", () => {
  const watch = new PrefixWatch(() => {});
  const lost = [100, 100, 100, 100, 100, 1, 1, 100, 100, 100].map((each) => watch.note(each, 1));
  expect(lost).toEqual([false, false, false, false, true, false, false, false, false, true]);
});

test("a short text that is read at each step is mentioned within five steps", () => {
  expect(noticesOf([5, 6, 7, 8, 9])).toEqual([
    expect.stringMatching(/computed 35 tokens, although only 5 were new/),
  ]);
  // The server is asked about two conversations in one slot by turns.
  expect(noticesOf([1, 1, 1, 7, 8])).toHaveLength(1);
  expect(noticesOf([1, 2, 1, 9, 1, 10])).toHaveLength(1);
});

test("a short text that is read again once is no reason for a warning", () => {
  expect(noticesOf([1, 1, 12, 1, 1, 1, 1, 2, 1, 1, 20, 1, 1])).toEqual([]);
});

test("a server whose cache has blocks of 16 tokens computes up to a block for each step", () => {
  const notices: string[] = [];
  const advice = "Start it otherwise.";
  const watch = new PrefixWatch((notice) => notices.push(notice), { blockTokens: 16, advice });
  for (let length = 1; length < 100; length++) watch.note(((length - 1) % 16) + 1, 1);
  expect(notices).toEqual([]);
  for (const each of [100, 101, 102, 103, 104]) watch.note(each, 1);
  expect(notices).toEqual([
    expect.stringMatching(/^The server computed \d+ tokens, .* conversation\. Start it otherwise\.$/),
  ]);
});
