import type { Experiment } from "../experiment.ts";

/** Settings of an experiment that asks for no tools, no format and no limits but `maxTokens`. */
export function plainSettings(
  sampling: Experiment["settings"]["sampling"],
  maxTokens: number,
): Experiment["settings"] {
  return {
    sampling,
    maxTokens,
    stop: [],
    onModError: "stop",
    budget: null,
    deadlines: null,
    tools: [],
    toolChoice: "auto",
    parallelToolCalls: true,
    responseFormat: null,
  };
}
