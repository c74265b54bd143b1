import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TraceReasoning } from "./format-request.ts";
import { mayBeginReasoning, splitReasoning } from "./reasoning.ts";

const free: TraceReasoning = { open: "<think>", close: "</think>", isBegun: false };
const begun: TraceReasoning = { ...free, isBegun: true };

describe("splitReasoning", () => {
  const cases: [string, string, TraceReasoning | null, string | null, string, boolean][] = [
    ["a model that does not think", "<think>a</think>b", null, null, "<think>a</think>b", false],
    ["no reasoning", "Hello.", free, null, "Hello.", false],
    ["reasoning, then the answer", "<think>\nHm.\n</think>\n\nHello.", free, "Hm.", "Hello.", false],
    ["white space before the mark", "\n <think>a</think> b", free, "a", "b", false],
    ["reasoning that has not ended", "<think>\nHm, so", free, "Hm, so", "", true],
    ["nothing thought", "<think>\n\n</think>\n\nHello.", free, "", "Hello.", false],
    ["begun by the prompt", "Hm.\n</think>\n\nHello.", begun, "Hm.", "Hello.", false],
    ["begun by the prompt, not ended", "Hm, so", begun, "Hm, so", "", true],
    ["begun by the prompt and marked again", "<think>a</think>b", begun, "a", "b", false],
    ["marks in the answer are the answer's", "<think>a</think>b</think>c", free, "a", "b</think>c", false],
    ["a mark further on", "So <think>a</think>", free, null, "So <think>a</think>", false],
  ];
  test.each(cases)("%s", (_what, text, marks, reasoning, answer, isOpen) => {
    expect(splitReasoning(text, marks)).toMatchObject({ reasoning, answer, isOpen });
  });

  test("the answer is the end of the text", () => {
    const pieces = fc.array(fc.constantFrom("<think>", "</think>", "\n", " ", "a", "<th", "🙂"), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(pieces, fc.boolean(), (parts, isBegun) => {
        const text = parts.join("");
        const { answer, answerStart, isOpen } = splitReasoning(text, { ...free, isBegun });
        expect(text.slice(answerStart)).toBe(answer);
        if (isOpen) expect(answer).toBe("");
      }),
    );
  });
});

test("a text may still begin with reasoning while it is a beginning of the mark", () => {
  const isOpen = (text: string) => mayBeginReasoning(text, free);
  expect(["", " ", "\n<", "<thin"].map(isOpen)).toEqual([true, true, true, true]);
  expect(["a", "<think>", "<b", "< "].map(isOpen)).toEqual([false, false, false, false]);
});
