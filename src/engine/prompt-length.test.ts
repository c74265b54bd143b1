import { expect, test, vi } from "vitest";
import { encodeWithin } from "./prompt-length.ts";

/** A token for each word. */
const words = (text: string) =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .map((_, index) => index);

test("a text that fits is tokenized once and whole", () => {
  const encode = vi.fn(words);
  const text = "one two three ".repeat(30);
  expect(encodeWithin(text, encode, 90)).toHaveLength(90);
  expect(encodeWithin(text, encode, undefined)).toHaveLength(90);
  expect(encode.mock.calls.map(([part]) => part.length)).toEqual([text.length, text.length]);
});

test("a text that is much too long is refused by its beginning, with the numbers", () => {
  const encode = vi.fn(words);
  const text = "one two three ".repeat(100_000);
  expect(() => encodeWithin(text, encode, 100)).toThrow(
    "The prompt has more than 100 tokens: the first 1309 of its 1400000 characters have 281. The model's context holds 100: shorten it.",
  );
  expect(encode).toHaveBeenCalledTimes(1);
});

test("a long text of few tokens is tokenized, and a character is not cut in two", () => {
  const parts: string[] = [];
  const encode = (part: string) => {
    parts.push(part);
    return [1];
  };
  expect(encodeWithin("🙂".repeat(5_000), encode, 100)).toEqual([1]);
  expect(parts.every((part) => !/[\ud800-\udfff]/u.test(part))).toBe(true);
  expect(parts.at(-1)).toHaveLength(10_000);
});
