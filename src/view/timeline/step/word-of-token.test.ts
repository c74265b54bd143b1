import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { wordOfToken } from "./word-of-token.ts";

function traceOf(texts: readonly string[]) {
  const builder = createTraceBuilder(requestRecord({}));
  builder.prefill([{ token: 1, text: "One" }]);
  for (const text of texts) {
    builder.forward({ entropy: 1, top: [] });
    builder.add([{ token: 2, text }], "sampled");
  }
  const trace = createTraceModel();
  trace.append(builder.finish("length").records);
  return trace;
}

test.each([
  ["a word of two tokens, at its first", [" They", " M", "ax", " ran"], 1, "1 of 2 of Max"],
  ["a word of two tokens, at its last", [" They", " M", "ax", " ran"], 2, "2 of 2 of Max"],
  ["a whole word", [" They", " M", "ax", " ran"], 3, null],
  ["a word before a full stop", [" d", "og", "."], 1, "2 of 2 of dog"],
  ["a full stop after a word", [" d", "og", "."], 2, null],
  ["a part of a character", [" d", "", "og"], 0, null],
  ["Chinese, which has no spaces", ["我", "们", "去"], 1, null],
  ["a text without an end in sight", Array(40).fill("ab"), 20, null],
])("%s", (_what, texts, index, expected) => {
  const word = wordOfToken(traceOf(texts), index);
  expect(word && `${word.place} of ${word.count} of ${word.text}`).toBe(expected);
});
