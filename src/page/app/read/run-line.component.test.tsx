// @vitest-environment happy-dom
/** The line below the text says that a run ended; why it ended stands once, in the text pane. */
import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { findOnly, render, waitUntilPasses } from "../../../view/ui/testing/render.ts";
import { createRunStore } from "../store/run-store.ts";
import { RunLine } from "./run-line.tsx";

const ends = [
  [{ reason: "length", lengthLimit: "maxTokens" }, "Ended.", "Ended: the token limit was reached. 1 token."],
  [{ reason: "cancelled" }, "Stopped.", "Stopped. 1 token."],
  [
    { reason: "error", error: { message: "No room.", mod: null } },
    "Ended with an error.",
    "No room. 1 token.",
  ],
] as const;

test.each(ends)("%o: the line says %s; a screen reader hears %s", async ({ reason, ...end }, line, said) => {
  const builder = createTraceBuilder(requestRecord());
  builder.prefill([{ token: 1, text: "x" }]);
  builder.forward({ entropy: 1, top: [] });
  builder.sample({ token: 2, text: "Once" }, {});
  builder.add([{ token: 2, text: "Once" }], "sampled");
  const trace = createTraceModel();
  trace.append(builder.finish(reason, end).records);
  const run = createRunStore(null);
  run.getState().show(trace);
  await render(<RunLine run={run} PauseLabels={undefined} />);
  expect(findOnly(".run-line > p:first-child").textContent).toBe(line);
  await waitUntilPasses(() => expect(findOnly(".run-line output").textContent).toBe(said));
  // The summary above the text counts the tokens.
  expect(findOnly(".run-line-metrics").textContent).toMatch(/seed \d+$/);
  expect(findOnly(".run-line-metrics").textContent).not.toContain("1 token");
});
