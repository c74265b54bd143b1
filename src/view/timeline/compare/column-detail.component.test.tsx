// @vitest-environment happy-dom
/** The details of one column of a comparison, for a run that has no token in it. */
import { expect, test } from "vitest";
import { runToEnd } from "../../../core/base/resumable-work.ts";
import { comparing } from "../../../core/trace/compare/compare.ts";
import { createTraceModel, type TraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder } from "../../../core/trace/testing/trace-builder.ts";
import { render } from "../../ui/testing/render.ts";
import { ColumnDetail } from "./column-detail.tsx";

/** A run of these words; the last is followed by the end token if `ends`. */
function runOf(words: readonly string[], ends: boolean): TraceModel {
  const builder = createTraceBuilder();
  for (const text of words) {
    const token = { token: text.length, text };
    builder.sample(token, {});
    builder.add([token], "sampled");
  }
  if (ends) builder.add([{ token: 1, text: "" }], "sampled", { isEos: true });
  const trace = createTraceModel();
  trace.append(builder.finish("stop").records);
  return trace;
}

async function detail(left: TraceModel, right: TraceModel, column: number): Promise<string | null> {
  const comparison = runToEnd(comparing(left, right));
  const shown = { comparison, left, right, column };
  return (await render(<ColumnDetail {...shown} />)).querySelector("dd")?.textContent ?? null;
}

test("a run that ended before the column says so", async () => {
  const [left, right] = [runOf([" cat"], true), runOf([" cat", " slept", " in peace"], false)];
  expect(await detail(left, right, 1)).toContain("end of sequence");
  expect(await detail(left, right, 2)).toBe("The text of A ended before this place.");
});

test("a run that lacks words in the middle says that no token is there", async () => {
  const [left, right] = [runOf([" cat", " in peace"], false), runOf([" cat", " slept", " in peace"], false)];
  expect(await detail(left, right, 1)).toBe("No token of A at this place.");
});
