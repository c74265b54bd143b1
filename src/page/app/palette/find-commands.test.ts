import fc from "fast-check";
import { expect, test } from "vitest";
import type { Command } from "./command.ts";
import { commandMatchScore, countListedCommands, findCommands } from "./find-commands.ts";

const command = (title: string, changes: Partial<Command> = {}): Command => ({
  id: title,
  group: "Page",
  title,
  act() {},
  ...changes,
});

test.each([
  ["", ["Page", "Saved runs"]],
  ["his", ["Page", "Saved runs"]],
  ["dragon", ["Saved runs"]],
])("%j lists the groups %j", (text, groups) => {
  const commands = [
    command("History: the runs that are kept"),
    command("A history of dragons", { group: "Saved runs" }),
  ];
  expect(findCommands(commands, text).map(({ group }) => group)).toEqual(groups);
});

test.each([
  ["open", "Open swap-name", "Reopen the run"],
  ["run", "Run", "Run settings of the page"],
  ["swap name", "Open swap-name", "Swap"],
  ["DARK", "Theme: dark", "Darkness at noon, a very long prompt"],
  ["token", "Write one more token", "Tokenization in short"],
])("%j finds %j", (text, wanted, _other) => {
  expect(commandMatchScore(command(wanted), text)).toBeGreaterThan(0);
});

test.each([
  // A beginning of the title before a beginning of a word, before any place, before the words beside it.
  ["st", ["Stop the run", "Write a step", "Last token", "Pause"]],
  ["run", ["Run", "Stop the run", "Prune", "Go"]],
])("%j finds in this order: %j", (text, titles) => {
  const commands = titles.toReversed().map((title) => command(title, { words: `${text}art` }));
  expect(findCommands(commands, text)[0]?.commands.map(({ title }) => title)).toEqual(titles);
});

test("every word must be found", () => {
  expect(
    commandMatchScore(command("Open a run from a file", { words: "trace" }), "trace file"),
  ).toBeGreaterThan(0);
  expect(commandMatchScore(command("Open a run from a file", { words: "trace" }), "trace picture")).toBe(0);
});

test("what is not listed is counted", () => {
  const runs = Array.from({ length: 30 }, (_, at) => command(`run ${at}`, { group: "Saved runs" }));
  const [all] = findCommands(runs, "");
  expect((all?.commands.length ?? 0) + (all?.more ?? 0)).toBe(30);
  expect(all?.more).toBeGreaterThan(0);
  const page = Array.from({ length: 30 }, (_, at) => command(`do ${at}`));
  expect(findCommands(page, "")[0]?.more).toBe(0);
});

test("whatever is typed, nothing is listed twice and every listed command fits", () => {
  const title = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(fc.array(title, { maxLength: 30 }), fc.string({ maxLength: 8 }), (titles, text) => {
      const commands = titles.map((each, at) =>
        command(each, { id: String(at), group: at % 2 === 0 ? "Page" : "Saved runs" }),
      );
      const groups = findCommands(commands, text);
      const listed = groups.flatMap((group) => group.commands);
      expect(new Set(listed).size).toBe(listed.length);
      expect(countListedCommands(groups)).toBe(listed.length);
      if (text.trim() !== "")
        expect(listed.filter((each) => commandMatchScore(each, text) === 0)).toEqual([]);
    }),
  );
});
