import { describe, expect, test } from "vitest";
import { visibleSource } from "./visible-source.ts";
import { showInvisibleCharacters, withoutInvisible } from "./visible-text.ts";

test.each([
  ["a\tb\n", "a⇥b↵"],
  ["\u0000\u001b\u007f", "␀␛␡"],
  ["\u202eevil", "\ufffdevil"],
  ["a\u200bb\u2028c\u0085d\u{e0041}e", "a\ufffdb\ufffdc\ufffdd\ufffde"],
  ["<b>", "<b>"],
  ["👩🏽‍💻 ❤️ 🏳️‍🌈 1️⃣ 🇩🇪", "👩🏽‍💻 ❤️ 🏳️‍🌈 1️⃣ 🇩🇪"],
  ["a\u200db", "a\ufffdb"],
  ["👩\u200dadmin", "👩\ufffdadmin"],
  ["a\ufe0f", "a\ufffd"],
  ["日本 e\u0301 ñ ﷽", "日本 e\u0301 ñ ﷽"],
])("%j is shown as %j", (text, expected) => {
  expect(showInvisibleCharacters(text)).toBe(expected);
});

test("an endless text is cut, between characters", () => {
  expect(showInvisibleCharacters("x".repeat(70_000))).toHaveLength(80);
  expect(showInvisibleCharacters("🙂".repeat(70), 8)).toBe("🙂🙂🙂…");
});

test.each([
  ["a\tb\nc", { text: "a\tb\nc", hidden: 0 }],
  ["a\r\nb\rc", { text: "a\nb⟨U+000D⟩c", hidden: 1 }],
  ['"\u202e" // \u2028 run()', { text: '"⟨U+202E⟩" // ⟨U+2028⟩ run()', hidden: 2 }],
  ["\u{e0041}👩🏽‍💻", { text: "⟨U+E0041⟩👩🏽‍💻", hidden: 1 }],
])("the source %j is reviewed as %j", (source, expected) => {
  expect(visibleSource(source)).toEqual(expected);
});

describe("all of Unicode", () => {
  const every = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
  /** An expression for each general category and property, independent of the tested expression. */
  const properties = ["Cc", "Cf", "Cs", "Zl", "Zp", "Bidi_Control", "Default_Ignorable_Code_Point"].map(
    (name) => new RegExp(`\\p{${name}}`, "u"),
  );
  const hidden = every.filter((character) => properties.some((property) => property.test(character)));

  test("no character that is not seen, or that turns the text around, is drawn as it is", () => {
    // The first version of the list lacked these characters.
    for (const code of [0x200b, 0x2028, 0x2029, 0x80, 0x9f, 0xe0000, 0xe007f, 0xad, 0x3164, 0xfe0f]) {
      expect(hidden).toContain(String.fromCodePoint(code));
    }
    expect(hidden.filter((character) => showInvisibleCharacters(character) === character)).toEqual([]);
    // Separated by spaces, because two halves of a character would become one character.
    const text = hidden.join(" ");
    expect(visibleSource(text).hidden).toBe(hidden.length - 2);
    expect(withoutInvisible(text)).toBe(" ".repeat(hidden.length - 1));
  });

  test("every other character is drawn as it is", () => {
    const known = new Set(hidden);
    const others = every.filter((character) => !known.has(character)).join("");
    expect(showInvisibleCharacters(others, others.length) === others).toBe(true);
    expect(visibleSource(others)).toEqual({ text: others, hidden: 0 });
    expect(withoutInvisible(others) === others).toBe(true);
  });
});

test.each([
  ["put '\u2068שלום\u2069' here", "put '\u2068שלום\u2069' here"],
  ["\u2068alone", "\ufffdalone"],
  ["alone\u2069", "alone\ufffd"],
  ["\u2068a\u2067b\u2069", "\ufffda\ufffdb\ufffd"],
  ["\u2068a\u202eb\u2069", "\u2068a\ufffdb\u2069"],
])("an isolated text stays isolated where its sentence is made visible: %j", (text, visible) => {
  expect(showInvisibleCharacters(text)).toBe(visible);
});

test("a sentence that is cut within an isolated text ends the isolation", () => {
  expect(showInvisibleCharacters(`put '\u2068${"ש".repeat(50)}\u2069'`, 20)).toBe(
    `put '\u2068${"ש".repeat(13)}…\u2069`,
  );
});
