import { expect, test } from "vitest";
import { encodeUtf8 } from "./utf8.ts";

test.each([
  "",
  "a",
  '{"name":',
  "\u0000\u007f",
  "\u0080",
  "naïve",
  "a€",
  "🙂 and more",
  "long ".repeat(100),
  "\ud800x",
])("%j as TextEncoder has it", (text) => {
  expect(encodeUtf8(text)).toEqual(new TextEncoder().encode(text));
});
