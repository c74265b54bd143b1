import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TraceReasoning } from "../format/format-request.ts";
import { certainAnswerLength, mayBeginReasoning, splitReasoning } from "./reasoning.ts";

const free: TraceReasoning = { open: "<think>", close: "</think>", isBegun: false };
const begun: TraceReasoning = { ...free, isBegun: true };
const marked: TraceReasoning = { ...free, answer: { open: "<answer>", close: "</answer>" } };
const channels: TraceReasoning = { ...free, close: "<end><final>", answer: { open: "<final>", close: "" } };

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
    ["a marked answer", "<think>a</think>\n<answer>\nb\n</answer>\n", marked, "a", "b", false],
    ["a marked answer that grows", "<think>a</think><answer>b</ans", marked, "a", "b</ans", false],
    ["a marked answer alone", " <answer>b</answer>", marked, null, "b", false],
    ["an answer without its marks", "<think>a</think>b</answer>", marked, "a", "b</answer>", false],
    ["an answer's mark with no end", "<think>a<end><final>b", channels, "a", "b", false],
    ["that mark and no reasoning", "<final>b", channels, null, "b", false],
    ["a mark further on", "So <think>a</think>", free, null, "So <think>a</think>", false],
  ];
  test.each(cases)("%s", (_what, text, marks, reasoning, answer, isOpen) => {
    expect(splitReasoning(text, marks)).toMatchObject({ reasoning, answer, isOpen });
  });

  test("the answer is a part of the text", () => {
    const pieces = fc.array(
      fc.constantFrom("<think>", "</think>", "<answer>", "</answer>", "\n", " ", "a", "<th", "🙂"),
      {
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(pieces, fc.boolean(), (parts, isBegun) => {
        const text = parts.join("");
        const { answer, answerStart, answerEnd, isOpen } = splitReasoning(text, { ...marked, isBegun });
        expect(text.slice(answerStart, answerEnd)).toBe(answer);
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

test("of an answer that grows, what may become its mark is not certain", () => {
  const certain = (text: string) => {
    const parts = splitReasoning(text, marked);
    return parts.answer.slice(0, certainAnswerLength(text, parts, marked));
  };
  const thought = "<think>a</think>";
  const texts = [
    "",
    "<ans",
    "<answer>",
    "<answer>b \n",
    "<answer>b\n</answ",
    "<answer>b</x",
    "b </answ",
    "<b",
  ];
  expect(texts.map((text) => certain(thought + text))).toEqual([
    "",
    "",
    "",
    "b",
    "b",
    "b</x",
    "b </answ",
    "<b",
  ]);
});
