/** Converts the body of `POST /v1/chat/completions` to the engine's requests, one for each choice. */
import { RequestFormatError, readRequestFormat } from "../../core/tools/request-format.ts";
import { traceLimits } from "../../core/trace/format/limits.ts";
import { type AnswerPlan, answerPlan } from "./answer-plan.ts";
import { ApiError } from "./api-error.ts";
import { BodyFields } from "./body-fields.ts";
import { readMessages } from "./read-messages.ts";
import { readSharedFields } from "./read-shared-fields.ts";
import { refusedInChat, refuseFields } from "./refused-fields.ts";

/**
 * Reads and checks the body.
 * @param value the unchecked body.
 * @throws ApiError, 400, that names the field, its value and what to do.
 */
export function readChatRequest(value: unknown): AnswerPlan {
  const body = new BodyFields(value);
  const shared = readSharedFields(body);
  const messages = readMessages(body, shared.ignoresMessageFields);
  const maxTokens = readMaxTokens(body);
  const topLogprobs = readTopLogprobs(body);
  const format = readFormat(body);
  const thinking = readThinking(body);
  refuseFields(body, refusedInChat);
  body.refuseOthers();
  return answerPlan(shared, [{ messages, ...format, ...(thinking !== undefined && { thinking }) }], {
    maxTokens,
    topLogprobs,
  });
}

/** The limit of tokens. `max_tokens` is the older name of `max_completion_tokens`. */
function readMaxTokens(body: BodyFields): number | null {
  const rule = { min: 0, max: traceLimits.tokens, isWhole: true } as const;
  const legacyLimit = body.number("max_tokens", rule);
  const limit = body.number("max_completion_tokens", rule);
  if (legacyLimit !== undefined && limit !== undefined && legacyLimit !== limit) {
    throw body.refusal("max_tokens", legacyLimit, `leave it out, since max_completion_tokens is ${limit}`);
  }
  return limit ?? legacyLimit ?? null;
}

/**
 * Whether the request asks the model to think before it answers, by `chat_template_kwargs` or OpenAI's `reasoning_effort:
 * "none"`.
 */
function readThinking(body: BodyFields): boolean | undefined {
  return readThinkingOption(body) ?? (body.take("reasoning_effort") === "none" ? false : undefined);
}

/** Reads `chat_template_kwargs`, with which clients of other servers turn thinking on and off. */
export function readThinkingOption(body: BodyFields): boolean | undefined {
  const kwargs = body.object("chat_template_kwargs");
  const isThinkingRequested = kwargs?.flag("enable_thinking") ?? kwargs?.flag("thinking");
  // Other template variables would change the prompt, but the trace does not record them.
  kwargs?.take("thinking");
  kwargs?.refuseOthers();
  return isThinkingRequested;
}

/** The most top-k tokens that a client may request, because a trace stores no more at each step. */
const mostTopLogprobs = traceLimits.alternatives;

function readTopLogprobs(body: BodyFields): number | null {
  const isAsked = body.flag("logprobs") ?? false;
  const count = body.number("top_logprobs", { min: 0, max: mostTopLogprobs, isWhole: true });
  if (count !== undefined && !isAsked) {
    throw body.refusal("top_logprobs", count, "set logprobs to true as well, or leave it out");
  }
  return isAsked ? (count ?? 0) : null;
}

function readFormat(body: BodyFields) {
  const formatFields = {
    tools: body.take("tools"),
    toolChoice: body.take("tool_choice"),
    parallelToolCalls: body.take("parallel_tool_calls"),
    responseFormat: body.take("response_format"),
  };
  try {
    return readRequestFormat(formatFields);
  } catch (error) {
    if (!(error instanceof RequestFormatError)) throw error;
    const { message, field } = error;
    throw new ApiError(message, {
      status: 400,
      type: "invalid_request_error",
      code: "invalid_value",
      param: field,
      cause: error,
    });
  }
}
