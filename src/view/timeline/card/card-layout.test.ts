import { expect, test } from "vitest";
import { layOutShareCard } from "./card-layout.ts";

/** Each character is one px wide. */
const lay = (texts: readonly string[], room = { width: 12, lines: 4 }) =>
  layOutShareCard(
    texts.map((text) =>
      text.startsWith("+")
        ? { standing: "forced" as const, text: text.slice(1), steered: null }
        : { standing: "sampled" as const, text, steered: null },
    ),
    room,
    (text) => text.length,
  );

/** The lines, with a sign before forced words. */
function shown(texts: readonly string[], room?: { width: number; lines: number }) {
  const { words, lines } = lay(texts, room);
  return Array.from({ length: lines }, (_, line) =>
    words
      .filter((word) => word.line === line)
      .map(({ text, standing }) => (standing === "forced" ? `+${text}` : text))
      .join(""),
  );
}

test.each([
  [["one two three four"], ["one two ", "three four"]],
  [
    ["one", "+ two", " three"],
    ["one+ two", " three"],
  ],
  [["a\nb\n\nc"], ["a", "b", "", "c"]],
  [["  a"], ["  a"]],
  [["x".repeat(70)], ["x".repeat(60), "x".repeat(10)]],
  [["a\tb\u202ec"], ["a⇥b\ufffdc"]],
  [[""], [""]],
])("%j", (texts, lines) => expect(shown(texts)).toEqual(lines));

test("what has no room is left out, and said", () => {
  expect(lay(["one two three four five six seven"], { width: 8, lines: 2 })).toMatchObject({
    lines: 2,
    isCut: true,
  });
  expect(lay(["one two"], { width: 8, lines: 2 }).isCut).toBe(false);
  expect(lay(["a\nb\nc"], { width: 8, lines: 2 })).toMatchObject({ lines: 2, isCut: true });
});

test("200,000 characters are laid out no further than there is room", () => {
  expect(lay(["word ".repeat(40_000)], { width: 40, lines: 5 }).words.length).toBeLessThan(60);
});

test("words chosen while mods steered are told from the others", () => {
  const steered = { mods: [{ mod: 0, vectors: [] }], patches: [] };
  const parts = [
    { standing: "sampled" as const, text: "one two ", steered: null },
    { standing: "sampled" as const, text: "three", steered },
  ];
  const { words } = layOutShareCard(parts, { width: 40, lines: 1 }, (text) => text.length);
  expect(words.map(({ text, isSteered }) => `${isSteered ? "~" : ""}${text}`)).toEqual([
    "one ",
    "two ",
    "~three",
  ]);
});
