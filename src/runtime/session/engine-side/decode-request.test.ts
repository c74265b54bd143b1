import { expect, test } from "vitest";
import { defaultSampling } from "../../../core/sdk/request.ts";
import type { RunRequest } from "../shared/requests.ts";
import { decodeRequestOf, type EngineFields } from "./decode-request.ts";

const request: RunRequest = {
  requestId: "r",
  messages: [],
  maxTokens: 9,
  stop: [],
  seed: 1,
  onModError: "stop",
  mods: [],
  sampling: defaultSampling,
};
const model = {
  id: "m",
  revision: null,
  file: "",
  device: "scripted" as const,
  adapter: "",
  vocabularySize: 7,
};
const engineFields: EngineFields = { prompt: [1], model, createdAt: 5 };

test("what a request leaves out is what the trace says of it", () => {
  expect(decodeRequestOf(request, null, engineFields)).toEqual({
    requestId: "r",
    messages: [],
    maxTokens: 9,
    stop: [],
    seed: 1,
    onModError: "stop",
    tools: [],
    toolChoice: "auto",
    parallelToolCalls: true,
    responseFormat: null,
    sampling: defaultSampling,
    modSources: [],
    deadlines: null,
    ...engineFields,
  });
});

test("deadlines, budget and the export that runs are in it, and the built-in mod comes last", () => {
  const mods = [
    { name: "a", source: "// a", entry: "other" },
    { name: "b", source: "// b" },
  ];
  const fields = { mods, deadlines: { event: 900 }, budget: 40, toolChoice: "none" as const };
  expect(decodeRequestOf({ ...request, ...fields }, { source: "// built in" }, engineFields)).toMatchObject({
    deadlines: { load: 2000, prefilled: 2000, event: 900 },
    budget: 40,
    toolChoice: "none",
    modSources: [{ source: "// a", entry: "other" }, { source: "// b" }, { source: "// built in" }],
  });
});
