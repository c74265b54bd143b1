import { expect, test } from "vitest";
import { textOfMessage } from "./message-text.ts";

test.each([
  ["a text", "hello", "hello"],
  ["no content, as in a message that only calls tools", null, ""],
  ["parts", [{ text: "one " }, { text: "two" }], "one two"],
  ["a part without a text", [{ type: "image" }, { text: "two" }], "two"],
])("%s", (_, content, text) => {
  expect(textOfMessage({ content })).toBe(text);
});
