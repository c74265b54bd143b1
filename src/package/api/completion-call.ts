/** Reads and answers one of OpenAI's calls: chat completions, text completions or responses. */
import type { AnswerPlan } from "./answer-plan.ts";
import type { RunningChoices } from "./choices.ts";

export interface CompletionEndpoint<Plan extends AnswerPlan, Answer, Chunk> {
  /** @throws ApiError, 400 */
  read(request: unknown): Plan | Promise<Plan>;
  answer(plan: Plan, choices: RunningChoices): Promise<Answer>;
  chunks(plan: Plan, choices: RunningChoices): AsyncGenerator<Chunk, void, undefined>;
}
