import { expect, test } from "vitest";
import { createTraceBuilder, requestRecord } from "../testing/trace-builder.ts";
import { reasoningTokenRange } from "./reasoning-tokens.ts";
import { createTraceModel } from "./trace-model.ts";

const token = (text: string) => ({ token: 1, text });
const reasoning = { open: "<think>", close: "</think>", isBegun: false };

function modelOf(pieces: readonly (string | number)[], marks: typeof reasoning | null = reasoning) {
  const builder = createTraceBuilder(requestRecord({ ...(marks && { reasoning: marks }) }));
  builder.prefill([token("Hi")]);
  for (const piece of pieces) {
    if (typeof piece === "number") builder.backtrack(0, piece, 0);
    else builder.add([token(piece)], "forced");
  }
  const model = createTraceModel();
  model.append(builder.records);
  return model;
}

test.each<[string, (string | number)[], object | null]>([
  ["nothing yet", [], null],
  ["an answer alone", ["Hello", "."], null],
  ["still open", ["<think>", "\n", "Hm"], { end: 3, count: 3, isOpen: true }],
  [
    "a mark in pieces, and white space after it",
    ["<th", "ink>", "Hm", "</", "think>", "\n\n", "So"],
    { end: 6, count: 6, isOpen: false },
  ],
  [
    "the mark and the answer in one token",
    ["<think>", "a</think> b", "c"],
    { end: 2, count: 2, isOpen: false },
  ],
  ["no answer yet", ["<think>", "</think>"], { end: 2, count: 2, isOpen: false }],
  [
    "removed tokens are of it as well",
    ["<think>", "x", "y", 2, "z", "</think>", "So"],
    { end: 5, count: 3, isOpen: false },
  ],
  ["a mark further on", ["So", "<think>", "</think>"], null],
])("%s", (_what, pieces, expected) => {
  expect(reasoningTokenRange(modelOf(pieces))).toEqual(expected);
});

test("a model that does not think has none", () => {
  expect(reasoningTokenRange(modelOf(["<think>", "</think>"], null))).toBe(null);
});
