import { expect, test, vi } from "vitest";
import { type ResumableWork, runToEnd } from "../../../core/base/resumable-work.ts";
import type { TokenId } from "../../../core/sdk/request.ts";
import { createTokenizer } from "../../../core/tokenizer/create-tokenizer.ts";
import { mostBytesOfToken } from "../../../core/tokenizer/prompt-bytes.ts";
import { repositoryTokenizerData } from "../../../core/tokenizer/testing/repository-tokenizers.ts";
import { encodeWithin as inSteps } from "./prompt-length.ts";

function encodeWithin(text: string, encode: (text: string) => TokenId[], mostTokens?: number): TokenId[] {
  function* steps(part: string): ResumableWork<TokenId[]> {
    yield 0;
    return encode(part);
  }
  return runToEnd(inSteps(text, steps, mostTokens));
}

/** A tokenizer with one token for each word. */
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
    "The prompt is too long: the first 1,309 of its 1,400,000 characters are already 281 tokens, but the model's context holds only 100 tokens. Shorten the prompt.",
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

/** Milliseconds of processor time that the work takes. */
function processorTime(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/** Processor time for the longest text, with SmolLM2: 28 s with the library's own merges, 2.7 s with merges in arrays. */
test.each([
  ["stories260k", 512],
  ["smollm2-135m", 8_192],
] as const)("the longest text that is not refused by its bytes takes seconds: %s", (name, context) => {
  const data = repositoryTokenizerData(name);
  const { tokenizerJson } = data;
  const tokenizer = createTokenizer(data);
  const bytes = (mostBytesOfToken(tokenizerJson) ?? 0) * context;
  const encode = (part: string) => tokenizer.encodeInSteps(part, "template");
  for (const character of ["=", "a"]) {
    const time = processorTime(() => {
      try {
        runToEnd(inSteps(character.repeat(bytes), encode, context));
      } catch (error) {
        expect(error).toMatchObject({ name: "PromptError" });
      }
    });
    expect(time).toBeLessThan(8_000);
  }
});
