/** Converts the body of `POST /v1/completions` to the engine's requests, one for each choice of each prompt. */
import { requestDefaults } from "../../core/base/request-defaults.ts";
import { traceLimits } from "../../core/trace/format/limits.ts";
import { type AnswerPlan, answerPlan } from "./answer-plan.ts";
import { invalidRequestError } from "./api-error.ts";
import { BodyFields } from "./body-fields.ts";
import { readSharedFields } from "./read-shared-fields.ts";
import { refusedInText, refuseFields } from "./refused-fields.ts";

export interface TextPlan extends AnswerPlan {
  /** The beginning of each choice's text: the prompt if `echo` is set, otherwise "". */
  readonly echoes: readonly string[];
}

const mostTopLogprobs = 5;
const mostPrompts = 128;

/**
 * Reads and checks the body.
 * @param value the unchecked body.
 * @throws ApiError, 400, that names the field, its value and what to do.
 */
export function readTextRequest(value: unknown): TextPlan {
  const body = new BodyFields(value);
  const shared = readSharedFields(body);
  const prompts = readPrompts(body);
  const maxTokens =
    body.number("max_tokens", { min: 0, max: traceLimits.tokens, isWhole: true }) ??
    requestDefaults.text.maxTokens;
  const topLogprobs = body.number("logprobs", { min: 0, max: mostTopLogprobs, isWhole: true }) ?? null;
  const isEchoed = body.flag("echo") ?? false;
  if (isEchoed && topLogprobs !== null) {
    throw body.refusal(
      "echo",
      true,
      "leave out echo or logprobs: the tokens of a prompt have no log-probabilities in this API",
    );
  }
  checkBestOf(body, shared.choices);
  refuseFields(body, refusedInText);
  body.refuseOthers();
  const raw = prompts.map((content) => ({
    rawPrompt: true,
    messages: [{ role: "user" as const, content }],
  }));
  return {
    ...answerPlan(shared, raw, { maxTokens, topLogprobs }),
    echoes: prompts.flatMap((prompt) =>
      Array.from({ length: shared.choices }, () => (isEchoed ? prompt : "")),
    ),
  };
}

function readPrompts(body: BodyFields): readonly string[] {
  const value = body.take("prompt");
  const prompts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (prompts.length === 0 || prompts.some((prompt) => typeof prompt !== "string" || prompt === "")) {
    const tokens = prompts.flat().some((each) => typeof each === "number");
    const cure = tokens
      ? "give the text of the tokens, or a list of texts: this API does not accept token ids"
      : "give a string that is not empty, or a list of such strings";
    throw body.refusal("prompt", value, cure);
  }
  if (prompts.length > mostPrompts) {
    throw invalidRequestError(`prompt has ${prompts.length} entries: give at most ${mostPrompts}.`, "prompt");
  }
  return prompts as readonly string[];
}

/** `best_of` is accepted if it equals the number of choices, because then it has no effect. */
function checkBestOf(body: BodyFields, choices: number): void {
  const value = body.take("best_of");
  if (value === undefined || value === choices) return;
  throw body.refusal(
    "best_of",
    value,
    `leave it out, or write ${choices}, the value of n: all choices are returned`,
  );
}
