/** The first event: the prompt, which mods may replace before anything is computed. */
import type { Action } from "../sdk/action.ts";
import { ask } from "./mods.ts";
import { Output } from "./output.ts";
import { type Change, defaultBudget, type Run } from "./run.ts";

/** Asks the mods about the prompt. Gives the end of the request when one of them, or the prompt's length, means it. */
export async function readPrompt(run: Run): Promise<Change | null> {
  const { request, ports } = run;
  const { requestId, messages, tools, responseFormat, prompt } = request;
  const change = await ask(run, {
    type: "prefilled",
    event: () => ({
      type: "prefilled",
      step: 0,
      tokens: [...run.output.sequence],
      maxTokens: run.limit,
      ...{ requestId, messages, tools, responseFormat },
    }),
    edit: (action) => replacePrompt(run, action),
  });
  const { sequence } = run.output;
  const isReplaced = sequence.length !== prompt.length || sequence.some((token, at) => token !== prompt[at]);
  run.recorder.prefilled(sequence, isReplaced ? prompt.length : null);

  const { capacity } = ports.model.model;
  // The last token is never computed, so a full context still leaves room for one.
  const room = capacity - sequence.length + 1;
  if (room < run.limit) {
    run.limit = room;
    run.limitedBy = "context";
  }
  if (change || sequence.length <= capacity) return change;
  const message = `The prompt has ${sequence.length} tokens, but the model's context holds ${capacity}: shorten it.`;
  return { type: "end", ending: { reason: "error", error: { message, mod: null } } };
}

function replacePrompt(run: Run, action: Action): void {
  if (action.type !== "adjustPrefill") return;
  run.output = new Output(action.tokens, run.ports.tokenizer);
  if (action.maxSteps === undefined) return;
  run.limit = action.maxSteps;
  run.limitedBy = "maxSteps";
  const { capacity } = run.ports.model.model;
  run.budget = run.request.budget ?? defaultBudget(Math.min(action.maxSteps, capacity));
}
