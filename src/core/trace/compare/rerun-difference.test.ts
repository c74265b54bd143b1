import { expect, test } from "vitest";
import type { Trace } from "../format/format.ts";
import { createTraceBuilder, requestRecord, type TraceBuilder } from "../testing/trace-builder.ts";
import { rerunDifference } from "./rerun-difference.ts";

const word = (text: string, token = text.charCodeAt(0)) => ({ token, text });
const request = requestRecord({ mods: [{ name: "m", source: "" }] });

function traceOf(
  write: (builder: TraceBuilder) => void,
  end: "length" | "stop" | "cancelled" = "length",
): Trace {
  const builder = createTraceBuilder(request);
  builder.prefill([word("x")]);
  write(builder);
  return builder.finish(end);
}

const plain = (text: string, end?: "length" | "stop" | "cancelled") =>
  traceOf((builder) => {
    for (const each of text) builder.add([word(each)], "sampled");
  }, end);
const backtracked = traceOf((builder) => {
  builder.add([word("a")], "sampled");
  builder.add([word("b")], "sampled");
  builder.backtrack(0, 1, 1);
  builder.add([word("c")], "reinjected");
});
const withoutIds = traceOf((builder) => {
  for (const each of "abc") builder.add([word(each, -1)], "sampled");
});

test.each<[string, Trace, Trace, object | null]>([
  ["the same", plain("abc"), plain("abc"), null],
  ["the same with removed tokens", backtracked, backtracked, null],
  [
    "another token",
    plain("abc"),
    plain("axc"),
    { index: 1, tokens: 1, recorded: '"b" (chosen)', now: '"x" (chosen)' },
  ],
  ["fewer tokens", plain("abc"), plain("ab"), { index: 2, tokens: 2, now: "the end (length)" }],
  ["more tokens", plain("ab"), plain("abc"), { index: 1, tokens: 2, recorded: "the end (length)" }],
  ["another end", plain("ab"), plain("ab", "stop"), { index: 1, tokens: 2, now: "the end (stop)" }],
  [
    "a token that was not taken back",
    backtracked,
    plain("abc"),
    { index: 2, tokens: 2, recorded: "1 token removed", now: '"c" (chosen)' },
  ],
  ["a record that was stopped", plain("ab", "cancelled"), plain("abcd"), null],
  ["a record without ids", withoutIds, plain("abc"), null],
  ["no tokens at all", plain(""), plain("a"), { index: null, tokens: 0 }],
])("%s", (_, recorded, again, expected) => {
  const found = rerunDifference(recorded.records, again.records);
  if (expected === null) expect(found).toBeNull();
  else expect(found).toMatchObject(expected);
});
