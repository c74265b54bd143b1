/** When the layers of a run's model can be read, and what is said where they cannot. */
import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder } from "../../../core/trace/testing/trace-builder.ts";
import type { ModelState } from "../store/model-store.ts";
import type { RunState } from "../store/run-store.ts";
import { readinessOfRunsModel } from "./model-of-run.ts";

const trace = createTraceModel();
trace.append(createTraceBuilder().finish("length").records);
const choice = (id: string): ModelState["choice"] => ({
  device: "auto",
  reference: { id, url: "https://models.example/", revision: null, dtype: { webgpu: "q4", wasm: "q4" } },
});
const own = choice("models/stories260k");
const ready = { type: "ready", loaded: {} } as ModelState["status"];

test.each<[string, RunState["status"], ModelState["choice"], ModelState["status"], object]>([
  ["it is loaded", "finished", own, ready, { type: "ready" }],
  ["the run failed", "failed", own, ready, { type: "ready" }],
  [
    "the run goes on",
    "running",
    own,
    ready,
    { type: "no", words: "The layers can be read once the run has ended." },
  ],
  ["the run is being read", "reading", own, ready, { type: "no", words: "This run is still being opened." }],
  [
    "another one is chosen",
    "finished",
    choice("other"),
    ready,
    {
      type: "load",
      id: "models/stories260k",
      words: "This run was made by models/stories260k, but other is selected now.",
    },
  ],
  [
    "none is chosen",
    "finished",
    null,
    { type: "none" },
    { type: "load", id: "models/stories260k", words: "This run was made by models/stories260k." },
  ],
  [
    "it is not loaded",
    "finished",
    own,
    { type: "none" },
    {
      type: "load",
      id: "models/stories260k",
      words: "models/stories260k, which made this run, is not loaded.",
    },
  ],
  [
    "it could not be loaded",
    "finished",
    own,
    { type: "failed", message: "No memory." },
    {
      type: "load",
      id: "models/stories260k",
      words: "models/stories260k, which made this run, is not loaded. Loading failed: No memory.",
    },
  ],
])("%s", (_what, status, chosen, loading, expected) => {
  expect(readinessOfRunsModel({ trace, status }, { choice: chosen, status: loading }, false)).toEqual(
    expected,
  );
});

test("inside another site's page nothing is run", () => {
  expect(
    readinessOfRunsModel({ trace, status: "finished" }, { choice: own, status: ready }, true),
  ).toMatchObject({
    type: "no",
  });
});
