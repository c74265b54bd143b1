/** Runs a raw prompt on a model, greedy, with the KV cache emptied before. */
import { defaultSampling } from "../../../src/core/sdk/request.ts";
import type { ExportedModel } from "../../../src/page/examples/testing/exported-model.ts";

type Run = ExportedModel["run"];

interface GreedyRequest {
  readonly prompt: string;
  readonly maxTokens: number;
  readonly heal: boolean;
}

export function greedyRun(
  model: ExportedModel,
  { prompt, maxTokens, heal }: GreedyRequest,
  mods: Parameters<Run>[1],
): ReturnType<Run> {
  model.forget();
  return model.run(
    {
      requestId: "greedy",
      messages: [{ role: "user", content: prompt }],
      rawPrompt: true,
      tools: [],
      responseFormat: null,
      maxTokens,
      seed: 1,
      stop: [],
      onModError: "stop",
      sampling: { ...defaultSampling, temperature: 0 },
      mods: mods.map(({ name }) => ({ name, source: "" })),
      heal,
    },
    mods,
  );
}
