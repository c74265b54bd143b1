/** Converts the body of `POST /v1/responses` to the request for the engine. */
import { traceLimits } from "../../../core/trace/format/limits.ts";
import { type AnswerPlan, answerPlan } from "../answer-plan.ts";
import { invalidRequestError } from "../api-error.ts";
import { BodyFields } from "../body-fields.ts";
import { readThinkingOption } from "../read-chat-request.ts";
import { readSharedFields } from "../read-shared-fields.ts";
import { refuseFields } from "../refused-fields.ts";
import { messagesOf } from "./item-messages.ts";
import { readInput } from "./read-input.ts";
import { readMetadata } from "./read-metadata.ts";
import { readTextAndTools } from "./read-text-and-tools.ts";
import { refusedInResponses } from "./refused-in-responses.ts";
import type { EarlierResponses } from "./response-store.ts";
import type { EchoedRequestFields, ResponseItem } from "./response-types.ts";

export interface ResponsePlan extends AnswerPlan {
  /** The items of this request only, without the conversation before it. */
  readonly input: readonly ResponseItem[];
  readonly asked: EchoedRequestFields;
}

/**
 * @param value the unchecked body
 * @throws ApiError, 400, that names the field, its value and what to do.
 */
export function readResponseRequest(value: unknown, earlier: EarlierResponses): ResponsePlan {
  const body = new BodyFields(value);
  const shared = readSharedFields(body);
  if (shared.choices !== 1) {
    throw body.refusal("n", shared.choices, "leave it out: a response has one answer");
  }
  const input = readInput(body, { stored: (id) => earlier.item(id), newId: newItemId });
  const previous = body.text("previous_response_id") ?? null;
  const instructions = body.text("instructions") ?? null;
  const isStored = body.flag("store") ?? true;
  const maxTokens =
    body.number("max_output_tokens", { min: 1, max: traceLimits.tokens, isWhole: true }) ?? null;
  const topLogprobs = readLogprobs(body);
  const metadata = readMetadata(body);
  const format = readTextAndTools(body);
  const thinking = readReasoningSwitch(body);
  // This is a limit for tools that run on the server, and there are none.
  body.take("max_tool_calls");
  refuseFields(body, refusedInResponses);
  body.refuseOthers();
  const before = previous === null ? [] : earlier.conversation(previous);
  const messages = conversationMessages(instructions, [...before, ...input]);
  const prompt = { messages, ...format.request, ...(thinking !== undefined && { thinking }) };
  const asked: EchoedRequestFields = {
    instructions,
    metadata,
    ...format.asked,
    max_output_tokens: maxTokens,
    previous_response_id: previous,
    reasoning: { effort: thinking === false ? "none" : null, summary: null },
    store: isStored,
    temperature: shared.sampling.temperature,
    top_p: shared.sampling.topP,
    top_logprobs: topLogprobs ?? 0,
    ...(shared.client !== "" && { user: shared.client }),
  };
  return { ...answerPlan(shared, [prompt], { maxTokens, topLogprobs }), input, asked };
}

/** @throws ApiError, 400, if the conversation is too long, or has an output for a function that was not called. */
function conversationMessages(instructions: string | null, items: readonly ResponseItem[]) {
  const calls = new Set<string>();
  for (const item of items) {
    if (item.type === "function_call" && item.status === "completed") calls.add(item.call_id);
    if (item.type === "function_call_output" && !calls.has(item.call_id)) {
      const problem = `input has a function_call_output whose call_id is ${JSON.stringify(item.call_id)}, but no complete function_call before the output has that id`;
      throw invalidRequestError(
        `${problem}: send the call before its output, or give the id of the response with the call as previous_response_id.`,
        "input",
      );
    }
  }
  const system = instructions ? [{ role: "system" as const, content: instructions }] : [];
  const messages = [...system, ...messagesOf(items)];
  if (messages.length === 0) {
    throw invalidRequestError(
      "input has only reasoning or incomplete calls, so there is nothing to answer: add a message or a function's output.",
      "input",
    );
  }
  if (messages.length <= traceLimits.messages) return messages;
  throw invalidRequestError(
    `The conversation has ${messages.length} messages: at most ${traceLimits.messages} can be read.`,
    "input",
  );
}

const logprobsOf = "message.output_text.logprobs";
/** Parts of answers that OpenAI sends only on request, and that these models never produce. */
const withoutEffect: readonly unknown[] = ["reasoning.encrypted_content"];

/** How many of the most likely tokens to return for each token; null if log-probabilities are not requested. */
function readLogprobs(body: BodyFields): number | null {
  const include = body.take("include") ?? [];
  if (!Array.isArray(include)) throw body.refusal("include", include, "give a list, or leave it out");
  const other = include.find((name) => name !== logprobsOf && !withoutEffect.includes(name));
  if (other !== undefined) {
    const cure = `leave it out: the only supported value is "${logprobsOf}"`;
    throw body.refusal("include", other, cure, "unsupported_value");
  }
  const isAsked = include.includes(logprobsOf);
  const count = body.number("top_logprobs", { min: 0, max: traceLimits.alternatives, isWhole: true });
  if (count !== undefined && count > 0 && !isAsked) {
    throw body.refusal("top_logprobs", count, `write include: ["${logprobsOf}"] as well, or leave it out`);
  }
  return isAsked ? (count ?? 0) : null;
}

/** Reads `reasoning.effort`, `reasoning.summary` and `chat_template_kwargs`. */
function readReasoningSwitch(body: BodyFields): boolean | undefined {
  const reasoning = body.object("reasoning");
  const effort = reasoning?.take("effort");
  if (reasoning && effort !== undefined && effort !== "none") {
    const cure =
      'write "none", or leave it out: how long a model thinks is decided by the model, or by a mod. chat_template_kwargs { "enable_thinking": true } turns thinking on';
    throw reasoning.refusal("effort", effort, cure, "unsupported_parameter");
  }
  for (const name of ["summary", "generate_summary"]) {
    const summary = reasoning?.take(name);
    if (!reasoning || summary === undefined || summary === "auto") continue;
    const cure =
      'leave it out, or write "auto": the response contains the full reasoning, and summaries are not supported';
    throw reasoning.refusal(name, summary, cure, "unsupported_parameter");
  }
  reasoning?.refuseOthers();
  return effort === "none" ? false : readThinkingOption(body);
}

/** An id for an item of the input that has none. */
function newItemId(prefix: string): string {
  const numbers = crypto.getRandomValues(new Uint32Array(4));
  return `${prefix}_${[...numbers].map((number) => number.toString(16).padStart(8, "0")).join("")}`;
}
