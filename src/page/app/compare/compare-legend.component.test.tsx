// @vitest-environment happy-dom
/** The legend of the comparison explains the marks of the drawn words, and no others. */
import { expect, test } from "vitest";
import { runToEnd } from "../../../core/base/resumable-work.ts";
import { comparing } from "../../../core/trace/compare/compare.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder } from "../../../core/trace/testing/trace-builder.ts";
import { comparisonRows } from "../../../view/timeline/compare/compare-rows.ts";
import { findOnly, render } from "../../../view/ui/testing/render.ts";
import { CompareLegend } from "./compare-legend.tsx";

/** A run of words, each with its probability. */
function runOf(words: readonly (readonly [string, number])[]) {
  const builder = createTraceBuilder();
  for (const [text, probability] of words) {
    const token = { token: [...text].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7), text };
    builder.sample(token, { logprobBefore: Math.log(probability) });
    builder.add([token], "sampled");
  }
  const trace = createTraceModel();
  trace.append(builder.finish("length").records);
  return trace;
}

type Words = Parameters<typeof runOf>[0];

const parts = "A word can have several tokens, so a number may be above only a part of the word.";
const more = "A number above a word, in percentage points: +33 more likely in B.";
const less = "A number above a word, in percentage points: −33 less likely in B.";
const pale = "Pale words are in both runs.";
const sign = "A short word has room only for + or −; select it to read the number.";

const longStart: Words = Array.from({ length: 60 }, (_, at) => [` w${at}`, 0.5] as const);
const likelierStart: Words = longStart.map(([text]) => [text, 0.9] as const);

test.each<[string, Words, Words, string]>([
  [
    "no number is above a word",
    [
      ["the", 0.5],
      [" cat", 0.5],
    ],
    [
      ["the", 0.5],
      [" dog", 0.5],
    ],
    pale,
  ],
  ["no word is the same", [["the", 0.5]], [["one", 0.5]], ""],
  [
    "a word is more likely",
    [
      ["the", 0.5],
      [" cat", 0.5],
      [" sat", 0.2],
    ],
    [
      ["the", 0.5],
      [" cat", 0.9],
      [" lay", 0.2],
    ],
    [pale, more, parts].join(" "),
  ],
  [
    "a short word is less likely; it is pale in A",
    [
      ["a", 0.9],
      [" cat", 0.5],
    ],
    [
      ["a", 0.5],
      [" dog", 0.5],
    ],
    [pale, less, sign, parts].join(" "),
  ],
  [
    "words with numbers are folded",
    [...longStart, ["the", 0.5], [" cat", 0.5]],
    [...likelierStart.slice(0, 30), ...longStart.slice(30), ["the", 0.5], [" dog", 0.5]],
    pale,
  ],
])("%s", async (_name, a, b, text) => {
  const [left, right] = [runOf(a), runOf(b)];
  const comparison = runToEnd(comparing(left, right));
  const rows = comparisonRows(comparison, { left, right }, new Set());
  await render(<CompareLegend compared={{ comparison, left, right }} rows={rows} />);
  expect((findOnly(".compare-legend").textContent ?? "").trim()).toBe(text);
});
