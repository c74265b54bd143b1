/** Every end of a run, for tests of the views that show the end. */
import type { FinishedRecord } from "../../../../core/trace/format/format.ts";
import { createTraceModel, type TraceModel } from "../../../../core/trace/model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../../../../core/trace/testing/trace-builder.ts";

const token = (text: string, id = 5) => ({ token: id, text });
const noError = { lengthLimit: null, error: null };

/** A way in which a run ends, and what the page says about that end. */
export interface RunEndCase {
  readonly end?: Partial<FinishedRecord> & Pick<FinishedRecord, "reason">;
  readonly failure?: string;
  readonly interrupted?: boolean;
  readonly says: RegExp;
  readonly next: RegExp;
}

const error = (message: string, mod: number | null, code?: "context_length_exceeded" | "mod_failed") =>
  ({ reason: "error", error: code ? { message, mod, code } : { message, mod } }) as const;

export const runEnds: Readonly<Record<string, RunEndCase>> = {
  stop: { end: { reason: "stop" }, says: /The model finished\./, next: /Click any word/ },
  "a mod's output": {
    end: { reason: "forced" },
    says: /mod wrote the final text/,
    next: /Switch that mod off/,
  },
  "tool calls": {
    end: {
      reason: "tool_calls",
      toolCalls: [{ id: "c1", type: "function", function: { name: "weather", arguments: "{}" } }],
    },
    says: /ended with a tool call/,
    next: /Add the result of each tool/,
  },
  budget: { end: { reason: "budget" }, says: /limit of forward passes/, next: /Max forward passes/ },
  cancelled: { end: { reason: "cancelled" }, says: /You stopped this run/, next: /Run to start again/ },
  "limit of tokens": {
    end: { reason: "length", lengthLimit: "maxTokens" },
    says: /the limit of 300 tokens/,
    next: /Press “Continue”.*“Max tokens” under Sampling/,
  },
  "limit of a mod": {
    end: { reason: "length", lengthLimit: "maxSteps" },
    says: /maxSteps/,
    next: /Raise maxSteps/,
  },
  "full context": {
    end: { reason: "length", lengthLimit: "context" },
    says: /context is full/,
    next: /Shorten/,
  },
  "prompt too long": {
    end: error("The prompt has 900 tokens; the model takes 512.", null, "context_length_exceeded"),
    says: /prompt is too long.*900 tokens/s,
    next: /Shorten the prompt/,
  },
  "a failing mod": {
    end: error("swap threw: no text", 0, "mod_failed"),
    says: /A mod failed.*swap threw: no text/s,
    next: /Correct the mod or switch it off/,
  },
  "an error of a mod": {
    end: error("No French.", 0),
    says: /ended the run with an error.*No French\./s,
    next: /Change the prompt/,
  },
  "an error without a mod": {
    end: error("The device was lost.", null),
    says: /The run ended with an error.*device was lost/s,
    next: /choose another model/,
  },
  "a page that was left": { interrupted: true, says: /page was closed/, next: /Run to start again/ },
  "an engine that stopped": {
    failure: "out of memory",
    says: /engine aborted.*out of memory/s,
    next: /reload the page/,
  },
};

/** A run of one mod that wrote these words and ended. */
export function traceThatEnds(end: RunEndCase["end"], words: readonly string[]): TraceModel {
  const run = createTraceBuilder(requestRecord({ mods: [{ name: "swap", source: "" }] }));
  run.prefill([token("Once")]);
  for (const word of words) {
    run.forward({ entropy: 1, top: [] });
    run.sample(token(word), {});
    run.add([token(word)], "sampled");
  }
  if (end) run.finish(end.reason, { ...noError, ...end });
  const trace = createTraceModel();
  trace.append(run.records);
  return trace;
}
