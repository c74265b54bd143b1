/** Reads and answers one of OpenAI's two calls. */
import type { AnswerPlan } from "./answer-plan.ts";
import type { Choices } from "./choices.ts";

export interface Call<Plan extends AnswerPlan, Answer, Chunk> {
  /** @throws ApiError, 400 */
  read(request: unknown): Plan | Promise<Plan>;
  answer(plan: Plan, choices: Choices): Promise<Answer>;
  chunks(plan: Plan, choices: Choices): AsyncGenerator<Chunk, void, undefined>;
}
