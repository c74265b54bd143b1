/** Runs for tests, as the page keeps them. */

import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import type { RunToSave } from "../repository.ts";
import type { RunMetadata, RunPageMetadata, RunTexts } from "../run-metadata.ts";
import { runToSave } from "../run-to-save.ts";

export const sampleRunPageMetadata: RunPageMetadata = {
  id: "run-1",
  when: 1_000,
  modIds: ["mod-a"],
  from: null,
  recorded: false,
  interrupted: false,
};

/** A whole run with a real trace. */
export function sampleRun(origin: Partial<RunPageMetadata> = {}, tokens = 20): RunToSave {
  const trace = createTraceModel();
  trace.append(sampleTrace({ tokens }).records);
  return runToSave(trace, { ...sampleRunPageMetadata, ...origin });
}

/** A run of which only metadata and texts matter. */
export function runWith(
  id: string,
  texts: Partial<RunTexts>,
  metadata: Partial<RunMetadata> = {},
): RunToSave {
  return {
    metadata: { ...plainMetadata, ...metadata, id },
    texts: { prompt: "", output: "", ...texts },
    bytes: new Uint8Array([1, 2, 3]),
  };
}

const plainMetadata: RunMetadata = {
  ...sampleRunPageMetadata,
  star: false,
  tags: [],
  title: null,
  requestId: "",
  branch: null,
  model: "midtoken/stories",
  mods: [],
  prompt: "",
  output: "",
  tokens: 1,
  finishReason: "stop",
  bytes: 3,
};
