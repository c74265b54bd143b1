/** Makes a complete response, and the fields of the request that complete and streamed responses repeat. */
import type { StreamedCalls } from "../../../core/trace/text/text-stream-events.ts";
import { toToolCall } from "../chat-answer.ts";
import type { ChatFinishReason } from "../chat-completion.ts";
import type { RunningChoices } from "../choices.ts";
import { type EndedChoice, usageOf } from "../usage.ts";
import { wholeChoices } from "../whole-choices.ts";
import type { ResponsePlan } from "./read-request.ts";
import { type OutputItemSettings, outputItems } from "./response-output.ts";
import type {
  ModelResponse,
  ResponseItemStatus,
  ResponseOutputItem,
  ResponseUsage,
} from "./response-types.ts";

/** Rejects as `wholeChoices` does. */
export async function collectResponse(plan: ResponsePlan, choices: RunningChoices): Promise<ModelResponse> {
  const [whole] = await wholeChoices(choices);
  if (!whole) throw new Error("A response has no output. This is a bug in Midtoken: please report it.");
  const { reasoning, text, tokens, calls, finishReason } = whole;
  const parts = { reasoning, text, tokens, calls: calls.list.map(toToolCall) };
  const status = lastItemStatus(finishReason, calls);
  const output = outputItems(parts, outputItemSettings(plan, choices), status);
  return createEndedResponse(plan, choices, { output, ended: whole, finishReason });
}

/** The status of the last item: a stop sequence may have cut the answer inside a call. The calls before it are complete. */
export function lastItemStatus(
  finishReason: ChatFinishReason,
  { list, cut }: StreamedCalls,
): ResponseItemStatus {
  const isCut = list.length > 0 ? cut === list.length - 1 : finishReason === "length" || cut !== null;
  return isCut ? "incomplete" : "completed";
}

/** The ids of a response and its items are derived from the request's id. */
export function outputItemSettings(
  { topLogprobs }: ResponsePlan,
  { started: [first] }: RunningChoices,
): OutputItemSettings {
  return { key: (first?.id ?? "").replace(/^request-|-/g, ""), topLogprobs };
}

export interface ResponseEnd {
  readonly output: ResponseOutputItem[];
  readonly ended: EndedChoice;
  readonly finishReason: ChatFinishReason;
}

export function createEndedResponse(
  plan: ResponsePlan,
  choices: RunningChoices,
  { output, ended, finishReason }: ResponseEnd,
): ModelResponse {
  const isCut = finishReason === "length";
  return {
    ...createInProgressResponse(plan, choices),
    status: isCut ? "incomplete" : "completed",
    completed_at: isCut ? null : seconds(Date.now()),
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    output,
    output_text: outputText(output),
    usage: responseUsage(ended),
  };
}

/** A response that has no items yet. */
export function createInProgressResponse(plan: ResponsePlan, choices: RunningChoices): ModelResponse {
  const { key } = outputItemSettings(plan, choices);
  const [first] = choices.started;
  return {
    id: `resp_${key}`,
    object: "response",
    created_at: seconds(first?.createdAt ?? 0),
    completed_at: null,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    model: plan.model,
    output: [],
    output_text: "",
    ...plan.asked,
    truncation: "disabled",
    background: false,
    access_programs: null,
    midtoken: { request_ids: choices.started.map(({ id }) => id) },
  };
}

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

export function outputText(output: readonly ResponseOutputItem[]): string {
  const messages = output.flatMap((item) => (item.type === "message" ? item.content : []));
  return messages.map(({ text }) => text).join("");
}

function responseUsage(ended: EndedChoice): ResponseUsage {
  const usage = usageOf([ended], 1);
  return {
    input_tokens: usage.prompt_tokens,
    // Tokens that this prompt adds to the cache are not counted as cached.
    input_tokens_details: {
      cached_tokens: usage.prompt_tokens_details.cached_tokens,
      cache_write_tokens: 0,
    },
    output_tokens: usage.completion_tokens,
    output_tokens_details: usage.completion_tokens_details,
    total_tokens: usage.total_tokens,
    midtoken: usage.midtoken,
  };
}
